"""Sheet Checks: whether the book agrees with itself and with the plan, and whether its formulas can still follow."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from xlsxwriter.worksheet import Worksheet

from exports import theme
from exports.numbers import whole
from exports.wording import tr, trn
from exports.writers.xlsx_alternatives import Alternatives
from exports.writers.xlsx_book import Book, place, span
from exports.writers.xlsx_candidates import Candidates
from exports.writers.xlsx_cash import Cash, cash_bridge
from exports.writers.xlsx_inputs import BUDGET, SCENARIOS, Inputs
from exports.writers.xlsx_model import Model
from exports.writers.xlsx_timing import Timing


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
    book: Book,
    model: Model | None,
    timing: Timing | None,
    cash: Cash | None,
    inputs: Inputs | None,
    candidates: Candidates | None,
    beside: Alternatives | None,
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
    rows = _checks(book, model, timing, cash, inputs, candidates, beside)
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
    book: Book,
    model: Model | None,
    timing: Timing | None,
    cash: Cash | None,
    inputs: Inputs | None,
    candidates: Candidates | None,
    beside: Alternatives | None,
) -> list[Check]:
    rows: list[Check] = []
    if model and inputs:
        rows += _model_checks(book, model, inputs)
    if model and timing and cash:
        rows += _month_checks(book, model, timing, cash)
    if candidates:
        rows += _candidate_checks(book, candidates)
    if beside and beside.least_now:
        rows.append(
            Check(
                label=tr("No other way of having the accelerators costs less"),
                formula=f'IF({beside.least},"ok","wrong")',
                value="ok",
                note=tr(
                    "Red when one on Alternatives does: which hardware is chosen follows no formula, so make a new plan."
                ),
            )
        )
    return rows


def _month_checks(book: Book, model: Model, timing: Timing, cash: Cash) -> list[Check]:
    """Whether the months hold all that is paid and booked."""
    total, left = place(cash.sheet, cash.total_row, cash.total), place(cash.sheet, cash.last, cash.left)
    return [
        Check(
            label=tr("The timeline is long enough"),
            formula=f'IF({timing.fits},"ok","wrong")',
            value="ok",
            note=trn(
                "Red when something is paid after the {number} month shown, or bought too often: make a new plan.",
                "Red when something is paid after the {number} months shown, or bought too often: make a new plan.",
                len(timing.months),
                number=whole(len(timing.months)),
            ),
        ),
        _same(
            tr("Cash flow adds up to what is paid"),
            total,
            cash_bridge(book, model),
            tr("The total, less the cost of capital, plus what other work carries of a purchase or commitment."),
        ),
        _same(
            tr("The last month's running sum is all that is paid"),
            left,
            total,
            tr("Nothing leaves after the last month shown."),
        ),
        _same(
            tr("The expense of all months adds up to what is paid"),
            *cash.expense,
            tr("With what is written off or lapses anyway, and without a shortfall of a commitment that is not paid."),
        ),
    ]


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
