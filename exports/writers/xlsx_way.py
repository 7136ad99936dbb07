"""The sheets of one way beside the plan: its cost model with the dates that follow from it, and its months."""

from __future__ import annotations

from collections.abc import Mapping

from xlsxwriter.worksheet import Worksheet

from engine.answer import CostInput, CostLine
from engine.inputs.currency import DIGITS
from exports.cost_values import parsed, values_of
from exports.document import Alternative
from exports.having import TITLES
from exports.timeline import months_from
from exports.wording import label, sourced, tr, unit_words
from exports.writers.xlsx_book import Book, number_format
from exports.writers.xlsx_dates import Dates
from exports.writers.xlsx_model import Model
from exports.writers.xlsx_timing import Timing, write_months
from planner.rent_or_own import Way

_TOP = 3
_SHEETS: dict[Way, str] = {
    "rent": "Rent",
    "commit": "Commit",
    "lease": "Lease",
    "buy": "Buy",
    "hybrid": "Hybrid",
    "keep": "Keep",
    "api": "API",
}


def write_model_of(book: Book, way: Alternative, known: dict[str, tuple[CostInput, str]]) -> Model:
    """The cost model of a way on a sheet of its own: what it shares follows Inputs, what is its own is on yellow. `known` are the
    inputs that are one number in all models, with their names; those that are new are added."""
    sheet, model = book.sheet(_SHEETS[way.way]), way.model
    words = tr("Numbers on yellow are this way's own and stay in this workbook; all others follow Inputs.")
    book.title(sheet, f"{tr(TITLES[way.way])}: {way.name}", words)
    titles = (tr("Input or line"), tr("Value"), tr("Unit"), tr("Source"), tr("Name"))
    book.header(sheet, _TOP, titles, numbers=(1,), widths=(44, 17, 24, 60, 30, 16, 16), muted=(2, 3, 4))
    names: dict[str, str] = {}
    rows: dict[str, int] = {}
    values = values_of(model, {})
    for at, item in enumerate(model.inputs, _TOP + 1):
        names[item.name] = book.define(f"{way.way}_{item.name}", sheet, at, 1)
        _input(book, sheet, at, item, names[item.name], known)
    for at, line in enumerate(model.lines, _TOP + 1 + len(model.inputs)):
        names[line.name], rows[line.name] = book.define(f"{way.way}_{line.name}", sheet, at, 1), at
    for line in model.lines:
        _line(book, sheet, rows[line.name], line, values[line.name], names)
    sheet.freeze_panes(_TOP + 1, 1)
    sheet.repeat_rows(_TOP)
    sheet.print_area(0, 0, 1, 3)  # it is there to be traced
    for name, item in ((item.name, item) for item in model.inputs):
        if name in book.document.workbook.common:
            known.setdefault(name, (item, names[name]))
    return Model(sheet=sheet, model=model, values=values, names=names, rows=rows, leaf_rows=(0, 0))


def _input(
    book: Book, sheet: Worksheet, at: int, item: CostInput, name: str, known: Mapping[str, tuple[CostInput, str]]
) -> None:
    """An input: that of Inputs, or of a way before, where it is the same number; else one of its own."""
    called, number = label(item.label), number_format(item.value, item.unit, item.low, item.high)
    source = sourced(item.source, 400)
    book.text(sheet, at, 0, called, "wrap")
    other = known.get(item.name) if item.name in book.document.workbook.common else None
    if other and other[0].value == item.value:
        book.formula(sheet, at, 1, other[1], item.value, number)
    else:
        book.number(sheet, at, 1, item.value, number, "input")
        sheet.data_validation(at, 1, at, 1, {"validate": "decimal", "criteria": ">=", "value": 0})
    for column, text in ((2, unit_words(item.unit)), (3, source), (4, name)):
        book.text(sheet, at, column, text, "muted")
    book.high(sheet, at, (called, 43), (source, 58), (name, 28))


def _line(book: Book, sheet: Worksheet, at: int, line: CostLine, value: float, names: Mapping[str, str]) -> None:
    """A line as its formula; in words the lines of the plan have it, on Cost model."""
    called, formula = label(line.label), parsed(line.expression).excel(names.__getitem__)
    if line.unit in DIGITS:
        formula = f"ROUND({formula},{DIGITS[line.unit]})"
    style = "total" if line.kind == "total" else "plain"
    book.text(sheet, at, 0, called, "wrap")
    book.formula(sheet, at, 1, formula, value, number_format(value, line.unit), style)
    for column, text in ((2, unit_words(line.unit)), (4, names[line.name])):
        book.text(sheet, at, column, text, "muted")
    book.high(sheet, at, (called, 43), (names[line.name], 28))


def write_timing_of(book: Book, way: Alternative, model: Model, count: int) -> Timing:
    """The dates below the lines of a way, and its months on another sheet."""
    before = book.document.workbook.months_before
    start, top = book.document.workbook.start, _TOP + 3 + len(way.model.inputs) + len(way.model.lines)
    book.text(model.sheet, top - 1, 0, tr("Dates"), "heading")
    dates = Dates(book=book, model=model, sheet=model.sheet, start=start, at=top, prefix=f"{way.way}_")
    used = {column.schedule for column in way.cash}
    dates.write(used)
    sheet = book.sheet(f"{_SHEETS[way.way]} timing")
    book.title(sheet, f"{tr(TITLES[way.way])}: {tr('Timing')}", tr("The same months as on Timing, for this way."))
    return write_months(book, sheet, dates, months_from(start, count, before=before), paid=used)
