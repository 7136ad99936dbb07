"""An axis of months: x holds the ordinals of days."""

from __future__ import annotations

from datetime import date

from planner.svg.frame import Scale

_STEPS = (1, 2, 3, 6, 12, 24, 60, 120)


def month_ticks(scale: Scale, wanted: int) -> list[tuple[float, str]]:
    """First days of months (of weeks in a short time) inside the scale with their labels, at most about `wanted`."""
    first, last = day_of(scale.low), day_of(scale.high)
    if (last - first).days <= 62:
        return _week_ticks(scale, wanted)
    months = (last.year - first.year) * 12 + last.month - first.month + 1
    step = next((size for size in _STEPS if months / size <= max(wanted, 1)), _STEPS[-1])
    start = first.year * 12 + first.month - 1
    found = []
    for at in range(start + -start % step, start + months + 1, step):
        if not 12 <= at < 9999 * 12:
            continue
        day = date(at // 12, at % 12 + 1, 1)
        if scale.low <= day.toordinal() <= scale.high:
            found.append((float(day.toordinal()), f"{day:%b %Y}" if step < 12 else f"{day:%Y}"))
    return found


def _week_ticks(scale: Scale, wanted: int) -> list[tuple[float, str]]:
    """Mondays, or days where the scale holds few of them."""
    span = scale.high - scale.low
    step = next((size for size in (1, 2, 7, 14, 28) if span / size <= max(wanted, 1)), 28)
    start = day_of(scale.low).toordinal()
    # Ordinal 1 is a Monday, so every ordinal 1 modulo 7 is one.
    first = start + (1 - start) % 7 if step >= 7 else start + 1
    days = range(first, day_of(scale.high).toordinal() + 1, step)
    return [(float(day), f"{day_of(day).day} {day_of(day):%b}") for day in days if scale.low <= day <= scale.high]


def day_of(ordinal: float) -> date:
    """The day of that ordinal, kept inside the calendar."""
    return date.fromordinal(min(max(round(ordinal), 1), date.max.toordinal()))


def day_text(ordinal: float) -> str:
    """“11 Jan 2027”."""
    day = day_of(ordinal)
    return f"{day.day} {day:%b %Y}"
