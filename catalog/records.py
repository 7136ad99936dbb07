"""What the catalog holds, as plain values: facts with a source, prices with a date, and the hash over all of them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from functools import cached_property

from catalog.release import fingerprint, release_of, tally
from catalog.units import to_si

OPTIONS = ("on_demand", "spot", "commit_1y", "commit_3y", "capacity_block")
CONFIDENCES = ("datasheet", "repo", "derived", "memory")
"""datasheet: the maker's page; repo: a public repository that quotes it; derived: computed from such facts;
memory: typed from general knowledge, to be checked before money depends on it."""
OWN = "own"
"""Confidence of a value that a team entered itself; never in the public files."""


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


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """Where facts come from: title, address or repository, licence."""

    id: str
    title: str
    where: str
    licence: str = ""


@dataclass(frozen=True, kw_only=True)
class Catalog:
    """One release: all records, prices and sources, in a fixed order."""

    records: tuple[Record, ...]
    prices: tuple[PriceRow, ...]
    sources: tuple[Source, ...]
    overlay: tuple[PriceRow, ...] = field(default=())
    """A team's own prices; they come before public ones."""
    own: tuple[Record, ...] = field(default=())
    """A team's own entries; each of their values comes before the public one."""

    @cached_property
    def release(self) -> str:
        """SHA-256 over every fact, price and source; equal for equal content, whatever it was read from."""
        return release_of(
            self.records,
            tally(map(fingerprint, self.prices)),
            self.sources,
            overlay=tally(map(fingerprint, self.overlay)),
            own=self.own,
        )

    @cached_property
    def effective(self) -> tuple[Record, ...]:
        """All records as the team plans with them: its own values over the public ones, its own things beside them."""
        if not self.own:
            return self.records
        found = {(record.kind, record.slug): record for record in self.records}
        for record in self.own:
            public = found.get((record.kind, record.slug))
            values = {**(public.values if public else {}), **record.values}
            found[record.kind, record.slug] = Record(kind=record.kind, slug=record.slug, values=values)
        return tuple(found.values())

    @cached_property
    def release_date(self) -> str:
        """The newest date of any fact or price: what “now” means for a plan on this release."""
        dates = {value.date for record in self.records for value in record.values.values()}
        return max(dates | {row.date.isoformat() for row in (*self.prices, *self.overlay)}, default="")

    def of(self, kind: str) -> Iterable[Record]:
        """The records of that kind, the team's own values in force, in order of their slug."""
        return sorted((record for record in self.effective if record.kind == kind), key=lambda record: record.slug)


def decimal_text(value: Decimal) -> str:
    """The number without trailing zeros or exponent: 8, 23.6, 0.167."""
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
