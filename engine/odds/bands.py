"""How sure a predicted step time is: the spread of errors on sources that took no part in setting the coefficients.

The half-width of the 80 % band is a conformal quantile of the absolute log error with whole sources left out, by class:
measured hardware or not, mixture of experts or not, framework, scale. `docs/accuracy.md` shows the coverage reached.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.inputs.architecture import Architecture
from engine.inputs.assumptions import Assumptions
from engine.inputs.hardware import Device
from engine.odds.normal import P90
from engine.physics.chip import MEASURED, curve_of

RARE = ("megatron-2022", "megatron-plain", "neuron", "deepspeed", "deepspeed-2023")
"""Frameworks with few measurements, or old ones only."""


@dataclass(frozen=True, kw_only=True)
class Band:
    """Standard deviation of the log of a step time, and what made it wide."""

    log_sigma: float
    because: tuple[str, ...]

    def low(self, value: float) -> float:
        """P10 of a time of that central value."""
        return value * float(np.exp(-P90 * self.log_sigma))

    def high(self, value: float) -> float:
        """P90 of a time of that central value."""
        return value * float(np.exp(P90 * self.log_sigma))


def band(
    arch: Architecture,
    device: Device,
    count: int,
    framework: str,
    precision: str,
    assume: Assumptions,
    *,
    also: tuple[str, ...] = (),
) -> Band:
    """Band of a predicted step time. Independent reasons add as squares; `also` names reasons that lie in the layout."""
    reasons = ["base", *_reasons(arch, device, count, framework, precision), *also]
    sigma = float(np.sqrt(sum(assume[f"training.band.{name}"] ** 2 for name in reasons)))
    return Band(log_sigma=sigma, because=tuple(f"training.band.{name}" for name in reasons))


def _reasons(arch: Architecture, device: Device, count: int, framework: str, precision: str) -> list[str]:
    """Which additions to the base band apply."""
    reasons = []
    # A card on the host bus shares the kernels of its generation, but no training run on one was found.
    if curve_of(device) not in MEASURED or device.scaleup_domain < 2:
        reasons.append("hardware")
    if arch.moe is not None:
        reasons.append("mixture")
    if arch.ssm is not None:
        reasons.append("hybrid")
    if framework in RARE or (framework == "maxtext" and device.runtime == "cuda"):
        reasons.append("framework")
    if framework.startswith(("fsdp", "pytorch", "torchrec")):
        reasons.append("eager")
    if count > 2048:
        reasons.append("scale")
    if arch.kind == "generic":
        reasons.append("tables" if arch.tables else "generic")
    elif arch.parameters < 3e9:
        reasons.append("small")
    if precision in ("nvfp4", "mxfp8", "fp32", "tf32"):
        reasons.append("precision")
    return reasons
