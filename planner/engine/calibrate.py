"""A team's own step times: they shift the estimate for that hardware and narrow its band.

The log of measured over predicted is taken as the sum of an error that all runs on one kind of cluster share and of
measurement noise; both are normal, so the update is the textbook one (Gelman et al., Bayesian Data Analysis, §2.5).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from planner.engine.hardware import Device
from planner.engine.physics.chip import curve_of


@dataclass(frozen=True, kw_only=True)
class Shift:
    """What own measurements say of one generation of hardware: log shift of the step time and its standard deviation."""

    log_shift: float
    log_sigma: float
    measurements: int


@dataclass(frozen=True, kw_only=True)
class Calibration:
    """Shifts by generation of hardware; generations that were not measured keep the published coefficients."""

    shifts: Mapping[str, Shift] = field(default_factory=dict)

    def factor(self, device: Device) -> float:
        """Measured over predicted step time on that hardware; 1 where nothing was measured."""
        shift = self.shifts.get(curve_of(device))
        return float(np.exp(shift.log_shift)) if shift else 1.0

    def log_sigma(self, device: Device, prior: float) -> float:
        """Standard deviation of the log error there, given the band without measurements."""
        shift = self.shifts.get(curve_of(device))
        return min(prior, shift.log_sigma) if shift else prior

    def note(self, device: Device) -> tuple[str, ...]:
        """What the estimate follows from, where it was calibrated."""
        shift = self.shifts.get(curve_of(device))
        if shift is None:
            return ()
        return (
            f"measured: {shift.measurements} own step time(s) on this hardware shift the estimate by {np.expm1(shift.log_shift):+.1%}",
        )


NO_CALIBRATION = Calibration()


def posterior(log_errors: list[float], prior_sigma: float, noise: float, shared: float) -> Shift:
    """Update the shared log error N(0, shared × prior²) by measurements; what is not shared stays as spread."""
    between, within = shared * prior_sigma**2, (1.0 - shared) * prior_sigma**2
    count = len(log_errors)
    precision = 1.0 / between + count / (within + noise**2)
    mean = sum(log_errors) / (within + noise**2) / precision
    return Shift(log_shift=mean, log_sigma=float(np.sqrt(1.0 / precision + within)), measurements=count)
