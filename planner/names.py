"""How products and companies spell their own names, for pages and documents alike."""

from __future__ import annotations

from catalog.providers import PROVIDERS, provider_name
from voice.terms import SOFTWARE

__all__ = ["PROVIDERS", "SOFTWARE", "provider_name"]
