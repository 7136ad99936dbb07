"""The words of a drawing, handed in by whoever prints it: charts know no language and no way of writing numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date


def day_of(ordinal: float) -> date:
    """The day of that ordinal, kept inside the calendar."""
    return date.fromordinal(min(max(round(ordinal), 1), date.max.toordinal()))


def day_text(ordinal: float) -> str:
    """“11 Jan 2027”."""
    day = day_of(ordinal)
    return f"{day.day} {day:%b %Y}"


def month_text(day: date) -> str:
    """“Jan 2027”."""
    return f"{day:%b %Y}"


def week_text(day: date) -> str:
    """“11 Jan”."""
    return f"{day.day} {day:%b}"


def minus(english: str) -> str:
    """The number with a minus instead of a hyphen."""
    return english.replace("-", "−")


@dataclass(frozen=True, kw_only=True)
class Words:
    """How numbers, days and the few phrases of a drawing are written."""

    number: Callable[[str], str] = minus
    """Of a number as it is written in English: “1,234.5”."""
    value: Callable[[float], str] = lambda value: f"{value:,.3g}"
    """A value on hovering over its mark."""
    day: Callable[[float], str] = day_text
    month: Callable[[date], str] = month_text
    week: Callable[[date], str] = week_text
    free: str = "Free up to {limit}"
    span: str = "{low} to {high}"
    band: str = "{label} (bar from {low} to {high}, mark at {middle})"


ENGLISH = Words()
