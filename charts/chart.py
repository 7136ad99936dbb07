"""The chart block: one description of a chart, drawn as SVG on the page and natively in each document.

The title is the finding in a sentence; the data is complete, so every chart can also be shown as a table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

ChartKind = Literal["scatter", "bar", "stacked_bar", "line", "tornado", "interval", "gantt", "steps", "waterfall"]


@dataclass(frozen=True, kw_only=True)
class Series:
    """One row of data: values for each category, or (x, y) points for scatter and line charts."""

    name: str
    values: tuple[float, ...] = ()
    points: tuple[tuple[float, float], ...] = ()
    labels: tuple[str, ...] = ()
    """A label for each value or point, shown on hover and in the table."""
    role: Literal["main", "front", "highlight", "muted", "limit"] = "main"
    """`front`: of several clouds of points the one that no other beats, its points joined by a line; on a line, what was read."""


@dataclass(frozen=True, kw_only=True)
class Chart:
    """One chart. `finding` is its title and the core of its alternative text."""

    id: str
    kind: ChartKind
    finding: str
    x_label: str
    y_label: str
    categories: tuple[str, ...] = ()
    series: tuple[Series, ...] = ()
    log_x: bool = False
    log_y: bool = False
    limits: tuple[tuple[str, float], ...] = ()
    """Named lines: capacity, deadline, budget (on the value axis; for scatter charts on y)."""
    x_limits: tuple[tuple[str, float], ...] = ()
    note: str = ""
    dates: bool = False
    """x is the ordinal of a day (`date.toordinal`), shown as a date."""
