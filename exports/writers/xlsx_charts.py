"""Native charts of the workbook, all in one look, each with an alternative text."""

from __future__ import annotations

from typing import Any

from xlsxwriter.chart import Chart as NativeChart
from xlsxwriter.worksheet import Worksheet

from charts.chart import Chart
from exports.document import Figure
from exports.text import shorten
from exports.wording import tr
from exports.writers.look import current
from exports.writers.plot import colours_of
from exports.writers.xlsx_book import DECIMAL, Book

WIDTH, HEIGHT = 540, 300
WIDE = 640
"""Of a chart that stands above its table [pixel]."""
_ROWS = 17
"""Rows that such a chart covers."""


def styled(
    chart: NativeChart,
    title: str,
    category: str,
    value: str,
    *,
    lying: bool,
    number: str = "#,##0",
    legend: bool = True,
    from_zero: bool = False,
) -> None:
    """Our look: quiet grid, small axis text, the finding as title. In XlsxWriter a lying bar's categories are its y axis."""
    look, font = current(), _font()
    heading = {"name": look.office_font, "size": 11, "bold": True, "color": f"#{look.ink}"}
    chart.set_title({"name": shorten(title, 110), "name_font": heading, "overlay": False} if title else {"none": True})
    grid = {"visible": True, "line": {"color": f"#{look.line}", "width": 0.5}}
    common: dict[str, Any] = {"name_font": font, "num_font": font, "line": {"color": f"#{look.line}"}}
    values: dict[str, Any] = common | {"name": value, "num_format": number, "major_gridlines": grid}
    if from_zero:
        values |= {"min": 0}
    names = common | {"name": category, "label_position": "low", "major_gridlines": {"visible": False}}
    if lying:
        # The first category on top, and the values below all the same.
        chart.set_y_axis(names | {"reverse": True, "crossing": "max"})
        chart.set_x_axis(values)
    else:
        chart.set_x_axis(names)
        chart.set_y_axis(values)
    chart.set_legend({"position": "bottom", "font": font} if legend else {"none": True})
    chart.set_chartarea({"border": {"color": f"#{look.line}"}})


def insert(
    sheet: Worksheet, row: int, column: int, chart: NativeChart, alt: str, *, width: int = WIDTH, height: int = HEIGHT
) -> None:
    """Puts the chart there with its alternative text."""
    chart.set_size({"width": width, "height": height})
    sheet.insert_chart(row, column, chart, {"description": shorten(alt, 1000), "object_position": 2})


def colour(index: int, role: str = "main") -> str:
    """Colour of the series with that place and role."""
    look = current()
    fixed = {"highlight": look.highlight, "muted": look.faint, "limit": look.limit}
    return f"#{fixed.get(role) or look.series[index % len(look.series)]}"


def _font() -> dict[str, Any]:
    """Of axes and legends."""
    look = current()
    return {"name": look.office_font, "size": 9, "color": f"#{look.muted}"}


def write_figure(book: Book, sheet: Worksheet, row: int, item: Figure) -> int:
    """The figure at that row: heading, chart, and below it the chart's data; returns the first free row."""
    chart, font = item.chart, _font()
    book.text(sheet, row, 0, item.caption, "heading")
    extra = 14 * max(0, len(chart.categories) - 6)
    top = row + _ROWS + extra // 20
    rows = _points(book, sheet, top, chart) if chart.series[0].points else _categories(book, sheet, top, chart)
    kind, subtype = _kind(chart)
    native = book.file.add_chart({"type": kind, **({"subtype": subtype} if subtype else {})})
    _series(native, sheet, top, chart)
    styled(
        native,
        "",  # the heading above says it
        chart.x_label,
        chart.y_label,
        lying=kind == "bar",
        number="#,##0" if _largest(chart) >= 100 else "General",
        legend=len(chart.series) > 1,
    )
    if chart.log_x and kind == "scatter":
        native.set_x_axis({"name": chart.x_label, "log_base": 10, "name_font": font, "num_font": font})
    if chart.log_y and kind == "scatter":
        native.set_y_axis(
            {"name": chart.y_label, "log_base": 10, "name_font": font, "num_font": font, "num_format": "#,##0"}
        )
    insert(sheet, row + 1, 0, native, item.alt, width=WIDE, height=HEIGHT + extra)
    return top + rows + 3


def _largest(chart: Chart) -> float:
    return max(
        (abs(y) for series in chart.series for y in (*series.values, *(p[1] for p in series.points))), default=0.0
    )


def _kind(chart: Chart) -> tuple[str, str]:
    if chart.kind == "scatter":
        return "scatter", ""
    if chart.kind == "line":
        return "scatter", "straight"
    if chart.kind == "stacked_bar":
        return "bar", "stacked"
    return ("bar" if max(map(len, chart.categories), default=0) > 8 else "column"), ""


def _points(book: Book, sheet: Worksheet, row: int, chart: Chart) -> int:
    """Two columns for each series, the first below its name; returns the number of rows."""
    for index, series in enumerate(chart.series):
        book.text(sheet, row, 2 * index, f"{series.name}\n{chart.x_label}", "header_right")
        book.text(sheet, row, 2 * index + 1, chart.y_label, "header_right")
        for number, (x, y) in enumerate(series.points):
            book.number(sheet, row + 1 + number, 2 * index, x, DECIMAL)
            book.number(sheet, row + 1 + number, 2 * index + 1, y, DECIMAL)
    book.high(sheet, row, *((f"{series.name}\n{chart.x_label}", 13) for series in chart.series), bold=True)
    return max(len(series.points) for series in chart.series)


def _categories(book: Book, sheet: Worksheet, row: int, chart: Chart) -> int:
    """Categories down, series across; a single bar's parts down. Returns the number of rows."""
    single = len(chart.categories) == 1
    down = tuple(series.name for series in chart.series) if single else chart.categories
    book.header(
        sheet,
        row,
        (tr("Part"), chart.y_label) if single else ("", *(series.name for series in chart.series)),
        numbers=range(1, 9),
    )
    book.high(sheet, row, *((series.name, 13) for series in chart.series), (chart.y_label, 13), bold=True)
    for index, name in enumerate(down):
        book.text(sheet, row + 1 + index, 0, name, "wrap")
        book.high(sheet, row + 1 + index, (name, 25))
    for index, series in enumerate(chart.series):
        for number, value in enumerate(series.values):
            at = (row + 1 + index, 1) if single else (row + 1 + number, 1 + index)
            book.number(sheet, *at, value, DECIMAL)
    return len(down)


def _series(native: NativeChart, sheet: Worksheet, row: int, chart: Chart) -> None:
    name = sheet.get_name()
    fills = colours_of(chart.series, current())
    for index, series in enumerate(chart.series):
        fill = f"#{fills[index]}"
        options: dict[str, Any] = {"name": series.name}
        if series.points:
            last = row + len(series.points)
            options["categories"] = [name, row + 1, 2 * index, last, 2 * index]
            options["values"] = [name, row + 1, 2 * index + 1, last, 2 * index + 1]
            lined = chart.kind == "line" and len(series.points) > 1
            joined = lined or series.role == "front"
            options["line"] = {"color": fill, "width": 1.75 if lined else 1.25} if joined else {"none": True}
            shown = {
                "type": "circle",
                "size": 8 if series.role == "highlight" else 5,
                "fill": {"color": fill},
                "border": {"color": fill},
            }
            options["marker"] = {"type": "none"} if lined else shown
        else:
            single, last = len(chart.categories) == 1, row + len(chart.categories)
            options["categories"] = [name, row, 1, row, 1] if single else [name, row + 1, 0, last, 0]
            at = row + 1 + index
            options["values"] = [name, at, 1, at, 1] if single else [name, row + 1, 1 + index, last, 1 + index]
            options["fill"] = {"color": fill}
            options["gap"] = 60
        native.add_series(options)
