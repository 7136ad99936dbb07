"""Best layout of a training workload on each cluster, for each number of accelerators: memory and time of every candidate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from planner.engine.assumptions import Assumptions
from planner.engine.calibrate import NO_CALIBRATION, Calibration
from planner.engine.candidates import Grid, Rules, grid
from planner.engine.hardware import Cluster
from planner.engine.physics.chip import Chip, chip_of
from planner.engine.physics.columns import at, column, pick, stack
from planner.engine.physics.memory import layer_bytes, offloaded_bytes, rank_bytes, total_bytes
from planner.engine.physics.profile import FRAMEWORKS, Profile, profile_of
from planner.engine.physics.shape import Shape, shape_of
from planner.engine.physics.step import layer_terms, rank_terms, stage_terms, total_time
from planner.engine.result import Rejection
from planner.engine.training_rejections import Tally
from planner.engine.training_work import TrainingWork, frameworks, optimizer_bytes, precisions, weight_bytes

PRECISION_NAMES = ("fp32", "tf32", "fp16", "bf16", "fp8", "mxfp8", "nvfp4")
Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
Columns = dict[str, Floats]
LAYOUT = ("tp", "pp", "vpp", "cp", "ep", "dp", "shard_group", "micro_batch", "accumulation")
OFFLOADS = ("cuda", "rocm", "gaudi")
"""Runtimes whose frameworks can move states to the host."""


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
    shard_group: Integers
    """Ranks over which full sharding goes; 0 = all replicas."""
    offload: Integers
    """Level of `physics.layout.Spread.offload`."""
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


@dataclass(frozen=True, kw_only=True)
class _Job:
    """One cluster in one precision."""

    place: int
    cluster: Cluster
    precision: str
    factor: float
    chip: Chip
    """What its accelerator sustains there."""


def search(
    work: TrainingWork,
    clusters: Sequence[Cluster],
    *,
    max_count: int,
    assume: Assumptions,
    calibration: Calibration = NO_CALIBRATION,
) -> TrainingSearch:
    """Best layout of the workload for every cluster and every count of the ladder up to `max_count`.

    Inside a single node, counts at which nothing fits are filled by moving optimizer states to host memory, and then to
    its drives with the weights on the host.
    """
    tally = Tally(work)
    jobs = [
        _Job(
            place=place,
            cluster=cluster,
            precision=precision,
            factor=calibration.factor(cluster.device),
            chip=chip_of(cluster, precision, assume),
        )
        for place, cluster in enumerate(clusters)
        if tally.may_train(cluster)
        for precision in precisions(work, cluster.device)
    ]
    parts: dict[int, list[Columns]] = {}
    searched = pruned = 0
    for offload in (0, 1, 2):
        wanted = [pair for pair in enumerate(jobs) if not offload or _may_offload(pair[1], max_count)]
        best, seen, dropped = _round(work, wanted, offload, max_count, assume, tally)
        for number, columns in best.items():
            parts.setdefault(number, []).append(_new(columns, parts.get(number, [])))
        searched, pruned = searched + seen, pruned + dropped
    rows = [_in_order(parts[number]) for number in sorted(parts)]
    return TrainingSearch(rows=_join(rows), rejected=tally.rejections(), searched=searched, pruned=pruned)


def _may_offload(job: _Job, max_count: int) -> bool:
    """Is this a small setup, whose frameworks can use the host's memory?"""
    cluster = job.cluster
    most = min(max_count, cluster.max_devices) if cluster.nic_bandwidth > 0 else 1
    return cluster.device.runtime in OFFLOADS and most <= cluster.devices_per_node


def _new(columns: Columns, earlier: Sequence[Columns]) -> Columns:
    """The rows whose number of accelerators no earlier level reached."""
    known = np.concatenate([part["count"] for part in earlier]) if earlier else np.zeros(0)
    fresh = ~np.isin(columns["count"], known)
    return {name: values[fresh] for name, values in columns.items()}


def _in_order(parts: Sequence[Columns]) -> Columns:
    """Rows of one job by number of accelerators."""
    joined = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    order = np.argsort(joined["count"], kind="stable")
    return {name: values[order] for name, values in joined.items()}


def _round(
    work: TrainingWork,
    jobs: Sequence[tuple[int, _Job]],
    offload: int,
    max_count: int,
    assume: Assumptions,
    tally: Tally,
) -> tuple[dict[int, Columns], int, int]:
    """The best of each job at one level of offloading; clusters that share a grid are worked out together."""
    groups: dict[tuple[Rules, str], list[tuple[int, _Job]]] = {}
    for number, job in jobs:
        for framework, zero, pipelines in frameworks(work, job.cluster.device):
            rules = rules_of(
                work, job.cluster, job.precision, zero, pipelines=pipelines, max_count=max_count, assume=assume
            )
            groups.setdefault((replace(rules, offload=offload), framework), []).append((number, job))
    parts: dict[int, list[Columns]] = {}
    searched = pruned = 0
    shape = shape_of(work.arch)
    for (rules, framework), members in groups.items():
        options = grid(rules)
        # Levels of offloading are tried where nothing fitted: what does not fit was counted before.
        noted = tally if not offload else None
        for number, columns, fitting in _evaluate(shape, options, framework, members, work, assume, noted):
            parts.setdefault(number, []).append(columns)
            searched, pruned = searched + fitting, pruned + options.cells - fitting
    by_number = dict(jobs)
    best = {number: _best(columns, by_number[number], work) for number, columns in parts.items()}
    return {number: columns for number, columns in best.items() if len(columns["count"])}, searched, pruned


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
    framework: str,
    members: Sequence[tuple[int, _Job]],
    work: TrainingWork,
    assume: Assumptions,
    tally: Tally | None,
) -> Iterator[tuple[int, Columns, int]]:
    """For each job of one grid: the best layout for each count, and how many were worked out."""
    profile = profile_of(framework, assume, work.fixed.schedule)
    memory = _memory(shape, options, profile, assume)
    usable = [job.cluster.device.memory_bytes * (1.0 - assume["training.memory.margin"]) for _, job in members]
    if tally:
        for (_, job), capacity in zip(members, usable, strict=True):
            tally.memory(job.cluster, options, memory, capacity)
    if not len(options) or memory.min() > max(usable):
        return
    chips = column(stack([job.chip for _, job in members]))
    layer = layer_terms(shape, options.layers, chips, profile, assume)
    ranks = rank_terms(shape, options.ranks, chips, profile, assume)
    stages = stage_terms(shape, options.spread, profile, assume)
    sharded = options.spread.zero >= 3
    for row, ((number, _), capacity) in enumerate(zip(members, usable, strict=True)):
        fits = np.flatnonzero(memory <= capacity)
        if not len(fits):
            continue
        own_layer = at(layer, row, options.layer_of[fits], len(members))
        own_ranks = at(ranks, row, options.rank_of[fits], len(members))
        seconds = total_time(own_layer, own_ranks, pick(stages, fits), sharded, profile)
        first = _fastest(options, fits, seconds, memory)
        yield number, _columns(options, fits[first], seconds[first], memory, framework), len(fits)


def _memory(shape: Shape, options: Grid, profile: Profile, assume: Assumptions) -> Floats:
    """Bytes on the fullest accelerator of every layout; infinite where the host cannot hold what is offloaded."""
    layer = layer_bytes(shape, options.layers, profile, assume)
    ranks = rank_bytes(shape, options.ranks, assume)
    total: Floats = total_bytes(
        shape, pick(layer, options.layer_of), pick(ranks, options.rank_of), options.spread, profile, assume
    )
    level = int(options.spread.offload)
    if level:
        held = offloaded_bytes(shape, options.ranks)[options.rank_of]
        room = assume["training.offload.host_bytes" if level == 1 else "training.offload.nvme_bytes"]
        total = np.where(held <= room, total, np.inf)
    return total


def _fastest(options: Grid, fits: NDArray[np.intp], seconds: Floats, memory: Floats) -> NDArray[np.intp]:
    """Places in `fits` of the best rate for each number of accelerators; ties go to less memory."""
    counts = options.spread.ranks[fits]
    starts = np.flatnonzero(np.concatenate(([True], counts[1:] != counts[:-1])))
    rate = options.batch[fits] / seconds
    top = np.maximum.reduceat(rate, starts)
    lengths = np.diff(np.append(starts, len(fits)))
    ties = np.flatnonzero(rate >= np.repeat(top, lengths))
    order = ties[np.lexsort((memory[fits[ties]], counts[ties]))]
    _, first = np.unique(counts[order], return_index=True)
    chosen: NDArray[np.intp] = order[first]
    return chosen


def _columns(options: Grid, chosen: NDArray[np.intp], seconds: Floats, memory: Floats, framework: str) -> Columns:
    """What a row says, of the chosen layouts."""
    spread = options.spread
    return {
        **{name: getattr(spread, name)[chosen] for name in LAYOUT},
        "count": spread.ranks[chosen],
        "recompute": options.recompute[chosen],
        "zero_stage": np.full(len(chosen), float(spread.zero)),
        "offload": np.full(len(chosen), float(spread.offload)),
        "framework": np.full(len(chosen), float(FRAMEWORKS.index(framework))),
        "global_batch": options.batch[chosen],
        "step_time_s": seconds,
        "memory_bytes": memory[chosen],
    }


def _best(parts: list[Columns], job: _Job, work: TrainingWork) -> Columns:
    """Of the ways to run one job, the fastest for each count; ties go to less memory."""
    joined = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    joined["step_time_s"] = joined["step_time_s"] * job.factor
    joined["tokens_per_s"] = joined["global_batch"] * work.sequence / joined["step_time_s"]
    order = np.lexsort((joined["memory_bytes"], -joined["tokens_per_s"], joined["count"]))
    _, first = np.unique(joined["count"][order], return_index=True)
    best = {name: values[order[first]] for name, values in joined.items()}
    steps = np.ceil(work.total / (best["global_batch"] * work.sequence))
    best["run_time_s"] = np.maximum(steps, 1.0) * best["step_time_s"]
    best["cluster"] = np.full(len(first), float(job.place))
    best["precision"] = np.full(len(first), float(PRECISION_NAMES.index(job.precision)))
    return best


def _join(found: list[dict[str, Floats]]) -> Candidates:
    columns: dict[str, NDArray[np.generic]] = {}
    for field in fields(Candidates):
        values = [part[field.name] for part in found if part]
        joined = np.concatenate(values) if values else np.zeros(0)
        columns[field.name] = joined if field.name.endswith(("_s", "_bytes")) else np.rint(joined).astype(np.int64)
    return Candidates(**columns)  # type: ignore[arg-type]
