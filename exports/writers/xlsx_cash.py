"""Sheets Rounding, Cash flow and Expense: the lines of the cost model month by month, as the flags of Timing say.

Each amount is shared out in whole smallest units in proportion to the hours or parts of the months, those with the largest rests
rounded up until none is left: the engine's own rule, so that workbook and plan agree to the cent in every month.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from xlsxwriter.worksheet import Worksheet

from engine.answer import SAVED
from engine.inputs.currency import DIGITS
from engine.money.expressions import rounded_to
from exports.cost_values import CAPITAL, DISCOUNT, leaves
from exports.document import CashColumn
from exports.numbers import long_date
from exports.timeline import TIE, Split, split
from exports.wording import tr
from exports.writers.xlsx_book import COUNT, Book, cell, place, span
from exports.writers.xlsx_inputs import Inputs
from exports.writers.xlsx_model import Model, paid_for
from exports.writers.xlsx_timing import Timing, weight_total
from planner.money import DAYS_PER_YEAR

_TOP = 4
_HEAD = 3
"""Rows above the months of Rounding: all units, those left, and the least rest that gets one."""
_MOST_BARS = 36


@dataclass(frozen=True, kw_only=True)
class Cash:
    """The finished cash flow: rows of months, columns of totals, and the rows and columns that the chart draws."""

    sheet: Worksheet
    first: int
    last: int
    opex: int
    capex: int
    total: int
    left: int
    worth: int
    total_row: int
    bars: tuple[int, int]
    npv: str
    """Defined name of the present value of all payments."""
    npv_now: float
    expense: tuple[str, str]
    """All that the books show, and what it must be, as formulas."""


@dataclass(kw_only=True)
class _Rounding:
    """The sheet on which amounts are shared out, one column after the other."""

    book: Book
    sheet: Worksheet
    timing: Timing
    column: int = 0
    heads: list[tuple[str, float]] = field(default_factory=list)

    def open(self, count: int) -> None:
        book, sheet = self.book, self.sheet
        words = tr(
            "Each line in smallest units of {code}, shared out by Timing; the largest rests are rounded up.",
            code=book.document.currency,
        )
        book.title(sheet, tr("Rounding"), words)
        sheet.set_column(0, 0, 30)
        sheet.set_column(1, count, 15)
        heads = (tr("Smallest units in all"), tr("Left after whole ones"), tr("Least rest that gets one"))
        for index, label in enumerate(heads):
            book.text(sheet, _TOP + index, 0, label, "label")
        book.text(sheet, _TOP - 1, 0, tr("Month"), "header")
        for index, label in enumerate(self.timing.labels):
            book.text(sheet, self.first + index, 0, label)
        sheet.freeze_panes(self.first, 1)
        sheet.repeat_rows(_TOP - 1)
        sheet.print_area(0, 0, 1, 4)

    @property
    def first(self) -> int:
        return _TOP + _HEAD

    def share(self, label: str, amount: tuple[str, float], schedule: str) -> tuple[Split, Callable[[int], str]]:
        """Shares that amount out over the schedule; returns it, and the formula of the amount of each month."""
        self.column += 1
        book, sheet, timing, at = self.book, self.sheet, self.timing, self.column
        last = self.first + len(timing.months) - 1
        one, scale = timing.schedules[schedule], 10**book.digits
        found = split(float(round(amount[1] * scale)), one.weights, self.first + 1)
        book.text(sheet, _TOP - 1, at, label, "header_right")
        self.heads.append((label, 14.0))
        book.high(sheet, _TOP - 1, *self.heads, bold=True)
        units, left, least = (cell(_TOP + index, at) for index in range(3))
        months = f"{cell(self.first, at)}:{cell(last, at)}"
        rests = f"{months}-INT({months})-ROW({months})*{TIE:.0E}"
        book.formula(sheet, _TOP, at, f"ROUND(({amount[0]})*{scale},0)", found.units, COUNT)
        book.formula(sheet, _TOP + 1, at, f"{units}-SUMPRODUCT(INT({months}))", found.left, COUNT)
        book.formula(sheet, _TOP + 2, at, f"IF({left}<1,2,SUMPRODUCT(LARGE({rests},{left})))", found.least, "0.0000")
        total = weight_total(timing, schedule)
        for index, exact in enumerate(found.exact):
            weight = place(timing.sheet, timing.first + index, one.weight)
            book.formula(
                sheet,
                self.first + index,
                at,
                f"IF({total}=0,0,{units}*{weight}/{total})",
                exact,
                '#,##0.00;[Red]-#,##0.00;"–"',
            )
        least = place(sheet, _TOP + 2, at)

        def month(index: int) -> str:
            x = place(sheet, self.first + index, at)
            return f"(INT({x})+({x}-INT({x})-ROW({x})*{TIE:.0E}>={least}))/{scale}"

        return found, month


def write_cash(book: Book, model: Model, inputs: Inputs, timing: Timing) -> Cash:
    """Months by columns of lines: what is paid, opex and capex, cumulative and present value; then what the books show."""
    data = book.document.workbook
    rounding = _Rounding(book=book, sheet=book.sheet("Rounding"), timing=timing)
    rounding.open(2 * len(data.cash))
    columns = tuple(column for column in data.cash if column.paid)
    sheet = book.sheet("Cash flow")
    sums = (
        tr("Running cost"),
        tr("Investment"),
        tr("Cash out"),
        tr("Since the start"),
        tr("Present value on {day}", day=long_date(data.as_of)),
    )
    words = tr(
        "{code} paid in each calendar month: purchases and commitments whole, no cost of capital.",
        code=book.document.currency,
    )
    _open(book, sheet, tr("Cash flow"), words, (tr("Month"), *(column.label for column in columns), *sums), model)
    amounts = []
    for number, column in enumerate(columns):
        whole, formula = paid_for(model, column)
        found, month = rounding.share(column.label, (formula, whole), column.schedule)
        amounts.append(found.amounts(book.digits, rounding.first + 1))
        for index, value in enumerate(amounts[-1]):
            book.formula(sheet, _TOP + 1 + index, number + 1, month(index), value, _money(book))
    npv, now = _sums(book, sheet, timing, columns, amounts, inputs)
    expense = _expense(book, model, timing, rounding, sheet, columns, amounts)
    wide, count = len(columns), len(timing.months)
    first = _TOP + 1
    return Cash(
        sheet=sheet,
        first=first,
        last=first + count - 1,
        opex=wide + 1,
        capex=wide + 2,
        total=wide + 3,
        left=wide + 4,
        worth=wide + 5,
        total_row=_TOP,
        bars=_bars(book, sheet, timing, columns, amounts, first + count + 2),
        npv=npv,
        npv_now=now,
        expense=expense,
    )


def _money(book: Book) -> str:
    """An amount of a month: a dash where nothing is paid."""
    return f'{book.money};"–"'


def _open(book: Book, sheet: Worksheet, title: str, words: str, titles: tuple[str, ...], model: Model) -> None:
    """Title, heads and the months' names; as wide as the largest amount needs, and one ten times as large."""
    book.title(sheet, title, words)
    book.text(sheet, 2, 0, tr("Amounts follow the cost model, their months the flags on Timing."), "subtitle")
    largest = max(abs(model.values[line.name]) for line in model.model.lines if line.unit in DIGITS)
    widths = (16, *(max(11.0, len(f"{largest:,.2f}") + 3.0),) * (len(titles) - 1))
    book.header(sheet, _TOP - 1, titles, numbers=range(1, len(titles)), widths=widths)
    sheet.freeze_panes(_TOP + 1, 1)
    sheet.repeat_rows(_TOP - 1)


def cash_bridge(book: Book, model: Model) -> str:
    """Formula of what is paid in all, from the total: what is paid for each line in the place of its own amount."""
    columns = [column for column in book.document.workbook.cash if column.paid]
    other = [(column.line, paid_for(model, column)[1]) for column in columns if column.paid != column.line]
    paid = {column.line for column in columns}
    unpaid = [line.name for line in leaves(model.model) if line.name not in paid]
    parts = [f"+{formula}-{model.names[name]}" for name, formula in other]
    return f"({''.join([model.total, *parts, *(f'-{model.names[name]}' for name in unpaid)])})"


def _sums(
    book: Book,
    sheet: Worksheet,
    timing: Timing,
    columns: tuple[CashColumn, ...],
    amounts: list[list[float]],
    inputs: Inputs,
) -> tuple[str, float]:
    """Running cost, investment, both, running sum and present value of each month, and all of them; returns the name of the
    present value of all payments, and what it is."""
    key = CAPITAL if CAPITAL in inputs.names else DISCOUNT
    rate = next(row.item.value for row in inputs.rows if row.item.name == key)
    left, sums = 0.0, []
    for index in range(len(timing.months)):
        row = [line[index] for line in amounts]
        parts = [
            round(sum(value for value, column in zip(row, columns, strict=True) if column.capex is kind), book.digits)
            for kind in (False, True)
        ]
        left = round(left + sum(parts), book.digits)
        worth = sum(
            value / (1 + rate) ** (timing.schedules[column.schedule].until_paid[index] / DAYS_PER_YEAR)
            for value, column in zip(row, columns, strict=True)
        )
        values = [*parts, round(sum(parts), book.digits), left, worth]
        at = _TOP + 1 + index
        book.text(sheet, at, 0, timing.labels[index])
        for number, (text, value) in enumerate(
            zip(_month_sums(book, timing, columns, at, index, inputs.names[key]), values, strict=True)
        ):
            book.formula(sheet, at, len(columns) + 1 + number, text, value, _money(book))
        sums.append([*row, *values])
    _totals(book, sheet, sums, running=len(columns) + 4)
    worth_at = len(columns) + 5
    months = span(sheet, _TOP + 1, _TOP + len(sums), worth_at)
    whole = rounded_to(sum(row[-1] for row in sums), book.digits)
    book.formula(sheet, _TOP, worth_at, f"ROUND(SUM({months}),{book.digits})", whole, book.money, "total")
    return book.define("present_value", sheet, _TOP, worth_at), whole


def _month_sums(
    book: Book, timing: Timing, columns: tuple[CashColumn, ...], at: int, index: int, rate: str
) -> list[str]:
    """The formulas of one month: running cost, investment, both, running sum, present value."""

    def here(column: int) -> str:
        return cell(at, column, fixed=False)

    wide = len(columns)
    kinds = [[here(i + 1) for i, column in enumerate(columns) if column.capex is kind] for kind in (False, True)]
    opex, capex = (f"ROUND({'+'.join(cells)},{book.digits})" if cells else "0" for cells in kinds)
    groups: dict[int, list[str]] = {}
    for number, column in enumerate(columns):
        groups.setdefault(timing.schedules[column.schedule].days, []).append(here(number + 1))
    worth = "+".join(
        f"({'+'.join(cells)})/(1+{rate})^({place(timing.sheet, timing.first + index, days)}/{DAYS_PER_YEAR})"
        for days, cells in groups.items()
    )
    before = f"{cell(at - 1, wide + 4, fixed=False)}+" if index else ""
    return [
        opex,
        capex,
        f"ROUND({here(wide + 1)}+{here(wide + 2)},{book.digits})",
        f"ROUND({before}{here(wide + 3)},{book.digits})",
        worth or "0",
    ]


def _totals(book: Book, sheet: Worksheet, rows: Sequence[Sequence[float]], running: int = 0) -> None:
    """The row of totals above the months, without one for a running sum."""
    book.text(sheet, _TOP, 0, tr("Total"), "total")
    for column in range(1, len(rows[0]) + 1):
        if column == running:
            book.text(sheet, _TOP, column, "", "total")
            continue
        whole = round(sum(row[column - 1] for row in rows), book.digits)
        months = span(sheet, _TOP + 1, _TOP + len(rows), column)
        book.formula(sheet, _TOP, column, f"SUM({months})", whole, book.money, "total")


def _expense(
    book: Book,
    model: Model,
    timing: Timing,
    rounding: _Rounding,
    cash: Worksheet,
    columns: tuple[CashColumn, ...],
    amounts: list[list[float]],
) -> tuple[str, str]:
    """What the books show in each month: as it is paid, but what is bought or paid in advance over its use."""
    booked = [column for column in book.document.workbook.cash if column.booked]
    sheet = book.sheet("Expense")
    words = tr(
        "{code} that the books show in each month: what is bought or paid in advance is written off over its use.",
        code=book.document.currency,
    )
    _open(book, sheet, tr("Expense"), words, (tr("Month"), *(column.label for column in booked), tr("Expense")), model)
    rows: list[list[float]] = [[] for _ in timing.months]
    for number, column in enumerate(booked):
        if column.schedule == column.booked and column in columns:
            at = columns.index(column)
            values = amounts[at]
            texts = [place(cash, _TOP + 1 + index, at + 1) for index in range(len(values))]
        else:
            whole, formula = (
                paid_for(model, column) if column.paid else (model.values[column.line], model.names[column.line])
            )
            found, month = rounding.share(column.label, (formula, whole), column.booked)
            values = found.amounts(book.digits, rounding.first + 1)
            texts = [month(index) for index in range(len(values))]
        for index, (text, value) in enumerate(zip(texts, values, strict=True)):
            book.formula(sheet, _TOP + 1 + index, number + 1, text, value, _money(book))
            rows[index].append(value)
    wide = len(booked)
    for index, row in enumerate(rows):
        at = _TOP + 1 + index
        book.text(sheet, at, 0, timing.labels[index])
        lines = f"{cell(at, 1, fixed=False)}:{cell(at, wide, fixed=False)}"
        row.append(round(sum(row), book.digits))
        book.formula(sheet, at, wide + 1, f"ROUND(SUM({lines}),{book.digits})", row[-1], _money(book))
    _totals(book, sheet, rows)
    sheet.print_area(0, 0, _TOP + max(timing.last_paid_now, 1), wide + 1)
    return place(sheet, _TOP, wide + 1), _expense_bridge(book, model, cash_bridge(book, model))


def _expense_bridge(book: Book, model: Model, paid: str) -> str:
    """What the books show in all: what is paid, with what is written off besides, without a shortfall that is not paid."""
    parts = [paid]
    for column in book.document.workbook.cash:
        if not column.paid:
            parts.append(f"+{model.names[column.line]}")
        elif column.line == SAVED:
            parts.append(f"-({paid_for(model, column)[1]})")
    return f"({''.join(parts)})"


def _bars(
    book: Book, sheet: Worksheet, timing: Timing, columns: tuple[CashColumn, ...], amounts: list[list[float]], top: int
) -> tuple[int, int]:
    """The rows that the chart draws: as many as the plan has months, each of more months where more of them are paid now."""
    count = max(1, min(timing.last_paid_now, _MOST_BARS))
    wide = len(columns)
    book.text(sheet, top, 0, tr("What the chart shows: so many months in each bar"), "heading")
    each = -(-timing.last_paid_now // count) if timing.last_paid_now else 1
    book.formula(sheet, top, wide + 1, f"MAX(1,ROUNDUP({timing.last_paid}/{count},0))", float(each), COUNT)
    width = cell(top, wide + 1)
    numbers = span(timing.sheet, timing.first, timing.last, timing.numbers)
    months = span(sheet, _TOP + 1, _TOP + len(timing.months), 0)
    for index in range(count):
        row, begins = top + 1 + index, index * each
        from_month = f"({index}*{width}+1)"
        shown = timing.labels[begins] if begins < timing.last_paid_now else ""
        label = f'IF({from_month}>{timing.last_paid},"",INDEX({months},{from_month}))'
        book.formula(sheet, row, 0, label, shown)
        for column, kind in ((wide + 1, False), (wide + 2, True)):
            lines = [line for line, one in zip(amounts, columns, strict=True) if one.capex is kind]
            value = round(sum(sum(line[begins : begins + each]) for line in lines), book.digits)
            paid = span(sheet, _TOP + 1, _TOP + len(timing.months), column)
            text = f'SUMIFS({paid},{numbers},">="&{from_month},{numbers},"<="&{from_month}+{width}-1)'
            book.formula(sheet, row, column, f"ROUND({text},{book.digits})", value, _money(book))
    sheet.print_area(0, 0, _TOP + max(timing.last_paid_now, 1), wide + 5)
    return top + 1, top + count
