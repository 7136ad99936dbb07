"""Sheets Physics and Sources: what is frozen, and where it comes from."""

from __future__ import annotations

from dataclasses import dataclass

from xlsxwriter.worksheet import Worksheet

from exports.numbers import whole
from exports.wording import label, mark, tr, trn, unit_words
from exports.writers.xlsx_book import DECIMAL, PERCENT, Book, number_format
from exports.writers.xlsx_candidates import NEAR_EQUAL
from exports.writers.xlsx_charts import write_figure
from exports.writers.xlsx_ways import write_ways

_KINDS = {
    "price": mark("price"),
    "input": mark("input"),
    "assumption": mark("assumption"),
    "model": mark("model"),
    "catalog": mark("catalog"),
}


_TOTAL = "plan_total"
"""May be 0: where a spend commitment pays for all of it."""


@dataclass(frozen=True, kw_only=True)
class Frozen:
    """Names of the plan's frozen results."""

    names: dict[str, str]
    values: dict[str, float]


def write_physics(book: Book) -> Frozen:
    """Frozen results with names, drivers of time, and the figures whose data lie nowhere else; no sheet for nothing."""
    data = book.document.workbook
    rows = [row for row in _results(book) if row[2] or (row[0] == _TOTAL and row[2] is not None)]
    if not (rows or data.ways or data.drivers or data.charts):
        return Frozen(names={}, values={})
    sheet = book.sheet("Physics")
    book.title(
        sheet,
        tr("Physics"),
        tr("Frozen results of the engine. They do not follow the inputs: for other physics make a new plan."),
    )
    for index, width in enumerate((26, *(14.5,) * 8)):
        sheet.set_column(index, index, width)
    frozen = _frozen(book, sheet, rows)
    drivers = write_ways(book, sheet, 6 + len(rows) if rows else 3)
    below = _drivers(book, sheet, drivers)
    for item in data.charts:
        below = write_figure(book, sheet, below, item)
    # What is printed ends before the drivers, which Sensitivity prints, and the data behind figures, which the other documents draw.
    sheet.print_area(0, 0, max(drivers - 2, 3), 8)
    sheet.freeze_panes(3, 0)
    sheet.repeat_rows(0)
    return frozen


def _results(book: Book) -> list[tuple[str, str, float | None, str]]:
    """Name, label, value and unit of what is frozen; without a value what the plan does not have."""
    data = book.document.workbook
    totals = [line.amount for line in data.model.lines if line.name == data.model.total] if data.model else []
    return [
        (_TOTAL, tr("Total in the plan"), totals[0] if totals else None, book.document.currency),
        ("cost_low_ratio", tr("P10 ÷ expected total"), data.low_ratio if totals else None, ""),
        ("cost_high_ratio", tr("P90 ÷ expected total"), data.high_ratio if totals else None, ""),
        (NEAR_EQUAL, tr("Costs count as equal within"), data.near_equal if totals else None, "share"),
        ("plan_days", tr("Days to finish"), data.days, "day"),
        ("plan_days_low", tr("Days to finish, P10"), data.low_days, "day"),
        ("plan_days_high", tr("Days to finish, P90"), data.high_days, "day"),
        ("deadline_days", tr("Deadline"), data.deadline_days if data.days else None, "day"),
    ]


def _frozen(book: Book, sheet: Worksheet, rows: list[tuple[str, str, float | None, str]]) -> Frozen:
    """Those results, each with its name; no heading over none."""
    names: dict[str, str] = {}
    values: dict[str, float] = {}
    if rows:
        titles = (tr("Result"), tr("Value"), tr("Unit"), tr("Name"))
        book.header(sheet, 3, titles, numbers=(1,), widths=(26, *(14.5,) * 8), muted=(2,))
    for at, (name, text, value, unit) in enumerate(rows, 4):
        assert value is not None
        names[name], values[name] = book.define(name, sheet, at, 1), value
        book.text(sheet, at, 0, text)
        book.number(sheet, at, 1, value, PERCENT if unit == "share" else DECIMAL if unit else "0.0000")
        book.text(sheet, at, 2, "" if unit == "share" else unit_words(unit), "muted")
        book.text(sheet, at, 3, names[name], "quiet")
    return Frozen(names=names, values=values)


def _drivers(book: Book, sheet: Worksheet, top: int) -> int:
    """The engine's own tornado, physics included; returns the next free row."""
    drivers = book.document.workbook.drivers
    if not drivers:
        return top
    book.text(
        sheet,
        top,
        0,
        tr("What moves the total, physics included, as the engine computed it ({code})", code=book.document.currency),
        "heading",
    )
    titles = (tr("Input"), tr("Low value"), tr("High value"), tr("Unit"), tr("Change at low"), tr("Change at high"))
    book.header(sheet, top + 1, titles, numbers=(1, 2, 4, 5), muted=(3,))
    book.high(sheet, top + 1, *((title, 12) for title in titles[1:]), bold=True)
    for index, driver in enumerate(drivers[:40]):
        row = top + 2 + index
        called, unit = label(driver.label), unit_words(driver.unit)
        book.text(sheet, row, 0, called, "wrap")
        book.high(sheet, row, (called, 25), (unit, 10.5))
        number = number_format(driver.high_value, driver.unit, driver.low_value)
        book.number(sheet, row, 1, driver.low_value, number)
        book.number(sheet, row, 2, driver.high_value, number)
        book.text(sheet, row, 3, unit, "muted")
        book.number(sheet, row, 4, driver.low_change, book.money)
        book.number(sheet, row, 5, driver.high_change, book.money)
    return top + 4 + min(40, len(drivers))


def write_sources(book: Book) -> None:
    """One row for each price, input and assumption."""
    sheet = book.sheet("Sources")
    book.title(
        sheet,
        tr("Sources"),
        trn(
            "{number} value of this plan with its origin, to be read here: it is not printed. Plan {plan}.",
            "{number} values of this plan with their origins, to be read here: they are not printed. Plan {plan}.",
            len(book.document.workbook.sources),
            number=whole(len(book.document.workbook.sources)),
            plan=book.document.plan_hash,
        ),
    )
    book.header(sheet, 3, (tr("Kind"), tr("What"), tr("Value"), tr("Source"), tr("Date")), muted=(0, 2, 3, 4))
    for index, width in enumerate((13, 46, 24, 54, 12)):
        sheet.set_column(index, index, width)
    rows = book.document.workbook.sources
    for index, row in enumerate(rows):
        for column, text in enumerate((tr(_KINDS[row.kind]), row.what, row.value, row.source, row.date)):
            book.text(sheet, 4 + index, column, text, "wrap" if column == 1 else "muted")
        book.high(sheet, 4 + index, (row.what, 45), (row.value, 22), (row.source, 52))
    sheet.autofilter(3, 0, 3 + max(1, len(rows)), 4)
    sheet.freeze_panes(4, 2)
    sheet.print_area(0, 0, 1, 4)
