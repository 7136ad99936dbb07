"""Why this option and not the next one: what another accelerator would cost as surely, and what the choice has that it has not."""

from __future__ import annotations

from collections.abc import Sequence

from engine.answer import Option, saved
from engine.choice.sure import asked_of
from engine.context import Context
from engine.inputs.finding import Finding, Quantity, Value, finding
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
    cheapest = min(rivals, key=lambda option: option.cost.at_confidence)
    rival = cheapest if context.spec.objective == "cost" else rivals[0]
    share = saved(best.cost.at_confidence, rival.cost.at_confidence)
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
