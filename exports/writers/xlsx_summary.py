"""Sheet Summary: the decision on one page, every number live, the plan's own words below."""

from __future__ import annotations

from xlsxwriter.chart import Chart as NativeChart
from xlsxwriter.worksheet import Worksheet

from engine.answer import COMMITTED, DRAWN, LEASED, ORDERED, PREPAID, PURCHASE, TAXES
from exports.document import Figure, Section
from exports.wording import mark, tr
from exports.writers.xlsx_book import DECIMAL, WHOLE_MONEY, Book
from exports.writers.xlsx_candidates import Candidates
from exports.writers.xlsx_cash import Cash
from exports.writers.xlsx_charts import colour, insert, styled
from exports.writers.xlsx_checks import Checks, colour_states
from exports.writers.xlsx_inputs import BUDGET, SCENARIOS, Inputs
from exports.writers.xlsx_model import Model
from exports.writers.xlsx_pages import Frozen

_WIDTHS = (34, 20, 14, 14, 14, 14)


def open_summary(book: Book) -> Worksheet:
    """The first sheet, still empty: it refers to all others."""
    sheet = book.sheet("Summary", landscape=False)
    sheet.fit_to_pages(1, 1)
    sheet.freeze_panes(4, 0)
    sheet.repeat_rows(0, 1)
    for index, width in enumerate(_WIDTHS):
        sheet.set_column(index, index, width)
    return sheet


def write_summary(
    book: Book,
    sheet: Worksheet,
    frozen: Frozen,
    *,
    model: Model | None,
    inputs: Inputs | None,
    cash: Cash | None,
    candidates: Candidates | None,
    checks: Checks,
) -> None:
    """Fills the sheet."""
    document = book.document
    sheet.set_row(0, 26)
    book.text(sheet, 0, 0, document.title, "title")
    book.text(sheet, 1, 0, f"{document.subtitle}. {document.state_text}.", "subtitle")
    _merged(book, sheet, 2, 0, 5, document.decision.sentence, "label")
    row = 4
    if model and inputs:
        row = _numbers(book, sheet, row, frozen, model, inputs, cash)
    row = _status(book, sheet, row, model, candidates, checks)
    row = _charts(book, sheet, row, model, cash)
    row = _words(book, sheet, row + 1)
    row = _links(book, sheet, row + 1)
    sheet.print_area(0, 0, row, len(_WIDTHS) - 1)  # a long title runs on beside it and would make the print tiny


def _numbers(
    book: Book, sheet: Worksheet, row: int, frozen: Frozen, model: Model, inputs: Inputs, cash: Cash | None
) -> int:
    """Cost now, with its band and the difference from the plan; time; parts."""
    data, names = book.document.workbook, frozen.names
    total, value = model.total, model.values[model.model.total]
    book.header(sheet, row, ("", tr("Now"), "P10", "P90", tr("In the plan"), tr("Difference")), numbers=range(1, 6))
    low, high = names.get("cost_low_ratio", "1"), names.get("cost_high_ratio", "1")
    at = row + 1
    sheet.set_row(at, 22)
    book.text(sheet, at, 0, f"{data.total_label}, {book.document.currency}", "label")
    for column, (formula, shown) in enumerate(
        (
            (total, value),
            (f"{total}*{low}", value * data.low_ratio),
            (f"{total}*{high}", value * data.high_ratio),
            (names["plan_total"], value),
            (f"B{at + 1}-E{at + 1}", 0.0),
        ),
        start=1,
    ):
        book.formula(sheet, at, column, formula, shown, WHOLE_MONEY, "big" if column == 1 else "plain")
    at += 1
    parts = (
        (tr("of which running cost"), model.total_of("opex")),
        (tr("of which investment"), model.total_of("capex")),
        (tr("of which tax that is not recovered"), model.sum_of(TAXES)),
    )
    for label, (formula, shown) in parts:
        if formula != "0":
            book.text(sheet, at, 0, label)
            book.formula(sheet, at, 1, formula, shown, WHOLE_MONEY)
            at += 1
    if cash:
        label = tr("Present value of all payments, {code}", code=book.document.currency)
        book.text(sheet, at, 0, label, "label")
        book.formula(sheet, at, 1, cash.npv, cash.npv_now, WHOLE_MONEY)
        book.high(sheet, at, (label, _WIDTHS[0]), bold=True)
        at += 1
    at = _extras(book, sheet, at, model, inputs)
    return _time(book, sheet, at, frozen) + 1


_SIGNED = {
    ORDERED: mark("Signed: the whole purchase with its tax, {code}"),
    PURCHASE: mark("Signed: the whole purchase, {code}"),
    COMMITTED: mark("Signed: the whole commitment, {code}"),
    LEASED: mark("Signed: the whole lease, {code}"),
    PREPAID: mark("Signed: paid in advance, {code}"),
    DRAWN: mark("Drawn of a commitment that is signed already, {code}"),
}
"""By the name of the line of the cost model."""


def _extras(book: Book, sheet: Worksheet, at: int, model: Model, inputs: Inputs) -> int:
    """What is signed, what a budget must hold, and what is left of it."""
    data = book.document.workbook
    code = book.document.currency
    held, amount = model.held
    rows = [
        (model.names[name], model.values[name], tr(label, code=code))
        for name, label in _SIGNED.items()
        if name in model.names and (name != PURCHASE or ORDERED not in model.names)
    ]
    rows += [(held, amount, tr("What a budget must hold, {code}", code=code))] if held != model.total else []
    for formula, value, label in rows:
        book.text(sheet, at, 0, label, "label")
        book.formula(sheet, at, 1, formula, value, WHOLE_MONEY)
        book.high(sheet, at, (label, _WIDTHS[0]), bold=True)
        at += 1
    budget = inputs.names.get(BUDGET)
    if budget and data.budget:
        book.text(sheet, at, 0, tr("Budget left, {code}", code=code))
        book.formula(sheet, at, 1, f"{budget}-{held}", data.budget - amount, WHOLE_MONEY)
        at += 1
    return at


def _time(book: Book, sheet: Worksheet, at: int, frozen: Frozen) -> int:
    names, values = frozen.names, frozen.values
    if "plan_days" not in names:
        return at
    book.text(sheet, at, 0, tr("Days to finish (frozen physics)"))
    for column, key in ((1, "plan_days"), (2, "plan_days_low"), (3, "plan_days_high")):
        book.formula(sheet, at, column, names[key], values[key], DECIMAL)
    if "deadline_days" in names:
        at += 1
        book.text(sheet, at, 0, tr("Days to spare, pessimistic end"))
        spare = values["deadline_days"] - values["plan_days_high"]
        book.formula(sheet, at, 1, f"{names['deadline_days']}-{names['plan_days_high']}", spare, DECIMAL)
    return at + 1


def _status(
    book: Book, sheet: Worksheet, row: int, model: Model | None, candidates: Candidates | None, checks: Checks
) -> int:
    book.text(sheet, row, 0, tr("Checks"), "label")
    book.formula(sheet, row, 1, checks.name, checks.state, style="strong")
    colour_states(book, sheet, row, 1, row, 1)
    if model:
        book.text(sheet, row, 2, tr("Scenario"), "muted")
        book.formula(sheet, row, 3, "Scenarios!$B$3", SCENARIOS[0], style="strong")
    if candidates:
        row += 1
        book.text(sheet, row, 0, tr("Cheapest, as sure as asked"), "label")
        sheet.merge_range(row, 1, row, 5, "", book.style("label"))
        book.formula(sheet, row, 1, candidates.cheapest, candidates.cheapest_now, style="label")
        book.high(sheet, row, (candidates.cheapest_now, sum(_WIDTHS[1:]) - 1), bold=True)
        row += 1
        book.text(sheet, row, 0, tr("Least expected total, {code}", code=book.document.currency))
        book.formula(sheet, row, 1, candidates.least, candidates.least_total, WHOLE_MONEY)
    return row + 2


def _charts(book: Book, sheet: Worksheet, row: int, model: Model | None, cash: Cash | None) -> int:
    """Cost by line, and cash by month when there are several; both follow the inputs."""
    if model is None:
        return row
    captions = {block.chart.id: block for section in book.document.sections for block in _figures(section)}
    sides = [chart for chart in (_lines_chart(book, model, captions), _cash_chart(book, cash, captions)) if chart]
    for index, (chart, alt) in enumerate(sides):
        insert(
            sheet,
            row,
            0 if index == 0 else 3,
            chart,
            alt,
            width=(455, 300)[index] if len(sides) > 1 else 760,
            height=270,
        )
    return row + 15


def _figures(section: Section) -> list[Figure]:
    blocks = [*section.blocks, *(block for part in section.sections for block in part.blocks)]
    return [block for block in blocks if isinstance(block, Figure)]


def _lines_chart(book: Book, model: Model, captions: dict[str, Figure]) -> tuple[NativeChart, str]:
    first, last = model.leaf_rows
    chart = book.file.add_chart({"type": "bar"})
    name = model.sheet.get_name()
    chart.add_series(
        {
            "name": book.document.currency,
            "categories": [name, first, 0, last, 0],
            "values": [name, first, 1, last, 1],
            "fill": {"color": colour(0)},
            "gap": 50,
        }
    )
    known = captions.get("cost-lines")
    styled(chart, tr("Cost by line, {code}", code=book.document.currency), "", "", lying=True, legend=False)
    return chart, known.alt if known else tr("The whole cost is one line of the cost model.")


def _cash_chart(book: Book, cash: Cash | None, captions: dict[str, Figure]) -> tuple[NativeChart, str] | None:
    if cash is None or cash.bars[0] == cash.bars[1]:
        return None
    chart = book.file.add_chart({"type": "column", "subtype": "stacked"})
    name = cash.sheet.get_name()
    kinds = [(tr("Running cost"), cash.opex, 0)]
    if any(column.capex for column in book.document.workbook.cash):
        kinds.append((tr("Investment"), cash.capex, 2))
    for label, column, index in kinds:
        chart.add_series(
            {
                "name": label,
                "categories": [name, cash.bars[0], 0, cash.bars[1], 0],
                "values": [name, cash.bars[0], column, cash.bars[1], column],
                "fill": {"color": colour(index)},
                "gap": 40,
            }
        )
    known = captions.get("cash")
    styled(
        chart,
        tr("Cash out by month, {code}", code=book.document.currency),
        "",
        "",
        lying=False,
        legend=len(kinds) > 1,
        from_zero=len(kinds) == 1,
    )
    return chart, known.alt if known else tr("Cash that leaves in each month, as on the sheet Cash flow.")


def _words(book: Book, sheet: Worksheet, row: int) -> int:
    """The decision as the plan says it."""
    book.text(sheet, row, 0, tr("As planned (frozen text of plan {plan})", plan=book.document.short_hash), "heading")
    for index, fact in enumerate(book.document.decision.facts):
        book.text(sheet, row + 1 + index, 0, fact.label, "label")
        _merged(book, sheet, row + 1 + index, 1, 5, fact.text, "wrap")
        # The label may take more lines than its text; it is bold, a tenth wider than what is measured here.
        book.high(sheet, row + 1 + index, (fact.text, sum(_WIDTHS[1:]) - 1), (fact.label, (_WIDTHS[0] - 1) / 1.1))
    return row + 1 + len(book.document.decision.facts)


def _merged(book: Book, sheet: Worksheet, row: int, first: int, last: int, text: str, style: str) -> None:
    """One text over several columns, its row as high as the text needs."""
    look = book.style(style, quoted=text[:1] in {"=", "+", "-", "@", "'"})
    sheet.merge_range(row, first, row, last, "", look)
    sheet.write_string(row, first, text, look)
    book.high(sheet, row, (text, sum(_WIDTHS[first : last + 1]) - 1), bold=style == "label")


def _links(book: Book, sheet: Worksheet, row: int) -> int:
    """Links to the other sheets; the last row of them."""
    book.text(sheet, row, 0, tr("Sheets of this workbook"), "heading")
    others = [other.get_name() for other in book.file.worksheets() if other is not sheet]
    for index, name in enumerate(others):
        look = book.style("link")
        sheet.write_url(row + 1 + index // 6, index % 6, f"internal:'{name}'!A1", look, string=name)
    return row + 1 + (len(others) - 1) // 6
