"""The gate before a service or a batch: a load test of one replica, and how many of them each measured rate makes enough.

How many replicas are needed is as uncertain as what they serve and what is asked of them. The test removes the first: the noise of a
repeat stays, and the band of the demand. A stack that is slower than thought is slower in all that it does, so the rate at which one
replica keeps its promises speaks for load and promises alike.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import NormalDist

import numpy as np

from engine.answer import Gate, Option
from engine.choice.gates import (
    Floats,
    Taken,
    Test,
    ceiling_of,
    gate,
    no_gate,
    none_to_measure,
    price_of,
    too_dear,
    unchanged,
    worth_of,
)
from engine.context import SEED, Context
from engine.inputs.architecture import counts_of
from engine.inputs.assumptions import Assumptions
from engine.inputs.finding import Finding, finding
from engine.inputs.named import device_ref, hardware, source_of
from engine.kinds.service import ServingWork
from engine.kinds.service.certainty import OtherSizes, chosen_of, shown_of
from engine.kinds.service.costs import ServingFinalist, cost_draws, second_offer, service_model
from engine.kinds.service.load import load_sigma, size_sigma
from engine.kinds.service.ranks import by_cost
from engine.kinds.service.work import demand, is_batch
from engine.money.cost import CostError, signed_of, total_of
from engine.money.draws import DRAWS, Draws, kept_with, normals
from engine.money.rented import BATCH_HOURS
from engine.money.schedule import ahead_days, wait_of
from engine.money.signed import authorised_of
from engine.odds.normal import upto
from engine.odds.serving import surely
from engine.supply import Supply, cheapest_on_demand, instances

UNIT = "request/s"
_LEVELS = (0.1, 0.5, 0.95)
"""Beside the planned size, those that so many of the draws need."""
_BEYOND = (0.67, 1.25, 1.6, 2.0)
"""Of a batch, beside the planned number of replicas, about so many times as many."""
_DEAREST = 2.0
"""Times the planned cost beyond which nothing is taken instead."""
_MOST = 6.0
"""Standard deviations beyond which nothing changes."""
_DAY_HOURS = 24.0


def gate_of(
    context: Context,
    work: ServingWork,
    finalists: Sequence[ServingFinalist],
    best: Option,
    others: Sequence[Option],
    sizes: OtherSizes,
) -> Gate | None:
    """The gate of that plan; None where another objective than cost decides."""
    if not by_cost(context, work):
        return None
    test = _test(context, work, best, sizes)
    if test is None:
        return no_gate("rate", UNIT, none_to_measure(context.spec))
    limits = context.spec.constraints
    if (is_batch(work) and test.left_days <= 0) or (limits.budget_usd and test.left_budget <= 0):
        return no_gate("rate", UNIT, finding("gate.no_room", **price_of(test)))
    rival = next((one for one in others if one.keeps_limits and one.accelerator != best.accelerator), None)
    pair = chosen_of(finalists, rival) if rival else None
    kind = _Batch if is_batch(work) else _Service
    return kind(context, work, best, sizes, test, (rival, pair) if rival and pair else None).gate(finalists)


def _test(context: Context, work: ServingWork, best: Option, sizes: OtherSizes) -> Test | None:
    """One replica on hardware that is had for some hours; None where none is."""
    chosen, assume, limits = sizes.chosen, context.assume, context.spec.constraints
    choice = chosen.choice
    each = choice.accelerators_per_replica
    source = cheapest_on_demand(context.supplies, chosen.supply, each)
    if source is None:
        return None
    hours = math.ceil(max(assume["gate.load_hours"], assume["gate.least_hours"]))
    fee = round(hours * _usd_per_hour(context, best, source, each), 2)
    delay = max(hours / _DAY_HOURS + assume["gate.days"] - ahead_days(context), 0.0)
    return Test(
        measures="rate",
        unit=UNIT,
        counts="request" if work.language else counts_of(work.arch),
        accelerator=source.device.slug,
        hardware=hardware(each, device_ref(source.device), source_of(source)),
        shows=shown_of(work),
        count=each,
        steps=0,
        hours=hours,
        fee=fee,
        delay_days=delay,
        left_days=context.spec.due_days - delay if is_batch(work) else 0.0,
        left_budget=limits.budget_usd - fee if limits.budget_usd else 0.0,
        least=0.0,
        expected=choice.rate_per_replica if is_batch(work) else _median(work, sizes, assume),
    )


def _median(work: ServingWork, sizes: OtherSizes, assume: Assumptions) -> float:
    """The rate that one replica carries with an even chance [request/s]: between two numbers of replicas by their logarithm."""
    even = sizes.at(0.5)
    high = (even.pair if even else sizes.chosen).choice.replicas
    above = _probit(sizes.served(high))
    if high == 1:
        return demand(work) * math.exp(above * load_sigma(sizes.chosen.choice.cluster.device, work, assume))
    below = _probit(sizes.served(high - 1))
    part = above / (above - below) if above > 0.0 > below else 0.0
    return demand(work) / high * math.exp(part * math.log(high / (high - 1)))


def _usd_per_hour(context: Context, best: Option, source: Supply, count: int) -> float:
    """What an hour of it costs, with the tax on it that does not come back [USD]; of owned hardware what the work pays for one."""
    if source.offer is None:
        return best.cost.price_per_accelerator_hour * count
    dearer = max(source.offer.usd_per_hour, source.fallback_usd_per_hour)
    return instances(source, count) * dearer * (1.0 + context.taxes.owed_on_services)


@dataclass(frozen=True, kw_only=True)
class _Size:
    """The planned replica so many times."""

    pair: ServingFinalist
    rate: float
    """That one replica must be measured to carry for them to be enough [request/s]."""
    slow: float
    """The same as standard deviations of a stack slower than thought: up to here they are enough."""
    usd: float
    drawn: Draws
    lost: Floats
    """What is lost in each draw, because they are not enough after all [USD]."""


class _Weighed(ABC):
    """One gate: which size each measured rate makes enough, and the cost of each in the same draws."""

    def __init__(
        self,
        context: Context,
        work: ServingWork,
        best: Option,
        sizes: OtherSizes,
        test: Test,
        rival: tuple[Option, ServingFinalist] | None,
    ) -> None:
        self.context, self.work, self.best, self.sizes, self.rival = context, work, best, sizes, rival
        self.chosen = sizes.chosen
        device = self.chosen.choice.cluster.device
        self.noise = context.assume["training.measurement_noise"]
        self.sigma = size_sigma(device, work)
        self.sure = context.assume["select.confidence"]
        authorised = self._authorised(self.chosen, self._drawn(self.chosen))
        self.undone = context.assume["gate.undone"] * authorised
        self.test = replace(test, least=context.assume["gate.least_worth"] * authorised)

    @abstractmethod
    def pairs(self, finalists: Sequence[ServingFinalist]) -> Iterator[ServingFinalist]:
        """Sizes that may be taken, the planned one among them."""

    @abstractmethod
    def size(self, pair: ServingFinalist, *, left: bool) -> _Size:
        """That size, judged by what the gate leaves of the limits, or by the whole of them."""

    @abstractmethod
    def slower(self) -> Floats:
        """By how many standard deviations the stack is measured to be slower than thought, in each draw."""

    def gate(self, finalists: Sequence[ServingFinalist]) -> Gate:
        """The gate with its worth."""
        whole = self.size(self.chosen, left=False)
        now = self._cost(whole, self.context.spec.constraints.budget_usd)
        sizes = sorted(self._priced(finalists), key=lambda one: (one.usd, one.pair.choice.accelerators))
        taken, slow = self._taken(sizes)
        if len(taken) == 1 and taken[0].option_id == self.best.id:
            return unchanged(self.test)
        most = ceiling_of(now, [one.cost for one in taken])
        if most <= self.test.fee:
            return too_dear(self.test, most)
        found = worth_of(now, -self.slower(), [-value for value in slow], taken, self.test.fee)
        return gate(self.test, taken, found, self.best.id)

    def _priced(self, finalists: Sequence[ServingFinalist]) -> Iterator[_Size]:
        for pair in self.pairs(finalists):
            try:
                yield self.size(pair, left=True)
            except CostError:
                continue

    def _taken(self, sizes: Sequence[_Size]) -> tuple[list[Taken], list[float]]:
        """What is taken by what is measured, the least rates first, and at how slow a stack each begins to be enough. The cheapest that
        is enough is taken; a dearer one only where no cheaper one is enough, and another accelerator where it is cheaper than that."""
        rival = self._rival()
        dearest = min(rival[1] if rival else math.inf, _DEAREST * self.best.cost.total.expected)
        useful: list[_Size] = []
        for one in sizes:
            if one.usd <= dearest and (not useful or one.slow > useful[-1].slow):
                useful.append(one)
        useful.reverse()
        highs = [*(one.rate for one in useful), None]
        last = replace(rival[0], high=highs[0]) if rival else self._stop(highs[0])
        budget = self.test.left_budget
        taken = [
            Taken(
                high=high,
                option_id=_id(one.pair),
                authorised=self._authorised(one.pair, one.drawn),
                carried=self._carried(one.drawn),
                hardware=_hardware(one.pair),
                cost=self._cost(one, budget),
            )
            for one, high in zip(useful, highs[1:], strict=True)
        ]
        return [last, *taken], [one.slow for one in useful]

    def _rival(self) -> tuple[Taken, float] | None:
        """The cheapest of another accelerator, and what it costs [USD]: what is known of it stays as it is."""
        if self.rival is None:
            return None
        option, pair = self.rival
        drawn, chance = self._drawn(pair), option.chance.all if option.chance else 1.0
        broken = normals(f"layout:{option.id}", SEED) > _probit(chance)
        cost = drawn.total + self.undone * broken
        found = Taken(
            high=None,
            option_id=option.id,
            authorised=self._authorised(pair, drawn),
            carried=self._carried(drawn),
            hardware=_hardware(pair),
            cost=cost,
        )
        return found, option.cost.total.expected

    def _stop(self, high: float | None) -> Taken:
        costs = np.full(DRAWS, self.undone)
        return Taken(high=high, option_id="", authorised=0.0, carried=0.0, hardware=None, cost=costs)

    def _cost(self, one: _Size, budget: float) -> Floats:
        """What that size costs in each draw, and what is lost where it is not enough, or a budget is broken."""
        lost = np.maximum(one.lost, self.undone * (one.drawn.cash > budget)) if budget else one.lost
        costs: Floats = one.drawn.total + lost
        return costs

    def _drawn(self, pair: ServingFinalist) -> Draws:
        return cost_draws(self.context, self.work, pair)

    def _usd(self, pair: ServingFinalist) -> float:
        return total_of(service_model(self.context, self.work, pair))

    def _carried(self, drawn: Draws) -> float:
        return kept_with(drawn.total, self.sure)

    def _authorised(self, pair: ServingFinalist, drawn: Draws) -> float:
        """What is asked to be authorised for it [USD]: what suffices as surely as is asked, and all that is signed."""
        model = service_model(self.context, self.work, pair)
        signed = signed_of(model)
        if signed.what == "none":
            return max(kept_with(drawn.total, self.sure), total_of(model))
        return max(authorised_of(model), signed.total, kept_with(drawn.authorised, self.sure))


class _Service(_Weighed):
    """Of a service: sizes by how many of the draws need them."""

    def pairs(self, finalists: Sequence[ServingFinalist]) -> Iterator[ServingFinalist]:
        found = {self.chosen.choice.replicas: self.chosen}
        for level in _LEVELS:
            size = self.sizes.at(level)
            if size:
                found.setdefault(size.pair.choice.replicas, size.pair)
        yield from found.values()

    def size(self, pair: ServingFinalist, *, left: bool) -> _Size:
        """Enough are so many as serve a peak that may be higher than stated, at the rate that one was measured to carry."""
        broken = self._stack() + self._demand() > _probit(self.sizes.served(pair.choice.replicas))
        return _Size(
            pair=pair,
            rate=demand(self._higher.work) / pair.choice.replicas,
            slow=_probit(self._higher.served(pair.choice.replicas)),
            usd=self._usd(pair),
            drawn=self._drawn(pair),
            lost=np.where(broken, self.undone, 0.0),
        )

    def slower(self) -> Floats:
        found: Floats = self._stack() + self.noise / self._both * normals("load test", SEED)
        return found

    @property
    def _both(self) -> float:
        """Standard deviation of the log of what replicas serve over what is asked of them."""
        return load_sigma(self.chosen.choice.cluster.device, self.work, self.context.assume)

    def _stack(self) -> Floats:
        """The part of that which the stack has, in standard deviations of both."""
        found: Floats = self.sigma / self._both * normals("stack", SEED)
        return found

    def _demand(self) -> Floats:
        found: Floats = self.context.assume["serving.demand_band"] / self._both * normals("demand", SEED)
        return found

    @cached_property
    def _higher(self) -> OtherSizes:
        """The same sizes at the peak that is provided for, so that the stated one is carried as surely as is asked once a rate was
        measured."""
        left = math.hypot(self.noise, self.context.assume["serving.demand_band"])
        held = max(surely(left, self.work.sure), 1.0)
        return OtherSizes(self.context, replace(self.work, requests_per_s=held * self.work.requests_per_s), self.chosen)


class _Batch(_Weighed):
    """Of a batch: more or fewer replicas, which end sooner or later."""

    def pairs(self, finalists: Sequence[ServingFinalist]) -> Iterator[ServingFinalist]:
        alike = sorted((one for one in finalists if _alike(one, self.chosen)), key=lambda one: one.choice.replicas)
        found = {self.chosen.choice.replicas: self.chosen}
        for times in _BEYOND:
            wanted = times * self.chosen.choice.replicas
            pair = next((one for one in alike if one.choice.replicas >= wanted), None)
            if pair:
                found.setdefault(pair.choice.replicas, pair)
        yield from found.values()

    def size(self, pair: ServingFinalist, *, left: bool) -> _Size:
        """Enough are so many as end it in time at the rate that one was measured to carry."""
        wait, drawn = wait_of(self.context, pair.supply), self._drawn(pair)
        limit = self.test.left_days if left else self.context.spec.due_days
        slower = (limit - wait.at(upto(self.work.sure))) * _DAY_HOURS
        slower /= pair.choice.hours * surely(self.noise, self.work.sure)
        waited = wait.days if drawn.wait is None else drawn.wait
        late = waited * _DAY_HOURS + pair.choice.hours * np.exp(self.sigma * self._pace(pair)) > limit * _DAY_HOURS
        return _Size(
            pair=pair,
            rate=pair.choice.rate_per_replica / max(slower, 1e-9),
            slow=math.log(slower) / self.sigma if slower > 0 else -_MOST,
            usd=self._usd(pair),
            drawn=drawn,
            lost=np.where(late, self.undone, 0.0),
        )

    def slower(self) -> Floats:
        found: Floats = self._pace(self.chosen) + self.noise / self.sigma * normals("load test", SEED)
        return found

    def _pace(self, pair: ServingFinalist) -> Floats:
        """Standard normal draws of how long it takes, those of its cost."""
        return normals(BATCH_HOURS if pair.supply.offer else "accelerator_hours", SEED)


def _alike(one: ServingFinalist, other: ServingFinalist) -> bool:
    """The same replica from the same source, however often?"""
    mine, its = one.choice, other.choice
    return one.supply.id == other.supply.id and (mine.layout, mine.precision, mine.engine) == (
        its.layout,
        its.precision,
        its.engine,
    )


def _id(pair: ServingFinalist) -> str:
    return f"{pair.supply.id}:{pair.choice.accelerators}:{pair.choice.precision}"


def _hardware(pair: ServingFinalist) -> Finding:
    source = source_of(pair.supply, second_offer(pair.supply, pair.choice))
    return hardware(pair.choice.accelerators, device_ref(pair.supply.device), source)


def _probit(chance: float) -> float:
    """So many standard deviations; no more than beyond which nothing changes."""
    if chance <= 0.0 or chance >= 1.0:
        return math.copysign(_MOST, chance - 0.5)
    return min(max(NormalDist().inv_cdf(chance), -_MOST), _MOST)
