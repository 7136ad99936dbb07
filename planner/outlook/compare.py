"""A frozen plan and its request as it would be answered today: is the cost outside its band, and what would be another choice?"""

from __future__ import annotations

from typing import Any, Final, Literal

from engine.answer import Estimate, Money, Option
from planner.frozen.snapshot import Plan

Side = Literal["within", "above", "below"]
SIDES: Final = ("within", "above", "below")
PARTS: Final = ("feasible", "accelerator", "count", "place", "terms", "days")
"""What may be chosen otherwise: see `changed`."""


def side_of(frozen: Plan, today: Plan | None) -> Side:
    """Where today's expected cost lies of the frozen band, P10 to P90; within where there is nothing to compare."""
    before, now = _best(frozen), _best(today)
    if before is None or now is None or before.cost.total.currency != now.cost.total.currency:
        return "within"
    return _side(before.cost.total, now.cost.total.expected)


def changed(frozen: Plan, today: Plan | None) -> list[str]:
    """What would be chosen otherwise, in the order of `PARTS`.

    `feasible`: there was an answer and is none, or the other way round (`today` is None where the catalog cannot plan the request at
    all); else `accelerator`, `count`, `place` (seller and region, or the server that is bought), `terms` (on demand, spot, a
    commitment), and `days`: it would take longer or shorter than the frozen band of days.
    """
    before, now = _best(frozen), _best(today)
    if (before is None) != (now is None):
        return ["feasible"]
    if before is None or now is None:
        return []
    found = {name for name, of in _CHOSEN.items() if of(before) != of(now)}
    if _side(before.days, now.days.expected) != "within":
        found.add("days")
    return [part for part in PARTS if part in found]


def _side(band: Money | Estimate, value: float) -> Side:
    if value > band.high:
        return "above"
    return "below" if value < band.low else "within"


def _best(plan: Plan | None) -> Option | None:
    return plan.recommendation.recommended if plan else None


def _place(option: Option) -> tuple[Any, ...]:
    offer = option.offer
    return (option.kind, option.on_prem, *((offer.provider, offer.region) if offer else ()))


def _terms(option: Option) -> tuple[Any, ...]:
    return (option.offer.option, option.offer.term_months) if option.offer else ()


_CHOSEN: Final = {
    "accelerator": lambda option: option.accelerator,
    "count": lambda option: option.count,
    "place": _place,
    "terms": _terms,
}
