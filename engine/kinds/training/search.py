"""Best layout of a training workload on each cluster, for each number of accelerators: memory and time of every candidate."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from engine.answer import Rejection
from engine.inputs.assumptions import Assumptions
from engine.inputs.hardware import Cluster
from engine.inputs.known import Known
from engine.kinds.training.layouts import Columns, Group, fastest, fits_of, starts
from engine.kinds.training.rejections import Tally
from engine.kinds.training.space import Rules, grid
from engine.kinds.training.work import TrainingWork, Way, frameworks, optimizer_bytes, precisions, weight_bytes
from engine.odds.calibrate import NO_CALIBRATION, Calibration
from engine.physics.chip import chips_of
from engine.physics.holding import gradient_bytes, holding_of
from engine.physics.profile import FRAMEWORKS, profile_of
from engine.physics.shape import shape_of

PRECISION_NAMES = ("fp32", "tf32", "fp16", "bf16", "fp8", "mxfp8", "nvfp4")
Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
PLAIN = ("pytorch", "torchrec")
"""Frameworks whose accelerators each hold the whole dense model."""
OFFLOADS = ("cuda", "rocm", "gaudi")
"""Runtimes whose frameworks can move states to the host."""
_STATES_ON_HOST = 0.95
"""What a pace counts for while states are in host memory: processors and memory of the host do more than train."""


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
    each: tuple[int, ...]
    """Of what was searched, how much on each cluster."""

    def timed(self, work: TrainingWork) -> TrainingSearch:
        """The same layouts with the time of a run of that much work."""
        rows = self.rows
        steps = work.steps_of(rows.global_batch.astype(float))
        return replace(self, rows=replace(rows, run_time_s=steps * rows.step_time_s))


@dataclass(frozen=True, kw_only=True)
class _Job:
    """One cluster in one precision."""

    place: int
    cluster: Cluster
    precision: str
    factor: float


def search(
    work: TrainingWork,
    clusters: Sequence[Cluster],
    *,
    max_count: int,
    assume: Assumptions,
    calibration: Calibration = NO_CALIBRATION,
    known: Known | None = None,
) -> TrainingSearch:
    """Best layout of the workload for every cluster and every count of the ladder up to `max_count`.

    Inside a single node, optimizer states may move to host memory; counts at which nothing fits then are filled by moving them to its
    drives and the weights to the host. How many nodes are allowed besides changes none of it.
    `known`: where the caller keeps the layouts of its searches.
    """
    known = Known() if known is None else known
    tally = Tally(work)
    jobs = [
        _Job(place=place, cluster=cluster, precision=precision, factor=calibration.factor(cluster.device))
        for place, cluster in enumerate(clusters)
        if tally.may_train(cluster)
        for precision in precisions(work, cluster.device)
    ]
    groups = _groups(work, jobs, max_count, assume, known=known)
    shape, chips = shape_of(work.arch), chips_of([(job.cluster, job.precision) for job in jobs], assume)
    whole = np.array([float(job.cluster.device.memory_bytes) for job in jobs])
    capacity = whole * (1.0 - assume["training.memory.margin"])
    fits = fits_of(shape, groups, capacity, whole, assume)
    for group, fit in zip(groups, fits, strict=True):
        # Levels of offloading are tried where nothing fitted: what does not fit was counted before.
        if not int(group.options.spread.offload):
            for number, able in zip(group.jobs, fit.count, strict=True):
                tally.memory(jobs[number].cluster, group.options, fit.memory, capacity[number], able)
    each = np.zeros(len(clusters), dtype=np.int64)
    for group, fit in zip(groups, fits, strict=True):
        np.add.at(each, [jobs[number].place for number in group.jobs], fit.count)
    searched = int(each.sum())
    cells = sum(int(np.count_nonzero(fit.count)) * group.options.cells for group, fit in zip(groups, fits, strict=True))
    parts = list(fastest(shape, groups, fits, chips, assume))
    return TrainingSearch(
        rows=_rows(_finished(parts, jobs, work)),
        rejected=tally.rejections(),
        searched=searched,
        pruned=cells - searched,
        each=tuple(each.tolist()),
    )


def _groups(
    work: TrainingWork, jobs: Sequence[_Job], max_count: int, assume: Assumptions, *, known: Known
) -> list[Group]:
    """The jobs that share a grid, at each level of offloading."""
    found: dict[tuple[Rules, str], list[int]] = {}
    for offload in (0, 1, 2):
        alike: dict[Hashable, list[int]] = {}
        for number, job in enumerate(jobs):
            node = job.cluster.devices_per_node
            if offload and job.cluster.device.runtime not in OFFLOADS:
                continue
            size = (job.cluster.devices_per_node, job.cluster.poolable, job.precision)
            for way in frameworks(work, job.cluster.device):
                # Rules hold a whole architecture, so they are made, and hashed, as seldom as can be.
                if (*size, *way) not in alike:
                    most = min(max_count, node) if offload else max_count
                    rules = _rules(work, job, way, most, assume)
                    alike[*size, *way] = found.setdefault((replace(rules, offload=offload), way[0]), [])
                alike[*size, *way].append(number)
    profiles = {name: profile_of(name, assume, work.fixed.schedule, stack=work.stack) for _, name in found}
    holdings = {name: holding_of(name, assume) for _, name in found}
    return [
        Group(
            options=grid(rules, known),
            framework=framework,
            profile=profiles[framework],
            holding=holdings[framework],
            jobs=np.array(members, dtype=np.intp),
        )
        for (rules, framework), members in found.items()
    ]


def _rules(work: TrainingWork, job: _Job, way: Way, max_count: int, assume: Assumptions) -> Rules:
    rules = rules_of(
        work,
        job.cluster,
        job.precision,
        way.zero,
        framework=way.framework,
        pipelines=way.pipelines,
        max_count=max_count,
        assume=assume,
    )
    return replace(rules, plain=way.framework in PLAIN)


def rules_of(
    work: TrainingWork,
    cluster: Cluster,
    precision: str,
    zero: int,
    *,
    framework: str,
    pipelines: bool,
    max_count: int,
    assume: Assumptions,
) -> Rules:
    """Which layouts exist for that workload there; nodes without a known network are never pooled."""
    return Rules(
        arch=work.arch,
        node=cluster.devices_per_node,
        top=min(max_count, cluster.poolable),
        sequence=work.sequence,
        global_batch=work.global_batch,
        tolerance=assume["training.batch_tolerance"],
        fixed=work.fixed,
        zero_stage=zero,
        pipelines=pipelines,
        recompute=work.recompute,
        grad_bytes=gradient_bytes(framework, work.stack.tuning, precision),
        weight_bytes=weight_bytes(work, precision, assume["training.qlora_weight_bytes"]),
        optimizer_bytes=optimizer_bytes(work, precision),
        trained=work.trained_share,
    )


def _finished(parts: Sequence[Columns], jobs: Sequence[_Job], work: TrainingWork) -> Columns:
    """For each job and count the fastest way that surely fits, else one that may not fit; ties go to less memory. Weights stay with
    the host only where nothing else fits, and states only where that or a step that is clearly faster pays for it."""
    if not parts:
        return {}
    found = _made_for(work, {name: np.concatenate([part[name] for part in parts]) for name in parts[0]})
    job = found["job"].astype(np.intp)
    seconds = found["step_time_s"] * np.array([job.factor for job in jobs])[job]
    tokens = found["global_batch"] * work.sequence / seconds
    worth = tokens * np.where(found["offload"] == 1, _STATES_ON_HOST, 1.0)
    order = np.lexsort((found["memory_bytes"], -worth, found["offload"] > 1, found["doubt"], found["count"], job))
    first = order[starts(job[order], found["count"][order])]
    best = {name: values[first] for name, values in found.items()}
    steps = work.steps_of(best["global_batch"].astype(float))
    return best | {
        "step_time_s": seconds[first],
        "tokens_per_s": tokens[first],
        "run_time_s": steps * seconds[first],
        "cluster": np.array([float(job.place) for job in jobs])[job[first]],
        "precision": np.array([float(PRECISION_NAMES.index(job.precision)) for job in jobs])[job[first]],
    }


def _made_for(work: TrainingWork, found: Columns) -> Columns:
    """Without Megatron on a single accelerator, where there is nothing to spread; unless it was asked for."""
    if work.framework == "megatron" or not work.pretrains_language:
        return found
    alone = (found["count"] == 1) & (found["framework"] == FRAMEWORKS.index("megatron"))
    others = found["job"][(found["count"] == 1) & (found["framework"] != FRAMEWORKS.index("megatron"))]
    kept = ~(alone & np.isin(found["job"], others))
    return {name: values[kept] for name, values in found.items()}


def _rows(found: Columns) -> Candidates:
    columns: dict[str, NDArray[np.generic]] = {}
    for field in fields(Candidates):
        values = found.get(field.name, np.zeros(0))
        columns[field.name] = values if field.name.endswith(("_s", "_bytes")) else np.rint(values).astype(np.int64)
    return Candidates(**columns)  # type: ignore[arg-type]
