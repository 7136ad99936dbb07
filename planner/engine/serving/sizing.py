"""The search: every candidate in closed form, the best of each cluster simulated until its promises hold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from planner.engine.assumptions import Assumptions
from planner.engine.hardware import Cluster
from planner.engine.result import Layout, Rejection
from planner.engine.serving.candidates import Candidate, candidates
from planner.engine.serving.capacity import (
    Steady,
    numbers_of,
    steady,
)
from planner.engine.serving.outcome import ServingChoice, ServingSearch
from planner.engine.serving.replica_size import Sized, demand, size_replica
from planner.engine.serving.samples import search_samples
from planner.engine.serving.shape import Shape, shape_of
from planner.engine.serving.work import ServingWork


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
    sized: dict[tuple[object, ...], Sized] = {}
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
    sized: dict[tuple[object, ...], Sized],
) -> list[ServingChoice]:
    """The first finalist of the cluster that holds the promises in simulation (none when no one does)."""
    able = [row for row in rows if closed.saturated[row] > 0 and not _hopeless(closed, row, work)]
    ranked = sorted(able, key=lambda row: _rank(found[row], closed, row, work))[:4]
    choices = []
    for row in ranked:
        # Pools need a link between nodes; how fast it is moves the first token by a millisecond or two.
        key = (*_physics_key(found[row]), found[row].cluster.nic_bandwidth > 0)
        if key not in sized:
            sized[key] = size_replica(found[row], numbers[row], closed, row, work, assume)
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
    replicas = math.ceil(demand(work) / rate)
    return (float(doubtful), replicas * candidate.devices, float(closed.tpot_ms[row]))


def _choice(candidate: Candidate, sized: Sized, fits: float, work: ServingWork) -> ServingChoice | None:
    """The choice, or None when no rate holds or the work needs more accelerators than are allowed."""
    if sized.rate <= 0:
        return None
    replicas = max(math.ceil(demand(work) / sized.rate), 1)
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
