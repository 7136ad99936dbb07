"""The slider of confidence: at each degree what it costs, when it is done, how likely all limits hold, and on what it runs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from catalog.days import plain_date
from engine.answer import Certainty
from planner.frozen.snapshot import Plan
from planner.presenters.currency import Currency
from planner.presenters.words import chance, days, percent
from planner.telling import told

QUERY = "sure"
"""What a page's address calls the degree that is shown."""


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What one degree of confidence comes to, as texts; empty where that has no meaning for this work, or nothing is so sure."""

    key: str
    """Its value in a list and in an address: 80."""
    name: str
    cost: str
    against: str
    """That cost against what was asked."""
    time: str
    finish: str
    chance: str
    hardware: str
    change: str
    """What buys the step from the row of the table before it; empty between those rows."""
    extrapolated: bool
    shown: bool

    @property
    def reached(self) -> bool:
        """Is anything so sure?"""
        return bool(self.cost)


def readings(plan: Plan, money: Currency, wanted: str = "") -> list[Reading]:
    """One for each degree that the plan was worked out for, the least sure first; `wanted` is shown, else what was asked."""
    rows = plan.recommendation.certainty
    shown = key_shown(rows, wanted)
    asked = next((row for row in rows if row.asked), None)
    return [_reading(plan, row, asked, money, shown=key_of(row.confidence) == shown) for row in rows]


def key_of(confidence: float) -> str:
    """“80”; “97.5”."""
    return f"{confidence * 100:.4g}"


def key_shown(rows: Sequence[Certainty], wanted: str) -> str:
    """That degree where there is one, else the one that was asked for."""
    keys = {key_of(row.confidence): row for row in rows}
    return wanted if wanted in keys else next((key for key, row in keys.items() if row.asked), "")


def name_of(row: Certainty) -> str:
    """“95%, extrapolated”."""
    words = [
        percent(row.confidence),
        *(["as asked"] if row.asked else []),
        *(["extrapolated"] if row.extrapolated else []),
    ]
    return ", ".join(words)


_NAMED = ("certainty.other", "certainty.on_demand")
"""Steps that only name the hardware, which a reading names anyway."""


def done_by(plan: Plan, row: Certainty) -> str:
    """The day on which it is then done; empty where it has no end, or ends beyond the calendar."""
    if row.days is None:
        return ""
    try:
        return plain_date(plan.start + timedelta(days=math.ceil(row.days)))
    except OverflowError:
        return ""


def _reading(plan: Plan, row: Certainty, asked: Certainty | None, money: Currency, *, shown: bool) -> Reading:
    return Reading(
        key=key_of(row.confidence),
        name=name_of(row),
        cost="" if row.cost is None else money.amount(row.cost),
        against=_against(row, asked, money),
        time="" if row.days is None else days(row.days),
        finish=done_by(plan, row),
        chance="" if row.chance is None else chance(row.chance),
        hardware=told(row.hardware) if row.hardware else "",
        change="; ".join(told(item) for item in row.change if item.code not in _NAMED),
        extrapolated=row.extrapolated,
        shown=shown,
    )


def _against(row: Certainty, asked: Certainty | None, money: Currency) -> str:
    """“+USD 1,200 (+5%) against 80%”."""
    if asked is None or asked is row or asked.cost is None or row.cost is None:
        return ""
    return f"{money.change(row.cost, asked.cost)} against {percent(asked.confidence)}"
