"""One entry for all kinds of chart: the picture, and the same data as rows of a table."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from charts.chart import Chart
from planner.svg.bars import bars
from planner.svg.dates import day_text
from planner.svg.frame import element, figure_text
from planner.svg.points import plane, shape
from planner.svg.timeline import gantt, steps

FULL, WIDE, NARROW = 920, 540, 344
_SIZES = {FULL: "full", WIDE: "wide", NARROW: "narrow"}


def full_or_wide(chart: Chart) -> int:
    """The width of the larger picture of that chart."""
    return FULL if chart.kind in ("scatter", "gantt", "steps") or chart.dates else WIDE


def draw(chart: Chart, *, width: int = WIDE, links: Mapping[tuple[float, float], str] | None = None) -> str:
    """That chart as one `<svg>` element of `width` units; `links` gives points an address by their (x, y).

    With links the picture is a group (its points can be reached by keyboard), without them one image.
    """
    marks, height = _marks(chart, width, links or {})
    ident = f"chart-{chart.id}-{width}"
    title = element("title", escape(chart.finding) or " ", id=f"{ident}-t")
    about = element("desc", escape(description(chart)), id=f"{ident}-d")
    return element(
        "svg",
        title + about + marks,
        class_=f"chart__svg chart__svg--{_SIZES.get(width, 'wide')}",
        viewBox=f"0 0 {width} {height}",
        role="group" if links else "img",
        aria_labelledby=f"{ident}-t",
        aria_describedby=f"{ident}-d",
    )


def _marks(chart: Chart, width: int, links: Mapping[tuple[float, float], str]) -> tuple[str, int]:
    if chart.kind in ("scatter", "line"):
        return plane(chart, width, links)
    if chart.kind in ("gantt", "steps"):
        return gantt(chart, width) if chart.kind == "gantt" else steps(chart, width)
    return bars(chart, width)


def description(chart: Chart) -> str:
    """What the picture shows, for those who cannot see it."""
    axes = f"{chart.x_label} and {chart.y_label}" if chart.x_label and chart.y_label else chart.x_label or chart.y_label
    limits = "; ".join(f"{name} {figure_text(value)}" for name, value in (*chart.limits, *chart.x_limits))
    size = sum(len(series.points) or len(series.values) for series in chart.series)
    words = f"{chart.kind.replace('_', ' ')} chart of {axes}, {size} values in {len(chart.series)} series."
    return f"{words.capitalize()}{f' Limits: {limits}.' if limits else ''} The data follows as a table."


def rows_of(chart: Chart) -> tuple[list[str], list[list[str]]]:
    """Headings and rows of the data table behind a chart."""
    if chart.kind == "gantt":
        return _gantt_rows(chart)
    if chart.kind in ("scatter", "line", "steps"):
        return _point_rows(chart)
    heads = [chart.x_label or "Item", *(series.name for series in chart.series)]
    rows = [
        [name, *(figure_text(series.values[at]) if at < len(series.values) else "" for series in chart.series)]
        for at, name in enumerate(chart.categories)
    ]
    return heads, rows


def _gantt_rows(chart: Chart) -> tuple[list[str], list[list[str]]]:
    """First and last day of each bar."""
    rows = [
        [name, series.name, day_text(start), day_text(end - 1)]
        for series in chart.series
        for name, (start, end) in zip(series.labels, series.points, strict=False)
    ]
    return [chart.y_label or "Item", "Series", "First day", "Last day"], rows


def _point_rows(chart: Chart) -> tuple[list[str], list[list[str]]]:
    across = day_text if chart.dates else figure_text
    rows = [
        [series.labels[at] if at < len(series.labels) else series.name, series.name, across(x), figure_text(y)]
        for series in chart.series
        for at, (x, y) in enumerate(series.points)
    ]
    return ["Point", "Series", chart.x_label, chart.y_label], rows


def legend(chart: Chart) -> list[tuple[str, str]]:
    """A small picture of each series' mark with its name; none for a single series or where names stand in the chart."""
    if len(chart.series) < 2 or chart.kind in ("interval", "waterfall") or (chart.kind == "line" and not chart.dates):
        return []
    return [(_swatch(chart, index), series.name) for index, series in enumerate(chart.series)]


def _swatch(chart: Chart, index: int) -> str:
    role = chart.series[index].role
    if chart.kind == "scatter":
        mark = shape(role, 8, 8, "")
        if role == "limit":
            mark = element("path", d="M0 8H16", class_="limit")
    else:
        style = ("lower", "upper")[index % 2] if chart.kind == "tornado" else f"s{index % 7 + 1}"
        mark = element("rect", x=0, y=0, width=16, height=16, rx=3, class_=style)
        if chart.kind == "line":
            mark = element("path", d="M0 8H16", class_="limit" if role == "limit" else f"trace s{index % 7 + 1}")
        elif role == "limit":
            mark = element("rect", x=1, y=1, width=14, height=14, class_="over")
            mark += element("path", d="M2 14L8 2M8 14L14 2", class_="over over--strokes")
        if chart.kind in ("stacked_bar", "steps"):
            mark += element("text", str(index + 1), x=8, y=12.5, text_anchor="middle", class_="key")
    return element("svg", mark, viewBox="0 0 16 16", class_="chart__svg swatch", aria_hidden="true", focusable="false")
