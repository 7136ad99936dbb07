"""The data behind a chart as rows of a table, and what the picture shows for those who cannot see it."""

from __future__ import annotations

from charts.chart import Chart
from charts.words import ENGLISH, Words


def description(chart: Chart, words: Words = ENGLISH) -> str:
    """Kind, axes, limits and size of the chart in a few sentences."""
    axes = f"{chart.x_label} and {chart.y_label}" if chart.x_label and chart.y_label else chart.x_label or chart.y_label
    limits = "; ".join(f"{name} {words.value(value)}" for name, value in (*chart.limits, *chart.x_limits))
    size = sum(len(series.points) or len(series.values) for series in chart.series)
    about = f"{chart.kind.replace('_', ' ')} chart of {axes}, {size} values in {len(chart.series)} series."
    return f"{about.capitalize()}{f' Limits: {limits}.' if limits else ''} The data follows as a table."


def rows_of(chart: Chart, words: Words = ENGLISH) -> tuple[list[str], list[list[str]]]:
    """Headings and rows of the data table behind a chart."""
    if chart.kind == "gantt":
        return _gantt_rows(chart, words)
    if any(series.points for series in chart.series) or not chart.categories:
        return _point_rows(chart, words)
    heads = [chart.x_label or "Item", *(series.name for series in chart.series)]
    rows = [
        [name, *(words.value(series.values[at]) if at < len(series.values) else "" for series in chart.series)]
        for at, name in enumerate(chart.categories)
    ]
    return heads, rows


def _gantt_rows(chart: Chart, words: Words) -> tuple[list[str], list[list[str]]]:
    """First and last day of each bar."""
    rows = [
        [name, series.name, words.day(start), words.day(end - 1)]
        for series in chart.series
        for name, (start, end) in zip(series.labels, series.points, strict=False)
    ]
    return [chart.y_label or "Item", "Series", "First day", "Last day"], rows


def _point_rows(chart: Chart, words: Words) -> tuple[list[str], list[list[str]]]:
    across = words.day if chart.dates else words.value
    rows = [
        [series.labels[at] if at < len(series.labels) else series.name, series.name, across(x), words.value(y)]
        for series in chart.series
        for at, (x, y) in enumerate(series.points)
    ]
    return ["Point", "Series", chart.x_label, chart.y_label], rows
