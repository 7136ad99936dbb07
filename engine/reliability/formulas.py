"""Failures and checkpoints as pure functions: rates, mean times, optimum intervals and what they waste.

Symbols: δ (`write`) time training is blocked per checkpoint, M (`mtbf`) mean time between failures of the job, R
(`restart`) detect + reschedule + load, τ (`interval`) computing between checkpoints. Any one unit of time throughout.
"""

from __future__ import annotations

import math

from engine.inputs.quantity import HOURS_PER_MONTH


class CannotProgress(ValueError):
    """The job fails faster than it can save its state."""


def positive(name: str, value: float) -> float:
    """That value. ValueError names it when it is not a finite number above zero."""
    if not (math.isfinite(value) and value > 0):
        raise ValueError(f"{name} must be a finite number above zero, not {value}.")
    return value


def hazard(devices: float, *, device_mtbf: float, job_hazard: float = 0.0) -> float:
    """Failures of the whole job per unit of time: N/MTBF + λ₀ (hardware grows with N, software does not).

    `device_mtbf` must be hardware-only when `job_hazard` is given: an all-cause figure already counts software.
    """
    return devices / positive("The time between failures of a device", device_mtbf) + job_hazard


SMALL_JOB, LARGE_JOB = 8.0, 1024.0
"""Accelerators of one node, and of the smallest job whose own failure term was measured (RSC-1, arXiv 2410.21680)."""


def job_hazard(devices: float, *, small: float, large: float) -> float:
    """The second term λ₀ by the size of the job: `small` up to one node, `large` from 1,024 devices, and between them
    linear in the logarithm of the size (two ends are known, the way between is a planning judgement)."""
    share = math.log(max(devices, SMALL_JOB) / SMALL_JOB) / math.log(LARGE_JOB / SMALL_JOB)
    return small + (large - small) * min(share, 1.0)


def mtbf(devices: float, *, device_mtbf: float, job_hazard: float = 0.0) -> float:
    """Mean time between failures of the job, in the unit of `device_mtbf`."""
    return 1.0 / positive("The failure rate", hazard(devices, device_mtbf=device_mtbf, job_hazard=job_hazard))


def device_mtbf(devices: float, *, period: float, events: float) -> float:
    """Mean time between failures of one device, from events observed on many over a period."""
    return positive("Devices", devices) * positive("The period", period) / positive("Events", events)


def node_rate_mtbf(devices: float, *, devices_per_node: float, per_1000_node_days: float) -> float:
    """Mean time between failures of a job [day] from a rate per 1,000 node-days (Kokolis et al., HPCA 2025)."""
    nodes = positive("Devices", devices) / positive("Devices per node", devices_per_node)
    return 1000.0 / (nodes * positive("The rate", per_1000_node_days))


def spot_hazard(probability_per_month: float, *, instances: float = 1.0, burst: float = 1.0) -> float:
    """Interruptions per hour of a job on spot instances: n × −ln(1−p)/730 × burst factor.

    ValueError when the monthly probability is not in [0, 1).
    """
    if not 0.0 <= probability_per_month < 1.0:
        raise ValueError(
            f"The interruption probability per month must be at least 0 and below 1, not {probability_per_month}."
        )
    return instances * -math.log1p(-probability_per_month) / HOURS_PER_MONTH * burst


def young(write: float, mtbf: float) -> float:
    """Optimum interval √(2δM) (Young 1974, CACM 17(9):530)."""
    return math.sqrt(2.0 * positive("The write time", write) * positive("The time between failures", mtbf))


def daly(write: float, mtbf: float) -> float:
    """Optimum interval by Daly's higher-order formula (2006, FGCS 22:303); M itself once δ ≥ 2M."""
    if positive("The write time", write) >= 2.0 * positive("The time between failures", mtbf):
        return mtbf
    ratio = write / (2.0 * mtbf)
    return young(write, mtbf) * (1.0 + math.sqrt(ratio) / 3.0 + ratio / 9.0) - write


def exact_optimum(write: float, mtbf: float) -> float:
    """Optimum interval of the exact model, M·(1 + W₀(−e^(−1−δ/M))).

    With s = 1 + W₀ the Lambert equation reads s + ln(1 − s) = −δ/M, solved by Newton's method without cancellation.
    """
    ratio = positive("The write time", write) / positive("The time between failures", mtbf)
    if ratio > 30.0:  # 1 − s is then below what a float can tell from zero
        return mtbf
    guess = min(math.sqrt(2.0 * ratio), 1.0 - math.exp(-1.0 - ratio))
    for _ in range(60):
        error = guess + math.log1p(-guess) + ratio
        change = error * (1.0 - guess) / guess
        guess = min(max(guess + change, guess / 2.0), (1.0 + guess) / 2.0)
        if abs(change) < 1e-14 * guess:
            break
    return mtbf * guess


def goodput(interval: float, *, write: float, mtbf: float, restart: float = 0.0) -> float:
    """Share of wall time that is progress in the exact model, τ / (M·e^(R/M)·(e^((τ+δ)/M) − 1)); 0 if it never ends."""
    exponent = (positive("The interval", interval) + write) / positive("The time between failures", mtbf)
    if exponent + restart / mtbf > 500.0:
        return 0.0
    return interval / (mtbf * math.exp(restart / mtbf) * math.expm1(exponent))


def waste_at_optimum(write: float, mtbf: float, *, restart: float = 0.0) -> float:
    """First-order waste at Young's interval: √(2δ/M) + R/M."""
    return math.sqrt(2.0 * write / positive("The time between failures", mtbf)) + restart / mtbf


def ettr_meta(
    *, nodes: float, failures_per_node_day: float, restart_s: float, interval_s: float, write_s: float
) -> float:
    """Expected effective training time ratio, (1 − N·r·(u₀ + Δt/2)) / (1 + w/Δt) (Kokolis et al., arXiv 2410.21680)."""
    lost_days = (restart_s + interval_s / 2.0) / 86_400.0
    return max(0.0, 1.0 - nodes * failures_per_node_day * lost_days) / (
        1.0 + write_s / positive("The interval", interval_s)
    )


def asynchronous(*, snapshot: float, persist: float, mtbf: float, restart: float = 0.0) -> tuple[float, float]:
    """Optimum interval max(√(2δM), P) and first-order waste of a checkpoint that is written in the background.

    A checkpoint counts only once persisted, so a failure loses τ/2 + P.
    """
    interval = max(young(snapshot, mtbf), persist)
    return interval, snapshot / interval + (interval / 2.0 + persist + restart) / mtbf


def two_level(*, near_write: float, near_hazard: float, far_write: float, far_hazard: float) -> tuple[float, float]:
    """Intervals of checkpoints to peers and to storage, each √(2δ/λ) of its own failures."""
    return young(near_write, 1.0 / positive("The near failure rate", near_hazard)), young(
        far_write, 1.0 / positive("The far failure rate", far_hazard)
    )


def spares_needed(nodes: int, *, mtbf: float, repair: float, confidence: float = 0.99) -> int:
    """Fewest spare nodes so that P(more than that many are down) ≤ 1 − confidence, Poisson with mean n·MTTR/MTBF."""
    mean = nodes * repair / positive("The time between failures of a node", mtbf)
    if mean > 50.0:  # the Poisson is normal by then
        return math.ceil(mean + 2.33 * math.sqrt(mean))
    term = total = math.exp(-mean)
    spares = 0
    while total < confidence:
        spares += 1
        term *= mean / spares
        total += term
    return spares
