"""Why a cheaper option does not lead whose cost counts as equal: what the choice has that it has not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.answer import Option, saved
from engine.choice.near_equal import ALIKE, UNITS, Entry, entry_of
from engine.context import Context
from engine.inputs.finding import Finding, Quantity, Sum, finding
from engine.inputs.named import hardware_of

_UNSEEN = 1e-3
"""Share of the cost below which nobody would call an option cheaper."""


def nearly_beside(context: Context, best: Option, others: Sequence[Option]) -> Iterator[Finding]:
    """The cheapest option that keeps all limits, where it costs less than the choice, with each reason why the choice leads it."""
    able = [one for one in others if one.keeps_limits]
    rival = min(able, key=lambda one: one.cost.ranked_by, default=None)
    if rival is None:
        return
    near, share = context.assume["select.near_equal"], saved(rival.cost.ranked_by, best.cost.ranked_by)
    why = tuple(_why(best, entry_of(best), entry_of(rival), near))
    if _UNSEEN <= share <= near and why:
        yield finding("reason.near_equal", rival=hardware_of(rival), less=Quantity(share, "share"), why=why)


def _why(best: Option, mine: Entry, its: Entry, near: float) -> Iterator[Finding]:
    if mine.count < its.count:
        yield finding("near.fewer", count=mine.count, more=its.count)
    if mine.pace * (1.0 + near) < its.pace:
        unit, code = UNITS[best.work]
        yield finding(code, time=Quantity(mine.pace, unit), longer=Quantity(its.pace, unit))
    if mine.signed * (1.0 + near) < its.signed:
        yield finding("near.signed", less=Sum(its.signed - mine.signed))
    if mine.chance > its.chance + ALIKE:
        yield finding("near.surer", chance=Quantity(mine.chance, "chance"), other=Quantity(its.chance, "chance"))
