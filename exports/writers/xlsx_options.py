"""Sheets Candidates and Sensitivity: what else could be bought, and what moves the total."""

from __future__ import annotations

from dataclasses import dataclass

from xlsxwriter.worksheet import Worksheet

from exports.cost_values import parsed, values_of
from exports.document import Candidate
from exports.text import clean_text
from exports.wording import mark, tr
from exports.writers.xlsx_book import COUNT, DECIMAL, MONEY, Book, cell, number_format, span
from exports.writers.xlsx_inputs import BUDGET, Inputs, Row, Swing, uncertain
from exports.writers.xlsx_model import Model

_TOP = 6
_TITLES = (
    mark("Option"),
    mark("Where"),
    mark("Terms"),
    mark("Layout"),
    mark("Accelerators"),
    mark("Days"),
    mark("Price of"),
    mark("Quantity"),
    mark("Price, USD"),
    mark("Other, USD"),
    mark("Total, USD"),
    mark("Against the plan, USD"),
    mark("In time"),
    mark("In budget"),
    mark("Total if within limits"),
    mark("Remark"),
)
_WIDTHS = (19, 24, 12, 18, 12, 8, 13, 12, 11, 13, 14, 14, 7, 8, 14, 30)
MOST_DRIVERS = 12


@dataclass(frozen=True, kw_only=True)
class Candidates:
    """The finished list of options."""

    sheet: Worksheet
    cheapest: str
    """Defined name of the cell that names the cheapest option at the prices now on the sheet."""
    cheapest_now: str
    least_usd: float
    """Lowest total in the plan, limits aside."""
    first: int
    last: int


def write_candidates(book: Book, model: Model | None, inputs: Inputs | None) -> Candidates | None:
    """All options with a price that may be edited; None without any."""
    rows = book.document.workbook.candidates
    if not rows:
        return None
    sheet = book.sheet("Candidates")
    first, last = _TOP, _TOP + len(rows) - 1
    words = tr(
        "Times, layouts and quantities are frozen physics; prices on yellow may be edited. "
        "Total = quantity × price + other."
    )
    book.title(sheet, tr("Candidates"), words)
    book.text(sheet, 3, 0, tr("Cheapest within the limits, at these prices"), "label")
    within = span(sheet, first, last, 14)
    names = span(sheet, first, last, 0)
    none = tr("none within the limits").replace('"', '""')
    formula = f'IF(COUNT({within})=0,"{none}",INDEX({names},MATCH(MIN({within}),{within},0)))'
    now = _cheapest(book, rows)
    book.formula(sheet, 3, 1, formula, now, style="strong")
    cheapest = book.define("cheapest_option", sheet, 3, 1)
    if not inputs and book.document.workbook.budget_usd:
        book.text(sheet, 4, 0, tr("Budget, USD"), "label")
        book.number(sheet, 4, 1, book.document.workbook.budget_usd, MONEY, "input")
        book.define(BUDGET, sheet, 4, 1)
    titles = tuple(map(tr, _TITLES))
    against = titles[11] if model else tr("Over the budget, USD")
    book.header(
        sheet, _TOP - 1, (*titles[:11], against, *titles[12:]), numbers=(4, 5, 7, 8, 9, 10, 11, 14), widths=_WIDTHS
    )
    for index, row in enumerate(rows):
        _candidate(book, sheet, first + index, row, model, inputs)
    sheet.autofilter(_TOP - 1, 0, last, len(_TITLES) - 1)
    sheet.freeze_panes(_TOP, 1)
    sheet.repeat_rows(_TOP - 1)
    # Sixteen columns on one sheet of paper could not be read: two sheets side by side, the option on both.
    sheet.fit_to_pages(2, 0)
    sheet.repeat_columns(0)
    return Candidates(
        sheet=sheet,
        cheapest=cheapest,
        cheapest_now=now,
        least_usd=min(row.total_usd for row in rows),
        first=first,
        last=last,
    )


def _cheapest(book: Book, rows: tuple[Candidate, ...]) -> str:
    budget = book.document.workbook.budget_usd
    fit = [row for row in rows if row.in_time and (not budget or row.total_usd <= budget)]
    return min(fit, key=lambda row: row.total_usd).name if fit else tr("none within the limits")


def _candidate(
    book: Book, sheet: Worksheet, at: int, row: Candidate, model: Model | None, inputs: Inputs | None
) -> None:
    style = "chosen" if row.recommended else "wrap"
    for column, text in enumerate((row.name, row.where, row.terms, row.layout)):
        book.text(sheet, at, column, text, style)
    book.number(sheet, at, 4, row.accelerators, COUNT)
    book.number(sheet, at, 5, row.days, DECIMAL)
    book.text(sheet, at, 6, row.priced, "muted")
    live = row.recommended and model is not None
    if row.price_usd:
        book.number(sheet, at, 7, row.quantity, DECIMAL)
        if live:
            # The recommended option's price is an input; here it only follows.
            book.text(sheet, at, 8, "see Inputs", "muted")
        else:
            book.number(sheet, at, 8, row.price_usd, "#,##0.0000", "input")
            sheet.data_validation(at, 8, at, 8, {"validate": "decimal", "criteria": ">=", "value": 0})
    book.number(sheet, at, 9, row.other_usd, MONEY)
    total = model.total if live and model else _total(at, row)
    book.formula(sheet, at, 10, total, row.total_usd, MONEY)
    _limits(book, sheet, at, row, model, inputs)
    book.text(sheet, at, 15, row.remark, "muted")
    book.high(
        sheet,
        at,
        (row.name, 18),
        (row.where, 23),
        (row.terms, 11),
        (row.layout, 17),
        (row.priced, 12),
        (row.remark, 28),
    )


def _total(at: int, row: Candidate) -> str:
    if not row.price_usd:
        return f"J{at + 1}"
    return f"ROUND(H{at + 1}*I{at + 1},2)+J{at + 1}"


def _limits(book: Book, sheet: Worksheet, at: int, row: Candidate, model: Model | None, inputs: Inputs | None) -> None:
    data = book.document.workbook
    budget, total = data.budget_usd, row.total_usd
    if model:
        against = total - model.values[model.model.total]
        book.formula(sheet, at, 11, f"K{at + 1}-{model.total}", round(against, 2), MONEY)
    elif budget:
        book.formula(sheet, at, 11, f"K{at + 1}-{BUDGET}", round(total - budget, 2), MONEY)
    book.text(sheet, at, 12, "yes" if row.in_time else "no", "muted")
    limit = _budget_name(book, inputs)
    kept = not budget or not limit or total <= budget
    book.formula(
        sheet,
        at,
        13,
        f'IF(K{at + 1}<={limit},"yes","no")' if limit else '"yes"',
        "yes" if kept else "no",
        "",
        "muted",
    )
    fits = row.in_time and kept
    book.formula(
        sheet, at, 14, f'IF(AND(M{at + 1}="yes",N{at + 1}="yes"),K{at + 1},"out")', total if fits else "out", MONEY
    )


def _budget_name(book: Book, inputs: Inputs | None) -> str:
    """Defined name of the budget: on Inputs, or on this sheet when there is no cost model; empty without a budget."""
    if inputs:
        return inputs.names.get(BUDGET, "")
    return BUDGET if book.document.workbook.budget_usd else ""


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
        tr("One input at a time moves to either end of its range; all others keep the value in use. USD."),
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
    base = model.values[model.model.total]
    for index, (row, low, high) in enumerate(rows):
        at, total = first + index, grid + 2 + lines
        number = number_format(row.item.value, row.item.unit)
        columns = (1 + 2 * index, 2 + 2 * index)
        label = clean_text(row.item.label, 60)
        book.text(sheet, at, 0, label, "wrap")
        book.high(sheet, at, (label, 40))
        for side, (column, end) in enumerate(zip(columns, (row.item.low, row.item.high), strict=True)):
            book.formula(sheet, at, 1 + side, cell(grid + 1, column), end, number)
            value = (low, high)[side]
            book.formula(sheet, at, 3 + side, cell(total, column), value, MONEY)
            letter = "DE"[side]
            book.formula(sheet, at, 5 + side, f"{letter}{at + 1}-{model.total}", round(value - base, 2), MONEY)
        book.formula(
            sheet, at, 7, f"ABS(G{at + 1}-F{at + 1})", abs(round(high - base, 2) - round(low - base, 2)), MONEY
        )
    sheet.freeze_panes(first, 1)
    sheet.print_area(0, 0, grid - 2, 7)  # the model below, once for each end, is there to be traced
    label = clean_text(rows[0][0].item.label, 60)
    alt = tr(
        "Bars of the change of the total for {count} inputs, widest first; the widest is {label}.",
        count=len(rows),
        label=label,
    )
    return Sensitivity(sheet=sheet, first=first, last=last, alt=alt)


def _grid(book: Book, sheet: Worksheet, model: Model, inputs: Inputs, rows: tuple[Swing, ...], grid: int) -> int:
    """The model in columns, two for each input; returns how many rows lie above its total."""
    items = [row for row in inputs.rows if row.in_model]
    at = {row.item.name: grid + 2 + index for index, row in enumerate(items)}
    at |= {line.name: grid + 2 + len(items) + index for index, line in enumerate(model.model.lines)}
    book.text(sheet, grid - 1, 0, tr("The model, once for each end of each range"), "heading")
    book.text(sheet, grid, 0, tr("Input that is moved"), "header")
    book.text(sheet, grid + 1, 0, tr("to the value"), "label")
    for item in items:
        book.text(sheet, at[item.item.name], 0, clean_text(item.item.label, 60), "muted")
    for line in model.model.lines:
        book.text(sheet, at[line.name], 0, clean_text(line.label, 60), "wrap")
    for index, (row, _, _) in enumerate(rows):
        for side, end in enumerate((row.item.low, row.item.high)):
            column = 1 + 2 * index + side
            source = cell(row.row, 3 + side)
            book.text(sheet, grid, column, row.use, "header_right")
            number = number_format(row.item.value, row.item.unit)
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
            sheet, at[name], column, formula, values[name], number_format(row.item.value, row.item.unit), "quiet"
        )

    def reference(name: str) -> str:
        return cell(at[name], column, fixed=False)

    for line in model.model.lines:
        formula = parsed(line.expression).excel(reference)
        formula = f"ROUND({formula},2)" if line.unit == "USD" else formula
        style = "total" if line.kind == "total" else "plain"
        book.formula(
            sheet, at[line.name], column, formula, values[line.name], number_format(values[line.name], line.unit), style
        )
