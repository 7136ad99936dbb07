"""How a service stands by, as texts of the page: each kind of day, and every pattern with its price."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.text import capfirst
from django.utils.translation import gettext

from engine.answer import Option, PatternCost
from engine.inputs.finding import Quantity, Ref
from planner.presenters.currency import Currency
from planner.standing import keeping_sentence, standing_rows, standing_sentence
from planner.telling import PAGES, named, told
from voice.speech import write

NONE = "–"
"""Where a pattern cannot be had."""


@dataclass(frozen=True, kw_only=True)
class DayRow:
    """One kind of day."""

    case: str
    often: str
    served: str
    until: str


@dataclass(frozen=True, kw_only=True)
class PatternRow:
    """One pattern."""

    name: str
    accelerators: str
    availability: str
    cost: str
    chosen: bool
    remark: str
    """Why it is no answer: it cannot be had, or holds less than is asked; empty where it is one."""


@dataclass(frozen=True, kw_only=True)
class StandingView:
    """All of it."""

    sentence: str
    keeping: str
    days: list[DayRow]
    patterns: list[PatternRow]


def standing_view(best: Option | None, money: Currency) -> StandingView | None:
    """None for what is no service, and for plans from before it was kept."""
    standing = best.standing if best else None
    if standing is None:
        return None
    return StandingView(
        sentence=told(standing_sentence(standing)),
        keeping=told(keeping_sentence(standing, money.code)),
        days=[
            DayRow(case=told(row.case), often=told(row.often), served=told(row.served), until=told(row.until))
            for row in standing_rows(standing)
        ],
        patterns=[
            PatternRow(
                name=capfirst(named(Ref("word", f"pattern.{one.pattern}"))),
                accelerators=f"{one.accelerators:,}",
                availability=write(Quantity(one.availability, "availability"), PAGES),
                cost=NONE if one.pattern_cost is None else money.amount(one.pattern_cost),
                chosen=one.chosen,
                remark=_remark(one),
            )
            for one in standing.patterns
        ],
    )


def _remark(one: PatternCost) -> str:
    if one.pattern_cost is None:
        return gettext("nobody rents it at two sites")
    return "" if one.holds else gettext("less than asked")
