"""The price of certainty as a table: what each degree of confidence costs, and what buys the step."""

from __future__ import annotations

from dataclasses import dataclass

from engine.answer import Chance, Recommendation
from planner.presenters.currency import Currency
from planner.presenters.words import chance, days, percent
from planner.telling import told

_PARTS = {
    "deadline": "the deadline",
    "budget": "the budget",
    "promise": "the promised latency",
    "capacity": "the peak load",
    "memory": "fitting into memory",
}

NONE = "–"
"""Where nothing is so sure, or nothing ends."""


@dataclass(frozen=True, kw_only=True)
class CertaintyRow:
    """One degree of confidence as texts."""

    confidence: str
    cost: str
    time: str
    change: str
    asked: bool
    extrapolated: bool


def certainty_rows(result: Recommendation, money: Currency) -> list[CertaintyRow]:
    """The rows of the table, the least sure first; without a time where nothing ends, as in a service."""
    ends = any(one.days is not None for one in result.certainty)
    return [
        CertaintyRow(
            confidence=percent(one.confidence),
            cost=NONE if one.cost is None else money.amount(one.cost),
            time=days(one.days) if one.days is not None else NONE if ends else "",
            change="; ".join(told(item) for item in one.change),
            asked=one.asked,
            extrapolated=one.extrapolated,
        )
        for one in result.certainty
        if not one.between
    ]


def chance_words(found: Chance | None) -> list[tuple[str, str]]:
    """How likely each limit is kept that there is, and all of them together first."""
    if found is None:
        return []
    parts = [(name, getattr(found, key)) for key, name in _PARTS.items()]
    known = [(name, chance(value)) for name, value in parts if value is not None]
    return [("all of it together", chance(found.all)), *known] if known else []
