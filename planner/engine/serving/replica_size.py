"""How much one replica serves within the promises: as it stands, with drafts or without, or split into two pools."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from planner.engine.assumptions import Assumptions
from planner.engine.serving.candidates import Candidate
from planner.engine.serving.capacity import capacity_rate, keeps, replica_of, simulate_rate, traffic_of
from planner.engine.serving.closed_form import Steady
from planner.engine.serving.disaggregated import Split, saturated_rate, split_for
from planner.engine.serving.step import single
from planner.engine.serving.work import ServingWork

_STABLE = 0.92
"""Share of the saturated rate beyond which a queue grows without end."""
POOLING = frozenset({"vllm", "sglang", "tensorrt-llm"})
"""Engines that can run prefill and decode in pools of their own."""
_BINDS = 0.85
"""Share of the saturated rate below which the promised pace, not throughput, limits a replica."""
_WORTH = 1.08
"""Gain in rate for each accelerator that pools must bring before their operation is worth it."""
_LINK_SHARE = 0.7
"""Share of a link that a cache transfer reaches."""


@dataclass(frozen=True, kw_only=True)
class Sized:
    """Capacity of one replica, found once for all clusters with the same physics."""

    rate: float
    ttft_p95_ms: float
    tpot_p95_ms: float
    split: Split | None = None
    accepted: float = 0.0

    @property
    def replicas(self) -> int:
        """Replicas that work together: the pools of a unit, or one."""
        return self.split.replicas if self.split else 1


def demand(work: ServingWork) -> float:
    """Requests per second that must be served: the peak, or the batch by its deadline."""
    if work.batch is not None and not work.requests_per_s:
        return work.batch.requests / (work.batch.deadline_hours * 3600)
    return work.requests_per_s


def size_replica(
    candidate: Candidate,
    numbers: dict[str, float],
    closed: Steady,
    row: int,
    work: ServingWork,
    assume: Assumptions,
) -> Sized:
    """Simulated capacity of one replica, the best of: with the offered drafts, without them, in pools of its own.

    A batch without a rate has no promise to hold and runs saturated.
    """
    saturated = float(closed.saturated[row])
    if work.batch is not None and not work.requests_per_s:
        return Sized(rate=saturated, ttft_p95_ms=0.0, tpot_p95_ms=0.0, accepted=work.speculative_accepted)
    guess = float(closed.rate[row]) or 0.5 * saturated
    top = saturated * _STABLE
    found = [_sized(candidate, numbers, work, assume, guess=guess, top=top)]
    if work.speculative_accepted > 1:
        plain = replace(work, speculative_accepted=0.0)
        found.append(_sized(candidate, numbers, plain, assume, guess=guess, top=top))
    split = _split(candidate, numbers, found[0], float(closed.fits[row]), top, work, assume)
    if split is not None:
        most = _unit_top(numbers, split, float(closed.fits[row]), work, assume)
        guess = min(top * split.decode, most)
        found.append(_sized(candidate, numbers, work, assume, guess=guess, top=most, split=split))
    return min(found, key=lambda one: _accelerators_for(one, work))


def ceiling(saturated: float, work: ServingWork) -> Sized:
    """No replica serves more: the saturated rate in steady state, less what keeps a queue from growing without end."""
    batch = work.batch is not None and not work.requests_per_s
    rate = saturated * (1.0 if batch else _STABLE)
    return Sized(rate=rate, ttft_p95_ms=0.0, tpot_p95_ms=0.0, accepted=work.speculative_accepted)


def may_reach(
    candidate: Candidate,
    numbers: dict[str, float],
    closed: Steady,
    row: int,
    work: ServingWork,
    assume: Assumptions,
    *,
    rate: float,
) -> bool:
    """Might the sized replica serve that rate? One simulation for each way to run it, instead of a bisection."""
    engine, margin = candidate.engine, assume["serving.slo_margin"]
    ways = [work] if work.speculative_accepted <= 1 else [work, replace(work, speculative_accepted=0.0)]
    for way in ways:
        replica = replica_of(numbers, way, engine=engine, assume=assume)
        if keeps(replica, way, rate=rate, margin=margin, engine=engine, assume=assume):
            return True
    alone = Sized(rate=0.0, ttft_p95_ms=math.inf, tpot_p95_ms=math.inf)
    split = _split(candidate, numbers, alone, float(closed.fits[row]), math.inf, work, assume)
    if split is None:
        return False
    replica, unit = replica_of(numbers, work, engine=engine, assume=assume), rate * split.replicas
    if unit > _unit_top(numbers, split, float(closed.fits[row]), work, assume):
        return False
    return keeps(replica, work, rate=unit, margin=margin, engine=engine, assume=assume, split=split)


def _unit_top(numbers: dict[str, float], split: Split, fits: float, work: ServingWork, assume: Assumptions) -> float:
    """The highest rate of a unit of pools whose queues stay bounded: a promise of pace says nothing of the prompts."""
    return _STABLE * saturated_rate(single(numbers), traffic_of(work, assume), split, most=fits)


def _accelerators_for(one: Sized, work: ServingWork) -> float:
    """Replicas for the demand; pools count for more, as they must be worth their operation."""
    if one.rate <= 0:
        return math.inf
    held = math.ceil(demand(work) / one.rate) + work.spare_replicas
    return held * one.replicas * (_WORTH if one.split else 1.0)


def _sized(
    candidate: Candidate,
    numbers: dict[str, float],
    work: ServingWork,
    assume: Assumptions,
    *,
    guess: float,
    top: float,
    split: Split | None = None,
) -> Sized:
    """Highest rate that holds in simulation, and the latencies at it."""
    replica, engine = replica_of(numbers, work, engine=candidate.engine, assume=assume), candidate.engine
    rate = capacity_rate(replica, work, guess=guess, top=top, engine=engine, assume=assume, split=split)
    accepted = work.speculative_accepted
    if rate <= 0:
        return Sized(rate=0.0, ttft_p95_ms=math.inf, tpot_p95_ms=math.inf, split=split, accepted=accepted)
    outcome = simulate_rate(replica, work, rate=rate, engine=engine, assume=assume, split=split)
    return Sized(rate=rate, ttft_p95_ms=outcome.ttft.p95, tpot_p95_ms=outcome.tpot.p95, split=split, accepted=accepted)


def _split(
    candidate: Candidate,
    numbers: dict[str, float],
    sized: Sized,
    fits: float,
    top: float,
    work: ServingWork,
    assume: Assumptions,
) -> Split | None:
    """Pools of their own, where the pace of answers binds and the work fills at least one unit; None elsewhere."""
    binding = bool(work.tpot_p95_ms) and sized.rate < _BINDS * top
    if not binding or candidate.adp > 1 or work.speculative_accepted > 1 or candidate.engine not in POOLING:
        return None
    cluster = candidate.cluster
    inside = candidate.devices * 2 <= max(cluster.devices_per_node, cluster.device.scaleup_domain)
    wired = cluster.device.scaleup_domain > 1 and inside
    bandwidth = cluster.device.scaleup_bandwidth if wired else cluster.nic_bandwidth
    pace = work.tpot_p95_ms / 1e3 * assume["serving.slo_margin"]
    return split_for(
        single(numbers), traffic_of(work, assume), most=fits, tpot_s=pace, bandwidth=bandwidth * _LINK_SHARE
    )
