"""What a replica of known capacity makes of the work: how many of them, in how many nodes, for how many hours."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.answer import Layout
from engine.inputs.spec import BatchJob
from engine.kinds.service.candidates import Candidate
from engine.kinds.service.load import given
from engine.kinds.service.outcome import Burdens, ServingChoice
from engine.kinds.service.replica_size import Sized
from engine.kinds.service.work import ServingWork, demand, followed
from engine.physics.token.step import Numbers
from engine.reliability.patterns import NO_STANDBY, Host, Standby, standby_for

DAY_HOURS = 24.0
"""What the work of a service is counted for."""


@dataclass(frozen=True, kw_only=True)
class BatchSizes:
    """Numbers of one replica that end a batch in time, as arrays."""

    counts: Numbers
    hours: Numbers
    """In which so many of them end it."""
    nodes: Numbers
    accelerators: Numbers

    def of(self, some: NDArray[np.bool_]) -> BatchSizes:
        """Those of them."""
        return BatchSizes(
            counts=self.counts[some],
            hours=self.hours[some],
            nodes=self.nodes[some],
            accelerators=self.accelerators[some],
        )


Affordable = Callable[[BatchSizes], NDArray[np.bool_]]
"""Which of those sizes of a batch somebody would take."""


@lru_cache(maxsize=4096)
def batch_replicas(per_node: int, most: int) -> tuple[int, ...]:
    """Numbers of replicas that are tried for a batch: some of one node, then whole nodes, then all that may be had.

    They do not depend on the deadline, so that a later one only adds to what may be chosen. `per_node`: replicas in a node.
    """
    rungs = _rungs(most)
    tried = {*(rung for rung in rungs if rung < per_node), *(rung * per_node for rung in rungs), most}
    return tuple(sorted(count for count in tried if 0 < count <= most))


def _rungs(most: int) -> list[int]:
    """1, 2, … 8, 10, 12, 14, 16, 20, …: four in each octave, up to that number."""
    return sorted({part << octave for octave in range(most.bit_length()) for part in (1, 2, 3, 4, 5, 6, 7)})


def choices_from(
    candidate: Candidate,
    sized: Sized,
    fits: float,
    work: ServingWork,
    *,
    start_s: float = 0.0,
    surely: float = 1.0,
    carry: float = 1.0,
    down: float = 0.0,
    beside: Burdens | None = None,
    able: Affordable | None = None,
) -> list[ServingChoice]:
    """What a replica of that capacity makes: the replicas that serve the peak, or each number of them that ends a batch in
    time; none when no rate holds or more accelerators would be needed than are allowed.

    `start_s`: seconds until a replica works, which a batch pays for. `surely`: by which its expected hours are multiplied
    to be kept with the confidence that a recommendation needs; `carry`: by which the peak is, for what replicas can serve. `down`:
    share of time that a host is. `beside`: burdens of other
    choices; a batch that needs no less of anything than one of them is left out, and so is one that nobody is `able` to take.
    """
    if sized.rate <= 0:
        return []
    most = _most(candidate, sized, work)
    if work.batch is None:
        work = started_in(work, start_s)
        rate = given(sized.rate, sized.full, carry)
        replicas = max(math.ceil(demand(work) / rate), 1)
        standby = _standby(candidate, sized, work, replicas, down, most)
        fit = standby.total(replicas) <= most
        return [_service(candidate, sized, fits, work, replicas, rate, standby, start_s)] if fit else []
    sizes = batch_sizes(candidate, sized, work, start_s=start_s, surely=surely, beside=beside)
    if able is not None and len(sizes.counts):
        sizes = sizes.of(able(sizes))
    return [
        _choice(candidate, sized, fits, int(replicas), hours=float(taken), surely=surely, start_s=start_s)
        for replicas, taken in zip(sizes.counts, sizes.hours, strict=True)
    ]


def batch_sizes(
    candidate: Candidate,
    sized: Sized,
    work: ServingWork,
    *,
    start_s: float,
    surely: float,
    beside: Burdens | None = None,
) -> BatchSizes:
    """Each number of those replicas that ends a batch in time; see `choices_from`."""
    assert work.batch is not None
    devices, per_node = candidate.devices * sized.replicas, candidate.cluster.devices_per_node
    counts = _replica_counts(max(per_node // candidate.devices, 1), _most(candidate, sized, work))
    hours = _batch_hours(work.batch, sized, counts, start_s)
    in_time = hours * surely <= work.batch.deadline_hours
    counts, hours = counts[in_time], hours[in_time]
    nodes = node_counts(np.float64(devices), counts, np.float64(per_node))
    sizes = BatchSizes(counts=counts, hours=hours, nodes=nodes, accelerators=counts * devices)
    if beside is None or not len(counts):
        return sizes
    return sizes.of(~_beaten(_batch_burdens(sizes, math.ceil(devices / per_node)), beside))


@lru_cache(maxsize=1024)
def _replica_counts(per_node: int, most: int) -> Numbers:
    return np.array(batch_replicas(per_node, most), dtype=float)


def started_in(work: ServingWork, start_s: float) -> ServingWork:
    """That work where a replica that was not there answers after so many seconds."""
    return replace(work, outages=replace(work.outages, start_s=start_s))


def ends_in_time(candidate: Candidate, sized: Sized, work: ServingWork, *, start_s: float, surely: float) -> bool:
    """Do as many of those replicas as may be had end the batch in time? A service, which goes on, does not."""
    most = _most(candidate, sized, work)
    if work.batch is None or sized.rate <= 0 or most < 1:
        return False
    return float(_batch_hours(work.batch, sized, np.float64(most), start_s)) * surely <= work.batch.deadline_hours


def _batch_hours(batch: BatchJob, sized: Sized, counts: Any, start_s: float) -> Any:
    """Hours in which so many of those replicas end it, their start among them."""
    return start_s / 3600 + batch.requests / (counts * sized.rate) / 3600


def _most(candidate: Candidate, sized: Sized, work: ServingWork) -> int:
    """The most of those replicas that may be had."""
    return min(candidate.cluster.max_devices, work.max_accelerators) // (candidate.devices * sized.replicas)


def _batch_burdens(sizes: BatchSizes, span: int) -> Burdens:
    """`ServingChoice.burden` of those, a row each. `span`: nodes that one replica takes."""
    nodes, hours, accelerators = sizes.nodes, sizes.hours, sizes.accelerators
    spans = np.full(len(hours), span)
    return np.stack([nodes, hours * nodes, accelerators, hours * accelerators, hours, spans], axis=1)


def _beaten(burdens: Burdens, beside: Burdens) -> NDArray[np.bool_]:
    """Which of them need no less of anything than one of those."""
    found: NDArray[np.bool_] = np.any(np.all(beside[None] <= burdens[:, None], axis=2), axis=1)
    return found


def _standby(candidate: Candidate, sized: Sized, work: ServingWork, replicas: int, down: float, most: int) -> Standby:
    devices = candidate.devices * sized.replicas
    return standby_of(replicas, devices, candidate.cluster.devices_per_node, down=down, work=work, most=most)


def standby_of(replicas: int, devices: int, per_node: int, *, down: float, work: ServingWork, most: int) -> Standby:
    """Which replicas stand beside those: spare ones that are asked for, and as many more as keep the service up while hosts and
    sites are down; beyond `most` with the others where so many do not. `devices`: of a replica; `down`: share of time that a host is."""
    return standby_for(
        replicas,
        pattern=work.pattern,
        host=host_of(devices, per_node, down, work),
        availability=work.availability,
        least=work.spare_replicas,
        most=most,
        outages=work.outages,
    )


def host_of(devices: int, per_node: int, down: float, work: ServingWork) -> Host:
    """The host of replicas of so many accelerators; several hosts are one where a replica needs them all."""
    hosts_each = math.ceil(devices / per_node)
    return Host(
        per_host=max(per_node // devices, 1),
        down=1.0 - (1.0 - down) ** hosts_each,
        planned=min(work.outages.planned * hosts_each, 1.0),
    )


def _service(
    candidate: Candidate,
    sized: Sized,
    fits: float,
    work: ServingWork,
    replicas: int,
    rate: float,
    standby: Standby,
    start_s: float,
) -> ServingChoice:
    curve = replicas_by_hour(work, rate, standby)
    return _choice(candidate, sized, fits, replicas, hours=DAY_HOURS, standby=standby, curve=curve, start_s=start_s)


def _choice(
    candidate: Candidate,
    sized: Sized,
    fits: float,
    replicas: int,
    *,
    hours: float,
    standby: Standby = NO_STANDBY,
    curve: tuple[int, ...] = (),
    surely: float = 1.0,
    start_s: float = 0.0,
) -> ServingChoice:
    """`hours` are counted, with replicas following `curve` where there is one."""
    devices = candidate.devices * sized.replicas
    every = standby.total(replicas)
    mean = sum(curve) / len(curve) if curve else float(every)
    return ServingChoice(
        cluster=candidate.cluster,
        engine=candidate.engine,
        precision=candidate.precision,
        kv_precision=candidate.kv_precision,
        layout=Layout(tp=candidate.tp, pp=candidate.pp, ep=candidate.ep, dp=candidate.adp),
        accelerators_per_replica=devices,
        replicas=replicas,
        spare_replicas=every - replicas,
        standby=standby,
        accelerators=every * devices,
        nodes=sum(nodes_of(devices, standby, replicas, candidate.cluster.devices_per_node)),
        rate_per_replica=sized.most,
        carries_per_replica=sized.full,
        max_batch=int(fits),
        replicas_by_hour=curve,
        accelerator_hours=hours * mean * devices,
        hours=hours,
        sure_hours=hours * surely,
        ttft_p95_ms=sized.ttft_p95_ms,
        tpot_p95_ms=sized.tpot_p95_ms,
        split=sized.split,
        accepted=sized.accepted,
        start_s=start_s,
    )


def resized(choice: ServingChoice, work: ServingWork, replicas: int) -> ServingChoice:
    """The same service with so many replicas at the peak, and as many spare ones."""
    curve = replicas_by_hour(work, demand(work) / replicas, choice.standby)
    return _held(choice, replicas, choice.standby, curve)


def restood(choice: ServingChoice, work: ServingWork, standby: Standby) -> ServingChoice:
    """The same service with other replicas that stand by; those that the load needs at each hour stay, or those of the peak at all
    hours where the work keeps them."""
    needed = {choice.standby.total(count): count for count in range(1, choice.replicas + 1)}
    curve = tuple(standby.total(needed[held]) for held in choice.replicas_by_hour) if followed(work) else ()
    return _held(choice, choice.replicas, standby, curve)


def _held(choice: ServingChoice, replicas: int, standby: Standby, curve: tuple[int, ...]) -> ServingChoice:
    """The same replicas, so many of them."""
    held = standby.total(replicas)
    mean = sum(curve) / len(curve) if curve else float(held)
    devices = choice.accelerators_per_replica
    return replace(
        choice,
        replicas=replicas,
        spare_replicas=held - replicas,
        standby=standby,
        accelerators=held * devices,
        nodes=sum(nodes_of(devices, standby, replicas, choice.cluster.devices_per_node)),
        replicas_by_hour=curve,
        accelerator_hours=choice.hours * mean * devices,
    )


def nodes_of(devices: int, standby: Standby, replicas: int, per_node: int) -> tuple[int, int]:
    """Nodes at the first site and at the second: no node stands at both."""
    return (
        node_count(devices, standby.first(replicas), per_node),
        node_count(devices, standby.second(replicas), per_node),
    )


def serving_replicas(choice: ServingChoice) -> int:
    """Replicas that serve on a normal day: all, but for a site that only stands by."""
    every = choice.replicas + choice.spare_replicas
    waiting = choice.standby.apart and choice.standby.pattern != "active-active"
    return every - (choice.standby.second(choice.replicas) if waiting else 0)


def node_count(devices: int, replicas: int, per_node: int) -> int:
    """Nodes for so many replicas: small ones share a node, large ones take whole nodes."""
    if devices >= per_node:
        return replicas * math.ceil(devices / per_node)
    return math.ceil(replicas / (per_node // devices))


def node_counts(devices: Any, replicas: Numbers, per_node: Any) -> Numbers:
    """`node_count` of arrays."""
    found: Numbers = np.where(
        devices >= per_node,
        replicas * np.ceil(devices / per_node),
        np.ceil(replicas / np.maximum(per_node // devices, 1)),
    )
    return found


def replicas_by_hour(work: ServingWork, rate: float, standby: Standby) -> tuple[int, ...]:
    """Replicas for each hour of the load that they follow, those that stand by included."""
    return tuple(standby.total(max(math.ceil(share * work.requests_per_s / rate), 1)) for share in followed(work))
