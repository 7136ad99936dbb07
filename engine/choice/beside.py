"""Why this option and not the next one: what another accelerator would cost as surely, and what the choice has that it has not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.answer import Option, saved
from engine.choice.nearly import nearly_beside
from engine.choice.porting import porting_of
from engine.choice.sure import asked_of
from engine.context import Context
from engine.inputs.finding import Finding, Quantity, Sum, Value, finding
from engine.inputs.named import hardware_of
from engine.inputs.spec import Objective

_CHEAPER, _DEARER = 0.01, -0.005
"""Shares of the cost from which an option is told as cheaper, and as dearer."""
_BETTER: dict[Objective, str] = {"time": "faster", "balanced": "balanced", "carbon": "cleaner"}
_FIRST = ("faster", "cleaner")
"""Of these, what is said first where the choice costs less too: cost times days says it with the cost."""


def beside_next(context: Context, best: Option, rivals: Sequence[Option]) -> Finding:
    """Against the next of those other options, from best to worst: where cost is asked for, what costs least as surely as is asked.
    `rivals` may not be empty."""
    cheapest = min(rivals, key=lambda option: option.cost.ranked_by + porting_of(context, option))
    rival = cheapest if context.spec.objective == "cost" else rivals[0]
    share = saved(best.cost.ranked_by, rival.cost.ranked_by)
    beside: dict[str, Value] = {
        "rival": hardware_of(rival),
        "chance": Quantity(asked_of(context.assume).all, "chance"),
    }
    better = _BETTER.get(context.spec.objective)
    if share >= _CHEAPER:
        code = f"reason.{better}.cheaper" if better in _FIRST else "reason.cheaper.sure"
        return finding(code, saved=Quantity(share, "share"), **beside)
    if share > _DEARER:
        return finding("reason.alike.sure", **beside)
    if better is None:
        better = "fewer" if best.count < rival.count else "preferred"
    return finding(f"reason.{better}", dearer=Quantity(max(-share, 0.01), "share"), **beside)


def nearest_of(context: Context, best: Option, rivals: Sequence[Option], others: Sequence[Option]) -> Iterator[Finding]:
    """Against the next of `rivals`, on other accelerators, and against the cheapest of all `others` where its cost counts as equal; where
    that is the same one, once. `rivals` may not be empty."""
    alike = [one for one in others if porting_of(context, one) <= porting_of(context, best)]
    nearly = list(nearly_beside(context, best, alike)) if context.spec.objective == "cost" else []
    beside = beside_next(context, best, rivals)
    if not any(found.values["rival"] == beside.values["rival"] for found in nearly):
        yield beside
    yield from nearly
    yield from _elsewhere(context, best, others)


def _elsewhere(context: Context, best: Option, others: Sequence[Option]) -> Iterator[Finding]:
    """The cheapest option that keeps all limits and costs less, but runs on software that the team would first have to move to."""
    own = porting_of(context, best)
    able = [
        one
        for one in others
        if one.keeps_limits and porting_of(context, one) > own and one.cost.ranked_by < best.cost.ranked_by
    ]
    rival = min(able, key=lambda one: one.cost.ranked_by, default=None)
    if rival is None or context.spec.objective not in ("cost", "balanced"):
        return
    yield finding(
        "reason.porting",
        rival=hardware_of(rival),
        less=Sum(best.cost.ranked_by - rival.cost.ranked_by),
        chance=Quantity(asked_of(context.assume).all, "chance"),
        porting=Sum(porting_of(context, rival) - own),
    )
