"""What a chart becomes before it is drawn: which shape, which series, limits and styles, on which axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from charts.calendar import days_axis
from charts.chart import Chart, Series
from charts.figures import label_format
from charts.plot import Plot, Trace
from charts.scale import Axis, axis_for
from charts.words import ENGLISH, Words

_MOST_BARS = 20
"""Bars that lie below one another on a page; more of them stand."""
_LONG_NAME = 16
"""Letters from which on the names of bars need lines of their own, so that the bars lie."""
_ROOM_OF_AMOUNTS = 0.2
"""Share of the axis of a tornado that is kept free beyond its longest bars."""
_PALETTE = tuple(f"s{number}" for number in range(1, 9))
_LIKE_HIGHLIGHT = "s3"
"""The colour of the palette that a highlighted series has: not given to another beside one."""


def plot_of(chart: Chart, words: Words = ENGLISH) -> Plot:
    """That chart with its shape, axes and styles."""
    if chart.kind == "gantt":
        return _gantt(chart, words)
    if chart.kind == "steps":
        return _steps(chart, words)
    if chart.kind == "scatter" or any(series.points for series in chart.series):
        return _plane(chart, words)
    if chart.kind in ("interval", "waterfall"):
        return _spans(chart, words)
    return _categories(chart, words)


def _plane(chart: Chart, words: Words) -> Plot:
    points = [point for series in chart.series for point in series.points]
    x_limits = _near(chart.x_limits, [x for x, _ in points], log=chart.log_x)
    y_limits = _near(chart.limits, [y for _, y in points], log=chart.log_y)
    xs = [x for x, _ in points] + [value for _, value in x_limits]
    ys = [y for _, y in points] + [value for _, value in y_limits]
    x_axis = days_axis(xs, words) if chart.dates else axis_for(xs, log=chart.log_x, zero=_near_zero(xs))
    y_axis = axis_for(ys, log=chart.log_y, zero=_near_zero(ys))
    traces = [
        Trace(
            name=series.name,
            mark=_mark(chart, series),
            style=style,
            points=series.points,
            labels=series.labels,
            joined=series.role == "front" and chart.kind == "scatter",
            dashed=series.role == "limit",
        )
        for series, style in zip(chart.series, styles_of(chart.series, cloud=chart.kind == "scatter"), strict=True)
        if series.points
    ]
    traces += [_level(name, ((x_axis.low, y), (x_axis.high, y))) for name, y in y_limits]
    traces += [_level(name, ((x, y_axis.low), (x, y_axis.high))) for name, x in x_limits]
    return Plot(
        kind=chart.kind,
        shape="plane",
        stacked=False,
        categories=(),
        traces=tuple(traces),
        value_axis=y_axis,
        x_axis=x_axis,
        value_label=chart.y_label,
        other_label=chart.x_label,
        words=words,
    )


def _near(
    limits: tuple[tuple[str, float], ...], values: Sequence[float], *, log: bool
) -> tuple[tuple[str, float], ...]:
    """Limits worth showing: not so far from the data that the data would shrink to a corner."""
    top = (10 if log else 3) * max(values, default=0.0)
    return tuple((name, value) for name, value in limits if 0 < value <= top)


def _mark(chart: Chart, series: Series) -> Literal["line", "point"]:
    """A line through a single point would not be seen: it is a mark on the other line, as those of a front are."""
    if series.role == "limit":
        return "line"
    return "point" if chart.kind == "scatter" or series.role == "front" or len(series.points) == 1 else "line"


def _near_zero(values: Sequence[float]) -> bool:
    """Whether the axis should start at zero: unless all values lie far from it and close together."""
    return not values or min(values) < 0.55 * max(values)


def _level(name: str, points: tuple[tuple[float, float], ...]) -> Trace:
    return Trace(name=name, mark="line", style="limit", points=points, dashed=True)


def _spans(chart: Chart, words: Words) -> Plot:
    """Lying bars from one value to another: low, expected and high of a band, or before and after of a step."""
    traces = [
        Trace(name=series.name, mark="bar", style=f"s{at}", values=series.values, labels=series.labels)
        for at, series in enumerate(chart.series, 1)
    ]
    label = chart.y_label
    if chart.kind == "interval" and len(traces) >= 3:
        low, middle, high = (trace.name for trace in traces[:3])
        label = words.band.format(label=label, low=low, middle=middle, high=high)
    values = [value for trace in traces for value in trace.values]
    plot = _bars(chart, tuple(traces), axis_for(values, room=0.1), words, lying=True)
    return replace(plot, value_label=label)


def _categories(chart: Chart, words: Words) -> Plot:
    stacked = chart.kind == "stacked_bar"
    line = chart.kind == "line"
    traces = [
        Trace(name=series.name, mark="line" if line else "bar", style=style, values=series.values, labels=series.labels)
        for series, style in zip(chart.series, styles_of(chart.series), strict=True)
    ]
    tops = _tops(chart.series, stacked=stacked)
    lying = chart.kind == "tornado" or (not line and _long_names(chart.categories))
    alone = len(chart.categories) == 1 and stacked
    if alone:
        traces += _headroom(chart, tops, words)
    elif not lying:
        traces += [_constant(chart, name, value) for name, value in chart.limits]
    tops += [value for _, value in chart.limits]
    # A tornado's amounts stand outside its bars on both sides, beside the names of the inputs.
    axis = axis_for(tops, room=0.0 if line or stacked else _ROOM_OF_AMOUNTS if chart.kind == "tornado" else 0.1)
    return _bars(chart, tuple(traces), axis, words, lying=lying or alone)


def _bars(chart: Chart, traces: tuple[Trace, ...], axis: Axis, words: Words, *, lying: bool) -> Plot:
    shown = [value for trace in traces if trace.mark == "bar" for value in trace.values]
    if chart.kind == "waterfall":
        shown += [after - before for before, after in zip(traces[0].values, traces[1].values, strict=False)]
    return Plot(
        kind=chart.kind,
        shape="bars" if lying else "columns",
        stacked=chart.kind == "stacked_bar",
        categories=chart.categories,
        traces=traces,
        value_axis=axis,
        value_label=chart.y_label,
        other_label=chart.x_label,
        value_form=label_format(shown or axis.ticks),
        limits=chart.limits if lying else (),
        words=words,
    )


def _headroom(chart: Chart, tops: list[float], words: Words) -> list[Trace]:
    """What is left up to the limit, as a piece of its own."""
    top = max(tops, default=0.0)
    return [
        Trace(name=words.free.format(limit=name), mark="bar", style="free", values=(value - top,))
        for name, value in chart.limits[:1]
        if value > top
    ]


def _constant(chart: Chart, name: str, value: float) -> Trace:
    return Trace(name=name, mark="line", style="limit", values=(value,) * len(chart.categories), dashed=True)


def _tops(series: Sequence[Series], *, stacked: bool) -> list[float]:
    if not stacked:
        return [value for row in series for value in row.values]
    columns = list(zip(*(row.values for row in series), strict=True))
    return [sum(max(sign * value, 0.0) for value in column) * sign for column in columns for sign in (1, -1)]


def _long_names(categories: Sequence[str]) -> bool:
    return len(categories) <= _MOST_BARS and max(map(len, categories), default=0) > _LONG_NAME


def _gantt(chart: Chart, words: Words) -> Plot:
    """One row for each category; a series' points are (first day, day after the last), its labels name their row."""
    ends = [day for series in chart.series for point in series.points for day in point]
    return _over_days(chart, days_axis(ends, words), words, shape="gantt")


def _steps(chart: Chart, words: Words) -> Plot:
    """Stacked use: all series have points (day, amount) at the same days; each holds until the next."""
    days = [day for series in chart.series[:1] for day, _ in series.points]
    columns = zip(*(series.points for series in chart.series), strict=True) if chart.series else ()
    tops = [sum(amount for _, amount in column) for column in columns]
    axis = axis_for([*tops, *(value for _, value in chart.limits), 0.0])
    return replace(_over_days(chart, axis, words, shape="steps"), x_axis=days_axis(days, words))


def _over_days(chart: Chart, axis: Axis, words: Words, *, shape: Literal["gantt", "steps"]) -> Plot:
    traces = tuple(
        Trace(name=series.name, mark="bar", style=style, points=series.points, labels=series.labels)
        for series, style in zip(chart.series, styles_of(chart.series), strict=True)
    )
    return Plot(
        kind=chart.kind,
        shape=shape,
        stacked=False,
        categories=chart.categories,
        traces=traces,
        value_axis=axis,
        value_label=chart.y_label,
        other_label=chart.x_label,
        limits=chart.limits,
        words=words,
    )


def styles_of(series: Sequence[Series], *, cloud: bool = False) -> list[str]:
    """The palette in order for main series, in a cloud paler beside a front; the other roles have styles of their own."""
    roles = {row.role for row in series}
    palette = [style for style in _PALETTE if style != _LIKE_HIGHLIGHT or "highlight" not in roles]
    numbered = iter(palette * (1 + len(series) // len(palette)))
    fixed = {"front": "front", "highlight": "highlight", "muted": "muted", "limit": "limit"}
    if cloud and "front" in roles:
        fixed["main"] = "soft"
    return [fixed[row.role] if row.role in fixed else next(numbered) for row in series]
