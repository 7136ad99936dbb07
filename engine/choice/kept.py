"""How likely an option keeps its limits, as a reason."""

from __future__ import annotations

from engine.answer import Option
from engine.inputs.finding import Finding, Quantity, finding


def kept_limits(best: Option, deadline: Quantity, in_time: float) -> Finding:
    """The chance that it ends by that deadline; with a budget also that it holds, and that both do in the same draw."""
    chance = Quantity(in_time, "chance")
    if best.probability_of_both is None or best.probability_in_budget is None:
        return finding("reason.deadline", deadline=deadline, chance=chance)
    return finding(
        "reason.both_limits",
        deadline=deadline,
        chance=chance,
        budget=Quantity(best.probability_in_budget, "chance"),
        both=Quantity(best.probability_of_both, "chance"),
    )
