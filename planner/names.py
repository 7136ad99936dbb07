"""How products and companies spell their own names, for pages and documents alike."""

from __future__ import annotations

import re

PROVIDERS = {
    "aws": "AWS",
    "azure": "Azure",
    "coreweave": "CoreWeave",
    "crusoe": "Crusoe",
    "cudo": "Cudo Compute",
    "do": "DigitalOcean",
    "fluidstack": "Fluidstack",
    "gcp": "Google Cloud",
    "hyperstack": "Hyperstack",
    "ibm": "IBM Cloud",
    "lambda": "Lambda",
    "nebius": "Nebius",
    "oci": "OCI",
    "paperspace": "Paperspace",
    "runpod": "RunPod",
    "together": "Together AI",
    "vast": "Vast.ai",
}


def provider_name(slug: str) -> str:
    """The provider's own spelling of its name; the text itself when we do not know it."""
    return PROVIDERS.get(slug.lower(), slug)


_WORDS = {"do", "together"}
"""Slugs that are English words too."""
_SLUGS = re.compile(
    rf"(?<![\w/.-])({'|'.join(slug for slug in PROVIDERS if slug not in _WORDS)}"
    # “start and stop together” is no provider; what names its terms, or stands in their bracket, is one.
    r"|together(?= (?:spot|on demand|commit|capacity block|has )))(?![\w/.-])"
)


def spelled(sentence: str) -> str:
    """A sentence of the engine, which knows providers by their slugs only, with their own spelling."""
    return _SLUGS.sub(lambda found: PROVIDERS[found[1]], sentence)
