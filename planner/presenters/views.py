"""A chart as templates print it: pictures for wide and narrow windows, legend, data table, downloads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.safestring import SafeString, mark_safe

from charts.chart import Chart
from planner.svg import draw, legend, rows_of
from planner.svg.draw import NARROW, full_or_wide


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
    heads, rows = rows_of(chart)
    wide = full_or_wide(chart)
    return ChartView(
        id=chart.id,
        finding=chart.finding,
        wide=mark_safe(draw(chart, width=wide, links=links or {})),  # noqa: S308 — planner.svg escapes every text
        narrow=mark_safe(draw(chart, width=NARROW, links=links or {})),  # noqa: S308 — likewise
        legend=[(mark_safe(swatch), name) for swatch, name in legend(chart)],  # noqa: S308 — likewise
        heads=heads,
        rows=rows,
        note=chart.note,
    )
