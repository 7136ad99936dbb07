"""Is a catalog release loaded into the database?"""

from __future__ import annotations

from catalog.models import CatalogRelease


def is_loaded() -> bool:
    """True when a release has been published."""
    return CatalogRelease.objects.exists()
