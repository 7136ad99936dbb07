"""Scatter and line charts: marks in a plane with two axes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

from charts.chart import Chart, Series
from planner.svg.dates import month_ticks
from planner.svg.frame import Scale, element, figure_text, hover, line, scale_over, text, wrap

LEFT, RIGHT, TOP, BOTTOM = 58, 18, 26, 46
Links = Mapping[tuple[float, float], str]


def plane(chart: Chart, width: int, links: Links) -> tuple[str, int]:
    """The marks of a scatter or line chart, and the height of the picture."""
    height = 440 if width > 700 else 330
    points = [point for series in chart.series for point in series.points]
    across = scale_over(
        [*(x for x, _ in points), *_near(chart.x_limits, [x for x, _ in points])],
        start=LEFT,
        end=width - RIGHT,
        log=chart.log_x,
        zero=not chart.log_x and not chart.dates,
    )
    up = scale_over(
        [*(y for _, y in points), *_near(chart.limits, [y for _, y in points])],
        start=height - BOTTOM,
        end=TOP,
        log=chart.log_y,
        zero=not chart.log_y,
    )
    parts = [_grid(chart, across, up, width, height), _limits(chart, across, up)]
    if chart.kind == "line":
        at_end = _apart(chart, max) >= _apart(chart, min)
        parts += [
            _trace(series, across, up, index, None if chart.dates else at_end)
            for index, series in enumerate(chart.series)
        ]
        parts += [_marks(series, across, up, links, "highlight") for series in chart.series if len(series.points) == 1]
    else:
        parts += _cloud(chart, across, up, links)
    return "".join(parts), height


def _near(limits: tuple[tuple[str, float], ...], values: list[float]) -> list[float]:
    """Limits worth showing: not so far from the data that the data would shrink to a dot."""
    top = max(values, default=0.0)
    return [value for _, value in limits if 0 < value <= 3 * top or top <= 0]


def _grid(chart: Chart, across: Scale, up: Scale, width: int, height: int) -> str:
    base = height - BOTTOM
    parts = []
    for value in up.ticks(6):
        y = up(value)
        parts += [line(LEFT, y, width - RIGHT, y, "grid"), text(LEFT - 8, y + 4, figure_text(value), anchor="end")]
    for value, words in _across_ticks(chart, across, width):
        x = across(value)
        parts += [line(x, base, x, base + 5, "axis"), text(x, base + 19, words, anchor="middle")]
    parts.append(line(LEFT, base, width - RIGHT, base, "axis"))
    parts.append(text(LEFT - 8 if width > 500 else 4, 13, chart.y_label, class_="strong"))
    parts.append(text(width - RIGHT, height - 6, chart.x_label, anchor="end", class_="strong"))
    return "".join(parts)


def _across_ticks(chart: Chart, across: Scale, width: int) -> list[tuple[float, str]]:
    if chart.dates:
        return month_ticks(across, max(3, width // 90))
    return [(value, figure_text(value)) for value in across.ticks(max(3, width // 90))]


def _limits(chart: Chart, across: Scale, up: Scale) -> str:
    parts = []
    for name, value in chart.limits:
        if up.low <= value <= up.high:
            y = up(value)
            parts.append(line(across.start, y, across.end, y, "limit"))
            parts.append(text(across.end, y - 5, name, anchor="end", class_="limit-text halo"))
    for name, value in chart.x_limits:
        if across.low <= value <= across.high:
            x = across(value)
            parts.append(line(x, up.start, x, up.end, "limit"))
            anchor = "end" if x > (across.start + across.end) / 2 else "start"
            parts.append(
                text(x + (-6 if anchor == "end" else 6), up.end + 12, name, anchor=anchor, class_="limit-text halo")
            )
    return "".join(parts)


def _cloud(chart: Chart, across: Scale, up: Scale, links: Links) -> list[str]:
    """All points, each once, the important ones on top; the front is joined by a line."""
    order = {"muted": 0, "main": 1, "front": 2, "highlight": 3}
    parts = [
        _path(series.points, across, up, series.name, "trace s1") for series in chart.series if series.role == "front"
    ]
    parts += [
        _path(series.points, across, up, series.name, "limit") for series in chart.series if series.role == "limit"
    ]
    chosen = {point for series in chart.series if series.role == "highlight" for point in series.points}
    shown = [
        _without(series, chosen) if series.role == "front" else series
        for series in chart.series
        if series.role != "limit"
    ]
    return parts + [
        _marks(series, across, up, links, series.role) for series in sorted(shown, key=lambda row: order[row.role])
    ]


def _without(series: Series, points: Collection[tuple[float, float]]) -> Series:
    """The series without points that another one marks; labels stay with their points."""
    kept = [at for at, point in enumerate(series.points) if point not in points]
    labels = tuple(series.labels[at] for at in kept) if series.labels else ()
    return replace(series, points=tuple(series.points[at] for at in kept), labels=labels)


def _apart(chart: Chart, which: Callable[..., tuple[float, float]]) -> float:
    """How far the lines lie apart at their first (min) or last (max) points."""
    ends = [which(series.points)[1] for series in chart.series if len(series.points) > 1]
    return max(ends) - min(ends) if len(ends) > 1 else 0.0


def _trace(series: Series, across: Scale, up: Scale, index: int, at_end: bool | None) -> str:
    """One line of a line chart, with its name at the end where the lines lie further apart; None: names in the legend."""
    if len(series.points) < 2:
        return ""
    style = "limit" if series.role == "limit" else f"trace s{index % 7 + 1}"
    if at_end is None:
        return _path(series.points, across, up, series.name, style)
    x, y = max(series.points) if at_end else min(series.points)
    name = text(
        across(x) + (-2 if at_end else 8),
        up(y) - 9,
        series.name,
        anchor="end" if at_end else "start",
        class_="halo strong",
    )
    return _path(series.points, across, up, series.name, style) + name


def _path(points: tuple[tuple[float, float], ...], across: Scale, up: Scale, name: str, style: str) -> str:
    if len(points) < 2:
        return ""
    path = " ".join(f"{'L' if at else 'M'}{across(x)} {up(y)}" for at, (x, y) in enumerate(sorted(points)))
    return element("path", hover(name), d=path, class_=style)


def _marks(series: Series, across: Scale, up: Scale, links: Links, kind: str) -> str:
    parts = []
    for index, (x, y) in enumerate(series.points):
        label = series.labels[index] if index < len(series.labels) else series.name
        words = hover(f"{label}: {figure_text(x)}, {figure_text(y)}")
        mark = shape(kind, across(x), up(y), words)
        href = links.get((x, y))
        parts.append(element("a", mark, href=href, aria_label=label) if href else mark)
        if kind == "highlight":
            parts.append(_callout(label, across(x), up(y), across))
    return "".join(parts)


def shape(kind: str, x: float, y: float, inner: str) -> str:
    """A diamond for the chosen point, a disc on the front, dots and hollow rings elsewhere: not colour alone."""
    if kind == "highlight":
        return element("path", inner, d=f"M{x} {y - 9}L{x + 9} {y}L{x} {y + 9}L{x - 9} {y}Z", class_="point highlight")
    return element("circle", inner, cx=x, cy=y, r={"front": 6.5, "main": 3.5}.get(kind, 4.5), class_=f"point {kind}")


def _callout(label: str, x: float, y: float, across: Scale) -> str:
    left = x < (across.start + across.end) / 2
    room = (across.end - x if left else x - across.start) / 7
    shown = wrap(label, max(10, min(40, int(room))), 1)[0]
    return text(x + (8 if left else -8), y - 16, shown, anchor="start" if left else "end", class_="strong halo")
