"""Axes with round steps, and short numbers for their ticks: shared by the native and the PDF charts."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


@dataclass(frozen=True, kw_only=True)
class Axis:
    """A numeric axis: its ends, the ticks between them, and the Excel number format of the ticks."""

    low: float
    high: float
    ticks: tuple[float, ...]
    number_format: str
    log: bool = False

    @property
    def step(self) -> float:
        """Distance of two ticks (the factor between them on a logarithmic axis)."""
        return 10.0 if self.log else self.ticks[1] - self.ticks[0]

    def share(self, value: float) -> float:
        """Where the value lies between the ends, 0 to 1, clipped to the axis."""
        low, high, at = self.low, self.high, value
        if self.log:
            low, high, at = math.log10(low), math.log10(high), math.log10(max(value, low))
        return min(1.0, max(0.0, (at - low) / (high - low)))


def axis_for(values: Iterable[float], *, log: bool = False, zero: bool = True, wanted: int = 5) -> Axis:
    """An axis that holds all values; it starts at zero when `zero`, and is never empty."""
    known = [value for value in values if math.isfinite(value)] or [0.0, 1.0]
    if log and min(known) > 0:
        return _log_axis(min(known), max(known))
    low, high = min(known), max(known)
    if zero:
        low, high = min(0.0, low), max(0.0, high)
    if high - low <= 1e-9 * max(abs(high), 1.0):
        low, high = (low, low + (abs(low) or 1.0))
    step = _nice((high - low) / wanted)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    ticks = tuple(_clean(index * step) for index in range(first, last + 1))
    return Axis(low=ticks[0], high=ticks[-1], ticks=ticks, number_format=number_format(ticks))


def _log_axis(low: float, high: float) -> Axis:
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    last = max(last, first + 1)
    ticks = tuple(10.0**power for power in range(first, last + 1))
    return Axis(low=ticks[0], high=ticks[-1], ticks=ticks, number_format=number_format(ticks), log=True)


def _nice(rough: float) -> float:
    power = 10.0 ** math.floor(math.log10(rough))
    return next(step * power for step in _STEPS if step * power >= rough * 0.999)


def _clean(value: float) -> float:
    return float(f"{value:.12g}")


def number_format(values: Iterable[float]) -> str:
    """The Excel format that shows every value of the list short and apart from the next."""
    known = [abs(value) for value in values if value] or [0.0]
    top, least = max(known), min(known)
    if top >= 2e6:
        return '0.0,,"M"' if least % 1e6 else '0,,"M"'
    if top >= 2e4:
        return '0.0,"k"' if least % 1e3 else '0,"k"'
    if least >= 1 and all(value == int(value) for value in known):
        return "#,##0"
    return "0.00" if least < 0.1 else "0.0"


def short(value: float, form: str) -> str:
    """The value as that Excel format shows it."""
    if form.endswith('"M"'):
        return f"{value / 1e6:.{1 if '.' in form else 0}f}M"
    if form.endswith('"k"'):
        return f"{value / 1e3:.{1 if '.' in form else 0}f}k"
    digits = len(form.partition(".")[2])
    return f"{value:,.{digits}f}"
