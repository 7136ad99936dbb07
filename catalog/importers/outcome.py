"""What an import says about itself: every line read is priced, used as a part, a duplicate, or refused with a reason."""

from __future__ import annotations

import csv
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from pathlib import Path
from statistics import median

from catalog.progress import tell_read
from catalog.records import WIDTHS, PriceRow
from incoming.package import Refused

SPOT_TOLERANCE = Decimal("1.001")
"""Spot is rounded to four digits and may pass on-demand by that much."""
LOWEST, LOWEST_SPOT, HIGHEST = Decimal("0.2"), Decimal("0.03"), Decimal(5)
"""A price per accelerator outside these multiples of the median on-demand price of its kind is refused."""
MOST = Decimal(1_000_000)
"""For one hour of one machine; more is not a price."""
FAR = "The price per accelerator is too far from the median on-demand price of its kind to be believed."
LONG = f"A name is longer than the catalog keeps ({', '.join(f'{name} {width}' for name, width in WIDTHS.items())} characters)."


class ImportFault(Refused):
    """The file as a whole cannot be read: which, and what to change."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Refusal:
    """One line, or one price of it, that was not taken."""

    line: int
    reason: str
    text: str


@dataclass(kw_only=True)
class Outcome:
    """Rows and refusals of one file. `lines` = `priced` + `parts` + `duplicates` + lines refused whole + `skipped`."""

    lines: int = 0
    priced: int = 0
    parts: int = 0
    """Lines that are a part of another price (the host of an accelerator)."""
    duplicates: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    """Reason → lines of a large feed that are about something else (another system, no accelerator)."""
    rows: list[PriceRow] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)
    """Lines that gave no price."""
    dropped: list[Refusal] = field(default_factory=list)
    """Single prices left out of a line that gave another one."""

    @property
    def reconciles(self) -> bool:
        """Is every line accounted for?"""
        return self.lines == self.priced + self.parts + self.duplicates + len(self.refused) + self.skipped.total()

    def reasons(self) -> dict[str, int]:
        """How often each reason occurred, over lines and single prices, the most frequent first."""
        refused = Counter(refusal.reason for refusal in (*self.refused, *self.dropped))
        return dict((refused + self.skipped).most_common())

    def totals(self) -> dict[str, Decimal]:
        """The sum of the amounts taken, by option: what an auditor adds up in the file to compare."""
        sums: dict[str, Decimal] = {}
        for row in self.rows:
            sums[row.option] = sums.get(row.option, Decimal(0)) + row.amount
        return sums

    def take(self, row: PriceRow, seen: set[PriceRow]) -> None:
        """Keep the price of a line, once: a line that gives the same one again is a duplicate."""
        if row in seen:
            self.duplicates += 1
            return
        seen.add(row)
        self.priced += 1
        self.rows.append(row)

    def refuse(self, line: int, reason: str, text: str) -> None:
        """Note that this line gave no price, and why."""
        self.refused.append(Refusal(line=line, reason=reason, text=text[:200]))

    def drop(self, line: int, reason: str, text: str) -> None:
        """Note that one price of a line was left out while another was taken."""
        self.dropped.append(Refusal(line=line, reason=reason, text=text[:200]))


def csv_lines(path: Path, *columns: str, about: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Line number and trimmed cells by column of a CSV file. ImportFault when it is none, or lacks a column."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            reader = csv.reader(stream)
            header = next(reader, [])
            for name in columns:
                if name not in header:
                    raise ImportFault(f"{path.name} lacks the column {name}; is it {about}?")
            blank = dict.fromkeys(header, "")
            for cells in reader:
                if cells:
                    tell_read(reader.line_num, stream, path)
                    yield reader.line_num, blank | dict(zip(header, map(_cell, cells), strict=False))
    except (UnicodeDecodeError, csv.Error) as error:
        raise ImportFault(f"{path.name} is not a CSV file in UTF-8: {error}.") from error


def _cell(text: str) -> str:
    """The trimmed cell, one object for all that are equal: of a hundred thousand rows most say one of a few hundred things."""
    return sys.intern(text.strip())


@lru_cache(maxsize=65_536)
def amount(text: str) -> Decimal | None:
    """The price, or None where the cell is blank. ValueError when it is no price: text, NaN, negative, or 0."""
    text = text.strip()
    if not text:
        return None
    try:
        value = Decimal(text)
    except InvalidOperation as error:
        raise ValueError("The price is not a number.") from error
    if not value.is_finite() or value < 0:
        raise ValueError("The price is not a finite number above 0.")
    if value == 0:
        raise ValueError("The price is 0; an unknown price must be left blank.")
    if value > MOST:
        raise ValueError("The price is more than a million for one hour.")
    return value


@lru_cache(maxsize=4096)
def side(text: str) -> Decimal:
    """A side value such as vCPUs: 0 where the file has none or nonsense, because no price depends on it."""
    try:
        value = Decimal(text.replace(",", "").strip())
    except InvalidOperation:
        return Decimal(0)
    return value if value.is_finite() and 0 <= value <= MOST else Decimal(0)


def spot_fault(on_demand: Decimal | None, spot: Decimal | None) -> str | None:
    """Why that spot price cannot stand beside that on-demand price, or None."""
    if on_demand is not None and spot is not None and spot > on_demand * SPOT_TOLERANCE:
        return "The spot price is above the on-demand price."
    return None


def without_outliers(outcome: Outcome, reference: Mapping[str, Decimal] | None = None) -> Outcome:
    """The outcome without rows whose price per accelerator is far from the median on-demand price of its kind, and without those
    whose names no column takes: SQLite would store them, PostgreSQL refuse all of the feed.

    `reference` has that median from elsewhere, for accelerators of which the file has fewer than three prices.
    """
    middle = {**(reference or {}), **medians(outcome.rows)}
    kept: list[PriceRow] = []
    for row in outcome.rows:
        short = all(len(getattr(row, name)) <= width for name, width in WIDTHS.items())
        if short and believable(row, middle):
            kept.append(row)
        else:
            outcome.drop(0, FAR if short else LONG, f"{row.instance} {row.region} {row.option} {row.amount}")
    outcome.rows = kept
    return outcome


def believable(row: PriceRow, middle: Mapping[str, Decimal]) -> bool:
    """Is the price per accelerator near enough to the median of its kind, where that is known?"""
    usual = middle.get(row.accelerator)
    lowest = LOWEST_SPOT if row.option == "spot" else LOWEST
    return usual is None or lowest <= row.amount / row.count / usual <= HIGHEST


def medians(rows: Iterable[PriceRow], least: int = 3) -> dict[str, Decimal]:
    """The median on-demand price per accelerator-hour by accelerator, where there are at least so many."""
    groups: dict[str, list[Decimal]] = {}
    for row in rows:
        if row.option == "on_demand":
            groups.setdefault(row.accelerator, []).append(row.amount / row.count)
    return {key: median(values) for key, values in groups.items() if len(values) >= least}
