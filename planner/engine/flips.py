"""What would flip the recommendation: the value of one input at which another option becomes the better one."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from planner.engine.chances import P90
from planner.engine.context import Context
from planner.engine.cost import evaluate
from planner.engine.points import source_words
from planner.engine.result import Flip, Option

_STEPS = 60


def flips_of(context: Context, best: Option, others: Sequence[Option], *, near_equal: float = 0.0) -> tuple[Flip, ...]:
    """Thresholds of price, deadline and budget; each is solved, not guessed.

    `near_equal` is the share by which costs may differ and still count as equal, so that the option with fewer
    accelerators leads: the same as in the choice itself."""
    rivals = [option for option in others if option.meets_deadline and option.meets_budget]
    return (*_price(context, best, rivals, near_equal), *_deadline(context, best), *_budget(context, best))


def _price(context: Context, best: Option, rivals: Sequence[Option], near_equal: float) -> Iterator[Flip]:
    """The hourly price at which another source is recommended."""
    name = "price_per_instance_hour"
    price = next((item for item in best.cost.model.inputs if item.name == name), None)
    others = [option for option in rivals if option.offer != best.offer]
    if price is None or context.spec.objective != "cost" or not others:
        return
    room = 1.0 + near_equal

    def limit(rival: Option) -> float:
        """Up to this cost the recommendation leads that rival."""
        cost = rival.cost.total.expected
        if best.count == rival.count:
            return cost
        return cost * room if best.count < rival.count else cost / room

    rival = min(others, key=limit)

    def excess(value: float) -> float:
        return evaluate(best.cost.model, {name: value})[best.cost.model.total] - limit(rival)

    threshold = solve(excess, price.value, price.value * 50.0)
    if threshold is not None:
        yield Flip(
            name=name,
            label=price.label,
            now=price.value,
            threshold=threshold,
            unit=price.unit,
            then=f"{rival.count} × {rival.accelerator_name} ({source_words(rival.id)}) is recommended",
        )


def _deadline(context: Context, best: Option) -> Iterator[Flip]:
    """The deadline below which the recommendation no longer finishes with the wanted confidence."""
    limits = context.spec.constraints
    if not limits.deadline_days or best.step_time_s is None:
        return
    sigma = math.log(best.days.high / best.days.expected) / P90
    threshold = best.days.expected * math.exp(_z(context.assume["select.confidence"]) * sigma)
    yield Flip(
        name="constraints.deadline_days",
        label="Deadline",
        now=limits.deadline_days,
        threshold=threshold,
        unit="day",
        then="a faster and dearer option, or none, is recommended",
    )


def _z(share: float) -> float:
    """The standard normal quantile, by bisection of erfc."""
    found = solve(lambda z: 0.5 * math.erfc(-z / math.sqrt(2.0)) - share, -6.0, 6.0)
    return found if found is not None else 0.0


def _budget(context: Context, best: Option) -> Iterator[Flip]:
    limits = context.spec.constraints
    if limits.budget_usd:
        yield Flip(
            name="constraints.budget_usd",
            label="Budget",
            now=limits.budget_usd,
            threshold=best.cost.total.expected,
            unit="USD",
            then="the recommendation no longer fits the budget",
        )


def solve(excess: Callable[[float], float], low: float, high: float) -> float | None:
    """Where a rising function crosses zero between low and high; None when it does not."""
    if excess(low) > 0 or excess(high) < 0:
        return None
    for _ in range(_STEPS):
        middle = (low + high) / 2.0
        low, high = (middle, high) if excess(middle) <= 0 else (low, middle)
    return (low + high) / 2.0
