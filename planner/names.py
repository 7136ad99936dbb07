"""How products and companies spell their own names, for pages and documents alike."""

from __future__ import annotations

import re

from catalog.providers import PROVIDERS, provider_name
from engine.inputs.names import SOFTWARE

__all__ = ["PROVIDERS", "SOFTWARE", "provider_name", "spelled"]

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
