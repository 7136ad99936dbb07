"""Why candidates were left out, each with its reason, how many, and how near the nearest came."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.answer import Rejection
from engine.inputs.hardware import Cluster
from engine.inputs.names import precision_name
from engine.kinds.service.bounds import Idle
from engine.kinds.service.candidates import Candidate
from engine.kinds.service.work import ServingWork, demand, is_batch
from engine.physics.token.step import Numbers

Bools = NDArray[np.bool_]


def no_engine(work: ServingWork, without: Sequence[Cluster]) -> Rejection | None:
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


def too_long(work: ServingWork, count: int) -> Rejection:
    """Every candidate: the model takes no request of that length."""
    asked = work.input_tokens + work.output_tokens
    nearest = f"{work.arch.name} takes {work.window:,} tokens, prompt and answer together; {asked:,.0f} are asked"
    return Rejection(
        code="context", reason="the mean request is longer than the model can take", count=count, nearest=nearest
    )


def no_room(
    found: list[Candidate], rows: Sequence[int], numbers: list[dict[str, float]], work: ServingWork
) -> Rejection | None:
    """Replicas whose weights and one full sequence do not fit; the nearest miss in GB per accelerator."""
    if not len(rows):
        return None
    misses = [(_needed_bytes(numbers[row], work) / numbers[row]["memory"] / found[row].devices, row) for row in rows]
    _, row = min(misses)
    candidate, number = found[row], numbers[row]
    need = _needed_bytes(number, work) / candidate.devices / 1e9
    nearest = (
        f"{candidate.devices} × {candidate.cluster.device.name}: needs {need:.1f} GB of "
        f"{number['memory'] / 1e9:.1f} GB per accelerator at TP {candidate.tp}, PP {candidate.pp}, "
        f"{precision_name(candidate.precision)}"
    )
    return Rejection(code="memory", reason="weights and one full sequence do not fit", count=len(rows), nearest=nearest)


def _needed_bytes(number: dict[str, float], work: ServingWork) -> float:
    context = work.input_tokens + work.output_tokens
    cache = (context * number["kv_full"] + min(context, number["window"]) * number["kv_window"]) * number["tp"]
    weights = number["dense"] * number["dense_bytes"] * number["adp"] + number["expert"] * number["expert_bytes"]
    return weights + number["fixed_bytes"] + cache / number["kv_split"]


def too_slow(
    found: list[Candidate], rows: Sequence[int], alone: Idle, work: ServingWork, margin: float
) -> Rejection | None:
    """Replicas that miss a promise even when they are idle; the nearest miss."""
    return _late(found, rows, alone, work, margin, code="latency", reason="too slow even for a single request")


def not_under_load(
    found: list[Candidate], rows: Sequence[int], alone: Idle, work: ServingWork, margin: float
) -> Rejection | None:
    """Replicas that keep the promise for one request, but in simulation not even under the least load."""
    reason = "quick enough for a single request, but not for several at once"
    return _late(found, rows, alone, work, margin, code="load", reason=reason)


def _late(
    found: list[Candidate],
    rows: Sequence[int],
    alone: Idle,
    work: ServingWork,
    margin: float,
    *,
    code: str,
    reason: str,
) -> Rejection | None:
    if not len(rows):
        return None

    def over(row: int) -> float:
        first = alone.ttft_ms[row] / work.ttft_p95_ms if work.ttft_p95_ms else 0.0
        return float(max(first, alone.tpot_ms[row] / work.tpot_p95_ms if work.tpot_p95_ms else 0.0))

    row = min(rows, key=over)
    candidate = found[row]
    nearest = (
        f"{candidate.devices} × {candidate.cluster.device.name}, {precision_name(candidate.precision)}: alone, 19 of 20 requests need at "
        f"most {alone.ttft_ms[row]:,.0f} ms to the first token and {alone.tpot_ms[row]:,.1f} ms for each next one; "
        f"{_planned(work, margin)} planned, {margin:.0%} of the promise"
    )
    return Rejection(code=code, reason=reason, count=len(rows), nearest=nearest)


def _planned(work: ServingWork, margin: float) -> str:
    """What a plan may use up of the promises: a replica within the promise itself may still be too slow."""
    first, each = work.ttft_p95_ms * margin, work.tpot_p95_ms * margin
    parts = (f"{first:,.0f} ms" if first else "", f"{each:,.1f} ms for each next one" if each else "")
    return f"{' and '.join(part for part in parts if part)} {'are' if first and each else 'is'}"


def too_many(found: list[Candidate], rows: Sequence[int], most: Numbers, work: ServingWork) -> Rejection | None:
    """Replicas of which the work needs more than are allowed or can be had together; the nearest miss.

    `most`: requests per second that a replica of each row holds at best.
    """
    if not len(rows):
        return None
    return Rejection(
        code="count", reason=too_many_words(work), count=len(rows), nearest=_fewest(found, rows, most, work)
    )


def _fewest(found: list[Candidate], rows: Sequence[int], most: Numbers, work: ServingWork) -> str:
    """What comes nearest to enough; the names of some where not one replica can be had."""
    held = {row: min(found[row].cluster.max_devices, work.max_accelerators) for row in rows}
    able = [row for row in rows if held[row] >= found[row].devices and most[row] > 0]
    if not able:
        return ", ".join(sorted({found[row].cluster.device.name for row in rows})[:3])

    def short(row: int) -> float:
        return demand(work) / (held[row] // found[row].devices * float(most[row]))

    row = min(able, key=short)
    device, have = found[row].cluster.device.name, held[row] // found[row].devices * found[row].devices
    if work.batch is not None:
        given = work.batch.deadline_hours
        hours = given * short(row)
        return f"{have:,} × {device}: at least {hours:,.{1 if hours < 100 else 0}f} hours, {given:g} given"
    needed = math.ceil(demand(work) / float(most[row])) + work.spare_replicas
    return f"{device}: at least {needed * found[row].devices:,} are needed, and {have:,} may be had"


def too_many_words(work: ServingWork) -> str:
    """Why none of the accelerators that may be had are enough."""
    if is_batch(work):
        return "too few accelerators may be had to end in time"
    return "would need more accelerators than the request allows or one place offers"
