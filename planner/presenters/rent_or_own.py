"""The ways of having accelerators side by side, as the page prints them."""

from __future__ import annotations

from dataclasses import dataclass

from planner.frozen.snapshot import Plan
from planner.presenters.currency import Currency
from planner.presenters.words import chance, hardware, percent, place
from planner.rent_or_own import Considered, Way, called, comparison, even_use_of, payback_of
from planner.telling import named, told

_NONE = "–"


@dataclass(frozen=True, kw_only=True)
class HadRow:
    """One way at its best option."""

    way: str
    option: str
    """Its hardware and where it stands; empty for a hosted API."""
    chosen: bool
    cells: tuple[str, ...]
    """Signed, paid, present value, saved against the plan, payback, rate of return, break-even use, chance."""


@dataclass(frozen=True, kw_only=True)
class Had:
    """All ways, what follows, and what the columns are held against."""

    rows: tuple[HadRow, ...]
    told: tuple[str, ...]
    rate: str
    against: str


def had(plan: Plan, money: Currency) -> Had | None:
    """All ways that the plan knows; None where there is one only."""
    found = comparison(plan)
    if found is None:
        return None
    return Had(
        rows=tuple(_row(one, money, found.against) for one in found.ways),
        told=tuple(told(item) for item in found.told),
        rate=percent(found.rate),
        against=named(called(found.against)),
    )


def _row(one: Considered, money: Currency, against: Way) -> HadRow:
    return HadRow(
        way=named(called(one.way)),
        option=f"{hardware(one.option)}, {place(one.option)}" if one.option else "",
        chosen=one.chosen,
        cells=(
            *(money.amount(value) for value in (one.committed, one.cash, one.npv)),
            _NONE if one.chosen else money.amount(one.saved),
            told(payback_of(one, against)) or _NONE,
            _NONE if one.irr is None else percent(one.irr),
            told(even_use_of(one)) or _NONE,
            _NONE if one.chance is None else chance(one.chance, down=True),
        ),
    )
