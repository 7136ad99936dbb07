"""A team's own step times: they shift the estimate for that hardware and narrow its band.

The log of measured over predicted is taken as the sum of an error that all runs on one kind of cluster share and of
measurement noise; both are normal, so the update is the textbook one (Gelman et al., Bayesian Data Analysis, §2.5).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from engine.inputs.hardware import Device
from engine.physics.chip import curve_of


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
    exact: Mapping[Hashable, Shift] = field(default_factory=dict)
    """Layouts that were measured themselves: there the measurement is the estimate, and its noise the spread."""

    def factor(self, device: Device, layout: Hashable = None) -> float:
        """Measured over predicted step time on that hardware, or of that very layout; 1 where nothing was measured."""
        shift = self._of(device, layout)
        return float(np.exp(shift.log_shift)) if shift else 1.0

    def log_sigma(self, device: Device, prior: float, layout: Hashable = None) -> float:
        """Standard deviation of the log error there, given the band without measurements."""
        shift = self._of(device, layout)
        return min(prior, shift.log_sigma) if shift else prior

    def knows(self, device: Device, layout: Hashable = None) -> bool:
        """Were step times measured on that hardware, or of that very layout?"""
        return self._of(device, layout) is not None

    def _of(self, device: Device, layout: Hashable) -> Shift | None:
        return self.exact.get(layout) or self.shifts.get(curve_of(device))

    def because(self, device: Device, layout: Hashable = None) -> tuple[str, ...]:
        """What the estimate follows from, where it was calibrated: `measured.layout:N` where N own step times are of that very
        layout, else `measured.hardware:N:SHIFT`, by which share they make steps longer."""
        shift = self._of(device, layout)
        if shift is None:
            return ()
        if layout in self.exact:
            return (f"measured.layout:{shift.measurements}",)
        return (f"measured.hardware:{shift.measurements}:{np.expm1(shift.log_shift):.4f}",)


NO_CALIBRATION = Calibration()


@dataclass(frozen=True, kw_only=True)
class Seen:
    """One own step time as the engine sees it: on which generation, of which layout, how far off the prediction was."""

    curve: str
    key: Hashable
    exact: bool
    """Was the layout stated, so that it speaks for that very layout?"""
    predicted_s: float
    """What was predicted for it without own measurements [s]."""
    log_sigma: float
    """Standard deviation of the log of that."""
    log_error: float
    """ln(measured ÷ predicted)."""


def calibration_of(seen: Iterable[Seen], noise: float, shared: float) -> Calibration:
    """What those step times say together; `noise` and `shared` as in `posterior`."""
    errors: dict[str, list[float]] = {}
    exact: dict[Hashable, list[float]] = {}
    sigmas: dict[str, float] = {}
    for one in seen:
        errors.setdefault(one.curve, []).append(one.log_error)
        sigmas[one.curve] = one.log_sigma
        if one.exact:
            exact.setdefault(one.key, []).append(one.log_error)
    return Calibration(
        shifts={name: posterior(values, sigmas[name], noise, shared) for name, values in errors.items()},
        exact={key: measured_layout(values, noise) for key, values in exact.items()},
    )


def posterior(log_errors: list[float], prior_sigma: float, noise: float, shared: float) -> Shift:
    """Update the shared log error N(0, shared × prior²) by measurements; what is not shared stays as spread."""
    between, within = shared * prior_sigma**2, (1.0 - shared) * prior_sigma**2
    count = len(log_errors)
    if between <= 0.0:  # nothing is shared, so that others say nothing
        return Shift(log_shift=0.0, log_sigma=prior_sigma, measurements=count)
    if within + noise**2 <= 0.0:  # all is shared, and measured exactly
        return Shift(log_shift=sum(log_errors) / count, log_sigma=0.0, measurements=count)
    precision = 1.0 / between + count / (within + noise**2)
    mean = sum(log_errors) / (within + noise**2) / precision
    return Shift(log_shift=mean, log_sigma=float(np.sqrt(1.0 / precision + within)), measurements=count)


def measured_layout(log_errors: list[float], noise: float) -> Shift:
    """The mean of what was measured of one layout; its spread is the noise of a repeat, less with more repeats."""
    count = len(log_errors)
    return Shift(log_shift=sum(log_errors) / count, log_sigma=noise / float(np.sqrt(count)), measurements=count)
