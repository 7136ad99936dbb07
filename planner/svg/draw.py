"""One entry for all kinds of chart: the picture, and the same data as rows of a table."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from planner.charts import Chart
from planner.svg.bars import bars
from planner.svg.frame import element, figure_text
from planner.svg.points import plane

WIDE, NARROW = 720, 344


def draw(chart: Chart, *, width: int = WIDE, links: Mapping[tuple[float, float], str] | None = None) -> str:
    """That chart as one `<svg>` element of `width` units; `links` gives points an address by their (x, y).

    With links the picture is a group (its points can be reached by keyboard), without them one image.
    """
    marks, height = plane(chart, width, links or {}) if chart.kind in ("scatter", "line") else bars(chart, width)
    ident = f"chart-{chart.id}-{width}"
    title = element("title", escape(chart.finding) or " ", id=f"{ident}-t")
    about = element("desc", escape(description(chart)), id=f"{ident}-d")
    return element(
        "svg",
        title + about + marks,
        class_=f"chart__svg chart__svg--{'wide' if width > 500 else 'narrow'}",
        viewBox=f"0 0 {width} {height}",
        role="group" if links else "img",
        aria_labelledby=f"{ident}-t",
        aria_describedby=f"{ident}-d",
    )


def description(chart: Chart) -> str:
    """What the picture shows, for those who cannot see it."""
    axes = f"{chart.x_label} and {chart.y_label}" if chart.x_label and chart.y_label else chart.x_label or chart.y_label
    limits = "; ".join(f"{name} {figure_text(value)}" for name, value in (*chart.limits, *chart.x_limits))
    size = sum(len(series.points) or len(series.values) for series in chart.series)
    words = f"{chart.kind.replace('_', ' ')} chart of {axes}, {size} values in {len(chart.series)} series."
    return f"{words.capitalize()}{f' Limits: {limits}.' if limits else ''} The data follows as a table."


def rows_of(chart: Chart) -> tuple[list[str], list[list[str]]]:
    """Headings and rows of the data table behind a chart."""
    if chart.kind in ("scatter", "line"):
        return _point_rows(chart)
    heads = [chart.x_label or "Item", *(series.name for series in chart.series)]
    rows = [
        [name, *(figure_text(series.values[at]) if at < len(series.values) else "" for series in chart.series)]
        for at, name in enumerate(chart.categories)
    ]
    return heads, rows


def _point_rows(chart: Chart) -> tuple[list[str], list[list[str]]]:
    rows = [
        [series.labels[at] if at < len(series.labels) else series.name, series.name, figure_text(x), figure_text(y)]
        for series in chart.series
        for at, (x, y) in enumerate(series.points)
    ]
    return ["Point", "Series", chart.x_label, chart.y_label], rows
