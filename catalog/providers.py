"""How providers and certificates are called on every page and in every document: as the catalog's facts name them, a few providers by the
shorter name that people use."""

from __future__ import annotations

from functools import cache

from catalog.facts import released

_SHORT = {"aws": "AWS", "azure": "Azure", "oci": "OCI", "do": "DigitalOcean", "ibm": "IBM Cloud"}
"""Of providers whose whole name nobody says, and of those that only price lists of teams know."""


def provider_name(slug: str) -> str:
    """The provider's own spelling of its name; the text itself when we do not know it."""
    known = slug.lower()
    return _SHORT.get(known) or _names().get(known, slug)


def certificate_name(slug: str) -> str:
    """The certificate's own spelling of its name; the text itself when we do not know it."""
    return next((one.text("name") for one in released().records if (one.kind, one.slug) == ("certificate", slug)), slug)


@cache
def _names() -> dict[str, str]:
    """Names of all providers that any release has, by slug."""
    found = ((one.slug, one.text("name")) for one in released().records if one.kind == "provider")
    return {slug: name for slug, name in found if name}
