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


def beside_next(context: Context, best: Option, rivals: Sequence[Option]) -> Finding:
    """Against the one of those other options that costs least as surely as is asked. `rivals` may not be empty."""
    rival = min(rivals, key=lambda option: option.cost.at_confidence)
    share = saved(best.cost.at_confidence, rival.cost.at_confidence)
    beside: dict[str, Value] = {
        "rival": hardware_of(rival),
        "chance": Quantity(asked_of(context.assume).all, "chance"),
    }
    if share >= _CHEAPER:
        return finding("reason.cheaper.sure", saved=Quantity(share, "share"), **beside)
    if share > _DEARER:
        return finding("reason.alike.sure", **beside)
    better = _BETTER.get(context.spec.objective)
    if better is None:
        better = "fewer" if best.count < rival.count else "preferred"
    return finding(f"reason.{better}", dearer=Quantity(max(-share, 0.01), "share"), **beside)
