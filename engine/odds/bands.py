"""How sure a predicted step time is: the spread of errors on sources that took no part in setting the coefficients.

Spreads are hierarchical: between sources that run the same kind of stack, between families of hardware, and what a kind of
model, precision or layout adds; independent reasons add as squares. `lab/validation/spreads.py` sets them on errors with whole
sources left out, and the level by a conformal quantile over sources. `docs/accuracy.md` shows the coverage reached.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.inputs.architecture import Architecture
from engine.inputs.assumptions import Assumptions
from engine.inputs.hardware import Device
from engine.odds.normal import P90
from engine.physics.chip import MEASURED, curve_of
from engine.physics.holding import FUSED
from engine.physics.profile import tuning_of

FAR_NODES = 4
"""Nodes beyond which pipelines of an own script were measured to scatter."""
MANY = 2048
"""Accelerators beyond which few runs were measured."""


@dataclass(frozen=True, kw_only=True)
class Band:
    """Standard deviation of the log of a step time or of a peak of memory, and what made it wide."""

    log_sigma: float
    because: tuple[str, ...]

    def low(self, value: float) -> float:
        """P10 of a quantity of that central value."""
        return value * float(np.exp(-P90 * self.log_sigma))

    def high(self, value: float) -> float:
        """P90 of a quantity of that central value."""
        return value * float(np.exp(P90 * self.log_sigma))


def band(
    arch: Architecture,
    device: Device,
    count: int,
    framework: str,
    precision: str,
    assume: Assumptions,
    *,
    tuning: str = "auto",
    also: tuple[str, ...] = (),
) -> Band:
    """Band of a predicted step time. Independent reasons add as squares; `also` names reasons that lie in the layout."""
    reasons = [*reasons_of(arch, device, count, framework, precision, tuning), *also]
    sigma = float(np.sqrt(sum(assume[f"training.band.{name}"] ** 2 for name in reasons)))
    return Band(log_sigma=sigma, because=tuple(f"training.band.{name}" for name in reasons))


def memory_band(framework: str, assume: Assumptions) -> Band:
    """Band of a predicted peak of memory: between sources and within them, wider where kernels run one by one."""
    reasons = ["memory"] + (["memory_eager"] if framework not in FUSED else [])
    sigma = float(np.sqrt(sum(assume[f"training.band.{name}"] ** 2 for name in reasons)))
    return Band(log_sigma=sigma, because=tuple(f"training.band.{name}" for name in reasons))


def reasons_of(
    arch: Architecture, device: Device, count: int, framework: str, precision: str, tuning: str
) -> list[str]:
    """Which spreads apply, apart from those of the layout."""
    reasons = ["base"]
    meant = tuning_of(tuning, framework)
    if meant != "tuned":
        reasons.append(meant)
    # A card on the host bus shares the kernels of its generation, but no training run on one was found.
    if curve_of(device) not in MEASURED or device.scaleup_domain < 2:
        reasons.append("hardware")
    if arch.moe is not None:
        reasons.append("mixture")
    if arch.ssm is not None:
        reasons.append("hybrid")
    if framework == "maxtext" and device.runtime == "cuda":
        reasons.append("framework")
    if count > MANY:
        reasons.append("scale")
    if arch.kind == "generic":
        reasons.append("tables" if arch.tables else "generic")
    elif arch.parameters < 3e9:
        reasons.append("small")
    if precision in ("nvfp4", "mxfp8", "fp32", "tf32"):
        reasons.append("precision")
    return reasons


def layout_reasons(*, tp: int, pp: int, nodes: float, domain: float, waits: bool) -> tuple[str, ...]:
    """Spreads of layouts whose exchange was measured to scatter: tensor parallel beyond the scale-up domain, and pipelines
    over many nodes where messages wait (`waits`)."""
    return ("across",) if tp > domain or (waits and pp > 1 and nodes > FAR_NODES) else ()
