"""How fast one candidate of a training run is, and how surely: all that its days and its money follow from."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from engine.answer import Estimate
from engine.choice.select import Floats, Ints
from engine.context import Context
from engine.inputs.assumptions import Assumptions
from engine.inputs.hardware import Cluster, Device
from engine.kinds.training.search import PRECISION_NAMES, Candidates
from engine.kinds.training.work import TrainingWork, frameworks, precisions
from engine.odds import bands
from engine.odds.bands import Band, band, layout_reasons, memory_band
from engine.odds.calibrate import NO_CALIBRATION, Calibration
from engine.odds.chances import chance_within
from engine.odds.evidence import least_log_sigma
from engine.odds.normal import P90
from engine.physics.profile import FRAMEWORKS, messages_wait, tuning_of


@dataclass(frozen=True, kw_only=True)
class Pace:
    """How fast one candidate runs: all that its days and its money follow from."""

    precision: str
    framework: str
    step_time_s: Estimate
    tokens_per_s: Estimate
    steps: int
    log_sigma: float
    """Standard deviation of the log of the step time."""
    because: tuple[str, ...]
    fits: float
    """Probability that it fits into memory."""
    measured: bool
    """Was it shifted by own measurements?"""


def pace_of(
    work: TrainingWork,
    cluster: Cluster,
    rows: Candidates,
    index: int,
    assume: Assumptions,
    *,
    calibration: Calibration = NO_CALIBRATION,
    step_time_s: float = 0.0,
) -> Pace:
    """Step time of row `index` with its band, as the search found it where no other is given."""
    key = layout_key(cluster, rows, index)
    precision = PRECISION_NAMES[int(rows.precision[index])]
    framework = FRAMEWORKS[int(rows.framework[index])]
    tuning = tuning_of(work.stack.tuning, framework)
    width = _width(work, cluster, rows, index, assume)
    sigma = calibration.log_sigma(cluster.device, _at_least(width, work, cluster, precision), key)
    stack = () if tuning == "tuned" else (f"training.stack.{tuning}",)
    learnt = calibration.because(cluster.device, key)
    because = (*work.because, *stack, *width.because, *learnt, f"device.{cluster.device.slug}")
    expected = step_time_s or float(rows.step_time_s[index]) * _of_layout(cluster, calibration, key)
    tokens = int(rows.global_batch[index]) * work.sequence
    return Pace(
        precision=precision,
        framework=framework,
        step_time_s=estimated(expected, sigma, "s", because),
        tokens_per_s=estimated(tokens / expected, sigma, "token/s" if work.sequence > 1 else "sample/s", because),
        steps=int(work.steps_of(np.array([float(rows.global_batch[index])]))[0]),
        log_sigma=sigma,
        because=because,
        fits=fits_chance(cluster, float(rows.memory_bytes[index]), framework, assume),
        measured=calibration.knows(cluster.device, key),
    )


def fits_chance(cluster: Cluster, memory_bytes: float, framework: str, assume: Assumptions) -> float:
    """Probability that a peak of so many bytes stays within an accelerator of that cluster."""
    return chance_within(cluster.device.memory_bytes, memory_bytes, memory_band(framework, assume).high(memory_bytes))


def log_sigmas(
    work: TrainingWork,
    clusters: Sequence[Cluster],
    rows: Candidates,
    assume: Assumptions,
    calibration: Calibration = NO_CALIBRATION,
) -> Floats:
    """The standard deviation of the log of the step time of every row, as `pace_of` has it for each: worked out once for all
    rows of a cluster that have the same reasons. A layout that was measured itself has its own."""
    spreads: list[float] = []
    first, alike = _alike(work, clusters, rows)
    for index in first.tolist():
        cluster = clusters[int(rows.cluster[index])]
        precision = PRECISION_NAMES[int(rows.precision[index])]
        width = _width(work, cluster, rows, index, assume)
        spreads.append(calibration.log_sigma(cluster.device, _at_least(width, work, cluster, precision)))
    found = np.array(spreads, dtype=float)[alike]
    for index in measured_rows(rows, clusters, calibration):
        cluster = clusters[int(rows.cluster[index])]
        found[index] = calibration.log_sigma(cluster.device, found[index], layout_key(cluster, rows, index))
    return found


def least_spread(context: Context, work: TrainingWork, device: Device) -> float:
    """The least standard deviation of the log of a step time that any layout has on that accelerator."""
    ways = {way.framework for way in frameworks(work, device)}
    spreads = (
        band(work.arch, device, 1, framework, precision, context.assume, tuning=work.stack.tuning).log_sigma
        for framework in ways
        for precision in precisions(work, device)
    )
    return min(spreads, default=0.0)


def own_times(clusters: Sequence[Cluster], rows: Candidates, calibration: Calibration, step_time_s: Floats) -> Floats:
    """Those times of the rows, of layouts that were measured themselves as they were: the search knows a device's own
    measurements, but not those of one exact layout."""
    found = step_time_s.copy()
    for index in measured_rows(rows, clusters, calibration):
        cluster = clusters[int(rows.cluster[index])]
        found[index] *= _of_layout(cluster, calibration, layout_key(cluster, rows, index))
    return found


def _of_layout(cluster: Cluster, calibration: Calibration, key: Hashable) -> float:
    """What measurements of that very layout say beyond those of its hardware."""
    return calibration.factor(cluster.device, key) / calibration.factor(cluster.device)


def _alike(work: TrainingWork, clusters: Sequence[Cluster], rows: Candidates) -> tuple[Ints, Ints]:
    """One row of each group whose steps are known alike, and the group of each row: everything that `_width` reads of it."""
    domains = np.array([float(cluster.domain) for cluster in clusters], dtype=float)[rows.cluster]
    flags = (
        rows.count > bands.MANY,
        rows.offload > 0,
        rows.tp > domains,
        (rows.pp > 1) & (rows.count / domains > bands.FAR_NODES),
    )
    code = (rows.cluster.astype(np.int64) * len(FRAMEWORKS) + rows.framework) * len(PRECISION_NAMES) + rows.precision
    for flag in flags:
        code = code * 2 + flag
    _, first, alike = np.unique(code, return_index=True, return_inverse=True)
    return first, alike.reshape(-1)


def _width(work: TrainingWork, cluster: Cluster, rows: Candidates, index: int, assume: Assumptions) -> Band:
    """How sure the step time of that row is before anything of it was measured."""
    precision = PRECISION_NAMES[int(rows.precision[index])]
    framework = FRAMEWORKS[int(rows.framework[index])]
    count, tuning = int(rows.count[index]), tuning_of(work.stack.tuning, framework)
    also = (*_unmeasured(work, rows, index), *_scattering(cluster, rows, index, waits=messages_wait(framework, tuning)))
    return band(work.arch, cluster.device, count, framework, precision, assume, tuning=tuning, also=also)


def _at_least(width: Band, work: TrainingWork, cluster: Cluster, precision: str) -> float:
    """That spread, no less than the errors on such an accelerator and precision were."""
    return max(width.log_sigma, least_log_sigma(work.arch, cluster.device, precision))


def _unmeasured(work: TrainingWork, rows: Candidates, index: int) -> tuple[str, ...]:
    """Ways to run that no measured row has: they widen the band."""
    odd = int(rows.offload[index]) > 0 or work.fixed.schedule in ("gpipe", "zero-bubble")
    return (*(("layout",) if odd else ()), *(("adapters",) if work.adapters else ()))


def _scattering(cluster: Cluster, rows: Candidates, index: int, *, waits: bool) -> tuple[str, ...]:
    """Exchange that was measured to scatter."""
    domain = float(cluster.domain)
    tp, pp, count = (int(getattr(rows, name)[index]) for name in ("tp", "pp", "count"))
    return layout_reasons(tp=tp, pp=pp, nodes=count / domain, domain=domain, waits=waits)


def estimated(value: float, sigma: float, unit: str, because: tuple[str, ...]) -> Estimate:
    return Estimate(
        low=value * float(np.exp(-P90 * sigma)),
        expected=value,
        high=value * float(np.exp(P90 * sigma)),
        unit=unit,
        because=because,
    )


def layout_key(cluster: Cluster, rows: Candidates, index: int) -> Hashable:
    """What makes two runs of one workload the same run: hardware, layout, batch."""
    names = ("count", "tp", "pp", "vpp", "cp", "ep", "dp", "zero_stage", "micro_batch", "global_batch", "recompute")
    return (cluster.device.slug, *(int(getattr(rows, name)[index]) for name in names))


def measured_rows(rows: Candidates, clusters: Sequence[Cluster], calibration: Calibration) -> tuple[int, ...]:
    """Which layouts were measured themselves."""
    sizes = {one[1] for one in calibration.exact if isinstance(one, tuple)}
    return tuple(
        int(index)
        for index in np.flatnonzero(np.isin(rows.count, sorted(sizes)))
        if layout_key(clusters[int(rows.cluster[index])], rows, int(index)) in calibration.exact
    )
