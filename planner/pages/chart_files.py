"""A chart as a file of its own: its numbers as CSV, its picture as SVG with the colours of the light theme."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from html import escape
from io import StringIO

from django.http import Http404, HttpResponse

from charts.chart import Chart
from charts.marks import Measure
from charts.svg import element, full_or_wide, picture_of, svg, wide
from charts.words import day_of
from planner.chart_words import PAGE

_FORMATS = {"csv": "text/csv; charset=utf-8", "svg": "image/svg+xml"}
_RISKY = ("=", "+", "-", "@", "\t", "\r")
_HEAD = 58
_STYLE = """
svg{font-family:"Helvetica Neue",Arial,sans-serif;color:#4c5b66}
text{fill:#4c5b66;font-size:12px}.title{fill:#12222e;font-size:16px;font-weight:600}.strong{fill:#12222e;font-weight:600}
.halo{paint-order:stroke;stroke:#fff;stroke-width:4px}.grid{stroke:#d9d2c3}.axis{stroke:#75828a}
.limit{stroke:#9c2219;stroke-dasharray:6 4;stroke-width:1.5;fill:none}.limit-text{fill:#9c2219;font-weight:600}
.s1,.front{fill:#0d6470}.s2{fill:#46607f}.s3{fill:#94640c}.s4{fill:#8a4a5e}.s5{fill:#5d7a3c}.s6{fill:#6d5f8d}.s7,.s8{fill:#75684f}
.soft{fill:#93aeb2}.bar{stroke:#fff}.muted{fill:#fff;stroke:#75828a;stroke-width:1.4}.free{fill:#fff;stroke:#75828a}
.highlight{fill:#94640c}.point.highlight{stroke:#12222e;stroke-width:1.5}.key{fill:#fff;font-weight:600}
.over{fill:#fae4df;stroke:#9c2219;stroke-width:1.5}.over--strokes{fill:none}
.trace{fill:none;stroke:#0d6470;stroke-width:2.2}.trace.s2{stroke:#46607f;stroke-dasharray:7 3}
.trace.s3,.trace.highlight{stroke:#94640c;stroke-dasharray:2 3}.trace.s4{stroke:#8a4a5e}
"""


def chart_file(charts: Iterable[Chart], ident: str, format_: str) -> HttpResponse:
    """The chart of that id as a download; Http404 for an unknown chart or format."""
    chart = next((item for item in charts if item.id == ident), None)
    if chart is None or format_ not in _FORMATS:
        raise Http404("There is no such chart.")
    body = csv_of(chart) if format_ == "csv" else svg_of(chart)
    headers = {"Content-Disposition": f'attachment; filename="{chart.id}.{format_}"'}
    return HttpResponse(body, content_type=_FORMATS[format_], headers=headers)


def csv_of(chart: Chart) -> str:
    """All values of the chart, unrounded, one row for each point or category."""
    out = StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerows([safe(cell) for cell in row] for row in _rows(chart))
    return out.getvalue()


def _rows(chart: Chart) -> Iterable[list[object]]:
    if chart.kind in ("scatter", "line", "steps", "gantt"):
        yield from _point_rows(chart)
        return
    yield [chart.x_label or "item", *(f"{series.name} ({chart.y_label})" for series in chart.series)]
    for at, name in enumerate(chart.categories):
        yield [name, *(series.values[at] if at < len(series.values) else "" for series in chart.series)]


def _point_rows(chart: Chart) -> Iterable[list[object]]:
    """One row for each point; days as ISO dates, the last day of a bar and not the one after it."""
    bars = chart.kind == "gantt"
    heads = ["first day", "last day"] if bars else [chart.x_label or "x", chart.y_label or "y"]
    yield ["series", "label", *heads]
    for series in chart.series:
        labels = (*series.labels, *[""] * (len(series.points) - len(series.labels)))
        for label, (x, y) in zip(labels, series.points, strict=True):
            shown: object = day_of(x).isoformat() if chart.dates or bars else x
            yield [series.name, label, shown, day_of(y - 1).isoformat() if bars else y]


def safe(cell: object) -> object:
    """Text that a spreadsheet would run as a formula stands behind an apostrophe; numbers stay numbers."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_RISKY) else cell


def svg_of(chart: Chart) -> str:
    """The picture with its finding as title and its legend, readable without the page."""
    width = full_or_wide(chart)
    height = round(picture_of(chart, width=width, words=PAGE, legend=True).height)
    inner = svg(chart, width=width, words=PAGE, legend=True)
    inner = inner.replace("<svg ", f'<svg x="0" y="{_HEAD}" width="{width}" height="{height}" ', 1)
    lines = Measure(12.0, wide).wrapped(chart.finding, width * 0.7)
    title = "".join(element("text", escape(line), x=8, y=22 + 20 * at, class_="title") for at, line in enumerate(lines))
    whole = _HEAD + height + 8
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {whole}" width="{width}" height="{whole}">'
        f"<title>{escape(chart.finding)}</title><style>{_STYLE}</style>"
        f"{element('rect', width=width, height=whole, fill='#ffffff')}{title}{inner}</svg>"
    )
