"""The ways to save a run side by side: what each loses in time, hours and money, as pages and documents print it."""

from __future__ import annotations

from dataclasses import dataclass

from engine.answer import Checkpoint, Option, Way


@dataclass(frozen=True, kw_only=True)
class WayLoss:
    """One way at the interval that is best for it, and what one run loses by it."""

    way: Way
    steps: int
    """Between two saves."""
    accelerator_hours: float
    """That go into saving, repeated work and restarts."""
    cost: float | None
    """What these hours cost as the plan pays for them; None where hours have no price of their own."""


def ways_of(best: Option) -> tuple[WayLoss, ...]:
    """The ways for the same computing, the planned one as the plan tells it; none where there is nothing to choose from."""
    point = best.checkpoint
    if point is None or len(point.ways) < 2:
        return ()
    computing, each = _computing_hours(best, point), _cost_per_hour(point)
    step_s = point.interval_s / max(point.interval_steps, 1)
    found = []
    for way in point.ways:
        hours = computing * way.lost_share / max(1.0 - way.lost_share, 1e-9)
        cost = hours * each if each else None
        found.append(WayLoss(way=way, steps=max(1, round(way.interval_s / step_s)), accelerator_hours=hours, cost=cost))
    return tuple(found)


def _computing_hours(best: Option, point: Checkpoint) -> float:
    """Accelerator-hours of one run without anything lost."""
    if point.lost_share and point.lost_accelerator_hours:
        return point.lost_accelerator_hours * (1.0 - point.lost_share) / point.lost_share
    return best.accelerator_hours.expected * (1.0 - point.lost_share)


def _cost_per_hour(point: Checkpoint) -> float:
    """What the plan pays for a lost accelerator-hour: whole instances, spares, and on demand where spot is not there; 0 = none."""
    return point.lost_cost / point.lost_accelerator_hours if point.lost_accelerator_hours else 0.0
