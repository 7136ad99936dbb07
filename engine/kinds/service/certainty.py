"""What other degrees of confidence would cost of a service or a batch: what was found, in other sizes, without a new search."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

from engine.answer import Certainty, Option
from engine.choice.certain import Taken, levels, told
from engine.choice.sure import LEAST_SURE, Asked, asked_of, enough
from engine.context import SEED, Context
from engine.inputs.assumptions import Assumptions
from engine.inputs.finding import Finding, Quantity, Sum, finding
from engine.inputs.named import cluster, device_ref
from engine.kinds.service import ServingChoice, ServingWork, describe
from engine.kinds.service.capacity import planned_share
from engine.kinds.service.choices import resized
from engine.kinds.service.load import size_sigma
from engine.kinds.service.options import ServingFinalist, carried_chance, may_hold, priced_model
from engine.kinds.service.ranks import by_cost
from engine.kinds.service.work import demand, is_batch, sized_for
from engine.money.cost import CostError, draw, total_of
from engine.money.draws import kept_with
from engine.money.schedule import wait_days
from engine.odds.chances import promise_of
from engine.odds.serving import surely

_DEAR = 2.0
"""Times what an even chance costs from which a plan says that certainty is what is paid for, and offers to measure first."""
_RIVALS = 3
"""Other accelerators whose sizes are tried for each degree."""
_MOST = 4
"""Times the replicas of the recommendation that are tried for more certainty: what then misses a promise does so idle."""


def certainty_of(
    context: Context, work: ServingWork, finalists: Sequence[ServingFinalist], best: Option
) -> tuple[Certainty, ...]:
    """A row for each degree of confidence; the one that is asked for is what is recommended."""
    chosen = chosen_of(finalists, best)
    if chosen is None:
        return ()
    asked = asked_of(context.assume)
    others = _others(chosen, finalists) if context.spec.objective == "cost" else []
    rivals = [_Sizes(context, work, pair) for pair in (chosen, *others)]
    taken = []
    reached = _reached(work, asked, best)
    for level in sorted({*levels(asked), reached}):
        if level in (reached, asked.all):
            pair: ServingFinalist | None = chosen if level == reached else None
        elif is_batch(work):
            pair = _in_time(context, work, finalists, level)
        else:
            pair = _cheapest(context, work, rivals, sized_for(level, budget=bool(context.spec.constraints.budget_usd)))
        taken.append(_taken(context, work, pair, level))
    return told(taken, asked)


def _reached(work: ServingWork, asked: Asked, best: Option) -> float:
    """What was asked; of a recommendation at risk how sure it is, in whole points, so that what is planned has its row."""
    if work.kept >= work.sure or best.chance is None or best.chance.all >= asked.all:
        return asked.all
    return max(math.floor(best.chance.all * 100.0) / 100.0, LEAST_SURE)


def _others(chosen: ServingFinalist, finalists: Sequence[ServingFinalist]) -> list[ServingFinalist]:
    """The cheapest of some other accelerators: one that is quicker may keep a promise that no size of the chosen one does."""
    first: dict[str, ServingFinalist] = {}
    for pair in finalists:
        first.setdefault(pair.supply.device.slug, pair)
    first.pop(chosen.supply.device.slug, None)
    return list(first.values())[:_RIVALS]


def _cheapest(context: Context, work: ServingWork, rivals: Sequence[_Sizes], sure: float) -> ServingFinalist | None:
    """Of those layouts in the sizes that are so sure the cheapest."""
    found = (pair for one in rivals if (pair := one.at(sure)))
    return min(found, key=lambda pair: _usd(context, work, pair), default=None)


def _usd(context: Context, work: ServingWork, pair: ServingFinalist) -> float:
    try:
        return total_of(priced_model(context, work, pair, 0.0))
    except CostError:
        return math.inf


def measured_first(context: Context, work: ServingWork, pair: ServingFinalist, best: Option) -> Iterator[Finding]:
    """That certainty is what is paid for, where the same replicas in the size of an even chance cost half or less: then a load test of
    one of them comes first, what it must show, and what it decides. Asked of one size before any other is tried: a live
    panel asks it too."""
    half, sizes = pair.choice.replicas // 2, _Sizes(context, work, pair)
    if is_batch(work) or not by_cost(context, work) or half < sizes.least or not enough(sizes.served(half), LEAST_SURE):
        return
    even = sizes.at(LEAST_SURE, most=half)
    cost, less = best.cost.total.expected, _usd(context, work, even) if even else math.inf
    if even is None or best.chance is None or cost < _DEAR * less:
        return
    choice = even.choice
    yield finding(
        "warning.dear_certainty",
        asked=Quantity(best.chance.all, "chance"),
        more=Sum(cost - less),
        replica=cluster(choice.accelerators_per_replica, device_ref(pair.supply.device)),
        rate=Quantity(demand(work) / choice.replicas, "request/s"),
        shown=_shown(work),
        count=choice.accelerators,
        cost=Sum(less),
    )


def _shown(work: ServingWork) -> Finding:
    """What the test of one replica must show."""
    first, each = Quantity(work.ttft_p95_ms, "ms"), Quantity(work.tpot_p95_ms, "ms")
    if first.value and each.value:
        return finding("shown.both", first=first, each=each)
    if first.value:
        return finding("shown.first", first=first)
    return finding("shown.each", each=each) if each.value else finding("shown.load")


def chosen_of(finalists: Sequence[ServingFinalist], best: Option) -> ServingFinalist | None:
    """The finalist that is recommended."""
    return next((pair for pair in finalists if _is(pair, best)), None)


def _is(pair: ServingFinalist, option: Option) -> bool:
    choice = pair.choice
    same = f"{pair.supply.id}:{choice.accelerators}:{choice.precision}" == option.id
    return same and choice.layout == option.parallelism and choice.engine == option.framework


def _taken(context: Context, work: ServingWork, pair: ServingFinalist | None, level: float) -> Taken:
    """That size with what it costs, and how long a batch takes, at most with that confidence."""
    if pair is None:
        return Taken(confidence=level)
    try:
        model = priced_model(context, work, pair, size_sigma(pair.choice.cluster.device, work))
    except CostError:
        return Taken(confidence=level)
    drawn = draw(model, assume=context.assume, seed=SEED)
    return Taken(
        confidence=level,
        supply=pair.supply,
        option_id=f"{pair.supply.id}:{pair.choice.accelerators}:{pair.choice.precision}",
        count=pair.choice.accelerators,
        usd=kept_with(drawn.total, level),
        authorised=kept_with(drawn.authorised, level),
        days=_hours(context, work, pair, level) / 24.0 if is_batch(work) else None,
    )


def _hours(context: Context, work: ServingWork, pair: ServingFinalist, level: float) -> float:
    """Hours in which a batch ends with that confidence."""
    longer = surely(size_sigma(pair.choice.cluster.device, work), level)
    return wait_days(context, pair.supply) * 24.0 + pair.choice.hours * longer


def _in_time(
    context: Context, work: ServingWork, finalists: Sequence[ServingFinalist], level: float
) -> ServingFinalist | None:
    """The cheapest that ends a batch in time so surely, within the budget."""
    due, budget = context.spec.due_days * 24.0, context.spec.constraints.budget_usd
    return next(
        (
            pair
            for pair in finalists
            if _hours(context, work, pair, level) <= due and (not budget or pair.cash <= budget)
        ),
        None,
    )


class _Sizes:
    """The recommended layout with more or fewer replicas, each simulated once."""

    def __init__(self, context: Context, work: ServingWork, chosen: ServingFinalist) -> None:
        self.context, self.work, self.chosen = context, work, chosen
        self.served = cache(lambda replicas: _served(work, resized(chosen.choice, work, replicas), context.assume))

    def at(self, sure: float, *, most: int = 0) -> ServingFinalist | None:
        """The smallest, of at most so many replicas, that carries the peak and keeps the promises so surely; None where none
        does, or can be had."""
        low, high = self.least, most or self.chosen.choice.replicas * _MOST
        if not enough(self.served(high), sure):
            return None
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if enough(self.served(middle), sure) else (middle + 1, high)
        choice = resized(self.chosen.choice, self.work, high)
        if choice.accelerators > min(choice.cluster.max_devices, self.work.max_accelerators):
            return None
        pair = replace(self.chosen, choice=choice)
        return pair if may_hold(self.context, pair.supply, choice) else None

    @property
    def least(self) -> int:
        """Replicas with which no queue grows at the peak."""
        most = self.chosen.choice.carries_per_replica * planned_share(self.context.assume)
        return max(math.ceil(demand(self.work) / most), 1)


def _served(work: ServingWork, choice: ServingChoice, assume: Assumptions) -> float:
    """Probability that it carries the peak and keeps the promises."""
    return min(_parts(work, choice, assume))


def _parts(work: ServingWork, choice: ServingChoice, assume: Assumptions) -> Iterator[float]:
    yield carried_chance(choice.replicas * choice.carries_per_replica, work, choice, assume)
    if work.ttft_p95_ms or work.tpot_p95_ms:
        result = describe(work, choice, assume, evidence=False).result
        kept = promise_of(result.ttft_ms, result.tpot_ms, work)
        yield 1.0 if kept is None else kept
