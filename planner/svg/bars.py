"""Bars, stacked bars, tornadoes and intervals: one row for each category."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate

from charts.chart import Chart, Series
from planner.svg.frame import Scale, element, figure_text, hover, line, scale_over, text, wrap

RIGHT, TOP, BOTTOM = 66, 12, 40
LETTER = 6.7
"""Width of a digit in the texts of a chart [px]."""


def bars(chart: Chart, width: int) -> tuple[str, int]:
    """The marks of a chart with one row per category, and the height of the picture."""
    wide = width > 500
    left = _left(chart, wide)
    row = (34 if wide else 50) if chart.kind != "stacked_bar" else (56 if wide else 66)
    thick = 18 if chart.kind != "stacked_bar" else 34
    if chart.kind == "bar" and len(chart.series) > 1:
        row += thick * (len(chart.series) - 1)
    count = max(len(chart.categories), 1)
    top = TOP + (16 if chart.limits else 0)
    height = top + row * count + BOTTOM
    scale = _scale(chart, left, width - (20 if chart.kind == "stacked_bar" and len(chart.series) > 1 else RIGHT))
    parts = [_grid(chart, scale, top, height - BOTTOM, width)]
    for index, category in enumerate(chart.categories):
        middle = top + row * index + (row / 2 if wide or not left else row - thick / 2 - 6)
        if not wide:
            middle = top + row * index + row - thick / 2 - 6
        parts.append(_label(category, left, top + row * index, middle, wide))
        parts.append(_row(chart, index, scale, middle, thick))
    parts.append(_limits(chart, scale, top, height - BOTTOM))
    return "".join(parts), height


def _left(chart: Chart, wide: bool) -> int:
    if not wide or not any(chart.categories):
        return 8
    longest = max((len(part) for name in chart.categories for part in wrap(name, 30)), default=0)
    return min(max(longest * 7 + 14, 40), 226)


def _scale(chart: Chart, left: int, right: int) -> Scale:
    if chart.kind == "stacked_bar":
        sums = [sum(_value(series, index) for series in chart.series) for index in range(len(chart.categories))]
        values = [*sums, *(value for _, value in chart.limits)]
        return scale_over([0.0, *values], start=left, end=right, zero=True, pad=0.02)
    values = [value for series in chart.series for value in series.values]
    return scale_over([0.0, *values], start=left, end=right, zero=True, pad=0.03)


def _value(series: Series, index: int) -> float:
    return series.values[index] if index < len(series.values) else 0.0


def _grid(chart: Chart, scale: Scale, top: float, base: float, width: int) -> str:
    parts = []
    ticks = scale.ticks(6 if width > 500 else 4)
    told = _with_room(scale, ticks)
    for value in ticks:
        x = scale(value)
        parts += [line(x, top - 4, x, base, "axis" if value == 0 else "grid")]
        parts += [text(x, base + 15, figure_text(value), anchor="middle")] if value in told else []
    # The value axis is horizontal here, whatever the chart calls it.
    name = chart.y_label or chart.x_label
    name = {"s": "seconds", "ms": "milliseconds"}.get(name, name) or chart.x_label
    parts.append(text(scale.end, base + 33, name, anchor="end", class_="strong"))
    return "".join(parts)


def _with_room(scale: Scale, ticks: Sequence[float]) -> list[float]:
    """Every n-th of those values, counted from zero, so that their texts stand clear of each other."""
    if len(ticks) < 2:
        return list(ticks)
    apart, widest = scale(ticks[1]) - scale(ticks[0]), max(len(figure_text(value)) for value in ticks) * LETTER
    every = max(1, math.ceil((widest + 8) / apart))
    return [value for value in ticks if round(value / (ticks[1] - ticks[0])) % every == 0]


def _label(category: str, left: int, top: float, middle: float, wide: bool) -> str:
    if not category:
        return ""
    if not wide:
        return text(left, top + 16, wrap(category, 46, 1)[0])
    lines = wrap(category, 30)
    first = middle + 4 - 7 * (len(lines) - 1)
    return "".join(text(left - 10, first + 14 * at, words, anchor="end") for at, words in enumerate(lines))


def _row(chart: Chart, index: int, scale: Scale, middle: float, thick: int) -> str:
    if chart.kind == "stacked_bar":
        return _stack(chart, index, scale, middle, thick)
    if chart.kind == "tornado":
        return _tornado(chart, index, scale, middle, thick)
    if chart.kind == "interval":
        return _interval(chart, index, scale, middle)
    if chart.kind == "waterfall":
        return _step(chart, index, scale, middle, thick)
    offset = -thick * (len(chart.series) - 1) / 2
    return "".join(
        _bar(series, index, scale, middle + offset + thick * at, thick, f"s{at + 1}", chart.categories[index])
        for at, series in enumerate(chart.series)
    )


def _bar(series: Series, index: int, scale: Scale, middle: float, thick: int, style: str, category: str) -> str:
    value = _value(series, index)
    start, end = sorted((scale(0), scale(value)))
    label = series.labels[index] if index < len(series.labels) else figure_text(value)
    rectangle = element(
        "rect",
        hover(f"{category}, {series.name}: {label}"),
        x=start,
        y=middle - thick / 2,
        width=max(end - start, 1.5),
        height=thick,
        class_=f"bar {style}",
    )
    return rectangle + text(end + 6, middle + 4, figure_text(value), class_="strong")


def _stack(chart: Chart, index: int, scale: Scale, middle: float, thick: int) -> str:
    ends = list(accumulate(_value(series, index) for series in chart.series))
    parts = []
    for at, (series, end) in enumerate(zip(chart.series, ends, strict=True)):
        value = _value(series, index)
        start = scale(end - value)
        size = scale(end) - start
        words = hover(f"{series.name}: {figure_text(value)}")
        if size > 0:
            parts.append(
                element(
                    "rect",
                    words,
                    x=start,
                    y=middle - thick / 2,
                    width=size,
                    height=thick,
                    class_=f"bar s{at % 7 + 1}",
                )
            )
        if size >= 16 and len(chart.series) > 1:
            parts.append(text(start + size / 2, middle + 4, str(at + 1), anchor="middle", class_="key"))
    if len(chart.series) == 1:
        parts.append(text(scale(ends[-1]) + 6, middle + 4, figure_text(ends[-1]), class_="strong"))
    return "".join(parts)


def _tornado(chart: Chart, index: int, scale: Scale, middle: float, thick: int) -> str:
    parts = []
    for series, style in zip(chart.series, ("lower", "upper"), strict=False):
        value = _value(series, index)
        start, end = sorted((scale(0), scale(value)))
        label = series.labels[index] if index < len(series.labels) else series.name
        words = hover(f"{chart.categories[index]}, {label}: {figure_text(value)}")
        parts.append(
            element(
                "rect",
                words,
                x=start,
                y=middle - thick / 2,
                width=max(end - start, 1),
                height=thick,
                class_=f"bar {style}",
            )
        )
    return "".join(parts)


def _interval(chart: Chart, index: int, scale: Scale, middle: float) -> str:
    """Whiskers from the first to the last series, a diamond at the one in the middle."""
    values = sorted(_value(series, index) for series in chart.series)
    low, high, centre = values[0], values[-1], values[len(values) // 2]
    x = scale(centre)
    words = hover(f"{chart.categories[index]}: {figure_text(low)} to {figure_text(high)}")
    return "".join(
        (
            element("rect", words, x=scale(low), y=middle - 6, width=max(scale(high) - scale(low), 2), height=12,
                    class_="bar s1", opacity=0.35),
            element("path", d=f"M{x} {middle - 9}L{x + 8} {middle}L{x} {middle + 9}L{x - 8} {middle}Z",
                    class_="point highlight"),
            text(scale(high) + 12, middle + 4, figure_text(centre), class_="strong"),
        )
    )  # fmt: skip


def _step(chart: Chart, index: int, scale: Scale, middle: float, thick: int) -> str:
    """A whole from zero at both ends; between them what is added or taken away, told by its sign."""
    start, end = (_value(series, index) for series in chart.series[:2])
    whole = index in (0, len(chart.categories) - 1)
    change = end - start
    shown = figure_text(end) if whole else f"{'+' if change > 0 else ''}{figure_text(change)}"
    low, high = sorted((scale(start), scale(end)))
    style = "s3" if whole else "upper" if change > 0 else "lower"
    words = hover(f"{chart.categories[index]}: {shown}")
    bar = element(
        "rect", words, x=low, y=middle - thick / 2, width=max(high - low, 1.5), height=thick, class_=f"bar {style}"
    )
    return bar + text(high + 6, middle + 4, shown, class_="strong")


def _limits(chart: Chart, scale: Scale, top: float, base: float) -> str:
    parts = []
    for name, value in chart.limits:
        x = scale(value)
        anchor = "end" if x > (scale.start + scale.end) / 2 else "start"
        parts.append(line(x, top - 6, x, base, "limit"))
        words = name if figure_text(value) in name else f"{name} {figure_text(value)}"
        parts.append(text(x, top - 10, words, anchor=anchor, class_="limit-text"))
    return "".join(parts)
