"""Why a plan that balances cost and days is neither the cheapest nor the quickest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.answer import Option, Point
from engine.context import Context
from engine.inputs.finding import Finding, Quantity, Sum, finding

_CHEAPER = 0.995
"""Share of the cost below which another way is told as cheaper."""


def balanced_beside(context: Context, best: Option, points: Sequence[Point]) -> Iterator[Finding]:
    """The cheapest way within the limits, which takes so much longer that its cost × days is more. A service has no end, so that
    its least cost is the least of both."""
    if context.spec.objective != "balanced" or not best.ends:
        return
    cheaper = [point for point in points if point.feasible and point.cost < best.cost.total.expected * _CHEAPER]
    if cheaper:
        rival = min(cheaper, key=lambda point: point.cost)
        yield finding(
            "reason.balance",
            rival=rival.label,
            cost=Sum(rival.cost),
            time=Quantity(rival.pace, "day"),
            own_cost=Sum(best.cost.total.expected),
            own_time=Quantity(best.days.expected, "day"),
        )
