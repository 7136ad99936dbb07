"""Every replica that may be considered, under one traffic: the closed form of all, and what their bounds rule out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import pairwise

import numpy as np

from engine.answer import Rejection
from engine.inputs.assumptions import Assumptions
from engine.inputs.hardware import Cluster, Device
from engine.kinds.service.bounds import Idle, idle, most_rate
from engine.kinds.service.candidates import Candidate, candidates
from engine.kinds.service.capacity import planned_share
from engine.kinds.service.closed_form import Steady, steady
from engine.kinds.service.load import Shares, carried, of_each, shares_of
from engine.kinds.service.pools import pool_bandwidth
from engine.kinds.service.refused import Bools, no_engine, no_room, too_long, too_slow
from engine.kinds.service.replica_size import Replica
from engine.kinds.service.starting import start_seconds
from engine.kinds.service.tables import numbers_of
from engine.kinds.service.work import ServingWork
from engine.odds.serving import log_sigma, surely
from engine.physics.token.machine import Rates
from engine.physics.token.memory import weight_bytes
from engine.physics.token.shape import shape_of
from engine.physics.token.step import Numbers, Setup, stack
from engine.reliability.standing import host_down


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
    shares: tuple[Shares, ...]
    """Of each promise, how much a plan may use up."""
    planned: float
    """Share of what a replica can do at most that a plan gives it to do; a batch has all of it."""
    able: Bools
    """Which candidates hold a full sequence and keep their promises for a request that comes alone."""
    rejected: tuple[Rejection, ...]

    @property
    def loaded(self) -> Numbers:
        """Of the most that a replica of each candidate is given, what it is given at the peak as surely as is asked."""
        return np.minimum(1.0, 1.0 / (self.planned * self.carry))

    def replica(self, row: int) -> Replica:
        """One candidate, ready to be sized: of those that serve alike always the same one, whichever is asked for first."""
        return Replica(
            candidate=self.space.found[self.space.distinct[self.space.place[row]]],
            numbers=self.space.numbers[row],
            saturated=float(self.closed.saturated[row]),
            fits=float(self.closed.fits[row]),
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
    rates: dict[tuple[str, str, str], Rates] = {}
    numbers = [numbers_of(found[row], shape, assume, rates) for row in distinct]
    return Space(
        found=found,
        numbers=[numbers[at] for at in place],
        rows=tuple(range(int(start), int(end)) for start, end in pairwise(ends)),
        distinct=distinct,
        place=place,
    )


def physics_key(c: Candidate) -> tuple[object, ...]:
    """Candidates that serve alike: for pools it matters whether a link joins them, hardly how fast it is."""
    linked = pool_bandwidth(c) > 0
    return (c.cluster.device.slug, c.engine, c.precision, c.kv_precision, c.tp, c.pp, c.ep, c.adp, linked)


def prospects(
    work: ServingWork, clusters: Sequence[Cluster], *, assume: Assumptions, space: Space | None = None
) -> Prospects:
    """Closed form and bounds of every candidate of a language model. `space`: where it is known already."""
    space = space or space_of(work, clusters, assume=assume)
    kinds = [space.found[row] for row in space.distinct]
    one = steady(kinds, [], work, assume, space.stacked)
    alone = idle(kinds, space.stacked, work, assume)
    most = most_rate(one.saturated, one.fits, kinds, space.stacked, work, assume)
    start = start_seconds(weight_bytes(space.stacked)[:, 0], assume)
    closed = Steady(**{item.name: getattr(one, item.name)[space.place] for item in fields(Steady)})
    alone = Idle(ttft_ms=alone.ttft_ms[space.place], tpot_ms=alone.tpot_ms[space.place])
    devices = [one.cluster.device for one in kinds]
    shares = of_each(devices, lambda device: shares_of(device, work, assume))
    every = tuple(shares[at] for at in space.place)
    fits, quick = closed.saturated > 0, _quick(alone, work, every)
    empty = [cluster for cluster, rows in zip(clusters, space.rows, strict=True) if not rows]
    refused = [no_engine(work, empty)]
    if work.too_long:
        fits = np.zeros_like(fits)
        refused.append(too_long(work, len(space.found)))
    else:
        refused.append(no_room(space.found, [int(row) for row in np.flatnonzero(~fits)], space.numbers, work))
        slow = [int(row) for row in np.flatnonzero(fits & ~quick)]
        refused.append(too_slow(space.found, slow, alone, work, every))
    return Prospects(
        work=work,
        sized_for=work,
        space=space,
        closed=closed,
        alone=alone,
        most=most[space.place],
        start_s=start[space.place],
        surely=np.array(of_each(devices, lambda device: _surely(device, work)))[space.place],
        carry=np.array(of_each(devices, lambda device: carried(device, work, assume)))[space.place],
        down=np.array([_down(one, assume) for one in space.found]),
        shares=every,
        planned=1.0 if work.batch is not None else planned_share(assume),
        able=fits & quick,
        rejected=tuple(item for item in refused if item),
    )


def _down(candidate: Candidate, assume: Assumptions) -> float:
    return host_down(candidate.cluster.devices_per_node, assume)


def _surely(device: Device, work: ServingWork) -> float:
    return surely(log_sigma(device, "throughput", moe=work.arch.moe is not None), work.sure)


def _quick(alone: Idle, work: ServingWork, shares: Sequence[Shares]) -> Bools:
    """Which candidates keep their promises, less what is left free of them, while they are idle."""
    quick: Bools = np.ones(len(alone.ttft_ms), dtype=bool)
    if work.ttft_p95_ms:
        quick &= alone.ttft_ms <= work.ttft_p95_ms * np.array([one.ttft for one in shares])
    if work.tpot_p95_ms:
        quick &= alone.tpot_ms <= work.tpot_p95_ms * np.array([one.tpot for one in shares])
    return quick
