"""A chart prepared for drawing: axes, order and colours decided once for Word, PowerPoint and PDF."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from charts.chart import Chart, Series
from exports.wording import tr
from exports.writers.chart_scale import Axis, axis_for, label_format, short
from exports.writers.look import Look

Mark = Literal["bar", "line", "point"]
_NAMED_COLUMNS = 12
_MONTH_STEPS = (1, 2, 3, 6, 12, 24)
"""Many columns are months, so their names stand where a year divides."""
_MOST_BARS = 20
"""Bars that lie below one another on a page; more of them stand."""


@dataclass(frozen=True, kw_only=True)
class Trace:
    """One series ready to draw: values by category, or points; `ghost` takes room but shows nothing."""

    name: str
    mark: Mark
    colour: str
    values: tuple[float, ...] = ()
    points: tuple[tuple[float, float], ...] = ()
    labels: tuple[str, ...] = ()
    ghost: bool = False
    dashed: bool = False
    outlined: bool = False
    joined: bool = False
    """Points on a thin line of their colour."""


@dataclass(frozen=True, kw_only=True)
class Plot:
    """`columns` stand, `bars` lie, `xy` has two numeric axes."""

    shape: Literal["columns", "bars", "xy"]
    stacked: bool
    categories: tuple[str, ...]
    traces: tuple[Trace, ...]
    value_axis: Axis
    value_label: str
    other_label: str
    x_axis: Axis | None = None
    value_form: str = "0"
    """Number format of data labels."""
    legend: bool = True

    @property
    def named(self) -> tuple[Trace, ...]:
        """The traces that a legend shows: none when one name would repeat the title."""
        return self.traces if self.legend and len(self.traces) > 1 else ()

    @property
    def labelled(self) -> bool:
        """Whether bars carry their values: when they stand alone and are few."""
        return self.shape != "xy" and not self.stacked and len(self.categories) <= 12

    @property
    def every(self) -> int:
        """Every how many categories one is named: all bars that lie, and at most twelve columns."""
        least = math.ceil(len(self.categories) / _NAMED_COLUMNS) if self.shape == "columns" else 1
        return next((step for step in _MONTH_STEPS if step >= least), least)

    @property
    def named_points(self) -> bool:
        """Whether the highlighted points carry their names: not in a crowd, where the legend must do."""
        return sum(len(trace.points) for trace in self.traces if trace.mark == "point") <= 16

    def label(self, value: float) -> str:
        """The text at the end of a bar; nothing where it would round to zero."""
        text = short(value, self.value_form)
        return text if text.strip("-0.kM") else ""


def plot_of(chart: Chart, look: Look) -> Plot:
    """That chart with axes and colours; scatter and point lines get numeric x, all others categories."""
    if chart.kind == "scatter" or any(series.points for series in chart.series):
        return _xy(chart, look)
    if chart.kind == "interval":
        return _interval(chart, look)
    return _categories(chart, look)


def _xy(chart: Chart, look: Look) -> Plot:
    points = [point for series in chart.series for point in series.points]
    x_limits = _near(chart.x_limits, [x for x, _ in points], log=chart.log_x)
    y_limits = _near(chart.limits, [y for _, y in points], log=chart.log_y)
    xs = [x for x, _ in points] + [value for _, value in x_limits]
    ys = [y for _, y in points] + [value for _, value in y_limits]
    x_axis = axis_for(xs, log=chart.log_x, zero=_near_zero(xs))
    y_axis = axis_for(ys, log=chart.log_y or _far_apart(chart, ys), zero=_near_zero(ys))
    traces = [
        Trace(
            name=series.name,
            mark=_mark(chart, series),
            colour=colour,
            points=series.points,
            labels=series.labels,
            joined=series.role == "front",
        )
        for series, colour in zip(chart.series, colours_of(chart.series, look), strict=True)
        if series.points
    ]
    traces += [_level(name, ((x_axis.low, y), (x_axis.high, y)), look) for name, y in y_limits]
    traces += [_level(name, ((x, y_axis.low), (x, y_axis.high)), look) for name, x in x_limits]
    return Plot(
        shape="xy",
        stacked=False,
        categories=(),
        traces=tuple(traces),
        value_axis=y_axis,
        x_axis=x_axis,
        value_label=chart.y_label,
        other_label=chart.x_label,
    )


def _near(
    limits: tuple[tuple[str, float], ...], values: Sequence[float], *, log: bool
) -> tuple[tuple[str, float], ...]:
    """Limits worth showing, as on the page: not so far from the data that the data would shrink to a corner."""
    top = (10 if log else 3) * max(values, default=0.0)
    return tuple((name, value) for name, value in limits if 0 < value <= top)


def _mark(chart: Chart, series: Series) -> Mark:
    """A line through a single point would not be seen: it is a mark on the other line."""
    return "point" if chart.kind == "scatter" or len(series.points) == 1 else "line"


def _far_apart(chart: Chart, values: Sequence[float]) -> bool:
    """Whether a cloud of points needs a logarithmic axis, because its dearest would hide the others."""
    return chart.kind == "scatter" and min(values, default=0.0) > 0 and max(values) > 30 * min(values)


def _near_zero(values: Sequence[float]) -> bool:
    """Whether the axis should start at zero: unless all values lie far from it and close together."""
    return not values or min(values) < 0.55 * max(values)


def _level(name: str, points: tuple[tuple[float, float], ...], look: Look) -> Trace:
    return Trace(name=name, mark="line", colour=look.limit, points=points, dashed=True)


def _interval(chart: Chart, look: Look) -> Plot:
    """P10, expected and P90 as two stacked bars after an invisible one: the joint is the expected value."""
    low, middle, high = (series.values for series in chart.series[:3])
    first = tuple(b - a for a, b in zip(low, middle, strict=True))
    second = tuple(b - a for a, b in zip(middle, high, strict=True))
    traces = (
        Trace(name=chart.series[0].name, mark="bar", colour=look.wash, values=low, ghost=True),
        Trace(
            name=f"{chart.series[0].name} to {chart.series[1].name}", mark="bar", colour=look.series[0], values=first
        ),
        Trace(name=f"{chart.series[1].name} to {chart.series[2].name}", mark="bar", colour=look.soft, values=second),
    )
    plot = _bars(chart, traces, axis_for(high), stacked=True, lying=True)
    names = [series.name for series in chart.series[:3]]
    return replace(
        plot, legend=False, value_label=f"{chart.y_label} (bar from {names[0]} to {names[2]}, {names[1]} at the joint)"
    )


def _categories(chart: Chart, look: Look) -> Plot:
    stacked = chart.kind == "stacked_bar"
    mark: Mark = "line" if chart.kind == "line" else "bar"
    colours = colours_of(chart.series, look)
    traces = [
        Trace(name=series.name, mark=mark, colour=colour, values=series.values, labels=series.labels)
        for series, colour in zip(chart.series, colours, strict=True)
    ]
    tops = _tops(chart.series, stacked=stacked)
    lying = chart.kind == "tornado" or (mark == "bar" and _wide(chart.categories))
    if len(chart.categories) == 1 and stacked:
        traces += _headroom(chart, tops, look)
        lying = True
    elif not lying:
        traces += [_constant(chart, name, value, look) for name, value in chart.limits]
    tops += [value for _, value in chart.limits]
    room = 0.1 if mark == "bar" and not stacked else 0.0
    return _bars(chart, tuple(traces), axis_for(tops, room=room), stacked=stacked, lying=lying)


def _bars(chart: Chart, traces: tuple[Trace, ...], axis: Axis, *, stacked: bool, lying: bool) -> Plot:
    shown = [value for trace in traces if trace.mark == "bar" for value in trace.values]
    return Plot(
        shape="bars" if lying else "columns",
        stacked=stacked,
        categories=chart.categories,
        traces=traces,
        value_axis=axis,
        value_label=chart.y_label,
        other_label=chart.x_label,
        value_form=label_format(shown or axis.ticks),
    )


def _headroom(chart: Chart, tops: list[float], look: Look) -> list[Trace]:
    """What is left up to each limit, as an outlined piece: one bar has no room for a line across."""
    top = max(tops, default=0.0)
    return [
        Trace(
            name=tr("Free up to {limit}", limit=name),
            mark="bar",
            colour=look.line,
            values=(value - top,),
            outlined=True,
        )
        for name, value in chart.limits[:1]
        if value > top
    ]


def _constant(chart: Chart, name: str, value: float, look: Look) -> Trace:
    return Trace(name=name, mark="line", colour=look.limit, values=(value,) * len(chart.categories), dashed=True)


def _tops(series: Sequence[Series], *, stacked: bool) -> list[float]:
    if not stacked:
        return [value for row in series for value in row.values]
    columns = list(zip(*(row.values for row in series), strict=True))
    return [sum(max(sign * value, 0.0) for value in column) * sign for column in columns for sign in (1, -1)]


def _wide(categories: Sequence[str]) -> bool:
    """Whether the names need lines of their own, so that bars should lie."""
    return len(categories) <= _MOST_BARS and max(map(len, categories), default=0) > 16


def colours_of(series: Sequence[Series], look: Look) -> list[str]:
    """The palette in order for main series, paler beside a front; the other roles have colours of their own."""
    fixed = {"front": look.series[0], "highlight": look.highlight, "muted": look.faint, "limit": look.limit}
    if any(row.role == "front" for row in series):
        fixed["main"] = look.soft
    main = iter(look.series * (1 + len(series) // len(look.series)))
    return [fixed[row.role] if row.role in fixed else next(main) for row in series]
