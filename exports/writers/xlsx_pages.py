"""Sheets Physics, Sources and Checks: what is frozen, where it comes from, and whether the book agrees with itself."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from xlsxwriter.worksheet import Worksheet

from exports import theme
from exports.numbers import whole
from exports.text import CELL_LIMIT, clean_text
from exports.wording import mark, tr, trn
from exports.writers.xlsx_book import DECIMAL, PERCENT, Book, number_format, place, span
from exports.writers.xlsx_candidates import NEAR_EQUAL, Candidates
from exports.writers.xlsx_charts import write_figure
from exports.writers.xlsx_inputs import BUDGET, SCENARIOS, Inputs
from exports.writers.xlsx_model import Cash, Model, cash_bridge
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
    for at, (name, label, value, unit) in enumerate(rows, 4):
        assert value is not None
        names[name], values[name] = book.define(name, sheet, at, 1), value
        book.text(sheet, at, 0, label)
        book.number(sheet, at, 1, value, PERCENT if unit == "share" else DECIMAL if unit else "0.0000")
        book.text(sheet, at, 2, "" if unit == "share" else unit, "muted")
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
        label, unit = clean_text(driver.label, CELL_LIMIT), clean_text(driver.unit, 40)
        book.text(sheet, row, 0, label, "wrap")
        book.high(sheet, row, (label, 25), (unit, 10.5))
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


@dataclass(frozen=True, kw_only=True)
class Check:
    """One check: its formula gives “ok”, “changed” or “wrong”."""

    label: str
    formula: str
    value: str
    note: str


@dataclass(frozen=True, kw_only=True)
class Checks:
    """The overall result: its defined name and what it says in the plan."""

    name: str
    state: str


def write_checks(
    book: Book, model: Model | None, cash: Cash | None, inputs: Inputs | None, candidates: Candidates | None
) -> Checks:
    """The sheet, and its overall result."""
    sheet = book.sheet("Checks")
    book.title(
        sheet,
        tr("Checks"),
        tr("Green: the book agrees with itself and with the plan. Amber: somebody changed an input. Red: look here."),
    )
    book.header(sheet, 3, (tr("Check"), tr("Result"), tr("What it means")), muted=(2,))
    for index, width in enumerate((46, 12, 84)):
        sheet.set_column(index, index, width)
    rows = _checks(book, model, cash, inputs, candidates)
    first = 5
    last = first + len(rows) - 1
    results = span(sheet, first, last, 1)
    overall = f'IF(COUNTIF({results},"wrong")>0,"wrong",IF(COUNTIF({results},"changed")>0,"changed","ok"))'
    book.text(sheet, 4, 0, tr("All checks together"), "label")
    states = [row.value for row in rows]
    worst = "wrong" if "wrong" in states else "changed" if "changed" in states else "ok"
    book.formula(sheet, 4, 1, overall, worst, style="label")
    name = book.define("checks_result", sheet, 4, 1)
    for index, row in enumerate(rows):
        book.text(sheet, first + index, 0, row.label, "wrap")
        book.formula(sheet, first + index, 1, row.formula, row.value)
        book.text(sheet, first + index, 2, row.note, "muted")
        book.high(sheet, first + index, (row.label, 45), (row.note, 82))
    colour_states(book, sheet, 4, 1, last, 1)
    sheet.freeze_panes(4, 0)
    return Checks(name=name, state=worst)


def colour_states(book: Book, sheet: Worksheet, top: int, left: int, bottom: int, right: int) -> None:
    """Green, amber and red for ok, changed and wrong."""
    for word, text, fill in (
        ("ok", theme.GREEN, theme.GREEN_SOFT),
        ("changed", theme.AMBER, theme.AMBER_SOFT),
        ("wrong", theme.RED, theme.RED_SOFT),
    ):
        look = book.file.add_format({"font_color": f"#{text}", "bg_color": f"#{fill}", "bold": True})
        rule = {"type": "cell", "criteria": "==", "value": f'"{word}"', "format": look}
        sheet.conditional_format(top, left, bottom, right, rule)


def _checks(
    book: Book, model: Model | None, cash: Cash | None, inputs: Inputs | None, candidates: Candidates | None
) -> list[Check]:
    rows: list[Check] = []
    if model and inputs:
        rows += _model_checks(book, model, inputs)
    if model and cash:
        total = place(cash.sheet, cash.total_row, cash.total)
        left = place(cash.sheet, cash.last, cash.left)
        rows.append(
            _same(
                tr("Cash flow adds up to what is paid"),
                total,
                cash_bridge(book, model),
                tr("The total, less the cost of capital, plus what other work carries of a purchase or commitment."),
            )
        )
        rows.append(
            _same(
                tr("The last month's running sum is all that is paid"),
                left,
                total,
                tr("Nothing leaves after the last month shown."),
            )
        )
    if candidates:
        rows += _candidate_checks(book, candidates)
    return rows


def _candidate_checks(book: Book, candidates: Candidates) -> list[Check]:
    data = book.document.workbook
    chosen = next((row for row in data.candidates if row.recommended), None)
    rows = [
        Check(
            label=tr("Prices on Candidates lie where totals follow them"),
            formula=f'IF({candidates.prices_hold},"ok","changed")',
            value="ok",
            note=tr("Amber when a price passes an end at which another part of the option's cost changes: plan again."),
        )
    ]
    if chosen and data.near_equal is not None:
        limit = data.budget or inf
        fit = [row.ranked for row in data.candidates if row.in_time and row.held <= limit]
        kept = chosen.in_time and chosen.held <= limit and chosen.ranked <= min(fit) * (1 + data.near_equal)
        rows.append(
            Check(
                label=tr("The recommended option is the cheapest within the limits"),
                formula=f'IF({candidates.recommended_is_cheapest},"ok","changed")',
                value="ok" if kept else "changed",
                note=tr(
                    "By what each costs at most, as surely as is asked; costs about as near as lists differ count as equal. "
                    "Amber when another is cheaper at the prices now on the sheet, or when an input that is no price was "
                    "changed, which moves only this option."
                ),
            )
        )
    return rows


def _model_checks(book: Book, model: Model, inputs: Inputs) -> list[Check]:
    data = book.document.workbook
    parts = span(model.sheet, model.leaf_rows[0], model.leaf_rows[1], 1)
    low, high, value = (inputs.column(index) for index in (3, 4, 1))
    rows = [
        _same(
            tr("The lines add up to the total"),
            f"SUM({parts})",
            model.total,
            tr("Sum of all lines with a payment date."),
        ),
        Check(
            label=tr("No formula fails"),
            formula=f'IF(ISERROR({model.total}),"wrong","ok")',
            value="ok",
            note=tr("The total is a number."),
        ),
        Check(
            label=tr("Inputs are those of the plan"),
            formula=f'IF(SUM({inputs.changed()})=0,"ok","changed")',
            value="ok",
            note=tr(
                "Amber once an input differs from the frozen plan: "
                "the text on Summary then no longer describes these numbers."
            ),
        ),
        Check(
            label=tr("The base scenario is in use"),
            formula=f'IF(Scenarios!$B$3="{SCENARIOS[0]}","ok","changed")',
            value="ok",
            note=tr("Amber while Scenarios selects another column."),
        ),
        Check(
            label=tr("Inputs of the model lie in their plausible range"),
            formula=f'IF(SUMPRODUCT(({value}<{low})+({value}>{high}))=0,"ok","changed")',
            value="ok",
            note=tr("Amber when a value lies outside low to high; certain values have no room to move."),
        ),
    ]
    if data.budget and BUDGET in inputs.names:
        held, amount = model.held
        rows.append(
            Check(
                label=tr("The budget holds all that it must"),
                formula=f'IF({held}<={inputs.names[BUDGET]},"ok","wrong")',
                value="ok" if amount <= data.budget else "wrong",
                note=tr("Expected cost with all that is signed, against the budget on Inputs."),
            )
        )
    return rows


def _same(label: str, first: str, second: str, note: str) -> Check:
    return Check(label=label, formula=f'IF(ABS({first}-{second})<0.005,"ok","wrong")', value="ok", note=note)
