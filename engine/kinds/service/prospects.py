"""Every replica that may be considered, under one traffic: the closed form of all, and what their bounds rule out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from itertools import pairwise

import numpy as np

from engine.answer import Rejection
from engine.inputs.assumptions import Assumptions
from engine.inputs.hardware import Cluster, Device
from engine.kinds.service.bounds import Idle, idle, most_rate, pooled_rate
from engine.kinds.service.candidates import Candidate, candidates
from engine.kinds.service.capacity import planned_share
from engine.kinds.service.closed_form import Paces, Steady, paces, steady
from engine.kinds.service.load import Devices, ManyShares, carried, devices_of, shares_of
from engine.kinds.service.pools import pool_bandwidth
from engine.kinds.service.refused import Bools, Indices, no_engine, no_room, too_long, too_slow
from engine.kinds.service.replica_size import Replica
from engine.kinds.service.starting import start_seconds
from engine.kinds.service.tables import Tables, setup_of
from engine.kinds.service.work import ServingWork
from engine.odds.serving import log_sigma, surely
from engine.physics.token.memory import weight_bytes
from engine.physics.token.shape import shape_of
from engine.physics.token.step import Numbers, Setup
from engine.reliability.standing import host_down


@dataclass(frozen=True, kw_only=True)
class Space:
    """Every replica that may be considered, cluster after cluster: it follows from the model and the hardware alone."""

    found: list[Candidate]
    rows: tuple[range, ...]
    """The candidates of each cluster."""
    distinct: list[int]
    """One candidate of each physics; clusters that differ in price or node count share it."""
    place: Indices
    """Which of `distinct` each candidate is alike to."""
    cluster: Indices
    """The cluster of each candidate; they lie in order."""
    devices: Indices
    """Accelerators of each candidate."""
    per_node: Indices
    """Accelerators of a node of its cluster."""
    room: Indices
    """Most accelerators of its cluster."""
    stood: Indices
    """Which candidates are alike in those three, by number: their replicas stand by alike."""
    hardware: Devices
    """Of the distinct candidates."""
    setup: Setup
    """The distinct candidates as columns."""


@dataclass(frozen=True, kw_only=True)
class Prospects:
    """A space under one traffic: closed form and bounds of every candidate, and what they leave out."""

    work: ServingWork
    sized_for: ServingWork
    """What a replica is sized for: the work, or the same without the number of requests where that decides nothing."""
    space: Space
    closed: Steady
    alone: Idle
    most: Numbers
    """The rate that no replica of a candidate is given more of [request/s]."""
    start_s: Numbers
    """From the first paid second to the first answer [s]."""
    surely: Numbers
    """By which the expected hours of a batch are multiplied to be kept with the confidence that is needed."""
    carry: Numbers
    """By which the peak is multiplied for what replicas must be able to serve, to be carried with it."""
    down: Numbers
    """Share of time that a host of each candidate's cluster is down."""
    shares: ManyShares
    """Of each promise, how much a plan may use up."""
    planned: float
    """Share of what a replica can do at most that a plan gives it to do; a batch has all of it."""
    able: Bools
    """Which candidates hold a full sequence and keep their promises for a request that comes alone."""
    tables: Tables = field(default_factory=Tables, compare=False)
    """Of those that were sized, and of others that requests of these lengths had sized before."""

    @property
    def loaded(self) -> Numbers:
        """Of the most that a replica of each candidate is given, what it is given at the peak as surely as is asked."""
        return np.minimum(1.0, 1.0 / (self.planned * self.carry))

    def replica(self, row: int) -> Replica:
        """One candidate, ready to be sized: of those that serve alike always the same one, whichever is asked for first."""
        place = int(self.space.place[row])
        return Replica(
            candidate=self.space.found[self.space.distinct[place]],
            numbers={item.name: float(getattr(self.space.setup, item.name)[place, 0]) for item in fields(Setup)},
            saturated=float(self.closed.saturated[row]),
            fits=float(self.closed.fits[row]),
            shares=self.shares[row],
            tables=self.tables,
        )


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
    sizes = [len(pool) for pool in pools]
    devices = np.array([one.devices for one in found], dtype=np.intp)
    per_node = np.repeat(np.array([one.devices_per_node for one in clusters], dtype=np.intp), sizes)
    room = np.repeat(np.array([one.max_devices for one in clusters], dtype=np.intp), sizes)
    stood = np.unique(np.stack([devices, per_node, room]), axis=1, return_inverse=True)[1]
    return Space(
        found=found,
        rows=tuple(range(int(start), int(end)) for start, end in pairwise(ends)),
        distinct=distinct,
        place=np.array(place, dtype=np.intp),
        cluster=np.repeat(np.arange(len(clusters)), sizes),
        devices=devices,
        per_node=per_node,
        room=room,
        stood=stood.reshape(-1),
        hardware=devices_of(found[row].cluster.device for row in distinct),
        setup=setup_of([found[row] for row in distinct], shape, assume),
    )


def physics_key(c: Candidate) -> tuple[object, ...]:
    """Candidates that serve alike: for pools it matters whether a link joins them, hardly how fast it is."""
    linked = pool_bandwidth(c) > 0
    return (c.cluster.device.slug, c.engine, c.precision, c.kv_precision, c.tp, c.pp, c.ep, c.adp, linked)


@dataclass(frozen=True, kw_only=True)
class Unpromised:
    """What the distinct candidates of a space do with requests of that length, whatever is promised and however many come."""

    closed: Paces
    alone: Idle
    pooled: Numbers
    """What `bounds.pooled_rate` says."""


def unpromised_of(work: ServingWork, space: Space, *, assume: Assumptions) -> Unpromised:
    """The closed form and the bounds of that space, without promises."""
    kinds = [space.found[row] for row in space.distinct]
    closed = paces(kinds, space.setup, work, assume)
    return Unpromised(
        closed=closed,
        alone=idle(kinds, space.setup, work, assume),
        pooled=pooled_rate(closed, kinds, space.setup, work, assume),
    )


def prospects(
    work: ServingWork,
    clusters: Sequence[Cluster],
    *,
    assume: Assumptions,
    space: Space | None = None,
    same: Unpromised | None = None,
) -> Prospects:
    """Closed form and bounds of every candidate of a language model. `space`, `same`: where they are known already."""
    space = space or space_of(work, clusters, assume=assume)
    same = same or unpromised_of(work, space, assume=assume)
    start = start_seconds(weight_bytes(space.setup)[:, 0], assume)
    alone = Idle(**{item.name: getattr(same.alone, item.name)[space.place] for item in fields(Idle)})
    devices = space.hardware
    shares = shares_of(devices, work, assume, prompt_ms=same.alone.prompt_ms)
    one = steady(same.closed, work, shares)
    closed = Steady(**{item.name: getattr(one, item.name)[space.place] for item in fields(Steady)})
    every = shares.of(space.place)
    fits = closed.saturated > 0 if not work.too_long else np.zeros(len(space.found), dtype=bool)
    return Prospects(
        work=work,
        sized_for=work,
        space=space,
        closed=closed,
        alone=alone,
        most=most_rate(one.saturated, same.pooled, work, assume)[space.place],
        start_s=start[space.place],
        surely=devices.each(lambda device: _surely(device, work))[space.place],
        carry=devices.each(lambda device: carried(device, work, assume))[space.place],
        down=_down(space.per_node, assume),
        shares=every,
        planned=1.0 if work.batch is not None else planned_share(assume),
        able=fits & _quick(alone, work, every),
    )


def left_out(every: Prospects, clusters: Sequence[Cluster]) -> tuple[Rejection, ...]:
    """Why candidates hold no full sequence, or miss a promise even for a request that comes alone; those clusters are the
    ones of the space."""
    work, space, fits = every.work, every.space, every.closed.saturated > 0
    empty = [cluster for cluster, rows in zip(clusters, space.rows, strict=True) if not rows]
    refused = [no_engine(work, empty)]
    if work.too_long:
        refused.append(too_long(work, len(space.found)))
    else:
        refused.append(no_room(space.found, np.flatnonzero(~fits), space.setup, space.place, work))
        slow = [int(row) for row in np.flatnonzero(fits & ~_quick(every.alone, work, every.shares))]
        refused.append(too_slow(space.found, slow, every.alone, work, every.shares))
    return tuple(item for item in refused if item)


def _down(per_node: Indices, assume: Assumptions) -> Numbers:
    """Of each candidate by the hosts of its own cluster: what serves alike may stand on hosts of other sizes."""
    sizes, place = np.unique(per_node, return_inverse=True)
    return np.array([host_down(int(size), assume) for size in sizes], dtype=float)[place.reshape(-1)]


def _surely(device: Device, work: ServingWork) -> float:
    return surely(log_sigma(device, "throughput", moe=work.arch.moe is not None), work.sure)


def _quick(alone: Idle, work: ServingWork, shares: ManyShares) -> Bools:
    """Which candidates keep their promises, less what is left free of them, while they are idle."""
    quick: Bools = np.ones(len(alone.ttft_ms), dtype=bool)
    if work.ttft_p95_ms:
        quick &= alone.ttft_ms <= work.ttft_p95_ms * shares.ttft
    if work.tpot_p95_ms:
        quick &= alone.tpot_ms <= work.tpot_p95_ms * shares.tpot
    return quick
