"""What would flip the recommendation: the value of one input at which another option becomes the better one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from engine.answer import Flip, Option
from engine.context import Context
from engine.inputs.names import seller, source_words
from engine.money.cost import evaluate
from engine.supply import elsewhere

_STEPS = 60


def flips_of(
    context: Context,
    best: Option,
    rivals: Sequence[Option],
    *,
    near_equal: float = 0.0,
    shortest_deadline: float = 0.0,
) -> tuple[Flip, ...]:
    """Thresholds of price, deadline and budget; each is solved, not guessed.

    `rivals` keep all limits and could be recommended. `near_equal` is the share by which costs may differ and still
    count as equal, so that the option with fewer accelerators leads: the same as in the choice itself. Below
    `shortest_deadline` [day] the best option is not the best any more; 0 where no deadline decides.
    """
    return (
        *_price(context, best, rivals, near_equal),
        *_deadline(context, best, shortest_deadline),
        *_budget(context, best),
    )


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
            then=f"{rival.count} × {rival.accelerator_name} ({source_words(rival)}) is recommended"
            + _everywhere(context, best, threshold),
        )


def _everywhere(context: Context, best: Option, threshold: float) -> str:
    """The condition under which that price decides: were another region cheaper, the same would be rented there."""
    offer = best.offer
    if offer is None or all(
        other.usd_per_hour >= threshold for other in elsewhere(context.spec, context.market, offer)
    ):
        return ""
    return f", provided that no region of {seller(offer)} stays cheaper"


def _deadline(context: Context, best: Option, shortest: float) -> Iterator[Flip]:
    limits = context.spec.constraints
    if not limits.deadline_days or not shortest:
        return
    yield Flip(
        name="constraints.deadline_days",
        label="Deadline",
        now=limits.deadline_days,
        threshold=shortest,
        unit="day",
        then="a larger purchase, another option, or none is recommended"
        if best.kind == "on_prem"
        else "a faster and dearer option, or none, is recommended",
    )


def _budget(context: Context, best: Option) -> Iterator[Flip]:
    """The budget that holds the cost, and all that is signed for it."""
    limits = context.spec.constraints
    if limits.budget_usd:
        yield Flip(
            name="constraints.budget_usd",
            label="Budget",
            now=limits.budget_usd,
            threshold=best.cost.cash_needed,
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
