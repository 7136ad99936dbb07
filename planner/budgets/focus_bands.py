"""The forecast's band on rows of FOCUS: each row's part of the plan's P10 and P90, so that the rows of a plan add up to both ends.

Percentiles of single rows would not add up: their sum says that all rows err together. Over several plans these parts may be summed
only where all plans err together (docs/budget-feed.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from engine.inputs.currency import DIGITS
from engine.money.cash import split_units
from planner.frozen.snapshot import Plan

LOW, HIGH = "x_BilledCostLow", "x_BilledCostHigh"
Row = dict[str, str]


def banded(rows: Sequence[Row], plan: Plan) -> list[Row]:
    """Those rows with both columns filled: what is billed, moved by its part of how far the end lies from what is expected."""
    best = plan.recommendation.recommended
    if best is None or not rows:
        return list(rows)
    total = best.cost.total
    digits = DIGITS[total.currency]
    billed = [int(Decimal(row["BilledCost"]).scaleb(digits)) for row in rows]
    if not any(billed):
        return list(rows)
    ends = {}
    for name, end in ((LOW, total.low), (HIGH, total.high)):
        # Relative to the cost, since cash may be more than this work's cost: servers are paid whole.
        apart = round(sum(billed) * (float(end / total.expected) - 1.0)) if total.expected else 0
        parts = split_units(apart, [float(abs(units)) for units in billed])
        ends[name] = [str(Decimal(units + part).scaleb(-digits)) for units, part in zip(billed, parts, strict=True)]
    return [row | {name: values[place] for name, values in ends.items()} for place, row in enumerate(rows)]
