"""A spend commitment as a balance: what is left of it on the day of the request, who draws it when, and what lapses unused.

It was signed before this plan, so it opens the balance and nothing of it is newly owed. Other work draws it from day to day, this
work with its payments; what draws it by a contract of its own (a reservation, a block) is released from it on signing, because from
then on it is owed there. What nobody has drawn on the last day is paid on that day, of one that lapses by the hour on every day.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from engine.answer import DRAWN, SAVED, TAXES, CostLine, CostModel
from engine.inputs.currency import DIGITS
from engine.money.cash import booked_day, month_end, month_of, settled_day, split_units
from engine.money.contracts import binds
from engine.money.drawing import FREE, LEFT, OTHERS, UNUSED
from engine.money.entries import Carried, Entry

RELEASED = "spend_released"
"""Line of what is owed by a contract of its own from its signing on."""


@dataclass(frozen=True, kw_only=True)
class Balance:
    """Postings of one commitment, and the expense of what nobody draws."""

    entries: list[Entry]
    unused: list[Carried]


def draws(model: CostModel) -> bool:
    """Does that work draw a spend commitment?"""
    return any(line.name == DRAWN for line in model.lines)


def balance_of(model: CostModel, posted: Iterable[Entry], *, start: date, as_of: date) -> Balance:
    """The commitment of that model beside what was posted of the work."""
    book = _Pool(lines={line.name: line for line in model.lines}, currency=model.currency)
    until = settled_day(model, start)
    idle = book.unit(UNUSED)
    hourly = book.lines[SAVED].schedule != "settled"
    lapses = _by_days(idle, as_of, until) if hourly else {month_of(until): idle}
    cash = [entry for entry in posted if entry.view == "cash" and entry.line not in TAXES]
    drawn = _by_hours(book, cash, until) if hourly else _drawn(book, cash, booked_day(model, start), until)
    entries = [
        book.entry("committed", as_of, book.unit(OTHERS) + book.unit(FREE), LEFT),
        *book.spread(OTHERS, _by_days(-book.unit(OTHERS), as_of, until), until),
        *drawn,
        *book.spread(UNUSED, {month: -units for month, units in lapses.items()}, until),
        *(book.entry("expense", min(month_end(month), until), units, UNUSED) for month, units in lapses.items()),
    ]
    unused = [
        Carried(line=UNUSED, contract="spend", month=month, mine=0, others=0, idle=units)
        for month, units in lapses.items()
        if units
    ]
    return Balance(entries=[entry for entry in entries if entry.units], unused=unused)


@dataclass(frozen=True, kw_only=True)
class _Pool:
    lines: dict[str, CostLine]
    currency: str

    def unit(self, name: str) -> int:
        """The amount of that line in smallest units."""
        return round(self.lines[name].amount * 10.0 ** DIGITS[self.currency])

    def entry(self, view: str, day: date, units: int, line: str) -> Entry:
        return Entry(date=day, view=view, units=units, currency=self.currency, line=line, contract="spend")  # type: ignore[arg-type]  # a view

    def spread(self, line: str, months: dict[str, int], until: date) -> Iterator[Entry]:
        """An entry at the end of each month, the last one on the last day."""
        for month, units in months.items():
            yield self.entry("committed", min(month_end(month), until), units, line)


def _by_hours(pool: _Pool, cash: list[Entry], until: date) -> Iterator[Entry]:
    """What this work draws of one that lapses by the hour: in each month as much as it saves there."""
    return pool.spread(DRAWN, {entry.month: entry.units for entry in cash if entry.line == SAVED}, until)


def _drawn(pool: _Pool, cash: list[Entry], signed: date, until: date) -> list[Entry]:
    """What this work draws: as it is paid, or on signing where it is owed by a contract of its own."""
    units = pool.unit(DRAWN)
    if not units:
        return []
    paid: dict[tuple[str, bool], float] = {}
    for entry in cash:
        if entry.line != SAVED and entry.month <= month_of(until):
            key = (entry.month, binds(entry.contract))
            paid[key] = paid.get(key, 0.0) + entry.units
    parts = dict(zip(paid, split_units(-units, list(paid.values())), strict=True))
    released = sum(part for (_, bound), part in parts.items() if bound)
    used = {month: part for (month, bound), part in parts.items() if not bound}
    return [pool.entry("committed", signed, released, RELEASED), *pool.spread(DRAWN, used, until)]


def _by_days(units: int, first: date, last: date) -> dict[str, int]:
    """Those units over the days of each month from the first day to the last."""
    days: dict[str, float] = {}
    day = first
    while day <= last:
        after = min(month_end(month_of(day)), last) + timedelta(days=1)
        days[month_of(day)] = float((after - day).days)
        day = after
    return dict(zip(days, split_units(units, list(days.values())), strict=True))
