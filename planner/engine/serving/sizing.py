"""The search: every candidate in closed form, the best of each cluster simulated until its promises hold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from planner.engine.assumptions import Assumptions
from planner.engine.hardware import Cluster
from planner.engine.result import Layout, Rejection
from planner.engine.serving.candidates import Candidate, candidates
from planner.engine.serving.capacity import numbers_of
from planner.engine.serving.closed_form import Steady, steady
from planner.engine.serving.machine import Rates
from planner.engine.serving.outcome import ServingChoice, ServingSearch
from planner.engine.serving.replica_size import Sized, demand, size_replica
from planner.engine.serving.samples import search_samples
from planner.engine.serving.shape import shape_of
from planner.engine.serving.step import Numbers, Setup, stack
from planner.engine.serving.work import ServingWork


@dataclass(frozen=True, kw_only=True)
class Space:
    """Every replica that may be considered, cluster after cluster: it follows from the model and the hardware alone."""

    found: list[Candidate]
    numbers: list[dict[str, float]]
    rows: tuple[range, ...]
    """The candidates of each cluster."""
    distinct: list[int]
    """One candidate of each physics; clusters that differ in price or node count share it."""
    place: list[int]
    """Which of `distinct` each candidate is alike to."""

    @cached_property
    def stacked(self) -> Setup:
        """The distinct candidates as arrays."""
        return stack([self.numbers[row] for row in self.distinct])


@dataclass(frozen=True, kw_only=True)
class Prospects:
    """A space under one traffic: the closed form of every candidate, and what it leaves out."""

    work: ServingWork
    space: Space
    closed: Steady
    rejected: tuple[Rejection, ...]

    @cached_property
    def order(self) -> tuple[Numbers, Numbers]:
        """What candidates are ranked by, least first: those that the closed form doubts come last, then accelerators for
        the work."""
        doubtful = self.closed.rate <= 0
        rate = np.where(doubtful, self.closed.saturated * 0.5, self.closed.rate)
        devices = np.array([candidate.devices for candidate in self.space.found], dtype=float)
        with np.errstate(divide="ignore"):
            return doubtful.astype(float), np.ceil(demand(self.work) / rate) * devices

    @cached_property
    def able(self) -> Bools:
        """Which candidates hold a full sequence and keep their promises for a single request in flight."""
        work, closed = self.work, self.closed
        able: Bools = closed.saturated > 0
        if work.ttft_p95_ms:
            able = able & (closed.ttft_ms <= work.ttft_p95_ms)
        return able & (closed.tpot_ms <= work.tpot_p95_ms) if work.tpot_p95_ms else able


Bools = NDArray[np.bool_]
Known = dict[tuple[object, ...], Sized]
"""Replicas that were sized by simulation, by their physics."""


def space_of(work: ServingWork, clusters: Sequence[Cluster], *, assume: Assumptions) -> Space:
    """Every candidate of a language model; lengths, rates and promises of the work do not matter."""
    shape = shape_of(work.arch)
    pools = [candidates(cluster, shape, work) for cluster in clusters]
    found = [candidate for pool in pools for candidate in pool]
    ends = np.cumsum([0, *(len(pool) for pool in pools)])
    first: dict[tuple[object, ...], int] = {}
    place = [first.setdefault(physics_key(candidate), len(first)) for candidate in found]
    distinct = [0] * len(first)
    for row, at in enumerate(place):
        distinct[at] = row
    rates: dict[tuple[str, str, str], Rates] = {}
    numbers = [numbers_of(found[row], shape, assume, rates) for row in distinct]
    return Space(
        found=found,
        numbers=[numbers[at] for at in place],
        rows=tuple(range(int(start), int(end)) for start, end in pairwise(ends)),
        distinct=distinct,
        place=place,
    )


def prospects(
    work: ServingWork, clusters: Sequence[Cluster], *, assume: Assumptions, space: Space | None = None
) -> Prospects:
    """The closed form of every candidate of a language model. `space`: where it is known already."""
    space = space or space_of(work, clusters, assume=assume)
    found, numbers = space.found, space.numbers
    one = steady([found[row] for row in space.distinct], [], work, assume, space.stacked)
    closed = Steady(**{item.name: getattr(one, item.name)[space.place] for item in fields(Steady)})
    empty = [cluster for cluster, rows in zip(clusters, space.rows, strict=True) if not rows]
    refused = [_no_engine(work, empty)]
    if found:
        refused += [_no_room(found, closed, numbers, work), _too_slow(found, closed, work)]
    return Prospects(work=work, space=space, closed=closed, rejected=tuple(item for item in refused if item))


def search(work: ServingWork, clusters: Sequence[Cluster], *, assume: Assumptions) -> ServingSearch:
    """The good choices of each cluster, cheapest in accelerators first, and why the rest was left out."""
    if not work.language:
        return search_samples(work, clusters, assume=assume)
    field = prospects(work, clusters, assume=assume)
    known: Known = {}
    choices = [choice for rows in field.space.rows for choice in choices_of(field, rows, assume, known)]
    choices.sort(key=lambda c: (c.accelerators, c.ttft_p95_ms))
    return ServingSearch(choices=tuple(choices), rejected=field.rejected, searched=len(field.space.found))


def physics_key(c: Candidate) -> tuple[object, ...]:
    return (c.cluster.device.slug, c.engine, c.precision, c.kv_precision, c.tp, c.pp, c.ep, c.adp)


def choices_of(field: Prospects, rows: range, assume: Assumptions, known: Known) -> list[ServingChoice]:
    """The first finalist of a cluster that holds the promises in simulation (none when no one does)."""
    work, closed = field.work, field.closed
    choices = []
    for row in ranked_rows(field, rows):
        candidate = field.space.found[row]
        choice = choice_of(candidate, sized_row(field, row, assume, known), float(closed.fits[row]), work)
        if choice is not None:
            choices.append(choice)
            if choice.replicas <= math.ceil(work.requests_per_s / max(closed.rate[row], 1e-9)) * 1.3:
                break
    return sorted(choices, key=lambda c: (c.accelerators, c.ttft_p95_ms))[:2]


def sized_row(field: Prospects, row: int, assume: Assumptions, known: Known) -> Sized:
    """What the replica of that row serves, found once for all clusters with the same physics."""
    candidate = field.space.found[row]
    # Pools need a link between nodes; how fast it is moves the first token by a millisecond or two.
    key = (*physics_key(candidate), candidate.cluster.nic_bandwidth > 0)
    if key not in known:
        known[key] = size_replica(candidate, field.space.numbers[row], field.closed, row, field.work, assume)
    return known[key]


def ranked_rows(field: Prospects, rows: range) -> list[int]:
    """The candidates of a cluster that are worth a simulation: fewest accelerators for the work, then the quicker one."""
    able = np.flatnonzero(field.able[rows.start : rows.stop]) + rows.start
    doubtful, accelerators = field.order
    order = np.lexsort((field.closed.tpot_ms[able], accelerators[able], doubtful[able]))
    return [int(row) for row in able[order[:4]]]


def choice_of(candidate: Candidate, sized: Sized, fits: float, work: ServingWork) -> ServingChoice | None:
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
