"""What the catalog is made of, as plain values: facts with a source, prices with a date."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from catalog.units import to_si

OPTIONS = ("on_demand", "spot", "commit_1y", "commit_3y", "capacity_block")
CONFIDENCES = ("datasheet", "repo", "derived", "memory")
"""datasheet: the maker's page; repo: a public repository that quotes it; derived: computed from such facts,
or, with the source `project`, a choice of ours that states nothing about a product;
memory: typed from general knowledge, to be checked before money depends on it."""
OWN = "own"
"""Confidence of a value that a team entered itself; never in the public files."""


SOURCE_WIDTHS = {"title": 300, "where": 300, "licence": 100, "via": 20}
"""Characters of what is said of a source."""
WIDTHS = {"provider": 40, "instance": 120, "region": 60, "zone": 60}
"""Characters of the names of a price, which sellers choose."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Value:
    """One fact as it was written: the text, its unit, the SI value where it is a number, and where it comes from."""

    text: str
    unit: str
    dimension: str
    source: str
    date: str
    confidence: str

    @property
    def number(self) -> float:
        """The value in the SI unit of its dimension."""
        return to_si(self.text, self.unit, self.dimension)


@dataclass(frozen=True, kw_only=True, slots=True)
class Record:
    """One thing in the catalog: kind (accelerator, system, …), slug, and its facts by field."""

    kind: str
    slug: str
    values: dict[str, Value]

    def text(self, name: str, default: str = "") -> str:
        """The text of that field, or the default when the catalog does not know it."""
        found = self.values.get(name)
        return found.text if found else default

    def number(self, name: str, default: float = 0.0) -> float:
        """The SI value of that field, or the default when the catalog does not know it."""
        found = self.values.get(name)
        return found.number if found else default

    def flag(self, name: str, default: bool) -> bool:
        """A yes/no field."""
        return self.text(name, "true" if default else "false") == "true"

    def group(self, name: str) -> dict[str, float]:
        """The SI values of the fields `name.*` by the part after the dot."""
        start = f"{name}."
        return {key[len(start) :]: value.number for key, value in self.values.items() if key.startswith(start)}


@dataclass(frozen=True, kw_only=True, slots=True)
class PriceRow:
    """One dated price of one instance type: append-only, so a newer row never erases an older one."""

    provider: str
    instance: str
    region: str
    zone: str
    accelerator: str
    """Slug."""
    count: Decimal
    """Accelerators in one instance; a fraction where the provider sells a share of one."""
    option: str
    amount: Decimal
    """For one hour of the whole instance, in `currency`."""
    currency: str
    date: date
    """Day of the observation; the age of a price counts from it."""
    source: str
    """Id in the source table."""
    vcpus: Decimal = Decimal(0)
    memory_gib: Decimal = Decimal(0)
    confidence: str = "repo"
    valid_from: dt.date | None = None
    """Since when the provider has charged it, where the source says so."""
    valid_until: dt.date | None = None
    """Of a team's own price: last day on which the seller holds it, where it says so."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """Where facts come from: title, address or repository, licence."""

    id: str
    title: str
    where: str
    licence: str = ""
    via: str = ""
    """`comparison`: it tells prices of others; empty: its own, or what was read from the seller itself."""


def decimal_text(value: Decimal) -> str:
    """The number without trailing zeros or exponent: 8, 23.6, 0.167."""
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
