"""Sheets Cost model, Timing and Cash flow: one named expression per line, and when its money leaves."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from xlsxwriter.worksheet import Worksheet

from engine.answer import NEEDED, CostLine, CostModel
from engine.inputs.currency import DIGITS
from engine.money.expressions import rounded_to
from exports.cost_values import CAPITAL, DISCOUNT, labels_of, leaves, parsed, values_of
from exports.document import CashColumn
from exports.numbers import long_date, month
from exports.text import CELL_LIMIT, clean_text
from exports.wording import mark, tr
from exports.writers.xlsx_book import PERCENT, Book, base_values, cell, number_format, place, span
from exports.writers.xlsx_inputs import Inputs
from planner.money import DAYS_PER_YEAR

_TOP = 4
_KINDS = {"quantity": mark("quantity"), "opex": mark("running"), "capex": mark("investment"), "total": mark("sum")}
_WHEN = {
    "run": mark("during the run"),
    "upfront": mark("at the start"),
    "monthly": mark("every month"),
    "held": mark("every month held"),
    "end": mark("at the end"),
    "settled": mark("when the commitment ends"),
    "after": mark("after the commitment"),
    "none": "",
}


@dataclass(frozen=True, kw_only=True)
class Model:
    """The finished cost model: where each line is and what it is worth."""

    sheet: Worksheet
    model: CostModel
    values: dict[str, float]
    names: dict[str, str]
    """Defined name by the model's own name, inputs and lines."""
    rows: dict[str, int]
    leaf_rows: tuple[int, int]
    """First and last row of the table of leaves, for the chart."""

    @property
    def total(self) -> str:
        """Defined name of the total."""
        return self.names[self.model.total]

    @property
    def held(self) -> tuple[str, float]:
        """Name and value of what a budget must hold: the total, or all that is signed and the rest of what is paid."""
        name = NEEDED if NEEDED in self.names else self.model.total
        return self.names[name], self.values[name]

    def total_of(self, kind: str) -> tuple[str, float]:
        """Formula and value of all leaves of that kind."""
        return self.sum_of([line.name for line in leaves(self.model) if line.kind == kind])

    def sum_of(self, lines: Iterable[str]) -> tuple[str, float]:
        """Formula and value of those of the lines that the model has."""
        found = [name for name in lines if name in self.names]
        return "+".join(self.names[name] for name in found) or "0", base_values(
            self.values, tuple(found), DIGITS[self.model.currency]
        )


def write_model(book: Book, inputs: Inputs) -> Model:
    """The sheet of lines."""
    model = book.document.workbook.model
    assert model is not None
    sheet = book.sheet("Cost model")
    values = values_of(model, {})
    rows = {line.name: _TOP + index for index, line in enumerate(model.lines)}
    names = inputs.names | {line.name: book.define(line.name, sheet, rows[line.name], 1) for line in model.lines}
    labels = labels_of(model)
    book.title(
        sheet,
        tr("Cost model"),
        tr("One line, one formula. Money is rounded line by line; totals add rounded lines."),
    )
    titles = (tr("Line"), tr("Amount"), tr("Unit"), tr("Kind"), tr("Leaves"), tr("Formula in words"), tr("Name"))
    book.header(sheet, _TOP - 1, titles, numbers=(1,), widths=(36, 17, 11, 12, 15, 60, 26), muted=range(2, 7))
    for line in model.lines:
        _line(book, sheet, line, rows[line.name], values[line.name], names, labels)
    sheet.freeze_panes(_TOP, 1)
    sheet.repeat_rows(_TOP - 1)
    sheet.print_area(0, 0, _TOP + len(model.lines) + 3 + len(leaves(model)), 5)  # names serve formulas, not readers
    leaf_rows = _leaves(book, sheet, model, values, names)
    return Model(sheet=sheet, model=model, values=values, names=names, rows=rows, leaf_rows=leaf_rows)


def _line(
    book: Book, sheet: Worksheet, line: CostLine, row: int, value: float, names: dict[str, str], labels: dict[str, str]
) -> None:
    style = "total" if line.kind == "total" else "wrap"
    expression = parsed(line.expression)
    formula = expression.excel(names.__getitem__)
    if line.unit in DIGITS:
        formula = f"ROUND({formula},{DIGITS[line.unit]})"
    words = expression.words(lambda name: labels.get(name, name))
    said = clean_text(words[:1].upper() + words[1:], 1000)
    book.text(sheet, row, 0, clean_text(line.label, CELL_LIMIT), style)
    book.formula(sheet, row, 1, formula, value, number_format(value, line.unit), style if style == "total" else "plain")
    texts = (clean_text(line.unit, 40), tr(_KINDS[line.kind]), tr(_WHEN[line.schedule]), said, names[line.name])
    for column, text in enumerate(texts, start=2):
        book.text(sheet, row, column, text, "total_muted" if line.kind == "total" else "muted")
    book.high(sheet, row, (line.label[:120], 35), (said, 58))


def _leaves(
    book: Book, sheet: Worksheet, model: CostModel, values: dict[str, float], names: dict[str, str]
) -> tuple[int, int]:
    """What the total is made of, largest first in the plan, with live shares: the source of the chart."""
    top = _TOP + len(model.lines) + 2
    book.text(sheet, top - 1, 0, tr("What the total is made of"), "heading")
    book.header(sheet, top, (tr("Line"), book.document.currency, tr("Share")), numbers=(1, 2))
    found = sorted(leaves(model), key=lambda line: -values[line.name])
    total = values[model.total]
    for index, line in enumerate(found):
        row = top + 1 + index
        label = clean_text(line.label, CELL_LIMIT)
        book.text(sheet, row, 0, label, "wrap")
        book.high(sheet, row, (label, 35))
        book.formula(sheet, row, 1, names[line.name], values[line.name], book.money)
        share = values[line.name] / total if total else 0.0
        book.formula(sheet, row, 2, f"IF({names[model.total]}=0,0,B{row + 1}/{names[model.total]})", share, PERCENT)
    return top + 1, top + len(found)


@dataclass(frozen=True, kw_only=True)
class Cash:
    """The finished cash flow: rows of months, columns of totals."""

    sheet: Worksheet
    first: int
    last: int
    opex: int
    capex: int
    total: int
    left: int
    total_row: int


def write_cash(book: Book, model: Model, inputs: Inputs) -> Cash:
    """Months by columns of lines, opex and capex, cumulative and present value."""
    data = book.document.workbook
    sheet, timing = book.sheet("Cash flow"), book.sheet("Timing")
    columns, count = data.cash, len(data.months)
    first, total_row, wide = _TOP + 1, _TOP, len(columns)
    _timing_sheet(book, timing, columns, data.months)
    sums = (
        tr("Running cost"),
        tr("Investment"),
        tr("Cash out"),
        tr("Since the start"),
        tr("Present value on {day}", day=long_date(data.as_of)),
    )
    titles = (tr("Month"), *(column.label for column in columns), *sums)
    book.title(
        sheet,
        tr("Cash flow"),
        tr(
            "{code} paid in each calendar month: purchases and commitments whole, no cost of capital.",
            code=book.document.currency,
        ),
    )
    book.text(sheet, 2, 0, tr("Amounts follow the cost model; the timing is the plan's (sheet Timing)."), "subtitle")
    # As wide as the largest amount needs, and one ten times as large: months of many lines would print small.
    largest = max(abs(model.values[line.name]) for line in model.model.lines if line.unit in DIGITS)
    widths = (16, *(max(11.0, len(f"{largest:,.2f}") + 3.0),) * (len(titles) - 1))
    book.header(sheet, _TOP - 1, titles, numbers=range(1, len(titles)), widths=widths)
    cash = Cash(
        sheet=sheet,
        first=first,
        last=first + count - 1,
        opex=wide + 1,
        capex=wide + 2,
        total=wide + 3,
        left=wide + 4,
        total_row=total_row,
    )
    amounts = _months(book, sheet, timing, model, columns, count, first)
    _sums(book, cash, model, columns, amounts, inputs, len(titles), timing)
    sheet.freeze_panes(first, 1)
    sheet.repeat_rows(_TOP - 1)
    return cash


def _timing_sheet(book: Book, sheet: Worksheet, columns: tuple[CashColumn, ...], months: tuple[str, ...]) -> None:
    book.title(
        sheet,
        tr("Timing"),
        tr("Share of each line that has left by the end of each month: frozen, it follows from the start date."),
    )
    paid = _paid_together(columns)
    days = [tr("Days until it is paid: {what}", what="; ".join(columns[at].label for at in group)) for group in paid]
    if len(paid) == 1:
        days = [tr("Days until it is paid")]
    titles = (tr("Month"), *(column.label for column in columns), *days)
    book.header(
        sheet, _TOP, titles, numbers=range(1, len(titles)), widths=(16, *(15,) * len(columns), *(30,) * len(paid))
    )
    for index, name in enumerate(months):
        book.text(sheet, _TOP + 1 + index, 0, month(name))
        for place_, column in enumerate(columns):
            book.number(sheet, _TOP + 1 + index, place_ + 1, column.left_by[index], "0.0000%")
        for number, group in enumerate(paid):
            book.number(sheet, _TOP + 1 + index, len(columns) + 1 + number, columns[group[0]].days[index], "0")
    sheet.freeze_panes(_TOP + 1, 1)
    sheet.repeat_rows(_TOP)


def _paid_together(columns: tuple[CashColumn, ...]) -> list[tuple[int, ...]]:
    """The columns that are paid on the same days, which most are: at the end of the month."""
    groups: dict[tuple[int, ...], list[int]] = {}
    for number, column in enumerate(columns):
        groups.setdefault(column.days, []).append(number)
    return [tuple(group) for group in groups.values()]


def _months(
    book: Book,
    sheet: Worksheet,
    timing: Worksheet,
    model: Model,
    columns: tuple[CashColumn, ...],
    count: int,
    first: int,
) -> list[list[float]]:
    """The body; returns the amounts by month and column."""
    amounts, digits = [], book.digits
    months = book.document.workbook.months
    for index in range(count):
        book.text(sheet, first + index, 0, month(months[index]))
        row = []
        for number, column in enumerate(columns):
            whole, formula = _paid(model, column)
            now = f"ROUND({formula}*{place(timing, first + index, number + 1)},{digits})"
            value = rounded_to(whole * column.left_by[index], digits)
            if index:
                now += f"-ROUND({formula}*{place(timing, first + index - 1, number + 1)},{digits})"
                value -= rounded_to(whole * column.left_by[index - 1], digits)
            row.append(round(value, digits))
            book.formula(sheet, first + index, number + 1, f"ROUND({now},{digits})", round(value, digits), book.money)
        amounts.append(row)
    return amounts


def _paid(model: Model, column: CashColumn) -> tuple[float, str]:
    """What is paid in all for that line, and its formula."""
    expression = parsed(column.paid)
    text = expression.excel(model.names.__getitem__)
    digits = DIGITS[model.model.currency]
    amount = rounded_to(expression.evaluate(model.values), digits)
    return amount, text if column.paid == column.line else f"ROUND({text},{digits})"


def cash_bridge(book: Book, model: Model) -> str:
    """Formula of what is paid in all, from the total: what is paid for each line in the place of its own amount."""
    columns = book.document.workbook.cash
    other = [(column.line, _paid(model, column)[1]) for column in columns if column.paid != column.line]
    paid = {column.line for column in columns}
    unpaid = [line.name for line in leaves(model.model) if line.name not in paid]
    parts = [f"+{formula}-{model.names[name]}" for name, formula in other]
    return f"({''.join([model.total, *parts, *(f'-{model.names[name]}' for name in unpaid)])})"


def _sums(
    book: Book,
    cash: Cash,
    model: Model,
    columns: tuple[CashColumn, ...],
    amounts: list[list[float]],
    inputs: Inputs,
    width: int,
    timing: Worksheet,
) -> None:
    key = CAPITAL if CAPITAL in inputs.names else DISCOUNT
    rate_name, rate = inputs.names[key], next(row.item.value for row in inputs.rows if row.item.name == key)
    sums: list[list[float]] = []
    left = 0.0
    for index, row in enumerate(amounts):
        at = cash.first + index
        parts = [
            sum(value for value, column in zip(row, columns, strict=True) if column.capex is kind)
            for kind in (False, True)
        ]
        left = round(left + sum(parts), book.digits)
        together = round(sum(parts), book.digits)
        worth = sum(
            value / (1 + rate) ** (column.days[index] / DAYS_PER_YEAR)
            for value, column in zip(row, columns, strict=True)
        )
        values = [*parts, together, left, worth]
        formulas = _sum_formulas(cash, columns, at, index, (rate_name, timing))
        for number in range(width - 1 - len(columns)):
            book.formula(cash.sheet, at, len(columns) + 1 + number, formulas[number], values[number], book.money)
        sums.append([*row, *values])
    book.text(cash.sheet, cash.total_row, 0, tr("Total"), "total")
    for column in range(1, width):
        if column == cash.left:
            book.text(cash.sheet, cash.total_row, column, "", "total")
            continue
        whole = sum(row[column - 1] for row in sums)
        formula = f"SUM({span(cash.sheet, cash.first, cash.last, column)})"
        book.formula(
            cash.sheet,
            cash.total_row,
            column,
            formula,
            round(whole, book.digits) if column < cash.left else whole,
            book.money,
            "total",
        )


def _sum_formulas(
    cash: Cash, columns: tuple[CashColumn, ...], at: int, index: int, discount: tuple[str, Worksheet]
) -> list[str]:
    """Running cost, investment, both, running sum, present value."""

    def here(column: int) -> str:
        return cell(at, column, fixed=False)

    kinds = [[here(i + 1) for i, column in enumerate(columns) if column.capex is kind] for kind in (False, True)]
    opex, capex = ("+".join(cells) or "0" for cells in kinds)
    before = f"{cell(at - 1, cash.left, fixed=False)}+" if index else ""
    rate, timing = discount
    worth = "+".join(
        f"({'+'.join(here(number + 1) for number in group)})/(1+{rate})^({place(timing, at, len(columns) + 1 + turn)}/{DAYS_PER_YEAR})"
        for turn, group in enumerate(_paid_together(columns))
    )
    return [
        opex,
        capex,
        f"{here(cash.opex)}+{here(cash.capex)}",
        f"{before}{here(cash.total)}",
        worth or "0",
    ]
