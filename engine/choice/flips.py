"""What would flip the recommendation: the value of one input at which another option becomes the better one."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from engine.answer import CostInput, Flip, Option
from engine.choice.sure import asked_of
from engine.context import OWN_LOAD, SEED, Context
from engine.inputs.finding import Ref, finding
from engine.inputs.named import apart_from, hardware, seller_ref, source_of_option
from engine.money.cost import draw
from engine.money.draws import kept_with
from engine.odds.normal import P90
from engine.supply import elsewhere

_STEPS = 24
"""Halvings of where a threshold may lie: to some millionths of it."""
_PRICES = ("price_per_instance_hour", "price_per_server")
_USE = "utilisation"
_LEAST_USE = 0.01
"""Share of hours below which nobody would sign for hardware."""


def flips_of(
    context: Context,
    best: Option,
    rivals: Sequence[Option],
    *,
    near_equal: float = 0.0,
    shortest_deadline: float = 0.0,
    smallest_budget: float = 0.0,
) -> tuple[Flip, ...]:
    """Thresholds of price, use, deadline and budget; each is solved, not guessed.

    `rivals` keep all limits and could be recommended. `near_equal` is the share by which costs may differ and still
    count as equal, so that the option with fewer accelerators leads: the same as in the choice itself. Below
    `shortest_deadline` [day] the best option is not the best any more, and below `smallest_budget` [USD] it is not kept as
    surely as is asked; 0 where no deadline decides, or no budget.
    """
    return (
        *_price(context, best, rivals, near_equal),
        *_use(context, best, rivals, near_equal),
        *_deadline(context, best, shortest_deadline),
        *_budget(context, smallest_budget),
    )


@dataclass(frozen=True)
class _Race:
    """The recommended option against its rivals, where one input of the cost models moves."""

    context: Context
    name: str
    best: Option
    rivals: Sequence[Option]
    near_equal: float

    def first(self, value: float) -> Option:
        """The rival that comes nearest at that value."""
        return min(self.rivals, key=lambda rival: self._limit(rival, value))

    def excess(self, value: float) -> float:
        """By how much the recommended option costs too much there to be recommended."""
        return self._cost(self.best, value) - min(self._limit(rival, value) for rival in self.rivals)

    def _limit(self, rival: Option, value: float) -> float:
        """Up to this cost the recommendation leads that rival."""
        cost, room = self._cost(rival, value), 1.0 + self.near_equal
        if self.best.count == rival.count:
            return cost
        return cost * room if self.best.count < rival.count else cost / room

    def _cost(self, option: Option, value: float) -> float:
        """What the option costs at most, as surely as is asked, where that input has that value and as wide a band; an option
        without it costs what it does."""
        model = option.cost.model
        if all(item.name != self.name for item in model.inputs):
            return option.cost.at_confidence
        inputs = tuple(_moved(item, value) if item.name == self.name else item for item in model.inputs)
        drawn = draw(
            replace(model, inputs=inputs), log_sigma_time=_sigma(option), assume=self.context.assume, seed=SEED
        )
        return kept_with(drawn.total, asked_of(self.context.assume).all)


def _moved(item: CostInput, value: float) -> CostInput:
    by = value / item.value
    return replace(item, value=value, low=item.low * by, high=item.high * by)


def _sigma(option: Option) -> float:
    """Spread of the computing time that the model itself does not know."""
    step = option.step_time_s
    return math.log(step.high / step.expected) / P90 if step else 0.0


def _price(context: Context, best: Option, rivals: Sequence[Option], near_equal: float) -> Iterator[Flip]:
    """The price of an hour, or of a server, at which another source is recommended."""
    price = next((item for item in best.cost.model.inputs if item.name in _PRICES), None)
    others = [option for option in rivals if (option.offer, option.on_prem) != (best.offer, best.on_prem)]
    if price is None or context.spec.objective != "cost" or not others:
        return
    # A rival's price is its own: only the recommended option's moves.
    fixed = [
        replace(option, cost=replace(option.cost, model=replace(option.cost.model, inputs=()))) for option in others
    ]
    race = _Race(context, price.name, best, fixed, near_equal)
    threshold = solve(race.excess, price.value, price.value * 50.0)
    if threshold is not None:
        yield _flip(price, threshold, race, _everywhere(context, best, threshold))


def _use(context: Context, best: Option, rivals: Sequence[Option], near_equal: float) -> Iterator[Flip]:
    """The use of what is signed for, down to which it is recommended, or from which something is signed instead."""
    found = (next((item for item in one.cost.model.inputs if item.name == _USE), None) for one in (best, *rivals))
    known = next((item for item in found if item), None)
    # The use of a service's own servers follows from its load.
    if known is None or known.source == OWN_LOAD or context.spec.objective != "cost" or not rivals:
        return
    race = _Race(context, _USE, best, rivals, near_equal)
    down = any(item.name == _USE for item in best.cost.model.inputs)
    most = known.value - _LEAST_USE if down else 1.0 - known.value
    moved = solve(lambda by: race.excess(known.value - by if down else known.value + by), 0.0, most)
    if moved is not None:
        yield _flip(known, known.value - moved if down else known.value + moved, race)


def _flip(item: CostInput, threshold: float, race: _Race, stays: Ref | None = None) -> Flip:
    rival, best = race.first(threshold), race.best
    alike = (rival.accelerator, rival.count) == (best.accelerator, best.count)
    source = apart_from(rival, best) if alike else source_of_option(rival)
    rents = hardware(rival.count, Ref("accelerator", rival.accelerator, rival.accelerator_name), source)
    return Flip(
        name=item.name,
        label=item.label,
        now=item.value,
        threshold=threshold,
        unit=item.unit,
        then=finding("flip.rival.everywhere", rival=rents, provider=stays)
        if stays
        else finding("flip.rival", rival=rents),
    )


def _everywhere(context: Context, best: Option, threshold: float) -> Ref | None:
    """Whose prices must rise everywhere for that price to decide: were another region cheaper, the same would be rented
    there; None where none is."""
    offer = best.offer
    if offer is None or all(
        other.usd_per_hour >= threshold for other in elsewhere(context.spec, context.market, offer)
    ):
        return None
    return seller_ref(offer)


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
        then=finding("flip.deadline.bought" if best.kind == "on_prem" else "flip.deadline"),
    )


def _budget(context: Context, smallest: float) -> Iterator[Flip]:
    """The budget that holds the cost, and all that is signed for it, as surely as is asked."""
    limits = context.spec.constraints
    if limits.budget_usd:
        yield Flip(
            name="constraints.budget_usd",
            label="Budget",
            now=limits.budget_usd,
            threshold=min(smallest, limits.budget_usd),
            unit="USD",
            then=finding("flip.budget"),
        )


def solve(excess: Callable[[float], float], low: float, high: float) -> float | None:
    """Where a rising function crosses zero between low and high; None when it does not."""
    if excess(low) > 0 or excess(high) < 0:
        return None
    for _ in range(_STEPS):
        middle = (low + high) / 2.0
        low, high = (middle, high) if excess(middle) <= 0 else (low, middle)
    return (low + high) / 2.0
