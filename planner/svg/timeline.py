"""Charts over time: bars from one day to another (gantt), and stacked use that steps up and down against a limit."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from charts.chart import Chart, Series
from planner.svg.dates import day_text, month_ticks
from planner.svg.frame import Scale, element, figure_text, hover, line, scale_over, text, wrap

RIGHT, TOP, BOTTOM = 18, 14, 30
_BAR = 16


def gantt(chart: Chart, width: int) -> tuple[str, int]:
    """One row for each category; a series' points are (first day, day after the last), its labels name their row."""
    wide = width > 500
    left = min(max((len(name) for name in chart.categories), default=0) * 7 + 14, 210) if wide else 8
    row = 30 if wide else 42
    height = TOP + row * max(len(chart.categories), 1) + BOTTOM
    ends = [day for series in chart.series for point in series.points for day in point]
    scale = scale_over(ends, start=left, end=width - RIGHT, pad=0.02)
    parts = [_months(scale, TOP, height - BOTTOM)]
    middle: dict[str, float] = {}
    for index, name in enumerate(chart.categories):
        top = TOP + row * index
        middle.setdefault(name, top + (row / 2 if wide else row - _BAR / 2 - 3))
        words = wrap(name, 28 if wide else 46, 1)[0]
        parts.append(text(left - 10, top + row / 2 + 4, words, anchor="end") if wide else text(left, top + 15, words))
    for at, series in enumerate(chart.series):
        parts += [
            _span(series, name, start, end, scale, middle[name], at)
            for name, (start, end) in zip(series.labels, series.points, strict=False)
            if name in middle
        ]
    return "".join(parts), height


def _span(series: Series, name: str, start: float, end: float, scale: Scale, middle: float, at: int) -> str:
    """One bar; of the limit a frame with strokes in it, so that it is not told by colour alone."""
    words = hover(f"{name}, {series.name}: {day_text(start)} to {day_text(end - 1)}")
    x, size = scale(start), max(scale(end) - scale(start), 2.0)
    if series.role != "limit":
        return element(
            "rect", words, x=x, y=middle - _BAR / 2, width=size, height=_BAR, rx=2, class_=f"bar s{at % 7 + 1}"
        )
    strokes = "".join(
        f"M{round(x + step, 1)} {middle + _BAR / 2}l6 {-_BAR}" for step in range(3, max(int(size) - 6, 4), 8)
    )
    frame = element("rect", words, x=x, y=middle - _BAR / 2, width=size, height=_BAR, class_="over")
    return frame + element("path", d=strokes, class_="over over--strokes")


def steps(chart: Chart, width: int) -> tuple[str, int]:
    """Stacked use: all series have points (day, amount) at the same days; each holds until the next. `limits`: lines."""
    height = 260 if width > 500 else 230
    days = [point[0] for point in chart.series[0].points] if chart.series else []
    sums = [sum(series.points[at][1] for series in chart.series) for at in range(len(days))]
    across = scale_over(days, start=46, end=width - RIGHT, pad=0.02)
    up = scale_over([*sums, *(value for _, value in chart.limits), 0.0], start=height - BOTTOM, end=26, zero=True)
    parts = [_grid(chart, across, up, width)]
    below = [0.0] * len(days)
    for at, series in enumerate(chart.series):
        tops = [base + point[1] for base, point in zip(below, series.points, strict=True)]
        parts += _layer(series, days, below, tops, across, up, at)
        below = tops
    for name, value in chart.limits:
        y = up(value)
        parts.append(line(across.start, y, across.end, y, "limit"))
        parts.append(text(across.end, y - 5, f"{name} {figure_text(value)}", anchor="end", class_="limit-text halo"))
    return "".join(parts), height


def _layer(
    series: Series,
    days: Sequence[float],
    below: Sequence[float],
    tops: Sequence[float],
    across: Scale,
    up: Scale,
    at: int,
) -> list[str]:
    parts = []
    for index, (start, end) in enumerate(pairwise(days)):
        amount = tops[index] - below[index]
        if amount <= 0:
            continue
        words = hover(f"{series.name}: {figure_text(amount)}, {day_text(start)} to {day_text(end - 1)}")
        x, y = across(start), up(tops[index])
        parts.append(
            element("rect", words, x=x, y=y, width=max(across(end) - x, 1.0), height=up(below[index]) - y,
                    class_=f"bar s{at % 7 + 1}")
        )  # fmt: skip
        if across(end) - x >= 16 and up(below[index]) - y >= 14:
            middle = (up(below[index]) + y) / 2 + 4
            parts.append(text((across(end) + x) / 2, middle, str(at + 1), anchor="middle", class_="key"))
    return parts


def _grid(chart: Chart, across: Scale, up: Scale, width: int) -> str:
    parts = [_months(across, up.end, up.start)]
    for value in up.ticks(5):
        parts += [line(across.start, up(value), across.end, up(value), "grid")]
        parts += [text(across.start - 8, up(value) + 4, figure_text(value), anchor="end")]
    parts.append(text(across.start - 8 if width > 500 else 4, 13, chart.y_label, class_="strong"))
    return "".join(parts)


def _months(scale: Scale, top: float, base: float) -> str:
    """The months as lines and labels under them."""
    parts = [line(scale.start, base, scale.end, base, "axis")]
    for day, label in month_ticks(scale, int((scale.end - scale.start) / 68)):
        parts += [line(scale(day), top, scale(day), base, "grid"), text(scale(day), base + 17, label, anchor="middle")]
    return "".join(parts)
