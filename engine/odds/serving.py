"""How wrong serving estimates are: 80 % bands from residuals of left-out groups, by hardware class and metric."""

from __future__ import annotations

import math

from engine.answer import Estimate
from engine.inputs.hardware import Device
from engine.odds.normal import P90, upto
from engine.physics.token.machine import platform_of

MEASURED_PLATFORMS = frozenset({"hopper", "blackwell", "ampere", "gddr", "neuron"})
"""Platforms with several measured groups; elsewhere the band is wider."""
_ELSEWHERE = 1.6
"""Widening of the log band on hardware without several measured groups."""

# metric: log standard deviation of left-out groups, dense models and mixtures of experts (docs/serving.md)
_SIGMA: dict[str, tuple[float, float]] = {
    "saturated": (0.15, 0.33),
    "static": (0.20, 0.40),
    "throughput": (0.20, 0.30),
    "promise": (0.40, 0.40),
    "tpot": (0.21, 0.26),
    "tail": (0.45, 0.45),
    "ttft": (0.46, 0.42),
    "ttft_tail": (0.60, 0.60),
    "first": (0.18, 0.30),
    "batch_first": (0.52, 0.52),
    "near_limit": (2.5, 2.5),
    "local": (0.15, 0.19),
    "sample": (0.38, 0.38),
}


def log_sigma(device: Device, metric: str, *, moe: bool = False) -> float:
    """Standard deviation of ln(measured ÷ predicted) for that metric on hardware of that kind."""
    dense, mixture = _SIGMA[metric]
    wide = 1.0 if platform_of(device) in MEASURED_PLATFORMS or metric == "local" else _ELSEWHERE
    return (mixture if moe else dense) * wide


def surely(sigma: float, sure: float) -> float:
    """What an expected length is multiplied by to be kept with that probability."""
    return math.exp(upto(sure) * sigma)


def band(value: float, sigma: float, unit: str, *, because: tuple[str, ...] = ()) -> Estimate:
    """Estimate with P10 and P90 of a log-normal error."""
    factor = math.exp(P90 * sigma)
    return Estimate(low=value / factor, expected=value, high=value * factor, unit=unit, because=because)
