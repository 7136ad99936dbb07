"""The one scale of all charts: where an axis starts and ends, its ticks, and how they are written.

Page, PDF and Office files draw the same axis. Office programs know linear axes by least, greatest and step, and logarithmic ones
by least, greatest and a factor, so an axis is always made of whole steps (or factors) between its ends.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from charts.figures import log_format, number_format, short

_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
_STARTS = (1.0, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0)
"""Where a logarithmic axis may start, times a power of ten: its ticks are multiples of the start."""
_MOST_DOUBLINGS = 7


@dataclass(frozen=True, kw_only=True)
class Axis:
    """A numeric axis: its ends, the ticks between them, how they are written and the format that writes them so."""

    low: float
    high: float
    ticks: tuple[float, ...]
    number_format: str = "General"
    base: float = 0.0
    """The factor from tick to tick of a logarithmic axis; 0 on a linear one."""
    names: tuple[str, ...] = ()
    """The ticks in words, where they are no numbers: days, months."""

    @property
    def log(self) -> bool:
        """Whether equal distances are equal factors."""
        return self.base > 0

    @property
    def step(self) -> float:
        """Distance of two ticks (the factor between them on a logarithmic axis)."""
        return self.base if self.log else self.ticks[1] - self.ticks[0]

    def share(self, value: float) -> float:
        """Where the value lies between the ends, 0 to 1, clipped to the axis."""
        low, high, at = self.low, self.high, value
        if self.log:
            low, high, at = math.log10(low), math.log10(high), math.log10(max(value, low))
        return min(1.0, max(0.0, (at - low) / (high - low)))

    def texts(self) -> tuple[str, ...]:
        """What stands at the ticks, numbers as they are written in English."""
        return self.names or tuple(short(tick, self.number_format) for tick in self.ticks)


def axis_for(
    values: Iterable[float], *, log: bool = False, zero: bool = True, wanted: int = 5, room: float = 0.0
) -> Axis:
    """An axis that holds all values; it starts at zero when `zero`, and leaves `room` (a share) at its ends for labels."""
    known = [value for value in values if math.isfinite(value)] or [0.0, 1.0]
    if log and min(known) > 1e-9:
        return _log_axis(min(known), max(known))
    low, high = min(known), max(known)
    if zero:
        low, high = min(0.0, low), max(0.0, high)
    low, high = (low - room * (high - low) if low < 0 else low), high + room * (high - low)
    if high - low <= 1e-9 * max(abs(high), 1.0):
        low, high = low, max(high, low + (abs(low) if abs(low) > 1e-6 else 1.0))
    step = _nice((high - low) / wanted)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    ticks = tuple(_clean(index * step) for index in range(first, last + 1))
    return Axis(low=ticks[0], high=ticks[-1], ticks=ticks, number_format=number_format(ticks))


def _log_axis(low: float, high: float) -> Axis:
    """The shortest axis that holds both: by doubling where a few doublings do, else by tens."""
    doubled = [ticks for start in _starts(low) if len(ticks := _multiples(start, high, 2.0)) <= _MOST_DOUBLINGS + 1]
    base, found = (2.0, doubled) if doubled else (10.0, [_multiples(start, high, 10.0) for start in _starts(low)])
    ticks = min(found, key=lambda row: row[-1] / row[0])
    return Axis(low=ticks[0], high=ticks[-1], ticks=ticks, number_format=log_format(ticks), base=base)


def _starts(low: float) -> Iterable[float]:
    """Round numbers not above that one, of its own power of ten or the one before."""
    power = math.floor(math.log10(low) + 1e-12)
    found = (start * 10.0**at for at in (power, power - 1) for start in _STARTS)
    return [_clean(start) for start in found if start <= low * (1 + 1e-9)]


def _multiples(start: float, high: float, base: float) -> tuple[float, ...]:
    count = max(1, math.ceil(math.log(high / start, base) - 1e-9))
    return tuple(_clean(start * base**index) for index in range(count + 1))


def _nice(rough: float) -> float:
    power = 10.0 ** math.floor(math.log10(rough))
    return next(step * power for step in _STEPS if step * power >= rough * 0.999)


def _clean(value: float) -> float:
    return float(f"{value:.12g}")
