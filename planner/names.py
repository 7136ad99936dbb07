"""How products and companies spell their own names, for pages and documents alike."""

from __future__ import annotations

from catalog.providers import provider_name
from voice.terms import SOFTWARE, TERMS

__all__ = ["SOFTWARE", "provider_name", "region_name"]


def region_name(slug: str) -> str:
    """What its provider calls that region; leased servers stand on the own site."""
    return TERMS["region"].get(slug, slug)
