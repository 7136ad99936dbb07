"""What would flip the recommendation: the value of one input at which another option becomes the better one."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from engine.answer import CostInput, Flip, Option
from engine.choice.near_equal import Entry, entry_of, room
from engine.choice.porting import porting_of
from engine.choice.sure import asked_of
from engine.context import ALONE, OWN_LOAD, SEED, Context
from engine.inputs.finding import Ref, finding
from engine.inputs.named import apart_from, hardware, seller_ref, source_of_option
from engine.money.cost import draw
from engine.money.decision import decision_of
from engine.money.draws import kept_with
from engine.odds.normal import P90
from engine.supply import elsewhere

_STEPS = 24
"""Halvings of where a threshold may lie: to some millionths of it."""
_PRICES = ("price_per_instance_hour", "price_per_server")
_USE = "utilisation"
_ITS_OWN = (OWN_LOAD, ALONE)
"""Uses that follow from the work alone, on hardware of which it carries everything."""
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
    count as equal, so that the smaller option may lead: by the same rule as in the choice itself. Below
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
        best = self._entry(self.best, value)
        return min(self.rivals, key=lambda rival: self._limit(best, rival, value))

    def excess(self, value: float) -> float:
        """By how much the recommended option costs too much there to be recommended."""
        best = self._entry(self.best, value)
        own = best.cost + porting_of(self.context, self.best)
        return own - min(self._limit(best, rival, value) for rival in self.rivals)

    def _limit(self, best: Entry, rival: Option, value: float) -> float:
        """Up to this cost the recommendation leads that rival."""
        other = self._entry(rival, value)
        return (other.cost + porting_of(self.context, rival)) * (1.0 + room(best, other, self.near_equal))

    def _entry(self, option: Option, value: float) -> Entry:
        """What decides about the option where that input has that value and as wide a band; one without it is what it is."""
        model, entry = option.cost.model, entry_of(option)
        if all(item.name != self.name or item.source in _ITS_OWN for item in model.inputs):
            return entry
        inputs = tuple(self._moved(item, value) if item.name == self.name else item for item in model.inputs)
        drawn = draw(
            replace(model, inputs=inputs),
            log_sigma_time=_sigma(option),
            assume=self.context.assume,
            seed=SEED,
            decision=decision_of(self.context),
        )
        sure = asked_of(self.context.assume).all
        return replace(
            entry, cost=kept_with(drawn.ranked, sure), paid=kept_with(drawn.total, sure) if entry.paid else 0.0
        )

    def _moved(self, item: CostInput, value: float) -> CostInput:
        """That input at that value, with a band as wide; of a share that ends at the whole with the one that it has there."""
        if self.name == _USE:
            use = replace(self.context, spec=replace(self.context.spec, utilisation=value)).use()[0]
            return replace(item, value=use.expected, low=use.low, high=use.high)
        by = value / item.value if item.value else 0.0
        return replace(item, value=value, low=item.low * by, high=item.high * by)


def _sigma(option: Option) -> float:
    """Spread of the computing time that the model itself does not know."""
    step = option.step_time_s
    return math.log(step.high / step.expected) / P90 if step else 0.0


def _price(context: Context, best: Option, rivals: Sequence[Option], near_equal: float) -> Iterator[Flip]:
    """The price of an hour, or of a server, at which another source is recommended."""
    price = next((item for item in best.cost.model.inputs if item.name in _PRICES), None)
    others = [option for option in rivals if not _priced_alike(option, best)]
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


def _priced_alike(option: Option, best: Option) -> bool:
    """Does the price of both move together? That of one source does, and of one seller's accelerator in every size of machine: dearer
    hours of two in a machine would not send anybody to the same seller's machines of four."""
    one, other = option.offer, best.offer
    if one is None or other is None:
        return (one, option.on_prem) == (other, best.on_prem)
    return (one.provider, one.device, one.option, one.region) == (
        other.provider,
        other.device,
        other.option,
        other.region,
    )


def _use(context: Context, best: Option, rivals: Sequence[Option], near_equal: float) -> Iterator[Flip]:
    """The use of what is signed for, down to which it is recommended, or from which something is signed instead."""
    known = next(filter(None, map(_shared_use, (best, *rivals))), None)
    if known is None or context.spec.objective != "cost" or not rivals:
        return
    race = _Race(context, _USE, best, rivals, near_equal)
    down = _shared_use(best) is not None
    most = known.value - _LEAST_USE if down else 1.0 - known.value
    moved = solve(lambda by: race.excess(known.value - by if down else known.value + by), 0.0, most)
    if moved is not None:
        yield _flip(known, known.value - moved if down else known.value + moved, race)


def _shared_use(option: Option) -> CostInput | None:
    """The use by which other work carries its part of what is signed for that option; None where nothing is shared."""
    return next((item for item in option.cost.model.inputs if item.name == _USE and item.source not in _ITS_OWN), None)


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
        label=finding("limit.deadline"),
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
            label=finding("limit.budget"),
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
