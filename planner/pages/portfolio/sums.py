"""A team's plans together: who uses the accelerators that it owns and when, and what leaves the year's budget.

Pure arithmetic on dates and amounts; times are whole days, money is in one currency. Demand of a plan is its whole count from
its first to its last expected day; what a month pays follows the plan's own cost model from its (moved) start.

Bands of several plans come from joint draws (`engine/money/jointly.py`): prices of one family, the model of time and assumptions err in
all of them at once, the rest in each for itself. Of a plan alone the band is its own, shared out as its payments are. `widest` is what
the sum would be if everything erred in the same direction: all P10s, all P90s.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from itertools import pairwise

import numpy as np

from engine.answer import Signed
from engine.money.jointly import Uncertain, ends_of, ratios

WEEK = timedelta(days=7)
MOST_WEEKS = 104
"""How far a plan is moved when room is looked for."""


@dataclass(frozen=True, kw_only=True)
class Band:
    """An amount with its P10 and P90, in the currency of the portfolio."""

    low: float = 0.0
    expected: float = 0.0
    high: float = 0.0

    def __add__(self, other: Band) -> Band:
        return Band(low=self.low + other.low, expected=self.expected + other.expected, high=self.high + other.high)


@dataclass(frozen=True, kw_only=True)
class Rental:
    """How the plan would run on rented hardware instead: its cheapest rented option."""

    hardware: str
    place: str
    total: float
    price_per_accelerator_hour: float
    signed: Signed = field(default_factory=Signed)
    """What is signed for it as a whole, in the currency of the portfolio."""


@dataclass(frozen=True, kw_only=True)
class Work:
    """One plan in the portfolio."""

    ident: str
    name: str
    owned: bool
    """Does it run on hardware that the team owns?"""
    source: str
    """Hardware and where it comes from, in words."""
    accelerator: str
    count: int
    start: date
    days: float
    latest: date | None
    """Last day that its deadline allows."""
    total: Band
    months: Mapping[str, float]
    """What each calendar month pays, "2027-03" → amount; adds up to the expected total."""
    rental: Rental | None = None
    shared: Mapping[str, float] = field(default_factory=dict)
    """What of its error other plans have as well: share of its variance by factor."""

    @property
    def end(self) -> date:
        """The first day on which it needs nothing more."""
        return self.start + timedelta(days=max(1, math.ceil(self.days - 1e-9)))


@dataclass(frozen=True, kw_only=True)
class Holding:
    """Accelerators that the team owns and shares."""

    accelerator: str
    name: str
    count: int


@dataclass(frozen=True, kw_only=True)
class Stretch:
    """A time in which the same plans use the same accelerators: from `start` until before `end`."""

    start: date
    end: date
    counts: Mapping[str, int]
    """Plan → accelerators."""

    @property
    def demand(self) -> int:
        """All of them together."""
        return sum(self.counts.values())


@dataclass(frozen=True, kw_only=True)
class Clash:
    """A time in which plans want more of one accelerator than the team owns."""

    accelerator: str
    start: date
    end: date
    owned: int
    most: int
    """Largest demand in that time."""
    missing_hours: float
    """Accelerator-hours above what is owned."""
    plans: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class YearSum:
    """What one calendar year pays, against its budget."""

    year: int
    paid: Band
    widest: Band
    """The same with plans that all err in one direction: their bands end to end."""
    budget: float | None
    spent_in: str
    """Month in which the expected payments since January pass the budget; empty when they do not."""


def converted(work: Work, factor: float) -> Work:
    """The same plan with its amounts in another currency, of which one of its own is `factor`."""
    rental = work.rental
    return replace(
        work,
        total=Band(low=work.total.low * factor, expected=work.total.expected * factor, high=work.total.high * factor),
        months={month: amount * factor for month, amount in work.months.items()},
        rental=rental
        and replace(
            rental,
            total=rental.total * factor,
            price_per_accelerator_hour=rental.price_per_accelerator_hour * factor,
            signed=_signed(rental.signed, factor),
        ),
    )


def _signed(signed: Signed, factor: float) -> Signed:
    sums = {name: getattr(signed, name) * factor for name in ("total", "share", "rest", "drawn")}
    return replace(signed, **sums)


def moved(work: Work, weeks: int, months: Mapping[str, float]) -> Work:
    """The plan so many weeks later, with the payments of its new start."""
    return replace(work, start=work.start + weeks * WEEK, months=months)


def stretches(works: Iterable[Work], accelerator: str) -> list[Stretch]:
    """The use of owned accelerators of that kind over time, without gaps and overlaps; idle times are left out."""
    users = [work for work in works if work.owned and work.accelerator == accelerator]
    days = sorted({day for work in users for day in (work.start, work.end)})
    found = []
    for first, last in pairwise(days):
        counts = {work.ident: work.count for work in users if work.start <= first and work.end >= last}
        if counts:
            found.append(Stretch(start=first, end=last, counts=counts))
    return found


def clashes(works: Sequence[Work], holdings: Iterable[Holding]) -> list[Clash]:
    """Times in which more is wanted than is owned, neighbouring ones as one, earliest first."""
    owned = {item.accelerator: item.count for item in holdings}
    kinds = dict.fromkeys([*owned, *(work.accelerator for work in works if work.owned)])
    found = [clash for kind in kinds for clash in _clashes(stretches(works, kind), kind, owned.get(kind, 0))]
    return sorted(found, key=lambda clash: (clash.start, clash.accelerator))


def _clashes(parts: Sequence[Stretch], accelerator: str, owned: int) -> list[Clash]:
    groups: list[list[Stretch]] = []
    for part in parts:
        if part.demand <= owned:
            continue
        if groups and groups[-1][-1].end == part.start:
            groups[-1].append(part)
        else:
            groups.append([part])
    return [
        Clash(
            accelerator=accelerator,
            start=group[0].start,
            end=group[-1].end,
            owned=owned,
            most=max(part.demand for part in group),
            missing_hours=sum((part.demand - owned) * 24.0 * (part.end - part.start).days for part in group),
            plans=tuple(dict.fromkeys(ident for part in group for ident in part.counts)),
        )
        for group in groups
    ]


def weeks_to_room(work: Work, works: Sequence[Work], holdings: Sequence[Holding]) -> int | None:
    """The fewest weeks by which that plan must start later to clash with no other; None when there is no such time."""
    owned = sum(item.count for item in holdings if item.accelerator == work.accelerator)
    if work.count > owned:
        return None
    others = [other for other in works if other.ident != work.ident]
    for weeks in range(1, MOST_WEEKS + 1):
        later = replace(work, start=work.start + weeks * WEEK)
        mine = (part for part in stretches([*others, later], work.accelerator) if work.ident in part.counts)
        if all(part.demand <= owned for part in mine):
            return weeks
    return None


def keeps_deadline(work: Work, weeks: int) -> bool:
    """Would it still end in time so many weeks later?"""
    return work.latest is None or work.end + weeks * WEEK <= work.latest + timedelta(days=1)


def by_month(works: Iterable[Work]) -> dict[str, Band]:
    """What each calendar month pays, from the first to the last; a plan's band is shared out as its payments are."""
    plans = tuple(works)
    months = _between(month for work in plans for month in work.months)
    return dict(zip(months, _together(plans, [(month,) for month in months]), strict=True))


def since_january(works: Sequence[Work]) -> dict[str, Band]:
    """What is paid from each January to the end of each month; its band is that of the sum, not the sum of the bands of its months."""
    months = _between(month for work in works for month in work.months)
    spans = [tuple(one for one in months if one[:4] == month[:4] and one <= month) for month in months]
    return dict(zip(months, _together(works, spans), strict=True))


def by_year(works: Sequence[Work], budgets: Mapping[int, float]) -> list[YearSum]:
    """What each calendar year pays; also the years that have a budget and no payment."""
    months = by_month(works)
    years = sorted({*(int(month[:4]) for month in months), *budgets})
    spans = [tuple(month for month in months if month.startswith(f"{year:04d}-")) for year in years]
    paid, widest = _together(works, spans), [sum((_alone(work, span) for work in works), Band()) for span in spans]
    return [
        YearSum(
            year=year,
            paid=paid[index],
            widest=widest[index],
            budget=budgets.get(year),
            spent_in=_spent_in({month: months[month] for month in spans[index]}, budgets.get(year)),
        )
        for index, year in enumerate(years)
    ]


def _alone(work: Work, months: Iterable[str]) -> Band:
    """What one plan pays in those months."""
    expected, whole = sum(work.months.get(month, 0.0) for month in months), sum(work.months.values())
    share = expected / whole if whole else 0.0
    return Band(low=work.total.low * share, expected=expected, high=work.total.high * share)


def _together(works: Sequence[Work], spans: Sequence[Sequence[str]]) -> list[Band]:
    """What all of them pay in each of those spans of months, drawn together; where only one plan pays, its own band."""
    parts = [[_alone(work, span) for work in works] for span in spans]
    if not parts or not works:
        return [Band() for _ in spans]
    drawn = ratios(
        [
            Uncertain(
                name=work.ident,
                low=work.total.low,
                expected=work.total.expected,
                high=work.total.high,
                shares=work.shared,
            )
            for work in works
        ]
    )
    lows, highs = ends_of(np.array([[part.expected for part in row] for row in parts]), drawn)
    found = []
    for row, low, high in zip(parts, lows, highs, strict=True):
        whole = sum(row, Band())
        if sum(1 for part in row if part != Band()) < 2:
            found.append(whole)
            continue
        # Draws never leave the widest that the sum can be, but by how many of them there are.
        found.append(
            Band(
                low=min(max(float(low), whole.low), whole.expected),
                expected=whole.expected,
                high=max(min(float(high), whole.high), whole.expected),
            )
        )
    return found


def _spent_in(months: Mapping[str, Band], budget: float | None) -> str:
    paid = 0.0
    for month in sorted(months):
        paid += months[month].expected
        if budget is not None and paid > budget + 0.005:
            return month
    return ""


def _between(months: Iterable[str]) -> list[str]:
    """Every month from the first to the last of those."""
    known = sorted(months)
    if not known:
        return []
    first, last = (int(month[:4]) * 12 + int(month[5:]) - 1 for month in (known[0], known[-1]))
    return [f"{at // 12:04d}-{at % 12 + 1:02d}" for at in range(first, last + 1)]
