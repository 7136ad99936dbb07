"""How wrong serving estimates are: 80 % bands from residuals of left-out groups, by hardware class and metric."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from engine.answer import Estimate
from engine.inputs.hardware import Device
from engine.odds.normal import P90, upto
from engine.physics.token.machine import platform_of

Floats = NDArray[np.float64]
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
    "ttft_tail": (0.70, 0.70),
    "first": (0.18, 0.30),
    "prompt": (0.30, 0.40),
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


_LONGEST = 32_768.0
"""The longest prompts of measured rows [token]."""
_DOUBLED = 0.13
"""Added for each doubling beyond them: at eight times their length a prompt is known no better than a wait."""
_STEPS = 16
_MOST_SURE = 8.0
"""Standard deviations: beyond them nothing changes."""


def prefill_sigma(device: Device, tokens: float, *, moe: bool = False) -> float:
    """Standard deviation of ln(measured ÷ predicted) time of a prompt of that length alone; never more than that of a wait."""
    # Prompts on Neuron were measured in batches, and are known less well.
    known = log_sigma(device, "batch_first" if platform_of(device) == "neuron" else "prompt", moe=moe)
    beyond = _DOUBLED * max(math.log2(max(tokens, 1.0) / _LONGEST), 0.0)
    return min(known + beyond, log_sigma(device, "ttft_tail", moe=moe))


def first_sigma(prefill: float, wait: float, share: float) -> float:
    """The same of a first token of which that share is the prompt alone. What is slower than thought is slower in both parts, so they
    add up: measured rows say so (docs/serving.md)."""
    alone = min(max(share, 0.0), 1.0)
    return alone * min(prefill, wait) + (1.0 - alone) * wait


def first_share(prefill: Floats, wait: Floats, alone: Floats, sure: float) -> Floats:
    """Of a promised first token, the part that its expected value may use up to be kept with that probability.

    `prefill`, `wait`: standard deviations of its two parts; `alone`: the prompt alone, as a part of the promise. The part x
    solves x·exp(z·σ(alone ÷ x)) = 1, which rises with x and bends down, so that Newton's steps from its least value stay below.
    """
    z = min(upto(sure), _MOST_SURE)
    whole, gain = np.exp(-z * prefill), z * (wait - prefill) * alone
    log = -z * wait
    for _ in range(_STEPS):
        part = gain * np.exp(-log)
        log = log - (log + z * wait - part) / (1.0 + part)
    found: Floats = np.where(alone >= whole, whole, np.exp(log))
    return found


def surely(sigma: float, sure: float) -> float:
    """What an expected length is multiplied by to be kept with that probability."""
    return math.exp(upto(sure) * sigma)


def band(value: float, sigma: float, unit: str, *, because: tuple[str, ...] = ()) -> Estimate:
    """Estimate with P10 and P90 of a log-normal error."""
    factor = math.exp(P90 * sigma)
    return Estimate(low=value / factor, expected=value, high=value * factor, unit=unit, because=because)
