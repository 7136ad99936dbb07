"""A chart prepared for drawing: shape, series, axes, limits and styles, decided once for page, PDF and Office files.

Styles are the names of `charts.marks`: “s1” to “s8” by order, “highlight”, “front”, “soft” (beaten by a front), “muted”, “limit”
and “free” (room that is left).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from charts.chart import ChartKind
from charts.figures import short
from charts.scale import Axis
from charts.words import ENGLISH, Words

_NAMED_COLUMNS = 12
_MONTH_STEPS = (1, 2, 3, 6, 12, 24)
"""Many columns are months, so their names stand where a year divides."""
_CROWD = 16
"""Points up to which a name among them hides none."""


@dataclass(frozen=True, kw_only=True)
class Trace:
    """One series ready to draw: values by category, or points."""

    name: str
    mark: Literal["bar", "line", "point"]
    style: str
    values: tuple[float, ...] = ()
    points: tuple[tuple[float, float], ...] = ()
    labels: tuple[str, ...] = ()
    dashed: bool = False
    joined: bool = False
    """Points on a thin line of their colour."""

    def label(self, at: int) -> str:
        """What its point or value of that place is called."""
        return self.labels[at] if at < len(self.labels) else self.name

    def value(self, at: int) -> float:
        """Its value of that category, 0 where it has none."""
        return self.values[at] if at < len(self.values) else 0.0


@dataclass(frozen=True, kw_only=True)
class Plot:
    """`columns` stand, `bars` lie, `plane` has two numeric axes, `gantt` and `steps` run over days."""

    kind: ChartKind
    shape: Literal["columns", "bars", "plane", "gantt", "steps"]
    stacked: bool
    categories: tuple[str, ...]
    traces: tuple[Trace, ...]
    value_axis: Axis
    value_label: str
    other_label: str
    x_axis: Axis | None = None
    value_form: str = "0"
    """Number format of data labels."""
    limits: tuple[tuple[str, float], ...] = ()
    """Of lying bars and steps, drawn across them; others have them among their traces."""
    words: Words = ENGLISH

    @property
    def across_axis(self) -> Axis:
        """The lying axis of a plane or of days."""
        return self.x_axis or self.value_axis

    @property
    def named(self) -> tuple[Trace, ...]:
        """The traces that a legend shows: none when one name would repeat the title."""
        return self.traces if len(self.traces) > 1 and self.kind not in ("interval", "waterfall") else ()

    @property
    def numbered(self) -> bool:
        """Whether pieces carry the number of their series, so that they are not told apart by colour alone."""
        return (self.stacked or self.shape == "steps") and len(self.traces) > 1

    @property
    def labelled(self) -> bool:
        """Whether bars carry their values: when they stand alone and are few."""
        return self.shape in ("columns", "bars") and not self.stacked and len(self.categories) <= _NAMED_COLUMNS

    @property
    def across(self) -> bool:
        """Whether the bars of a category share one line: pieces of a stack, and differences to both sides."""
        return self.stacked or any(value < 0 for trace in self.bars for value in trace.values)

    @property
    def bars(self) -> tuple[Trace, ...]:
        """The traces that are bars."""
        return tuple(trace for trace in self.traces if trace.mark == "bar")

    @property
    def lines(self) -> tuple[Trace, ...]:
        """The traces that are lines."""
        return tuple(trace for trace in self.traces if trace.mark == "line")

    @property
    def every(self) -> int:
        """Every how many categories one is named: all bars that lie, and at most twelve columns."""
        least = math.ceil(len(self.categories) / _NAMED_COLUMNS) if self.shape == "columns" else 1
        return every_of(least)

    @property
    def named_points(self) -> bool:
        """Whether the highlighted points carry their names in an Office chart: not in a crowd, where the legend must do."""
        return sum(len(trace.points) for trace in self.traces if trace.mark == "point") <= _CROWD

    def label(self, value: float) -> str:
        """The text at the end of a bar; nothing where it would round to zero."""
        text = short(value, self.value_form)
        return self.words.number(text) if text.strip("-0.kM") else ""


def every_of(least: int) -> int:
    """A step that divides a year, not below that one."""
    return next((step for step in _MONTH_STEPS if step >= least), least)
