"""Native charts of the workbook, all in one look, each with an alternative text."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count
from typing import Any

from xlsxwriter.chart import Chart as NativeChart
from xlsxwriter.worksheet import Worksheet

from charts.plot import Plot, Trace
from charts.scale import Axis
from exports.document import Figure
from exports.text import shorten
from exports.wording import tr
from exports.writers.look import current
from exports.writers.office_plot import UNSEEN, office_plot
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
    legend: bool = True,
    from_zero: bool = False,
    axis: Axis | None = None,
) -> None:
    """Our look: quiet grid, small axis text, the finding as title. In XlsxWriter a lying bar's categories are its y axis.

    Without an axis the program scales by itself: a chart over live cells must hold what they become.
    """
    look, font = current(), _font()
    heading = {"name": look.office_font, "size": 11, "bold": True, "color": f"#{look.ink}"}
    chart.set_title({"name": shorten(title, 110), "name_font": heading, "overlay": False} if title else {"none": True})
    grid = {"visible": True, "line": {"color": f"#{look.line}", "width": 0.5}}
    common: dict[str, Any] = {"name_font": font, "num_font": font, "line": {"color": f"#{look.line}"}}
    values: dict[str, Any] = common | {"name": value, "num_format": "#,##0", "major_gridlines": grid}
    if from_zero:
        values |= {"min": 0}
    if axis:
        values |= _scaled(axis)
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
    plot = office_plot(item.chart)
    book.text(sheet, row, 0, item.caption, "heading")
    extra = 14 * max(0, len(plot.categories) - 6)
    top = row + _ROWS + extra // 20
    rows = (_points if plot.shape == "plane" else _categories)(book, sheet, top, plot)
    native = _native(book, sheet, top, plot)
    insert(sheet, row + 1, 0, native, item.alt, width=WIDE, height=HEIGHT + extra)
    return top + rows + 3


def _native(book: Book, sheet: Worksheet, row: int, plot: Plot) -> NativeChart:
    """The chart over the data that starts at that row, on the axes that page and other documents have."""
    kinds = {"plane": "scatter", "columns": "column", "bars": "bar"}
    drawn, lines = (plot.traces, ()) if plot.shape == "plane" or not plot.bars else (plot.bars, plot.lines)
    kind = "line" if plot.shape != "plane" and not plot.bars else kinds[plot.shape]
    stack = {"subtype": "stacked"} if plot.stacked else {}
    chart = book.file.add_chart({"type": kind, **stack})
    _series(chart, sheet, row, plot, drawn)
    lying = plot.shape == "bars"
    legend = len(plot.named) > 1
    # The heading above is the title.
    styled(chart, "", plot.other_label, plot.value_label, lying=lying, axis=plot.value_axis, legend=legend)
    if plot.x_axis:
        chart.set_x_axis({"name": plot.other_label, "name_font": _font(), "num_font": _font()} | _scaled(plot.x_axis))
    if lines:
        over = book.file.add_chart({"type": "line"})
        _series(over, sheet, row, plot, lines)
        chart.combine(over)
    return chart


def _scaled(axis: Axis) -> dict[str, Any]:
    """Ends, step and format of that axis as XlsxWriter takes them."""
    log = {"log_base": axis.base, "crossing": "min"} if axis.log else {}
    return {"min": axis.low, "max": axis.high, "major_unit": axis.step, "num_format": axis.number_format} | log


def _corners(plot: Plot) -> list[tuple[int, int]]:
    """Row and column of each series' head in a plane: data side by side, two columns each; limits below them, so that the
    table stays as wide as a page."""
    data = [trace for trace in plot.traces if trace.style != "limit"]
    depth = 2 + max((len(trace.points) for trace in data), default=0)
    beside, below = count(0, 2), count(depth, 4)
    return [(next(below), 0) if trace.style == "limit" else (0, next(beside)) for trace in plot.traces]


def _points(book: Book, sheet: Worksheet, row: int, plot: Plot) -> int:
    """Two columns for each series, the first below its name; returns the number of rows."""
    corners = _corners(plot)
    for trace, (down, column) in zip(plot.traces, corners, strict=True):
        head = f"{trace.name}\n{plot.other_label}"
        book.text(sheet, row + down, column, head, "header_right")
        book.text(sheet, row + down, column + 1, plot.value_label, "header_right")
        for number, (x, y) in enumerate(trace.points, row + down + 1):
            book.number(sheet, number, column, x, DECIMAL)
            book.number(sheet, number, column + 1, y, DECIMAL)
    for down in {down for down, _ in corners}:
        heads = [
            f"{trace.name}\n{plot.other_label}" for trace, at in zip(plot.traces, corners, strict=True) if at[0] == down
        ]
        book.high(sheet, row + down, *((head, 13) for head in heads), (plot.value_label, 13), bold=True)
    return max(down + len(trace.points) for trace, (down, _) in zip(plot.traces, corners, strict=True))


def _single(plot: Plot) -> bool:
    """Whether there is one stack, whose parts are told downwards."""
    return len(plot.categories) == 1


def _categories(book: Book, sheet: Worksheet, row: int, plot: Plot) -> int:
    """Categories down, series across; a single bar's parts down. Returns the number of rows."""
    single = _single(plot)
    down = tuple(trace.name for trace in plot.traces) if single else plot.categories
    heads = (tr("Part"), plot.value_label) if single else ("", *(trace.name for trace in plot.traces))
    book.header(sheet, row, heads, numbers=range(1, 9))
    book.high(sheet, row, *((trace.name, 13) for trace in plot.traces), (plot.value_label, 13), bold=True)
    for index, name in enumerate(down):
        book.text(sheet, row + 1 + index, 0, name, "wrap")
        book.high(sheet, row + 1 + index, (name, 25))
    for index, trace in enumerate(plot.traces):
        for number, value in enumerate(trace.values):
            at = (row + 1 + index, 1) if single else (row + 1 + number, 1 + index)
            book.number(sheet, *at, value, DECIMAL)
    return len(down)


def _series(native: NativeChart, sheet: Worksheet, row: int, plot: Plot, traces: Sequence[Trace]) -> None:
    for trace in traces:
        index = plot.traces.index(trace)
        options = {"name": trace.name} | _places(sheet.get_name(), row, plot, trace, index)
        native.add_series(options | (_bar(plot, trace) if trace.mark == "bar" else _line(plot, trace)))


def _places(name: str, row: int, plot: Plot, trace: Trace, index: int) -> dict[str, Any]:
    """Where the data of that series lie."""
    if plot.shape == "plane":
        down, column = _corners(plot)[index]
        first, last = row + down + 1, row + down + len(trace.points)
        return {
            "categories": [name, first, column, last, column],
            "values": [name, first, column + 1, last, column + 1],
        }
    if _single(plot):
        at = row + 1 + index
        return {"categories": [name, row, 1, row, 1], "values": [name, at, 1, at, 1]}
    last = row + len(plot.categories)
    return {
        "categories": [name, row + 1, 0, last, 0],
        "values": [name, row + 1, 1 + index, last, 1 + index],
    }


def _bar(plot: Plot, trace: Trace) -> dict[str, Any]:
    unseen = {"none": True}
    fill = unseen if trace.style == UNSEEN else {"color": f"#{current().of(trace.style)}"}
    overlap = {"overlap": 100} if plot.across else {}
    return {"fill": fill, "border": unseen, "gap": 60} | overlap


def _line(plot: Plot, trace: Trace) -> dict[str, Any]:
    shade = {"color": f"#{current().of(trace.style)}"}
    if trace.mark == "line":
        dashed = {"dash_type": "dash"} if trace.dashed else {}
        return {"line": shade | {"width": 1.25 if trace.dashed else 1.75} | dashed, "marker": {"type": "none"}}
    size = 8 if trace.style == "highlight" else 5
    marker = {
        "type": "diamond" if trace.style == "highlight" else "circle",
        "size": size,
        "fill": shade,
        "border": shade,
    }
    return {"line": shade | {"width": 1.25} if trace.joined else {"none": True}, "marker": marker}
