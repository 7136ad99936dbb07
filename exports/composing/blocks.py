"""What is left when the work outlasts the block of capacity that was booked for it."""

from __future__ import annotations

from engine.answer import Option
from exports.composing.context import Context
from exports.composing.hazard import Hazard, together
from exports.cost_values import values_of
from exports.numbers import days
from exports.wording import tr
from planner.asked.blocks import block_days, outlasts

PACES = ("run_hours", "batch_hours")
"""Inputs that say how long the computing itself takes."""
_LEAST = 0.01
_BEYOND = 1.0 + 1e-6


def outlasted(context: Context, best: Option) -> Hazard | None:
    """The next days that are sold and what they cost; None where the block holds the work as good as surely, or there is none."""
    booked, chance = block_days(best), outlasts(best)
    item = next((row for row in best.cost.model.inputs if row.name in PACES), None)
    if chance < _LEAST or item is None:
        return None
    model = best.cost.model
    longer = {item.name: item.value * booked * 24.0 / values_of(model, {})["programme_hours"] * _BEYOND}
    more = values_of(model, longer)["paid_hours"] / 24.0 - booked
    stake = together(best, longer)
    text = tr(
        "Should the work take longer than the {booked} that are booked, another {more} cost {amount}, if they are free then; it stands "
        "still until they begin.",
        booked=days(booked),
        more=days(more),
        amount=context.money.rounded(stake),
    )
    return Hazard(kind="block", text=text, stake=stake, chance=chance)
