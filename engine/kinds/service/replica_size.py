"""How much one replica serves within the promises: as it stands, with drafts or without, or split into two pools."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

from engine.inputs.assumptions import Assumptions
from engine.kinds.service import simulate
from engine.kinds.service.candidates import Candidate
from engine.kinds.service.capacity import capacity_rate, limits_of, planned_share, reached, saturated
from engine.kinds.service.disaggregated import Split, saturated_rate
from engine.kinds.service.load import Shares, carried, given
from engine.kinds.service.pools import split_of
from engine.kinds.service.tables import Tables, traffic_of
from engine.kinds.service.work import ServingWork, demand, is_batch, undrafted
from engine.physics.token.step import single

_BINDS = 0.85
"""Share of what a replica may be given below which the promised pace, not throughput, limits it."""
_WORTH = 1.08
"""Gain in rate for each accelerator that pools must bring before their operation is worth it."""


@dataclass(frozen=True, kw_only=True)
class Sized:
    """Capacity of one replica, found once for all clusters with the same physics."""

    rate: float
    """What it is given at the peak at most [request/s]."""
    most: float
    """What it could serve at most within the promises, its queue still finite [request/s]."""
    full: float
    """The same without any promise: what it carries."""
    ttft_p95_ms: float
    tpot_p95_ms: float
    split: Split | None = None
    accepted: float = 0.0

    @property
    def replicas(self) -> int:
        """Replicas that work together: the pools of a unit, or one."""
        return self.split.replicas if self.split else 1


@dataclass(frozen=True, kw_only=True)
class Replica:
    """One candidate with its numbers and its closed form."""

    candidate: Candidate
    numbers: dict[str, float]
    saturated: float
    """Highest rate without promises in the closed form [request/s]."""
    fits: float
    """Sequences of the mean length that it works on at once."""
    shares: Shares
    """Of each promise, how much it may use up."""
    tables: Tables = field(default_factory=Tables)

    def simulated(self, work: ServingWork, assume: Assumptions) -> simulate.Replica:
        """The replica as the simulation sees it."""
        return self.tables.of(self.candidate, self.numbers, work, assume)


def unproven(rate: float, work: ServingWork, *, planned: float = 1.0) -> Sized:
    """A replica that may be given that rate, that share of the most it could serve, before any simulation."""
    most = rate / planned
    return Sized(rate=rate, most=most, full=most, ttft_p95_ms=0.0, tpot_p95_ms=0.0, accepted=work.speculative_accepted)


def size_replica(one: Replica, work: ServingWork, assume: Assumptions) -> Sized:
    """Simulated capacity of one replica, the best of: with the offered drafts, without them, in pools of its own."""
    ways, plain = _ways(work), undrafted(work)
    if is_batch(work):
        return max((unproven(_saturated(one, way, assume), way) for way in ways), key=lambda sized: sized.rate)
    carry = carried(one.candidate.cluster.device, work, assume)
    found = [_sized(one, way, assume) for way in ways]

    def needs(sized: Sized) -> tuple[float, float]:
        """The fewest accelerators; of ways that need as many, the one with most room."""
        return _accelerators_for(sized, work, carry), -sized.rate / sized.replicas

    best = min(found, key=needs)
    if best.rate < _BINDS * one.saturated * planned_share(assume):
        split = split_of(one.candidate, one.numbers, one.fits, plain, assume)
        unit = _unit_rate(one, split, plain, assume) if split else 0.0
        planned = planned_share(assume)
        if split and _pays(best, split, unproven(unit * planned, plain, planned=planned), work, carry):
            found.append(_sized(one, plain, assume, split=split))
    return min(found, key=needs)


def _ways(work: ServingWork) -> list[ServingWork]:
    """As it was asked, and without the offered drafts: what is offered need not be taken."""
    return [work] if work.speculative_accepted <= 1 else [work, undrafted(work)]


def _saturated(one: Replica, work: ServingWork, assume: Assumptions) -> float:
    """Requests per second while others always wait: the closed form does not see uneven lengths and a full cache."""
    return min(one.saturated, saturated(one.simulated(work, assume), work, slots=one.fits))


def may_reach(one: Replica, work: ServingWork, assume: Assumptions, *, rate: float) -> bool:
    """Might the sized replica serve that rate? One simulation for each way to run it, instead of a search."""
    engine, shares = one.candidate.engine, one.shares
    for way in _ways(work):
        replica = one.simulated(way, assume)
        limits = limits_of(replica, way, shares, engine=engine, assume=assume)
        if rate <= one.saturated and reached(replica, way, rate=rate, limits=limits, engine=engine, assume=assume):
            return True
    plain = undrafted(work)
    split = split_of(one.candidate, one.numbers, one.fits, plain, assume)
    if split is None or rate * split.replicas > _unit_rate(one, split, plain, assume):
        return False
    replica, unit = one.simulated(plain, assume), rate * split.replicas
    limits = limits_of(replica, plain, shares, engine=engine, assume=assume)
    came = reached(replica, plain, rate=unit, limits=limits, engine=engine, assume=assume, split=split)
    return came is not None


def _unit_rate(one: Replica, split: Split, work: ServingWork, assume: Assumptions) -> float:
    """The rate of a unit of pools beyond which a queue before one of them grows, in closed form [request/s]."""
    return saturated_rate(single(one.numbers), traffic_of(work, assume), split, most=one.fits)


def _accelerators_for(sized: Sized, work: ServingWork, carry: float) -> float:
    """Replicas for the demand; pools count for more, as they must be worth their operation."""
    if sized.rate <= 0:
        return math.inf
    held = math.ceil(demand(work) / given(sized.rate, sized.full, carry)) + work.spare_replicas
    return held * sized.replicas * (_WORTH if sized.split else 1.0)


def _pays(together: Sized, split: Split, unit: Sized, work: ServingWork, carry: float) -> bool:
    """Could units of pools that are given that much each need fewer accelerators?"""
    pooled = _accelerators_for(replace(unit, split=split), work, carry)
    return pooled < _accelerators_for(together, work, carry)


def _sized(one: Replica, work: ServingWork, assume: Assumptions, *, split: Split | None = None) -> Sized:
    """Highest rate that holds in simulation and leaves the headroom, and the latencies at it."""
    engine, accepted = one.candidate.engine, work.speculative_accepted
    replica = one.simulated(work, assume)
    closed = _unit_rate(one, split, work, assume) if split else one.saturated
    full = min(closed, saturated(replica, work, slots=one.fits, split=split))
    top = full * planned_share(assume)
    rate, outcome = capacity_rate(replica, work, top=top, shares=one.shares, engine=engine, assume=assume, split=split)
    if outcome is None:
        return Sized(
            rate=0.0, most=0.0, full=0.0, ttft_p95_ms=math.inf, tpot_p95_ms=math.inf, split=split, accepted=accepted
        )
    return Sized(
        rate=rate,
        most=full if rate >= top else rate,
        full=full,
        ttft_p95_ms=outcome.ttft_ms,
        tpot_p95_ms=outcome.tpot_ms,
        split=split,
        accepted=accepted,
    )
