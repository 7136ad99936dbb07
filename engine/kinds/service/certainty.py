"""What other degrees of confidence would cost of a service or a batch: what was found, in other sizes, without a new search."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property

from engine.answer import Certainty, Option
from engine.choice.certain import Taken, levels, told
from engine.choice.sure import LEAST_SURE, Asked, asked_of, enough
from engine.context import Context
from engine.inputs.assumptions import Assumptions
from engine.inputs.finding import Finding, Quantity, Sum, finding
from engine.inputs.named import cluster, device_ref
from engine.kinds.service import ServingChoice, ServingWork, describe
from engine.kinds.service.capacity import planned_share
from engine.kinds.service.choices import resized
from engine.kinds.service.costs import ServingFinalist, batch_days, cost_draws, second_offer, service_model
from engine.kinds.service.held import may_hold
from engine.kinds.service.load import size_sigma
from engine.kinds.service.options import carried_chance
from engine.kinds.service.ranks import by_cost
from engine.kinds.service.work import demand, is_batch, sized_for
from engine.money.cost import CostError, total_of
from engine.money.draws import Draws, kept_with, probability, probability_of_both
from engine.money.schedule import kept_deadline, wait_of
from engine.odds.chances import promise_of
from engine.odds.waits import chance_in_time

_DEAR = 2.0
"""Times what an even chance costs from which a plan says that certainty is what is paid for, and offers to measure first."""
_TRIES = 40
"""Finalists of a batch whose chance to keep deadline and budget together is worked out for one degree."""
_SOURCES = 8
"""Sources of a batch that are costed exactly for one degree."""
_RIVALS = 3
"""Other accelerators whose sizes are tried for each degree."""
_MOST = 4
"""Times the replicas of the recommendation that are tried for more certainty: what then misses a promise does so idle."""


def certainty_of(
    context: Context, work: ServingWork, finalists: Sequence[ServingFinalist], best: Option, sizes: OtherSizes
) -> tuple[Certainty, ...]:
    """A row for each degree of confidence; the one that is asked for is what is recommended, of which those are other `sizes`."""
    chosen = sizes.chosen
    asked = asked_of(context.assume)
    others = _others(chosen, finalists) if context.spec.objective == "cost" else []
    rivals = [sizes, *(OtherSizes(context, work, pair) for pair in others)]
    reached = _reached(work, asked, best)
    sure_of = best.chance.all if best.chance else 0.0
    planned = _Size(context, work, chosen, lambda: sure_of)
    ends = _Ends(context, work, finalists, planned)
    taken = []
    for level in levels(asked.all, reached):
        if level in (reached, asked.all):
            size: _Size | None = planned if level == reached else None
        elif is_batch(work):
            size = ends.at(level)
        else:
            size = _cheapest(context, rivals, level)
        taken.append(size.taken(level) if size else Taken(confidence=level))
    return told(taken, asked, reached)


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


def _cheapest(context: Context, rivals: Sequence[OtherSizes], level: float) -> _Size | None:
    """Of those layouts in the sizes that are so sure, also of the budget, the cheapest."""
    budget = bool(context.spec.constraints.budget_usd)
    found = (size for one in rivals if (size := one.at(sized_for(level, budget=budget))))
    able = (size for size in found if not budget or enough(size.chance, level))
    return min(able, key=lambda size: size.sure(level), default=None)


def measured_first(context: Context, work: ServingWork, pair: ServingFinalist, best: Option) -> Iterator[Finding]:
    """That certainty is what is paid for, where the same replicas in the size of an even chance cost half or less: then a load test of
    one of them comes first, what it must show, and what it decides. Asked of one size before any other is tried: a live
    panel asks it too."""
    half, sizes = pair.choice.replicas // 2, OtherSizes(context, work, pair)
    if is_batch(work) or not by_cost(context, work) or half < sizes.least or not enough(sizes.served(half), LEAST_SURE):
        return
    even = sizes.at(LEAST_SURE, most=half)
    cost, less = best.cost.total.expected, even.usd if even else math.inf
    if even is None or best.chance is None or cost < _DEAR * less:
        return
    choice = even.pair.choice
    yield finding(
        "warning.dear_certainty",
        asked=Quantity(best.chance.all, "chance"),
        more=Sum(cost - less),
        replica=cluster(choice.accelerators_per_replica, device_ref(pair.supply.device)),
        rate=Quantity(demand(work) / choice.replicas, "request/s"),
        shown=shown_of(work),
        count=choice.accelerators,
        cost=Sum(less),
    )


def shown_of(work: ServingWork) -> Finding:
    """What the test of one replica must show."""
    first, each = Quantity(work.ttft_p95_ms, "ms"), Quantity(work.tpot_p95_ms, "ms")
    if first.value and each.value:
        return finding("shown.both", first=first, each=each)
    if first.value:
        return finding("shown.first" if work.language else "shown.answer", first=first)
    return finding("shown.each", each=each) if each.value else finding("shown.load")


def chosen_of(finalists: Sequence[ServingFinalist], best: Option) -> ServingFinalist | None:
    """The finalist that is recommended."""
    return next((pair for pair in finalists if _is(pair, best)), None)


def _is(pair: ServingFinalist, option: Option) -> bool:
    choice = pair.choice
    same = f"{pair.supply.id}:{choice.accelerators}:{choice.precision}" == option.id
    return same and choice.layout == option.parallelism and choice.engine == option.framework


def _hours(context: Context, work: ServingWork, pair: ServingFinalist, level: float) -> float:
    """Hours in which a batch ends with that confidence."""
    busy = batch_days(pair.choice, size_sigma(pair.choice.cluster.device, work))
    return kept_deadline(context, pair.supply, busy, level) * 24.0


class _Size:
    """One source with replicas of one size: what it costs and how long a batch takes, worked out once for all degrees."""

    def __init__(
        self, context: Context, work: ServingWork, pair: ServingFinalist, kept: Callable[[], float] | None = None
    ) -> None:
        self.context, self.work, self.pair, self.kept = context, work, pair, kept

    @cached_property
    def usd(self) -> float:
        """What it is expected to cost; infinite where it has no cost."""
        try:
            return total_of(service_model(self.context, self.work, self.pair))
        except CostError:
            return math.inf

    def sure(self, level: float) -> float:
        """What it is ranked by with that confidence [USD]; infinite where it has no cost."""
        return kept_with(self.drawn.ranked, level) if self.drawn else math.inf

    @cached_property
    def drawn(self) -> Draws | None:
        """Its cost in each draw; None where it has none."""
        try:
            return cost_draws(self.context, self.work, self.pair)
        except CostError:
            return None

    @cached_property
    def chance(self) -> float:
        """How likely it keeps all its limits together."""
        return self.kept() if self.kept else self._in_time()

    def _in_time(self) -> float:
        """Of a batch, as `options` says it of what is described."""
        context, drawn = self.context, self.drawn
        busy = batch_days(self.pair.choice, size_sigma(self.pair.choice.cluster.device, self.work))
        in_time = chance_in_time(wait_of(context, self.pair.supply), busy, context.spec.due_days)
        both = probability_of_both(drawn, in_time, context.spec.constraints.budget_usd) if drawn else None
        return in_time if both is None else both

    def taken(self, level: float) -> Taken:
        """That size with what it costs, and how long a batch takes, at most with that confidence."""
        if self.drawn is None:
            return Taken(confidence=level)
        choice, supply = self.pair.choice, self.pair.supply
        return Taken(
            confidence=level,
            supply=supply,
            second=second_offer(supply, choice),
            option_id=f"{supply.id}:{choice.accelerators}:{choice.precision}",
            count=choice.accelerators,
            usd=kept_with(self.drawn.total, level),
            authorised=kept_with(self.drawn.authorised, level),
            days=_hours(self.context, self.work, self.pair, level) / 24.0 if is_batch(self.work) else None,
            chance=self.chance,
        )


class _Ends:
    """The finalists of a batch, by what they cost at each degree."""

    def __init__(
        self, context: Context, work: ServingWork, finalists: Sequence[ServingFinalist], planned: _Size
    ) -> None:
        self.context, self.work, self.finalists, self.planned = context, work, finalists, planned
        self.known: dict[int, _Size] = {}

    def at(self, level: float) -> _Size | None:
        """What costs least of those that end in time so surely, within the budget; None where none does. Of the sources that
        roughly cost least, and of the recommendation, each is costed exactly: roughly, two may come in another order."""
        budget = self.context.spec.constraints.budget_usd
        found: dict[str, _Size] = {}
        tries = 0
        for place, pair in sorted(enumerate(self.finalists), key=lambda item: item[1].kept(level)):
            if pair.supply.id in found or not self._in_time(pair, level) or (budget and pair.cash > budget):
                continue
            size = self.known.setdefault(place, _Size(self.context, self.work, pair))
            tries += 1
            if not budget or enough(size.chance, level):
                found[pair.supply.id] = size
            if len(found) == _SOURCES or tries == _TRIES:
                break
        planned = self.planned
        also = [planned] if self._in_time(planned.pair, level) and enough(planned.chance, level) else []
        return min((*also, *found.values()), key=lambda size: size.sure(level), default=None)

    def _in_time(self, pair: ServingFinalist, level: float) -> bool:
        return _hours(self.context, self.work, pair, level) <= self.context.spec.due_days * 24.0


class OtherSizes:
    """The recommended layout with more or fewer replicas, each simulated once."""

    def __init__(self, context: Context, work: ServingWork, chosen: ServingFinalist) -> None:
        self.context, self.work, self.chosen = context, work, chosen
        self.tried: dict[int, float] = {}
        self.known: dict[int, _Size] = {}

    def at(self, sure: float, *, most: int = 0) -> _Size | None:
        """The smallest, of at most so many replicas, that carries the peak and keeps the promises so surely; None where none
        does, or can be had."""
        low, high = self.least, most or self.chosen.choice.replicas * _MOST
        if not enough(self.served(high), sure):
            return None
        # What was tried for another degree says between which sizes this one lies: more of them serve more surely.
        low = max(low, *(size + 1 for size, kept in self.tried.items() if not enough(kept, sure)), 1)
        high = min(size for size, kept in self.tried.items() if size >= low and enough(kept, sure))
        while low < high:
            middle = (low + high) // 2
            low, high = (low, middle) if enough(self.served(middle), sure) else (middle + 1, high)
        choice = resized(self.chosen.choice, self.work, high)
        if choice.accelerators > min(choice.cluster.max_devices, self.work.max_accelerators):
            return None
        if not may_hold(self.context, self.chosen.supply, choice):
            return None
        if high not in self.known:
            pair = replace(self.chosen, choice=choice)
            self.known[high] = _Size(self.context, self.work, pair, lambda: self._within(high))
        return self.known[high]

    def _within(self, replicas: int) -> float:
        """How surely so many keep load, promises and budget, as `options` says it of what is described."""
        drawn, budget = self.known[replicas].drawn, self.context.spec.constraints.budget_usd
        within = probability(drawn.cash, budget) if drawn else None
        return self.served(replicas) * (1.0 if within is None else within)

    def served(self, replicas: int) -> float:
        """How surely so many carry the peak and keep the promises."""
        if replicas not in self.tried:
            promised = bool(self.work.ttft_p95_ms or self.work.tpot_p95_ms)
            if promised and replicas < self.least:  # a queue grows, and keeps no promise
                self.tried[replicas] = 0.0
            else:
                choice = resized(self.chosen.choice, self.work, replicas)
                self.tried[replicas] = _served(self.work, choice, self.context.assume)
        return self.tried[replicas]

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
        result = describe(work, choice, assume, whole=False).result
        kept = promise_of(result.ttft_ms, result.tpot_ms, work)
        yield 1.0 if kept is None else kept
