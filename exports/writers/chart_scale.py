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


def axis_for(
    values: Iterable[float], *, log: bool = False, zero: bool = True, wanted: int = 5, room: float = 0.0
) -> Axis:
    """An axis that holds all values; it starts at zero when `zero`, and leaves `room` (a share) at its ends for labels."""
    known = [value for value in values if math.isfinite(value)] or [0.0, 1.0]
    if log and min(known) > 0:
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
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    last = max(last, first + 1)
    ticks = tuple(10.0**power for power in range(first, last + 1))
    return Axis(low=ticks[0], high=ticks[-1], ticks=ticks, number_format=DECADES if first >= 0 else "General", log=True)


def _nice(rough: float) -> float:
    power = 10.0 ** math.floor(math.log10(rough))
    return next(step * power for step in _STEPS if step * power >= rough * 0.999)


def _clean(value: float) -> float:
    return float(f"{value:.12g}")


def number_format(values: Iterable[float]) -> str:
    """One Excel format for all ticks of an axis: thousands or millions where they are, digits as needed, a plain 0."""
    known = [abs(value) for value in values if value] or [1.0]
    scale, mark = _scale(max(known))
    digits = next((count for count in range(6) if all(_prints(value / scale, count) for value in known)), 2)
    body = ("#,##0" if scale == 1 else "0") + ("." + "0" * digits if digits else "") + mark
    return f"{body};-{body};0"


def label_format(values: Iterable[float]) -> str:
    """An Excel format for single values: each in its own scale with about three digits; differences share one scale."""
    known = list(values)
    top = max(map(abs, known), default=0.0)
    if min(known, default=0.0) < 0:
        scale, mark = _scale(top)
        rough = top / scale >= (20 if scale == 1 else 200)
        body = ("#,##0" if scale == 1 else "0") + ("" if rough else ".0") + mark
        least = scale * (0.5 if rough else 0.05)
        return f'[>={least:g}]{body};[<=-{least:g}]-{body};""'
    if top >= 1e5:
        return MIXED
    if all(float(value).is_integer() for value in known):
        return "#,##0"
    if top >= 100:
        return '[>=0.5]#,##0;""'
    digits = 1 if top >= 10 or not top else min(5, 2 - math.floor(math.log10(top)))
    return f'[>={0.5 * 10.0**-digits:g}]0.{"0" * digits};""'


MIXED = '[>=1000000]0.00,,"M";[>=10000]0,"k";#,##0'
"""Millions with two digits, thousands from ten thousand, smaller amounts whole, where one is a hundred thousand or more."""
DECADES = '[>=1000000]#,##0,,"M";[>=1000]0,"k";0'
"""Powers of ten from one on."""
_SCALES = ((1e6, 1e6, ',,"M"'), (1e4, 1e3, ',"k"'), (0.0, 1.0, ""))
"""From which size on, divided by what, written how."""


def _scale(top: float) -> tuple[float, str]:
    return next((scale, mark) for start, scale, mark in _SCALES if top >= start)


def _prints(value: float, digits: int) -> bool:
    return abs(round(value, digits) - value) < 1e-6 * max(1.0, abs(value))


def short(value: float, form: str) -> str:
    """The value as that Excel format shows it."""
    if form == MIXED:
        form = '0.00,,"M"' if value >= 1e6 else '0,"k"' if value >= 1e4 else "#,##0"
    if form == DECADES:
        form = '0,,"M"' if value >= 1e6 else '0,"k"' if value >= 1e3 else "0"
    if form == "General":
        return f"{value:g}"
    if form.startswith("[>=") and form.endswith(';""'):  # what would print as nothing carries no label
        least, _, form = form.removeprefix("[>=").partition("]")
        if abs(value) < float(least):
            return ""
    body = form.partition(";")[0]
    digits = len(body.partition(".")[2].partition(",")[0])
    if ";" in form and not value:
        return "0"
    if body.endswith(',,"M"'):
        return f"{value / 1e6:.{digits}f}M"
    return f"{value / 1e3:.{digits}f}k" if body.endswith(',"k"') else f"{value:,.{digits}f}"
