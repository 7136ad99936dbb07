"""Training: from a workload to the best layout on each cluster, and all there is to say about one of them.

`work_from` reads the spec, `search` finds the layouts, `describe` explains one, `calibrated` learns from own measurements.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.answer import Estimate, Layout, Memory, Part
from engine.inputs.assumptions import Assumptions
from engine.inputs.finding import Finding, Quantity, finding
from engine.inputs.hardware import Cluster
from engine.inputs.named import device_ref
from engine.inputs.spec import Fault, Measurement, SpecError
from engine.kinds.training.flops import train_flops
from engine.kinds.training.pace import Pace, estimated, layout_key, pace_of
from engine.kinds.training.parts import memory_block, time_parts
from engine.kinds.training.search import PRECISION_NAMES, Candidates, TrainingSearch, rules_of, search
from engine.kinds.training.space import RECOMPUTE, RECOMPUTE_KEPT, RECOMPUTE_POLICY, RECOMPUTE_TIME
from engine.kinds.training.work import TrainingWork, frameworks, precisions, work_from
from engine.odds.bands import memory_band
from engine.odds.calibrate import NO_CALIBRATION, Calibration, Seen, calibration_of
from engine.physics.assumptions import TRAINING_ASSUMPTIONS
from engine.physics.chip import chip_of, curve_of, peak, sixteen_bit_peak
from engine.physics.holding import holding_of
from engine.physics.layout import Spread
from engine.physics.memory import MemoryParts, memory_parts
from engine.physics.profile import FRAMEWORKS, profile_of
from engine.physics.shape import shape_of
from engine.physics.step import StepTime, step_time

__all__ = [
    "FRAMEWORKS",
    "PRECISION_NAMES",
    "TRAINING_ASSUMPTIONS",
    "Calibration",
    "Candidates",
    "TrainingDetail",
    "TrainingSearch",
    "TrainingWork",
    "calibrate",
    "calibration_in",
    "describe",
    "search",
    "seen_of",
    "work_from",
]


_OFFLOADED = ("", "warning.offload.states", "warning.offload.weights")
"""What a reader must know of a layout that keeps something in host memory: nothing, the optimizer's states, or all."""


@dataclass(frozen=True, kw_only=True)
class TrainingDetail(Pace):
    """Everything about one candidate."""

    layout: Layout
    recompute: str
    micro_batch: int
    gradient_accumulation: int
    global_batch: int
    mfu: Estimate
    time: tuple[Part, ...]
    """Seconds of one step by cause; they sum to the expected step time."""
    memory: Memory
    warnings: tuple[Finding, ...]


def describe(
    work: TrainingWork,
    cluster: Cluster,
    rows: Candidates,
    index: int,
    assume: Assumptions,
    *,
    calibration: Calibration = NO_CALIBRATION,
) -> TrainingDetail:
    """Layout, step time, memory and their bands of row `index`."""
    framework = FRAMEWORKS[int(rows.framework[index])]
    precision = PRECISION_NAMES[int(rows.precision[index])]
    spread = _spread(work, cluster, rows, index, precision, framework, assume)
    parts, memory = _physics(work, cluster, spread, precision, framework, assume)
    factor = calibration.factor(cluster.device, layout_key(cluster, rows, index))
    expected = float(parts.total) * factor
    pace = pace_of(work, cluster, rows, index, assume, calibration=calibration, step_time_s=expected)
    top = peak(cluster.device, precision) or sixteen_bit_peak(cluster.device)
    flops = train_flops(work, int(rows.global_batch[index])) / (int(rows.count[index]) * top)
    return TrainingDetail(
        **pace.__dict__,
        layout=_layout(rows, index),
        recompute=RECOMPUTE[int(rows.recompute[index])],
        micro_batch=int(rows.micro_batch[index]),
        gradient_accumulation=int(rows.accumulation[index]),
        global_batch=int(rows.global_batch[index]),
        mfu=_share(estimated(flops / expected, pace.log_sigma, "", pace.because)),
        time=time_parts(parts, factor),
        memory=memory_block(memory, cluster.device.memory_bytes, memory_band(framework, assume)),
        warnings=tuple(_warnings(work, cluster, rows, index)),
    )


def _share(found: Estimate) -> Estimate:
    """That share of the peak; its band ends where nothing more can be had."""
    return replace(found, high=max(min(found.high, 1.0), found.expected))


def _layout(rows: Candidates, index: int) -> Layout:
    names = ("tp", "pp", "vpp", "cp", "ep", "dp", "zero_stage")
    return Layout(**{name: int(getattr(rows, name)[index]) for name in names})


def _spread(
    work: TrainingWork,
    cluster: Cluster,
    rows: Candidates,
    index: int,
    precision: str,
    framework: str,
    assume: Assumptions,
) -> Spread:
    """The layout of one row as arrays without axes."""
    zero = int(rows.zero_stage[index])
    count = int(rows.count[index])
    rules = rules_of(
        work, cluster, precision, zero, framework=framework, pipelines=True, max_count=count, assume=assume
    )
    again = int(rows.recompute[index])
    tp = float(rows.tp[index])
    values = {
        name: float(getattr(rows, name)[index])
        for name in ("tp", "pp", "vpp", "cp", "ep", "dp", "micro_batch", "accumulation")
    }
    values |= {
        "sequence": float(work.sequence),
        "zero": float(zero),
        "shard_group": float(rows.shard_group[index]),
        "offload": float(rows.offload[index]),
        "recompute": RECOMPUTE_TIME[again],
        "policy": RECOMPUTE_POLICY[again],
        "kept": RECOMPUTE_KEPT[again],
        "sequence_parallel": float(tp > 1),
        "grad_bytes": rules.grad_bytes,
        "weight_bytes": rules.weight_bytes,
        "optimizer_bytes": rules.optimizer_bytes,
        "trained": rules.trained,
        "dropped": 0.0,
    }
    return Spread(**{name: np.asarray(value) for name, value in values.items()})


def _physics(
    work: TrainingWork, cluster: Cluster, spread: Spread, precision: str, framework: str, assume: Assumptions
) -> tuple[StepTime, MemoryParts]:
    shape, profile = shape_of(work.arch), profile_of(framework, assume, work.fixed.schedule, stack=work.stack)
    return step_time(shape, spread, chip_of(cluster, precision, assume), profile, assume), memory_parts(
        shape, spread, profile, holding_of(framework, assume), assume
    )


_NOTED_BATCH = 0.05
"""By how much the global batch must differ from the one asked for to be worth a warning: less changes no training."""
_NOTED_TOKENS = 0.005
"""Share of more tokens, for a batch that was rounded up, from which they are told."""


def _warnings(work: TrainingWork, cluster: Cluster, rows: Candidates, index: int) -> Iterator[Finding]:
    yield from work.warnings
    batch = int(rows.global_batch[index])
    if abs(batch / work.global_batch - 1.0) > _NOTED_BATCH:
        yield finding("warning.batch", batch=batch, asked=work.global_batch)
    if (more := work.tokens_more(batch)) >= _NOTED_TOKENS:
        yield finding("warning.batch.more", more=Quantity(more, "share"))
    if int(rows.offload[index]):
        yield finding(_OFFLOADED[int(rows.offload[index])])
    if int(rows.shard_group[index] > 0):
        yield finding("warning.hybrid_sharding")
    if curve_of(cluster.device) == "other":
        yield finding("warning.unmeasured.training", accelerator=device_ref(cluster.device))


def calibrate(
    work: TrainingWork, measured: Sequence[Measurement], clusters: Sequence[Cluster], assume: Assumptions
) -> Calibration:
    """What own step times of this workload say of the hardware they ran on. Measurements of other hardware are left out."""
    return calibration_in(assume, seen_of(work, measured, clusters, assume))


def calibration_in(assume: Assumptions, seen: Iterable[Seen]) -> Calibration:
    """What those step times say together, with the spreads of those assumptions."""
    return calibration_of(seen, assume["training.measurement_noise"], assume["training.shared_error"])


def seen_of(
    work: TrainingWork, measured: Sequence[Measurement], clusters: Sequence[Cluster], assume: Assumptions
) -> Iterator[Seen]:
    """Each own step time beside its prediction, those of other hardware left out."""
    for number, one in enumerate(measured):
        cluster = _held_by(one, clusters)
        if cluster is None or not precisions(work, cluster.device) or not frameworks(work, cluster.device):
            continue
        found = _predicted(work, one, cluster, assume)
        if found is None:
            continue
        detail, key = found
        _check_possible(number, one, detail)
        yield Seen(
            curve=curve_of(cluster.device),
            key=key,
            exact=bool(one.layout.tp and one.layout.pp),
            predicted_s=detail.step_time_s.expected,
            log_sigma=detail.log_sigma,
            log_error=float(np.log(one.step_time_s / detail.step_time_s.expected)),
        )


def _held_by(one: Measurement, clusters: Sequence[Cluster]) -> Cluster | None:
    """The first cluster of that hardware that holds so many of it, else the first of it at all."""
    alike = [cluster for cluster in clusters if cluster.device.slug == one.accelerator]
    return next((cluster for cluster in alike if cluster.poolable >= one.count), alike[0] if alike else None)


def _check_possible(number: int, one: Measurement, detail: TrainingDetail) -> None:
    """SpecError for a step that would need more arithmetic than the hardware has."""
    utilisation = detail.mfu.expected * detail.step_time_s.expected / one.step_time_s
    if utilisation > 1.0:
        raise SpecError(
            Fault(
                f"measured.{number}.step_time_s",
                "impossible.measured",
                {"time": Quantity(one.step_time_s, "s"), "share": Quantity(utilisation, "share")},
            )
        )


def _predicted(
    work: TrainingWork, one: Measurement, cluster: Cluster, assume: Assumptions
) -> tuple[TrainingDetail, Hashable] | None:
    """The measured layout as the engine sees it, and what identifies it; None where no such layout runs."""
    batch = max(1, round(one.global_batch_tokens / work.sequence)) if one.global_batch_tokens else work.global_batch
    same = replace(work, fixed=replace(one.layout, count=one.count), global_batch=batch)
    pooled = replace(cluster, max_devices=max(cluster.max_devices, one.count))
    rows = search(same, (pooled,), max_count=one.count, assume=assume).rows
    if not len(rows):
        return None
    best = int(np.argmin(rows.step_time_s))
    return describe(same, pooled, rows, best, assume), layout_key(pooled, rows, best)
