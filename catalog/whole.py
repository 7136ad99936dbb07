"""The whole catalog: all facts and prices of one release, and the hash over them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from catalog.records import PriceRow, Record, Source
from catalog.release import fingerprint, release_of, tally


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
