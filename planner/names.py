"""How products and companies spell their own names, for pages and documents alike."""

from __future__ import annotations

from catalog.providers import provider_name
from voice.terms import SOFTWARE

__all__ = ["SOFTWARE", "provider_name"]
