"""An axis of days: its values are ordinals of days, its ticks first days of months, Mondays or single days."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from charts.scale import Axis
from charts.words import Words, day_of

_MONTHS = (1, 2, 3, 6, 12, 24, 60, 120, 600, 1200, 6000, 12_000)
_DAYS = (1, 2, 7, 14, 28)
_SHORT = 62
"""Days up to which weeks are told and not months."""


def days_axis(values: Iterable[float], words: Words, *, wanted: int = 8) -> Axis:
    """The axis over those days with a little room at both ends and at most about `wanted` ticks."""
    known = list(values) or [1.0, 2.0]
    room = max((max(known) - min(known)) * 0.02, 0.5)
    low, high = min(known) - room, max(known) + room
    short = (day_of(high) - day_of(low)).days <= _SHORT
    found = [day for day in (_weeks if short else _months)(low, high, wanted) if low <= day.toordinal() <= high]
    tell = words.week if short else words.month
    return Axis(
        low=low,
        high=high,
        ticks=tuple(float(day.toordinal()) for day in found),
        names=tuple(tell(day) for day in found),
    )


def _months(low: float, high: float, wanted: int) -> Iterable[date]:
    first, last = day_of(low), day_of(high)
    months = (last.year - first.year) * 12 + last.month - first.month + 1
    step = next((size for size in _MONTHS if months / size <= wanted), _MONTHS[-1])
    start = first.year * 12 + first.month - 1
    inside = (at for at in range(start + -start % step, start + months + 1, step) if 12 <= at < 9999 * 12)
    return [date(at // 12, at % 12 + 1, 1) for at in inside]


def _weeks(low: float, high: float, wanted: int) -> Iterable[date]:
    """Mondays, or days where there are few of them."""
    step = next((size for size in _DAYS if (high - low) / size <= wanted), _DAYS[-1])
    start = day_of(low).toordinal()
    # Ordinal 1 is a Monday, so every ordinal 1 modulo 7 is one.
    first = start + (1 - start) % 7 if step >= 7 else start
    return [day_of(day) for day in range(first, day_of(high).toordinal() + 1, step)]
