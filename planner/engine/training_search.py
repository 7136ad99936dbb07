"""Best layout of a training workload on each cluster, for each number of accelerators: memory and time of every candidate."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from planner.engine.assumptions import Assumptions
from planner.engine.calibrate import NO_CALIBRATION, Calibration
from planner.engine.candidates import Grid, Rules, grid
from planner.engine.hardware import Cluster
from planner.engine.physics.chip import chip_of
from planner.engine.physics.columns import pick
from planner.engine.physics.memory import memory_parts
from planner.engine.physics.profile import FRAMEWORKS, profile_of
from planner.engine.physics.shape import Shape, shape_of
from planner.engine.physics.step import step_total
from planner.engine.result import Rejection
from planner.engine.training_rejections import Tally
from planner.engine.training_work import TrainingWork, frameworks, optimizer_bytes, precisions, weight_bytes

PRECISION_NAMES = ("fp32", "tf32", "fp16", "bf16", "fp8", "mxfp8", "nvfp4")
Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
LAYOUT = ("tp", "pp", "vpp", "cp", "ep", "dp", "micro_batch", "accumulation")


@dataclass(frozen=True, kw_only=True)
class Candidates:
    """The best layout for each (cluster, count, precision), one row each, ordered by cluster and count."""

    cluster: Integers
    count: Integers
    tp: Integers
    pp: Integers
    vpp: Integers
    cp: Integers
    ep: Integers
    dp: Integers
    zero_stage: Integers
    micro_batch: Integers
    accumulation: Integers
    global_batch: Integers
    """Sequences of one step after rounding to the layout."""
    recompute: Integers
    """Index into `candidates.RECOMPUTE`."""
    precision: Integers
    """Index into `PRECISION_NAMES`."""
    framework: Integers
    """Index into `physics.profile.FRAMEWORKS`."""
    step_time_s: Floats
    tokens_per_s: Floats
    """Tokens (or samples) of the whole job each second."""
    run_time_s: Floats
    """All steps of one run, without failures and checkpoints."""
    memory_bytes: Floats

    def __len__(self) -> int:
        return len(self.count)


@dataclass(frozen=True, kw_only=True)
class TrainingSearch:
    """What a search found, and what it left out and why."""

    rows: Candidates
    rejected: tuple[Rejection, ...]
    searched: int
    """Candidates whose memory and time were both computed."""
    pruned: int
    """Combinations of the grid that no framework runs, or that do not fit: their time was not computed."""


def search(
    work: TrainingWork,
    clusters: Sequence[Cluster],
    *,
    max_count: int,
    assume: Assumptions,
    calibration: Calibration = NO_CALIBRATION,
) -> TrainingSearch:
    """Best layout of the workload for every cluster and every count of the ladder up to `max_count`."""
    tally = Tally(work)
    shape = shape_of(work.arch)
    found: list[dict[str, Floats]] = []
    searched = pruned = 0
    for place, cluster in enumerate(clusters):
        if not tally.may_train(cluster):
            continue
        for precision in precisions(work, cluster.device):
            best: list[dict[str, Floats]] = []
            for framework, zero, pipelines in frameworks(work, cluster.device):
                options = grid(
                    rules_of(work, cluster, precision, zero, pipelines=pipelines, max_count=max_count, assume=assume)
                )
                columns, seen, dropped = _evaluate(shape, options, cluster, precision, framework, work, assume, tally)
                searched, pruned = searched + seen, pruned + dropped
                best.append(columns)
            found.append(_best(best, place, precision, work, calibration.factor(cluster.device)))
    return TrainingSearch(rows=_join(found), rejected=tally.rejections(), searched=searched, pruned=pruned)


def rules_of(
    work: TrainingWork,
    cluster: Cluster,
    precision: str,
    zero: int,
    *,
    pipelines: bool,
    max_count: int,
    assume: Assumptions,
) -> Rules:
    """Which layouts exist for that workload there; nodes without a known network are never pooled."""
    most = cluster.max_devices if cluster.nic_bandwidth > 0 else min(cluster.max_devices, cluster.devices_per_node)
    return Rules(
        arch=work.arch,
        node=cluster.devices_per_node,
        top=min(max_count, most),
        sequence=work.sequence,
        global_batch=work.global_batch,
        tolerance=assume["training.batch_tolerance"],
        fixed=work.fixed,
        zero_stage=zero,
        pipelines=pipelines,
        recompute=work.recompute,
        grad_bytes=4.0 if precision in ("fp32", "tf32") or zero >= 3 else 2.0,
        weight_bytes=weight_bytes(work, precision, assume["training.qlora_weight_bytes"]),
        optimizer_bytes=optimizer_bytes(work, precision),
        trained=work.trained_share,
    )


def _evaluate(
    shape: Shape,
    options: Grid,
    cluster: Cluster,
    precision: str,
    framework: str,
    work: TrainingWork,
    assume: Assumptions,
    tally: Tally,
) -> tuple[dict[str, Floats], int, int]:
    """Memory and time of a grid; the columns of what fits, how many were computed, how many dropped."""
    profile = profile_of(framework, assume)
    total = memory_parts(shape, options.spread, profile, assume).total
    capacity = cluster.device.memory_bytes * (1.0 - assume["training.memory.margin"])
    fits = np.flatnonzero(total <= capacity)
    tally.memory(cluster, options, total, capacity)
    spread = pick(options.spread, fits)
    columns = {name: getattr(spread, name) for name in LAYOUT}
    columns |= {
        "count": spread.ranks,
        "recompute": options.recompute[fits],
        "zero_stage": np.full(len(fits), float(spread.zero)),
        "framework": np.full(len(fits), float(FRAMEWORKS.index(framework))),
        "global_batch": spread.dp * spread.micro_batch * spread.accumulation,
        "step_time_s": step_total(shape, spread, chip_of(cluster, precision, assume), profile, assume),
        "memory_bytes": total[fits],
    }
    return columns, len(fits), options.cells - len(fits)


def _best(
    parts: list[dict[str, Floats]], place: int, precision: str, work: TrainingWork, factor: float
) -> dict[str, Floats]:
    """Of all layouts on one cluster in one precision, the fastest for each count; ties go to less memory."""
    if not parts:
        return {}
    joined = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    joined["step_time_s"] = joined["step_time_s"] * factor
    joined["tokens_per_s"] = joined["global_batch"] * work.sequence / joined["step_time_s"]
    order = np.lexsort((joined["memory_bytes"], -joined["tokens_per_s"], joined["count"]))
    _, first = np.unique(joined["count"][order], return_index=True)
    best = {name: values[order[first]] for name, values in joined.items()}
    steps = np.ceil(work.total / (best["global_batch"] * work.sequence))
    best["run_time_s"] = np.maximum(steps, 1.0) * best["step_time_s"]
    best["cluster"] = np.full(len(first), float(place))
    best["precision"] = np.full(len(first), float(PRECISION_NAMES.index(precision)))
    return best


def _join(found: list[dict[str, Floats]]) -> Candidates:
    columns: dict[str, NDArray[np.generic]] = {}
    for field in fields(Candidates):
        values = [part[field.name] for part in found if part]
        joined = np.concatenate(values) if values else np.zeros(0)
        columns[field.name] = joined if field.name.endswith(("_s", "_bytes")) else np.rint(joined).astype(np.int64)
    return Candidates(**columns)  # type: ignore[arg-type]
