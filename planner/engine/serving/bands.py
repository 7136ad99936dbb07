"""How wrong serving estimates are: 80 % bands from residuals of left-out groups, by hardware class and metric."""

from __future__ import annotations

import math

from planner.engine.hardware import Device
from planner.engine.result import Estimate
from planner.engine.serving.machine import platform_of

Z80 = 1.2816
"""Standard deviations from the middle to P10 and P90."""

MEASURED_PLATFORMS = frozenset({"hopper", "blackwell", "ampere", "ada", "gddr"})
"""Platforms with enough measured rows to judge the band by."""

# metric: (log standard deviation where the platform was measured, elsewhere)
_SIGMA: dict[str, tuple[float, float]] = {
    "throughput": (0.24, 0.45),
    "tpot": (0.24, 0.45),
    "ttft": (0.50, 0.70),
    "tail": (0.55, 0.75),
    "local": (0.16, 0.35),
    "static": (0.26, 0.45),
    "first": (0.22, 0.45),
}


def log_sigma(device: Device, metric: str) -> float:
    """Standard deviation of ln(measured ÷ predicted) for that metric on hardware of that kind."""
    seen, unseen = _SIGMA[metric]
    return seen if platform_of(device) in MEASURED_PLATFORMS else unseen


def band(value: float, sigma: float, unit: str, *, because: tuple[str, ...] = ()) -> Estimate:
    """Estimate with P10 and P90 of a log-normal error."""
    factor = math.exp(Z80 * sigma)
    return Estimate(low=value / factor, expected=value, high=value * factor, unit=unit, because=because)
