"""The readings that the releases ship, as series of one good each."""

from __future__ import annotations

from pathlib import Path

from catalog.facts import DATA, load_from
from catalog.readings import Good, Series, readings, series_of

__all__ = ["Good", "Series", "shipped"]


def shipped(root: Path = DATA) -> dict[Good, Series]:
    """Every series of at least two days in the releases of that folder."""
    tiers = {record.slug: record.text("tier") for record in load_from(root).of("provider")}
    return series_of(readings(root), tiers)
