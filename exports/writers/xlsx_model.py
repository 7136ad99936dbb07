"""Sheet Cost model: one named expression per line."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from xlsxwriter.worksheet import Worksheet

from engine.answer import NEEDED, CostLine, CostModel
from engine.inputs.currency import DIGITS
from engine.money.expressions import rounded_to
from exports.cost_values import labels_of, leaves, parsed, values_of
from exports.document import CashColumn
from exports.text import clean_text
from exports.wording import label, mark, tr, unit_words
from exports.writers.xlsx_book import PERCENT, Book, base_values, number_format
from exports.writers.xlsx_inputs import Inputs

_TOP = 4
_KINDS = {"quantity": mark("quantity"), "opex": mark("running"), "capex": mark("investment"), "total": mark("sum")}
_WHEN = {
    "run": mark("during the run"),
    "upfront": mark("at the start"),
    "monthly": mark("every month"),
    "instalments": mark("in equal instalments"),
    "term": mark("every month of the lease"),
    "held": mark("every month held"),
    "used": mark("while in use"),
    "end": mark("at the end"),
    "settled": mark("when the commitment ends"),
    "until": mark("until the commitment ends"),
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
    called = label(line.label)
    book.text(sheet, row, 0, called, style)
    book.formula(sheet, row, 1, formula, value, number_format(value, line.unit), style if style == "total" else "plain")
    texts = (unit_words(line.unit), tr(_KINDS[line.kind]), tr(_WHEN[line.schedule]), said, names[line.name])
    for column, text in enumerate(texts, start=2):
        book.text(sheet, row, column, text, "total_muted" if line.kind == "total" else "muted")
    book.high(sheet, row, (called[:120], 35), (said, 58))


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
        called = label(line.label)
        book.text(sheet, row, 0, called, "wrap")
        book.high(sheet, row, (called, 35))
        book.formula(sheet, row, 1, names[line.name], values[line.name], book.money)
        share = values[line.name] / total if total else 0.0
        book.formula(sheet, row, 2, f"IF({names[model.total]}=0,0,B{row + 1}/{names[model.total]})", share, PERCENT)
    return top + 1, top + len(found)


def paid_for(model: Model, column: CashColumn) -> tuple[float, str]:
    """What is paid in all for that line, and its formula."""
    expression = parsed(column.paid)
    text = expression.excel(model.names.__getitem__)
    digits = DIGITS[model.model.currency]
    amount = rounded_to(expression.evaluate(model.values), digits)
    return amount, text if column.paid == column.line else f"ROUND({text},{digits})"
