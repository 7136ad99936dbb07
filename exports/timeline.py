"""When the money of a cost model falls due, month by month: the values that the formulas of the workbook have in the plan.

The engine dates each line by the schedule that it has. Here each schedule is a span of hours from the start of the work, or one
day for each purchase, over months that reach further than the plan does, so that a longer horizon has a place to go.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise

from engine.inputs.quantity import HOURS_PER_MONTH
from engine.inputs.quantity import days_in as days_in
from planner.money import add_months

LEAST_MONTHS = 132
"""Months of every timeline: ten years of demand, and one until hardware is there."""
SPARE_MONTHS = 12
"""Months beyond the last payment of a plan that lasts longer."""
MOST_PURCHASES = 12
"""Purchases, one after the other, that a timeline has room for."""
SPANS = ("run", "monthly", "held", "used", "until", "after")
"""Schedules that are paid in proportion to the hours of each month."""
EVENTS = ("upfront", "end", "settled")
"""Schedules that are paid on a day."""
OF_LEASE = ("instalments", "term")
"""Schedules that count months whatever their length: an instalment of a lease on the last day of each of its months, and its use."""
LEAST_HOURS = 1e-6
"""The shortest span: what takes no time is paid in the month in which it begins."""
TIE = 1e-11
"""What a row further down counts less among parts of a smallest unit that are equal: the first of them gets the unit."""
_FIRST_DAY = date(1899, 12, 30)


@dataclass(frozen=True, kw_only=True)
class Life:
    """One purchase: whether it is made, its months from delivery and acceptance on, its part of a whole one, and its days."""

    made: bool
    first: int
    last: int
    part: float
    delivered: int
    gone: int


@dataclass(frozen=True, kw_only=True)
class Month:
    """One calendar month, with its hours from the start of the work."""

    first: date
    last: date
    begins: float
    ends: float


@dataclass(frozen=True, kw_only=True)
class Split:
    """Whole smallest units of an amount over months, those with the largest rest rounded up until none is left."""

    units: float
    exact: tuple[float, ...]
    left: float
    least: float
    """The smallest rest that is rounded up; 2 where none is."""

    def amounts(self, digits: int, row: int) -> list[float]:
        """The amount of each month; `row` is where the first stands on its sheet, as a reader counts."""
        return [
            (math.floor(x) + (_rest(x, row + index) >= self.least)) / 10**digits for index, x in enumerate(self.exact)
        ]


def serial(day: date) -> int:
    """The day as a spreadsheet counts it."""
    return (day - _FIRST_DAY).days


def day_of(number: int) -> date:
    return _FIRST_DAY + timedelta(days=number)


def hours_kept(hours: float) -> float:
    """Hours as a clock counts them, to the microsecond; something at least."""
    return round(max(hours, LEAST_HOURS) * 3600.0, 6) / 3600.0


def lasting(begun: date, months: float) -> float:
    """Hours of so many months from that day: to the same day of a later month, or as many of 730 hours."""
    whole = round(months)
    if abs(months - whole) > 1e-9:
        return hours_kept(months * HOURS_PER_MONTH)
    return hours_kept((add_months(begun, whole) - begun).days * 24.0)


def months_before(start: date, first: date) -> int:
    """Calendar months from that of the first payment to that of the start."""
    return max((start.year - first.year) * 12 + start.month - first.month, 0)


def months_from(start: date, count: int, *, before: int = 0) -> tuple[Month, ...]:
    """The calendar months from that of the start on, and so many before it."""
    first = add_months(start.replace(day=1), -before)
    days = [add_months(first, number) for number in range(count + 1)]
    return tuple(
        Month(
            first=day,
            last=after - timedelta(days=1),
            begins=max(0.0, (day - start).days * 24.0),
            ends=(after - start).days * 24.0,
        )
        for day, after in pairwise(days)
    )


def lives_of(delivered: date, accepted: date, *, held: float, life: float) -> tuple[Life, ...]:
    """The purchases of hardware that is held for so many months and lives for so many."""
    count = 1 if held <= life * (1 + 1e-9) else math.ceil(held / life - 1e-9)
    found = []
    for number in range(MOST_PURCHASES):
        made = number < count
        begins, ends = number * life, min((number + 1) * life, held)
        first, last = math.floor(begins + 0.5), math.ceil(max(ends - 1e-9, 0.0))
        found.append(
            Life(
                made=made,
                first=first if made else 0,
                last=last if made else 0,
                part=(ends - begins) / life if made else 0.0,
                delivered=serial(add_months(delivered, first)) if made else 0,
                gone=serial(add_months(accepted, last)) if made else 0,
            )
        )
    return tuple(found)


def hours_in(months: Sequence[Month], begins: float, ends: float) -> list[float]:
    """The hours of that span in each month."""
    return [
        min(ends, month.ends) - max(begins, month.begins) if ends > month.begins and begins < month.ends else 0.0
        for month in months
    ]


def instalments_in(months: Sequence[Month], start: date, count: int, shift: int = 0) -> list[float]:
    """1 in each month in which one of so many instalments is due, the last day of each month of a lease from that day on."""
    before = start.day > 1
    return [float(before <= number < count + before) for number in range(-shift, len(months) - shift)]


def term_in(months: Sequence[Month], start: date, count: int, shift: int = 0) -> list[float]:
    """The share of each month that is of a lease of so many months: of the first what is left of it, of the last the rest."""
    first = first_share(start)
    return [
        0.0
        if number < 0
        else first
        if number == 0
        else 1.0
        if number < count
        else 1.0 - first
        if number == count
        else 0.0
        for number in range(-shift, len(months) - shift)
    ]


def first_share(start: date) -> float:
    """What is left of the month of that day, with it."""
    first = start.replace(day=1)
    whole = (add_months(first, 1) - first).days
    return (whole - (start - first).days) / whole


def split(units: float, weights: Sequence[float], row: int) -> Split:
    """Those smallest units in proportion to the weights."""
    whole = sum(weights)
    exact = tuple(units * weight / whole if whole else 0.0 for weight in weights)
    left = units - sum(math.floor(x) for x in exact)
    rests = sorted((_rest(x, row + index) for index, x in enumerate(exact)), reverse=True)
    return Split(units=units, exact=exact, left=left, least=rests[int(left) - 1] if left >= 1 else 2.0)


def _rest(exact: float, row: int) -> float:
    return exact - math.floor(exact) - row * TIE


def count_of(plan_months: int) -> int:
    """How many months the timeline of a plan of so many has."""
    return max(LEAST_MONTHS, plan_months + SPARE_MONTHS)
