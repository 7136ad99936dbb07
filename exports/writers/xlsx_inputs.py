"""Sheets Inputs and Scenarios: the numbers that finance may change, and which of them the model uses."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass

from xlsxwriter.worksheet import Worksheet

from engine.answer import CostInput, CostModel
from engine.inputs.origin import REQUEST
from exports.cost_values import values_of
from exports.text import clean_text, shorten
from exports.wording import label, mark, sourced, tr, unit_words
from exports.writers.xlsx_book import COUNT, Book, number_format, place, span

SCENARIOS = ("Base", "Low cost", "High cost", "Custom")
"""Written as they are in every language: a formula looks for them."""
BUDGET = "budget"
_TOP = 4
"""First row of inputs, below title, explanation, an empty row and the header."""
FIRST_SCENARIO_ROW = _TOP + 2
"""Row of the first input on Scenarios, as a reader counts."""
_TITLES = (
    mark("Input"),
    mark("Value"),
    mark("Unit"),
    mark("Low"),
    mark("High"),
    mark("In use"),
    mark("Plan"),
    mark("Changed"),
    mark("Source"),
    mark("Date"),
    mark("Note"),
    mark("Name"),
)
_WIDTHS = (30, 13, 11, 12, 12, 12, 12, 10, 38, 12, 22, 28)
_CHANGED = '"changed";"changed";"–"'
"""How 1 and 0 are shown, which are summed."""
_PRINTED = 10
"""Last printed column: names serve formulas, not readers."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """One input with the places that belong to it: cells of Inputs, and the name that formulas use."""

    item: CostInput
    row: int
    use: str
    """Defined name of the value in use, on Scenarios."""
    base: str
    """Defined name of the value on Inputs."""
    inert: bool
    in_model: bool


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """The finished input sheets."""

    sheet: Worksheet
    rows: tuple[Row, ...]

    @property
    def names(self) -> dict[str, str]:
        """Defined name in use, by the model's own name of the input."""
        return {row.item.name: row.use for row in self.rows}

    def changed(self) -> str:
        """The range that says which inputs differ from the plan."""
        return self.column(7)

    def alike(self, but: Container[str]) -> str:
        """Condition: the base scenario is in use, and no input differs from the plan but for those."""
        free = [place(self.sheet, row.row, 7) for row in self.rows if row.item.name in but]
        return f"AND(Scenarios!$E$3=1,SUM({self.changed()})={'+'.join(free) or '0'})"

    def column(self, index: int) -> str:
        """That column's range over all inputs."""
        return span(self.sheet, _TOP, _TOP + len(self.rows) - 1, index)


def write_inputs(book: Book) -> Inputs:
    """Both sheets, in their order in the file."""
    model = book.document.workbook.model
    assert model is not None
    sheet = book.sheet("Inputs")
    scenarios = book.sheet("Scenarios")
    rows = _rows(book, model, sheet, scenarios)
    _inputs_sheet(book, sheet, scenarios, rows)
    _scenarios_sheet(book, sheet, scenarios, rows, model)
    return Inputs(sheet=sheet, rows=rows)


def _rows(book: Book, model: CostModel, sheet: Worksheet, scenarios: Worksheet) -> tuple[Row, ...]:
    """The model's inputs, then the workbook's own."""
    data = book.document.workbook
    items = workbook_inputs(model, data.budget, data.discount, data.beside)
    rows = []
    for index, item in enumerate(items):
        # Reserved before the lines get theirs, so that a formula reads as the model does.
        use = book.define(item.name, scenarios, _TOP + 1 + index, 5)
        base = book.define(f"in_{item.name}", sheet, _TOP + index, 1)
        in_model = index < len(model.inputs)
        rows.append(
            Row(item=item, row=_TOP + index, use=use, base=base, inert=item.name in data.inert, in_model=in_model)
        )
    return tuple(rows)


def workbook_inputs(
    model: CostModel, budget: float, discount: CostInput | None, beside: tuple[CostInput, ...]
) -> tuple[CostInput, ...]:
    """The model's inputs, then the workbook's own: the rate of present values, the budget where there is one, and what only the
    ways beside the plan need."""
    extra = [discount] if discount else []
    if budget:
        extra.append(CostInput(name=BUDGET, value=budget, unit=model.currency, low=budget, high=budget, source=REQUEST))
    known = {item.name for item in model.inputs} | {line.name for line in model.lines}
    return (*model.inputs, *(item for item in (*extra, *beside) if item.name not in known))


def _inputs_sheet(book: Book, sheet: Worksheet, scenarios: Worksheet, rows: tuple[Row, ...]) -> None:
    book.title(
        sheet, tr("Inputs"), tr("Change the blue numbers on yellow; every sheet follows. All other cells are locked.")
    )
    book.header(
        sheet, _TOP - 1, tuple(map(tr, _TITLES)), numbers=(1, 3, 4, 5, 6, 7), widths=_WIDTHS, muted=(2, 8, 9, 10, 11)
    )
    sheet.print_area(0, 0, _TOP + len(rows) - 1, _PRINTED)
    for row in rows:
        _input_row(book, sheet, row)
    sheet.freeze_panes(_TOP, 1)
    sheet.repeat_rows(_TOP - 1)
    last = _TOP + len(rows) - 1
    amber = book.file.add_format({"bg_color": "#FCF1DE", "font_color": "#9A5B00"})
    sheet.conditional_format(_TOP, 7, last, 7, {"type": "cell", "criteria": "==", "value": 1, "format": amber})


def _input_row(book: Book, sheet: Worksheet, row: Row) -> None:
    item, at = row.item, row.row
    number = _format(item)
    if number == COUNT:
        book.show_parts(sheet, at, 1, 6)
    called, unit = label(item.label), unit_words(item.unit)
    book.text(sheet, at, 0, called, "wrap")
    book.number(sheet, at, 1, item.value, number, "input")
    book.text(sheet, at, 2, unit, "muted")
    book.number(sheet, at, 3, item.low, number)
    book.number(sheet, at, 4, item.high, number)
    book.formula(sheet, at, 5, row.use, item.value, number)
    book.number(sheet, at, 6, item.value, number)
    book.formula(sheet, at, 7, f"IF(B{at + 1}=G{at + 1},0,1)", 0, _CHANGED)
    source = sourced(item.source, 400)
    book.text(sheet, at, 8, source, "muted")
    book.text(sheet, at, 9, clean_text(item.date, 20), "muted")
    note = _note(row, {item.name for item in book.document.workbook.beside})
    book.text(sheet, at, 10, note, "muted")
    book.text(sheet, at, 11, row.base, "muted")
    book.high(sheet, at, (called[:120], 29), (unit, 9.5), (source, 36), (note, 20))
    _validate(sheet, row)


def _format(item: CostInput) -> str:
    return number_format(item.value, item.unit, item.low, item.high)


def _note(row: Row, beside: Container[str]) -> str:
    if row.item.name in beside:
        return tr("Moves the other ways on Alternatives, not the plan itself.")
    if not row.item.editable:
        return tr("Follows from the layout; change it only to see what it would mean.")
    if row.inert:
        return tr("Changes no amount at the plan's other values.")
    return tr("Certain in this plan.") if row.item.low == row.item.high and row.in_model else ""


def _validate(sheet: Worksheet, row: Row) -> None:
    """Nothing below zero; a share of a whole not above one."""
    item = row.item
    whole = _whole(item)
    called = label(item.label)
    fault = (
        tr("“{label}” takes a number between 0 and 100%.", label=called)
        if whole
        else tr("“{label}” takes a number of 0 or more.", label=called)
    )
    sheet.data_validation(
        row.row,
        1,
        row.row,
        1,
        {
            "validate": "decimal",
            "criteria": "between" if whole else ">=",
            **({"minimum": 0, "maximum": 1} if whole else {"value": 0}),
            "input_title": shorten(called, 32),
            "input_message": shorten(
                tr(
                    "Plan: {value} {unit}. Plausible: {low} to {high}.",
                    value=f"{item.value:,.6g}",
                    unit=unit_words(item.unit, 30),
                    low=f"{item.low:,.4g}",
                    high=f"{item.high:,.4g}",
                ),
                250,
            ),
            "error_title": tr("Not possible"),
            "error_message": shorten(fault, 250),
        },
    )


def _scenarios_sheet(book: Book, inputs: Worksheet, sheet: Worksheet, rows: tuple[Row, ...], model: CostModel) -> None:
    book.title(
        sheet,
        tr("Scenarios"),
        tr(
            "At low and high cost inputs move together, as they do where the total is its P10 or its P90, which it then is."
        )
        if book.document.workbook.joint
        else tr("Low and high cost set every input to that end of its range at once: wider than the 80% band."),
    )
    book.text(sheet, 2, 0, tr("Scenario in use"), "label")
    book.text(sheet, 2, 1, SCENARIOS[0], "input")
    sheet.data_validation(
        2,
        1,
        2,
        1,
        {
            "validate": "list",
            "source": list(SCENARIOS),
            "input_title": tr("Scenario"),
            "input_message": tr("Choose which column the model uses."),
        },
    )
    book.text(sheet, 2, 3, tr("Its column"), "muted")
    book.formula(sheet, 2, 4, "MATCH($B$3,$B$5:$E$5,0)", 1, COUNT)
    titles = (tr("Input"), *SCENARIOS, tr("In use"), tr("Unit"))
    book.header(sheet, _TOP, titles, numbers=range(1, 6), widths=(40, 15, 15, 15, 15, 15, 17), muted=(6,))
    raises = _raising(model)
    for row in rows:
        _scenario_row(book, inputs, sheet, row, raises)
    sheet.freeze_panes(_TOP + 1, 1)
    sheet.repeat_rows(_TOP)


def _scenario_row(book: Book, inputs: Worksheet, sheet: Worksheet, row: Row, raises: Mapping[str, bool]) -> None:
    item, at = row.item, row.row + 1
    number = _format(item)
    if number == COUNT:
        book.show_parts(sheet, at, 1, 5)
    called = label(item.label)
    book.text(sheet, at, 0, called, "wrap")
    book.high(sheet, at, (called, 39))
    book.formula(sheet, at, 1, row.base, item.value, number)
    for column, (formula, value) in zip((2, 3), _ends(book, inputs, row, raises.get(item.name, True)), strict=True):
        book.formula(sheet, at, column, formula, value, number)
    book.formula(sheet, at, 4, f"B{at + 1}", item.value, number, "input")
    choice = ",".join(f"{letter}{at + 1}" for letter in "BCDE")
    book.formula(sheet, at, 5, f"CHOOSE($E$3,{choice})", item.value, number, "label")
    book.text(sheet, at, 6, unit_words(item.unit), "muted")


def _ends(book: Book, inputs: Worksheet, row: Row, up: bool) -> list[tuple[str, float]]:
    """Formula and value of an input at low and at high cost: what it is then, in proportion to what is typed in, and a share of a whole at
    most that. Where no inputs reach the ends of the cost, either end of its own range."""
    item, base, together = row.item, f"B{row.row + 2}", book.document.workbook.joint
    if together is None:
        ends = ((3, item.low), (4, item.high)) if up else ((4, item.high), (3, item.low))
        return [(place(inputs, row.row, column), value) for column, value in ends]
    found = []
    for end in (together.low, together.high):
        value = end.get(item.name, item.value)
        moved = f"{base}*{value!r}/{item.value!r}" if item.value else f"{value!r}"
        formula = base if value == item.value else f"MIN(1,{moved})" if _whole(item) else moved
        found.append((formula, value))
    return found


def _whole(item: CostInput) -> bool:
    """Is it a share of a whole, which is never more?"""
    return item.unit == "share" and 0 <= item.value <= 1 and item.high <= 1


def _raising(model: CostModel) -> dict[str, bool]:
    """Whether a larger value of the input raises the total."""
    return {
        item.name: values_of(model, {item.name: item.high})[model.total]
        >= values_of(model, {item.name: item.low})[model.total]
        for item in model.inputs
    }


Swing = tuple[Row, float, float]
"""An input with the total at its low and at its high end."""


def uncertain(inputs: Inputs, model: CostModel, most: int) -> tuple[Swing, ...]:
    """Inputs with a range that moves the total, widest swing first, with the total at either end."""
    found = []
    for row in inputs.rows:
        if not row.in_model or row.item.low == row.item.high:
            continue
        ends = [values_of(model, {row.item.name: value})[model.total] for value in (row.item.low, row.item.high)]
        if ends[0] != ends[1]:
            found.append((row, ends[0], ends[1]))
    return tuple(sorted(found, key=lambda entry: -abs(entry[2] - entry[1]))[:most])
