"""Sheet Sensitivity: what moves the total, each end of each range computed by the whole model."""

from __future__ import annotations

from dataclasses import dataclass

from xlsxwriter.worksheet import Worksheet

from engine.inputs.currency import DIGITS
from exports.cost_values import parsed, values_of
from exports.wording import label, tr
from exports.writers.xlsx_book import Book, cell, number_format
from exports.writers.xlsx_inputs import Inputs, Row, Swing, uncertain
from exports.writers.xlsx_model import Model

MOST_DRIVERS = 12


@dataclass(frozen=True, kw_only=True)
class Sensitivity:
    """The finished sensitivity: rows of the summary table, for the chart."""

    sheet: Worksheet
    first: int
    last: int
    alt: str
    """What the tornado shows, in words."""


def write_sensitivity(book: Book, model: Model, inputs: Inputs) -> Sensitivity | None:
    """The whole model once for each end of each input's range, so that every bar is live; None when all is certain."""
    rows = uncertain(inputs, model.model, MOST_DRIVERS)
    if not rows:
        return None
    sheet = book.sheet("Sensitivity")
    book.title(
        sheet,
        tr("Sensitivity"),
        tr(
            "One input at a time moves to either end of its range; all others keep the value in use. {code}.",
            code=book.document.currency,
        ),
    )
    titles = (
        tr("Input"),
        tr("Low value"),
        tr("High value"),
        tr("Total at low"),
        tr("Total at high"),
        tr("Change at low"),
        tr("Change at high"),
        tr("Swing"),
    )
    book.header(sheet, 3, titles, numbers=range(1, 8), widths=(40, *(15,) * max(7, 2 * len(rows))))
    first = 4
    last = first + len(rows) - 1
    grid = last + 24
    lines = _grid(book, sheet, model, inputs, rows, grid)
    for index, row in enumerate(rows):
        _row(book, sheet, model, row, at=first + index, grid=grid, total=grid + 2 + lines, index=index)
    sheet.freeze_panes(first, 1)
    sheet.repeat_rows(3)
    sheet.fit_to_pages(1, 1)
    sheet.print_area(0, 0, grid - 2, 7)  # the model below, once for each end, is there to be traced
    alt = tr(
        "Bars of the change of the total for {count} inputs, widest first; the widest is {label}.",
        count=len(rows),
        label=label(rows[0][0].item.label),
    )
    return Sensitivity(sheet=sheet, first=first, last=last, alt=alt)


def _row(book: Book, sheet: Worksheet, model: Model, row: Swing, *, at: int, grid: int, total: int, index: int) -> None:
    """One input: its ends, the totals at both, and how far these lie from the total in use; formulas over the grid."""
    (swung, low, high), base = row, model.values[model.model.total]
    item = swung.item
    number = number_format(item.value, item.unit, item.low, item.high)
    called = label(item.label)
    book.text(sheet, at, 0, called, "wrap")
    book.high(sheet, at, (called, 40))
    for side, (end, value) in enumerate(((item.low, low), (item.high, high))):
        column, letter = 1 + 2 * index + side, "DE"[side]
        book.formula(sheet, at, 1 + side, cell(grid + 1, column), end, number)
        book.formula(sheet, at, 3 + side, cell(total, column), value, book.money)
        change = round(value - base, book.digits)
        book.formula(sheet, at, 5 + side, f"{letter}{at + 1}-{model.total}", change, book.money)
    swing = abs(round(high - base, book.digits) - round(low - base, book.digits))
    book.formula(sheet, at, 7, f"ABS(G{at + 1}-F{at + 1})", swing, book.money)


def _grid(book: Book, sheet: Worksheet, model: Model, inputs: Inputs, rows: tuple[Swing, ...], grid: int) -> int:
    """The model in columns, two for each input; returns how many rows lie above its total."""
    items = [row for row in inputs.rows if row.in_model]
    at = {row.item.name: grid + 2 + index for index, row in enumerate(items)}
    at |= {line.name: grid + 2 + len(items) + index for index, line in enumerate(model.model.lines)}
    book.text(sheet, grid - 1, 0, tr("The model, once for each end of each range"), "heading")
    book.text(sheet, grid, 0, tr("Input that is moved"), "header")
    book.text(sheet, grid + 1, 0, tr("to the value"), "label")
    book.high(sheet, grid, *((row.use, 14) for row, _, _ in rows), bold=True)
    named = [(one.item.name, one.item.label, "muted") for one in items]
    named += [(line.name, line.label, "wrap") for line in model.model.lines]
    for name, found, style in named:
        called = label(found)
        book.text(sheet, at[name], 0, called, style)
        book.high(sheet, at[name], (called, 38))
    for index, (row, _, _) in enumerate(rows):
        for side, end in enumerate((row.item.low, row.item.high)):
            column = 1 + 2 * index + side
            source = cell(row.row, 3 + side)
            book.text(sheet, grid, column, row.use, "header_right")
            number = number_format(row.item.value, row.item.unit, row.item.low, row.item.high)
            book.formula(sheet, grid + 1, column, f"Inputs!{source}", end, number, "label")
            _column(book, sheet, model, items, at, column, row.item.name, end, grid)
    return at[model.model.total] - grid - 2


def _column(
    book: Book,
    sheet: Worksheet,
    model: Model,
    items: list[Row],
    at: dict[str, int],
    column: int,
    moved: str,
    end: float,
    grid: int,
) -> None:
    values = values_of(model.model, {moved: end})
    head, value_row = cell(grid, column), cell(grid + 1, column)
    for row in items:
        name = row.item.name
        formula = f'IF({head}="{row.use}",{value_row},{row.use})'
        book.formula(
            sheet,
            at[name],
            column,
            formula,
            values[name],
            number_format(row.item.value, row.item.unit, row.item.low, row.item.high),
            "quiet",
        )

    def reference(name: str) -> str:
        return cell(at[name], column, fixed=False)

    for line in model.model.lines:
        formula = parsed(line.expression).excel(reference)
        formula = f"ROUND({formula},{DIGITS[line.unit]})" if line.unit in DIGITS else formula
        style = "total" if line.kind == "total" else "plain"
        book.formula(
            sheet, at[line.name], column, formula, values[line.name], number_format(values[line.name], line.unit), style
        )
