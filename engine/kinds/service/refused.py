"""Why candidates were left out, each with its reason, how many, and how near the nearest came."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.answer import Rejection
from engine.inputs.finding import Finding, Quantity, Ref, finding
from engine.inputs.hardware import Cluster
from engine.inputs.named import device_ref
from engine.kinds.service.bounds import Idle
from engine.kinds.service.candidates import Candidate
from engine.kinds.service.load import ManyShares, Shares
from engine.kinds.service.work import ServingWork, demand, is_batch
from engine.physics.token.step import Numbers, Setup
from engine.supply import examples_of

Bools = NDArray[np.bool_]
Indices = NDArray[np.intp]
_TOLD_APART = 1.02
"""Times the hours that are given from which the hours that are needed read as more."""


def no_engine(work: ServingWork, without: Sequence[Cluster]) -> Rejection | None:
    """Clusters on which nothing could be tried."""
    if not without:
        return None
    reason = finding("left_out.engine")
    if work.framework != "auto":
        reason = finding("left_out.engine.asked", framework=Ref("software", work.framework))
    return Rejection(code="engine", reason=reason, count=len(without), nearest=_devices(without))


def too_long(work: ServingWork, count: int) -> Rejection:
    """Every candidate: the model takes no request of that length."""
    nearest = finding(
        "example.too_long",
        model=Ref("model", work.arch.slug, work.arch.name),
        window=work.window,
        asked=round(work.input_tokens + work.output_tokens),
    )
    return Rejection(code="context", reason=finding("left_out.context"), count=count, nearest=nearest)


def no_room(found: list[Candidate], rows: Indices, setup: Setup, place: Indices, work: ServingWork) -> Rejection | None:
    """Replicas whose weights and one full sequence do not fit; the nearest miss in bytes per accelerator.

    `setup`: the numbers of the distinct candidates; `place`: which of them each candidate is alike to.
    """
    if not len(rows):
        return None
    devices = np.array([found[row].devices for row in rows])
    needed, room = (values[place[rows], 0] for values in (_needed_bytes(setup, work), setup.memory))
    nearest_at = int(np.argmin(needed / room / devices))
    candidate = found[rows[nearest_at]]
    nearest = finding(
        "example.no_room",
        count=candidate.devices,
        accelerator=device_ref(candidate.cluster.device),
        need=Quantity(float(needed[nearest_at]) / candidate.devices, "byte"),
        room=Quantity(float(room[nearest_at]), "byte"),
        tp=candidate.tp,
        pp=candidate.pp,
        precision=Ref("precision", candidate.precision),
    )
    return Rejection(code="memory", reason=finding("left_out.memory.service"), count=len(rows), nearest=nearest)


def _needed_bytes(s: Setup, work: ServingWork) -> Numbers:
    context = work.input_tokens + work.output_tokens
    cache = (context * s.kv_full + np.minimum(context, s.window) * s.kv_window) * s.tp
    weights = s.dense * s.dense_bytes * s.adp + s.expert * s.expert_bytes
    return weights + s.fixed_bytes + cache / s.kv_split


def too_slow(
    found: list[Candidate], rows: Sequence[int], alone: Idle, work: ServingWork, shares: ManyShares
) -> Rejection | None:
    """Replicas that miss a promise even when they are idle; the nearest miss."""
    return _late(found, rows, alone, work, shares, code="latency")


def not_under_load(
    found: list[Candidate], rows: Sequence[int], alone: Idle, work: ServingWork, shares: ManyShares
) -> Rejection | None:
    """Replicas that keep the promise for one request, but in simulation not even under the least load."""
    return _late(found, rows, alone, work, shares, code="load")


_HARDLY = 0.01
"""Part by which a latency may be above what is planned and look the same when both are written."""


def _late(
    found: list[Candidate], rows: Sequence[int], alone: Idle, work: ServingWork, shares: ManyShares, *, code: str
) -> Rejection | None:
    if not len(rows):
        return None

    def over(row: int) -> float:
        first = alone.ttft_ms[row] / work.ttft_p95_ms / shares[row].ttft if work.ttft_p95_ms else 0.0
        each = alone.tpot_ms[row] / work.tpot_p95_ms / shares[row].tpot if work.tpot_p95_ms else 0.0
        return float(max(first, each))

    row = min(rows, key=over)
    candidate = found[row]
    nearest = finding(
        "example.late" if over(row) > 1.0 + _HARDLY else "example.late.hardly",
        count=candidate.devices,
        accelerator=device_ref(candidate.cluster.device),
        precision=Ref("precision", candidate.precision),
        first=Quantity(float(alone.ttft_ms[row]), "ms"),
        each=Quantity(float(alone.tpot_ms[row]), "ms"),
        planned=_planned(work, shares[row]),
        sure=Quantity(work.kept, "chance"),
    )
    return Rejection(code=code, reason=Finding(f"left_out.{code}"), count=len(rows), nearest=nearest)


def _planned(work: ServingWork, share: Shares) -> Finding:
    """What a plan may use up of the promises: a replica within the promise itself may still be too slow."""
    first, each = Quantity(work.ttft_p95_ms * share.ttft, "ms"), Quantity(work.tpot_p95_ms * share.tpot, "ms")
    if first.value and each.value:
        return finding("planned.both", first=first, each=each)
    return finding("planned.first", first=first) if first.value else finding("planned.each", each=each)


def too_many(found: list[Candidate], rows: Sequence[int], most: Numbers, work: ServingWork) -> Rejection | None:
    """Replicas of which the work needs more than are allowed or can be had together; the nearest miss.

    `most`: requests per second that a replica of each row holds at best.
    """
    if not len(rows):
        return None
    return Rejection(code="count", reason=too_many_of(work), count=len(rows), nearest=_fewest(found, rows, most, work))


def _fewest(found: list[Candidate], rows: Sequence[int], most: Numbers, work: ServingWork) -> Finding | None:
    """What comes nearest to enough; the names of some where not one replica can be had."""
    held = {row: min(found[row].cluster.max_devices, work.max_accelerators) for row in rows}
    able = [row for row in rows if held[row] >= found[row].devices and most[row] > 0]
    if not able:
        return _devices([found[row].cluster for row in rows])

    def short(row: int) -> float:
        return demand(work) / (held[row] // found[row].devices * float(most[row]))

    row = min(able, key=short)
    device, have = device_ref(found[row].cluster.device), held[row] // found[row].devices * found[row].devices
    if work.batch is not None:
        given = work.batch.deadline_hours
        if short(row) <= _TOLD_APART:  # in simulation, not by the bound
            return finding("example.late_batch.more", count=have, accelerator=device, given=Quantity(given, "hour"))
        needed_hours = Quantity(given * short(row) * 3600.0, "s")
        given_hours = Quantity(given, "hour")
        return finding("example.late_batch", count=have, accelerator=device, hours=needed_hours, given=given_hours)
    needed = (math.ceil(demand(work) / float(most[row])) + work.spare_replicas) * found[row].devices
    if needed <= have:  # by the bound; in simulation a replica holds less
        return finding("example.too_few.more", accelerator=device, have=have)
    return finding("example.too_few", accelerator=device, needed=needed, have=have)


def too_many_of(work: ServingWork) -> Finding:
    """Why none of the accelerators that may be had are enough."""
    return finding("left_out.count.batch" if is_batch(work) else "left_out.count")


def _devices(clusters: Sequence[Cluster]) -> Finding | None:
    """The first few of their accelerators, by name."""
    devices = {cluster.device.name: cluster.device for cluster in clusters}
    return examples_of([device_ref(devices[name]) for name in sorted(devices)])
