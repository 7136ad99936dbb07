"""A chart as templates print it: pictures for wide and narrow windows, legend, data table, downloads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.safestring import SafeString, mark_safe

from charts.chart import Chart
from charts.svg import NARROW, full_or_wide, legend_of, svg
from charts.table import rows_of
from planner.chart_words import PAGE


@dataclass(frozen=True, kw_only=True)
class ChartView:
    """A chart as the template prints it: two widths of the picture, its legend and its data."""

    id: str
    finding: str
    wide: SafeString
    narrow: SafeString
    legend: list[tuple[SafeString, str]]
    heads: list[str]
    rows: list[list[str]]
    note: str


def chart_view(chart: Chart, links: Mapping[tuple[float, float], str] | None = None) -> ChartView:
    """That chart for the page; `links` gives points an address."""
    heads, rows = rows_of(chart, PAGE)
    wide = full_or_wide(chart)
    return ChartView(
        id=chart.id,
        finding=chart.finding,
        wide=mark_safe(svg(chart, width=wide, words=PAGE, links=links or {})),  # noqa: S308 — charts.svg escapes every text
        narrow=mark_safe(svg(chart, width=NARROW, words=PAGE, links=links or {})),  # noqa: S308 — likewise
        legend=[(mark_safe(swatch), name) for swatch, name in legend_of(chart, PAGE)],  # noqa: S308 — likewise
        heads=heads,
        rows=rows,
        note=chart.note,
    )
