"""The search: every candidate in closed form, the best of each cluster simulated until its promises hold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from planner.engine.assumptions import Assumptions
from planner.engine.hardware import Cluster
from planner.engine.result import Layout, Rejection
from planner.engine.serving.candidates import Candidate, candidates
from planner.engine.serving.capacity import (
    Steady,
    capacity_rate,
    numbers_of,
    replica_of,
    simulate_rate,
    steady,
    traffic_of,
)
from planner.engine.serving.disaggregated import Split, split_for
from planner.engine.serving.outcome import ServingChoice, ServingSearch
from planner.engine.serving.samples import search_samples
from planner.engine.serving.shape import Shape, shape_of
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
class _Sized:
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


def search(work: ServingWork, clusters: Sequence[Cluster], *, assume: Assumptions) -> ServingSearch:
    """The good choices of each cluster, cheapest in accelerators first, and why the rest was left out."""
    if not work.language:
        return search_samples(work, clusters, assume=assume)
    shape = shape_of(work.arch)
    pools = [candidates(cluster, shape, work) for cluster in clusters]
    refused = [_no_engine(work, [c for c, pool in zip(clusters, pools, strict=True) if not pool])]
    found = [candidate for pool in pools for candidate in pool]
    if not found:
        return ServingSearch(choices=(), rejected=tuple(r for r in refused if r), searched=0)
    numbers = _numbers(found, shape, assume)
    closed = steady(found, numbers, work, assume)
    refused += [_no_room(found, closed, numbers, work), _too_slow(found, closed, work)]
    sized: dict[tuple[object, ...], _Sized] = {}
    choices = []
    offset = 0
    for pool in pools:
        rows = range(offset, offset + len(pool))
        offset += len(pool)
        choices += _best_of_cluster(rows, found, numbers, closed, work, assume, sized)
    choices.sort(key=lambda c: (c.accelerators, c.ttft_p95_ms))
    return ServingSearch(choices=tuple(choices), rejected=tuple(r for r in refused if r), searched=len(found))


def _numbers(found: list[Candidate], shape: Shape, assume: Assumptions) -> list[dict[str, float]]:
    """Setup fields of every candidate; clusters that differ in price or node count share them."""
    known: dict[tuple[object, ...], dict[str, float]] = {}
    for candidate in found:
        key = _physics_key(candidate)
        if key not in known:
            known[key] = numbers_of(candidate, shape, assume)
    return [known[_physics_key(candidate)] for candidate in found]


def _physics_key(c: Candidate) -> tuple[object, ...]:
    return (c.cluster.device.slug, c.engine, c.precision, c.kv_precision, c.tp, c.pp, c.ep, c.adp)


def _best_of_cluster(
    rows: range,
    found: list[Candidate],
    numbers: list[dict[str, float]],
    closed: Steady,
    work: ServingWork,
    assume: Assumptions,
    sized: dict[tuple[object, ...], _Sized],
) -> list[ServingChoice]:
    """The first finalist of the cluster that holds the promises in simulation (none when no one does)."""
    able = [row for row in rows if closed.saturated[row] > 0 and not _hopeless(closed, row, work)]
    ranked = sorted(able, key=lambda row: _rank(found[row], closed, row, work))[:4]
    choices = []
    for row in ranked:
        key = _physics_key(found[row])
        if key not in sized:
            sized[key] = _size(found[row], numbers[row], closed, row, work, assume)
        choice = _choice(found[row], sized[key], float(closed.fits[row]), work)
        if choice is not None:
            choices.append(choice)
            if choice.replicas <= math.ceil(work.requests_per_s / max(closed.rate[row], 1e-9)) * 1.3:
                break
    return sorted(choices, key=lambda c: (c.accelerators, c.ttft_p95_ms))[:2]


def _hopeless(closed: Steady, row: int, work: ServingWork) -> bool:
    """Does a single request in flight already miss a promise?"""
    first = bool(work.ttft_p95_ms) and closed.ttft_ms[row] > work.ttft_p95_ms
    return first or (bool(work.tpot_p95_ms) and bool(closed.tpot_ms[row] > work.tpot_p95_ms))


def _rank(candidate: Candidate, closed: Steady, row: int, work: ServingWork) -> tuple[float, float, float]:
    """Fewest accelerators for the work, then the quicker one. Candidates the closed form doubts come last."""
    doubtful = closed.rate[row] <= 0
    rate = closed.saturated[row] * 0.5 if doubtful else closed.rate[row]
    replicas = math.ceil(_demand(work) / rate)
    return (float(doubtful), replicas * candidate.devices, float(closed.tpot_ms[row]))


def _demand(work: ServingWork) -> float:
    """Requests per second that must be served: the peak, or the batch by its deadline."""
    if work.batch is not None and not work.requests_per_s:
        return work.batch.requests / (work.batch.deadline_hours * 3600)
    return work.requests_per_s


def _size(
    candidate: Candidate,
    numbers: dict[str, float],
    closed: Steady,
    row: int,
    work: ServingWork,
    assume: Assumptions,
) -> _Sized:
    """Simulated capacity of one replica, the best of: with the offered drafts, without them, in pools of its own.

    A batch without a rate has no promise to hold and runs saturated.
    """
    saturated = float(closed.saturated[row])
    if work.batch is not None and not work.requests_per_s:
        return _Sized(rate=saturated, ttft_p95_ms=0.0, tpot_p95_ms=0.0, accepted=work.speculative_accepted)
    guess = float(closed.rate[row]) or 0.5 * saturated
    top = saturated * _STABLE
    found = [_sized(candidate, numbers, work, assume, guess=guess, top=top)]
    if work.speculative_accepted > 1:
        plain = replace(work, speculative_accepted=0.0)
        found.append(_sized(candidate, numbers, plain, assume, guess=guess, top=top))
    split = _split(candidate, numbers, found[0], float(closed.fits[row]), top, work, assume)
    if split is not None:
        found.append(
            _sized(
                candidate, numbers, work, assume, guess=top * split.decode, top=4 * top * split.replicas, split=split
            )
        )
    return min(found, key=lambda one: _accelerators_for(one, work))


def _accelerators_for(one: _Sized, work: ServingWork) -> float:
    """Replicas for the demand; pools count for more, as they must be worth their operation."""
    if one.rate <= 0:
        return math.inf
    held = math.ceil(_demand(work) / one.rate) + work.spare_replicas
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
) -> _Sized:
    """Highest rate that holds in simulation, and the latencies at it."""
    replica, engine = replica_of(numbers, work, engine=candidate.engine, assume=assume), candidate.engine
    rate = capacity_rate(replica, work, guess=guess, top=top, engine=engine, assume=assume, split=split)
    accepted = work.speculative_accepted
    if rate <= 0:
        return _Sized(rate=0.0, ttft_p95_ms=math.inf, tpot_p95_ms=math.inf, split=split, accepted=accepted)
    outcome = simulate_rate(replica, work, rate=rate, engine=engine, assume=assume, split=split)
    return _Sized(rate=rate, ttft_p95_ms=outcome.ttft.p95, tpot_p95_ms=outcome.tpot.p95, split=split, accepted=accepted)


def _split(
    candidate: Candidate,
    numbers: dict[str, float],
    sized: _Sized,
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


def _choice(candidate: Candidate, sized: _Sized, fits: float, work: ServingWork) -> ServingChoice | None:
    """The choice, or None when no rate holds or the work needs more accelerators than are allowed."""
    if sized.rate <= 0:
        return None
    replicas = max(math.ceil(_demand(work) / sized.rate), 1)
    batch = work.batch is not None and not work.requests_per_s
    spare = 0 if batch else work.spare_replicas
    devices = candidate.devices * sized.replicas
    total = (replicas + spare) * devices
    if total > min(candidate.cluster.max_devices, work.max_accelerators):
        return None
    per_day, hours = _hours(work, devices, replicas, spare, sized.rate)
    return ServingChoice(
        cluster=candidate.cluster,
        engine=candidate.engine,
        precision=candidate.precision,
        kv_precision=candidate.kv_precision,
        layout=Layout(tp=candidate.tp, pp=candidate.pp, ep=candidate.ep, dp=candidate.adp),
        accelerators_per_replica=devices,
        replicas=replicas,
        spare_replicas=spare,
        accelerators=total,
        nodes=node_count(devices, replicas + spare, candidate.cluster.devices_per_node),
        rate_per_replica=sized.rate,
        max_batch=int(fits),
        replicas_by_hour=replicas_by_hour(work, sized.rate, spare),
        accelerator_hours_per_day=per_day,
        hours=hours,
        ttft_p95_ms=sized.ttft_p95_ms,
        tpot_p95_ms=sized.tpot_p95_ms,
        split=sized.split,
        accepted=sized.accepted,
    )


def node_count(devices: int, replicas: int, per_node: int) -> int:
    """Nodes for so many replicas: small ones share a node, large ones take whole nodes."""
    if devices >= per_node:
        return replicas * math.ceil(devices / per_node)
    return math.ceil(replicas / (per_node // devices))


def replicas_by_hour(work: ServingWork, rate: float, spare: int) -> tuple[int, ...]:
    """Replicas for each hour of the load curve, spare ones included."""
    return tuple(max(math.ceil(share * work.requests_per_s / rate), 1) + spare for share in work.load_curve)


def _hours(work: ServingWork, devices: int, replicas: int, spare: int, rate: float) -> tuple[float, float]:
    """(accelerator-hours of a day or of the whole batch, hours it takes)."""
    if work.batch is not None and not work.requests_per_s:
        hours = work.batch.requests / (replicas * rate) / 3600
        return hours * replicas * devices, hours
    curve = replicas_by_hour(work, rate, spare)
    if not curve:
        return 24.0 * (replicas + spare) * devices, 24.0
    return 24.0 * sum(curve) / len(curve) * devices, 24.0


def _no_engine(work: ServingWork, without: list[Cluster]) -> Rejection | None:
    """Clusters on which nothing could be tried."""
    if not without:
        return None
    reason = (
        f"{work.framework} does not run on this hardware, or the fixed layout does not fit into one cluster"
        if work.framework != "auto"
        else "no serving engine runs here, or the fixed layout does not fit into one cluster"
    )
    names = sorted({cluster.device.name for cluster in without})
    return Rejection(code="engine", reason=reason, count=len(without), nearest=", ".join(names[:3]))


def _no_room(
    found: list[Candidate], closed: Steady, numbers: list[dict[str, float]], work: ServingWork
) -> Rejection | None:
    """Replicas whose weights and one full sequence do not fit; the nearest miss in GB per accelerator."""
    rows = np.flatnonzero(closed.longest < 1)
    if not len(rows):
        return None
    misses = [(_needed_bytes(numbers[row], work) / numbers[row]["memory"] / found[row].devices, row) for row in rows]
    _, row = min(misses)
    candidate, number = found[row], numbers[row]
    need = _needed_bytes(number, work) / candidate.devices / 1e9
    nearest = (
        f"{candidate.devices} × {candidate.cluster.device.name}: needs {need:.1f} GB of "
        f"{number['memory'] / 1e9:.1f} GB per accelerator at TP {candidate.tp}, PP {candidate.pp}, "
        f"{candidate.precision}"
    )
    return Rejection(code="memory", reason="weights and one full sequence do not fit", count=len(rows), nearest=nearest)


def _needed_bytes(number: dict[str, float], work: ServingWork) -> float:
    context = work.input_tokens + work.output_tokens
    cache = (context * number["kv_full"] + min(context, number["window"]) * number["kv_window"]) * number["tp"]
    weights = number["dense"] * number["dense_bytes"] * number["adp"] + number["expert"] * number["expert_bytes"]
    return weights + number["fixed_bytes"] + cache / number["kv_split"]


def _too_slow(found: list[Candidate], closed: Steady, work: ServingWork) -> Rejection | None:
    """Replicas that miss a promise even with a single request in flight; the nearest miss."""
    fits = closed.longest >= 1
    slow_first = (closed.ttft_ms > work.ttft_p95_ms) & fits if work.ttft_p95_ms else np.zeros(len(found), bool)
    slow_next = (closed.tpot_ms > work.tpot_p95_ms) & fits if work.tpot_p95_ms else np.zeros(len(found), bool)
    rows = np.flatnonzero(slow_first | slow_next)
    if not len(rows):
        return None
    over = np.maximum(
        closed.ttft_ms / work.ttft_p95_ms if work.ttft_p95_ms else 0.0,
        closed.tpot_ms / work.tpot_p95_ms if work.tpot_p95_ms else 0.0,
    )
    row = min(rows, key=lambda r: float(np.broadcast_to(over, len(found))[r]))
    candidate = found[row]
    nearest = (
        f"{candidate.devices} × {candidate.cluster.device.name}, {candidate.precision}: a single request takes "
        f"{closed.ttft_ms[row]:.0f} ms to the first token and {closed.tpot_ms[row]:.1f} ms for each next one"
    )
    return Rejection(code="latency", reason="too slow even for a single request", count=len(rows), nearest=nearest)


def with_seed(work: ServingWork, *, seed: int, requests: int) -> ServingWork:
    """The same work simulated with other random numbers and another number of requests."""
    return replace(work, seed=seed, requests=requests)
