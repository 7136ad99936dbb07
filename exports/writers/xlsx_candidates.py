"""Sheet Candidates: what else could be bought, at prices that may be edited."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from xlsxwriter.worksheet import Worksheet

from exports.cost_values import DISCOUNT, EXCHANGE
from exports.document import Candidate
from exports.wording import mark, tr
from exports.writers.xlsx_book import COUNT, DECIMAL, Book, cell, money_format, place, span
from exports.writers.xlsx_inputs import BUDGET, Inputs
from exports.writers.xlsx_model import Model

_TOP = 6
NEAR_EQUAL = "near_equal"
"""Name of the frozen share by which costs may differ and count as equal."""


class _At(IntEnum):
    """Columns, in their order; those after the remark are not printed."""

    NAME = 0
    WHERE = 1
    TERMS = 2
    COUNT = 3
    DAYS = 4
    PRICED = 5
    QUANTITY = 6
    PRICE = 7
    OTHER = 8
    TOTAL = 9
    AGAINST = 10
    IN_TIME = 11
    IN_BUDGET = 12
    REMARK = 13
    LAYOUT = 14
    SURE = 15
    WITHIN = 16
    LEAST = 17
    MOST = 18
    NEEDED = 19
    NEEDED_OTHER = 20


_HEADS = {
    _At.NAME: (mark("Option"), 22),
    _At.WHERE: (mark("Where"), 24),
    _At.TERMS: (mark("Terms"), 11),
    _At.COUNT: (mark("Accelerators"), 12.5),
    _At.DAYS: (mark("Days"), 8),
    _At.PRICED: (mark("Price of"), 15),
    _At.QUANTITY: (mark("Quantity"), 12),
    _At.PRICE: (mark("Price, USD"), 12),
    _At.OTHER: (mark("Other, {code}"), 12),
    _At.TOTAL: (mark("Total, {code}"), 13.5),
    _At.AGAINST: (mark("Against the plan, {code}"), 13.5),
    _At.IN_TIME: (mark("In time"), 9),
    _At.IN_BUDGET: (mark("In budget"), 10.5),
    _At.REMARK: (mark("Remark"), 36),
    _At.LAYOUT: (mark("Layout"), 26),
    _At.SURE: (mark("At most, as sure as asked: times the total"), 15),
    _At.WITHIN: (mark("At most, if within limits"), 15),
    _At.LEAST: (mark("Holds from price, USD"), 14),
    _At.MOST: (mark("Holds up to price, USD"), 14),
    _At.NEEDED: (mark("Budget must hold: quantity"), 14),
    _At.NEEDED_OTHER: (mark("Budget must hold: other, {code}"), 14),
}
_MUTED = frozenset((_At.PRICED, _At.IN_TIME, _At.IN_BUDGET, _At.REMARK, _At.LAYOUT))
_NUMBERS = frozenset(_At) - _MUTED - {_At.NAME, _At.WHERE, _At.TERMS}


@dataclass(frozen=True, kw_only=True)
class Candidates:
    """The finished list of options."""

    sheet: Worksheet
    cheapest: str
    """Defined name of the cell that names the cheapest option at the prices now on the sheet."""
    cheapest_now: str
    near: str
    """Share by which another may be cheaper and not count: a defined name, or nothing."""
    alike: str
    """Condition: no input but prices was changed, so that options can be compared."""
    least_total: float
    """Lowest total in the plan, limits aside."""
    first: int
    last: int

    @property
    def recommended_is_cheapest(self) -> str:
        """Condition: of what comparable options within the limits cost at most, as surely as is asked, that of the recommended
        one, which stands first, is least."""
        within = span(self.sheet, self.first, self.last, _At.WITHIN)
        return f"AND({self.alike},{place(self.sheet, self.first, _At.WITHIN)}<=MIN({within})*(1+{self.near}))"

    @property
    def least(self) -> str:
        """The least of all totals, limits aside, where they can be compared."""
        return f'IF({self.alike},MIN({span(self.sheet, self.first, self.last, _At.TOTAL)}),"{tr("open")}")'

    @property
    def prices_hold(self) -> str:
        """Condition: no price lies where its row's total no longer follows it."""
        price, least, most = (
            span(self.sheet, self.first, self.last, column) for column in (_At.PRICE, _At.LEAST, _At.MOST)
        )
        return f"SUMPRODUCT(ISNUMBER({price})*(({price}<{least})+ISNUMBER({most})*({price}>{most})))=0"


def write_candidates(book: Book, model: Model | None, inputs: Inputs | None) -> Candidates | None:
    """All options with a price that may be edited; None without any."""
    rows = book.document.workbook.candidates
    if not rows:
        return None
    sheet = book.sheet("Candidates")
    first, last = _TOP, _TOP + len(rows) - 1
    words = tr(
        "Total = quantity × price + other; prices on yellow may be edited. Times, layouts and quantities are frozen physics."
    )
    book.title(sheet, tr("Candidates"), words)
    more = tr(
        "Inputs and scenarios move only the recommended option, in the first row. A budget must hold all that is signed for "
        "an option, a purchase or a commitment, of which the total carries a share. Options are compared by what they cost at most, as "
        "surely as the plan has to be: a frozen multiple of the total."
    )
    book.text(sheet, 2, 0, more, "subtitle")
    alike = inputs.alike(_prices(rows)) if inputs else "TRUE"
    _head(book, sheet, first, last, rows, alike)
    if not inputs and book.document.workbook.budget:
        book.text(sheet, 4, 0, tr("Budget, {code}", code=book.document.currency), "label")
        book.number(sheet, 4, 1, book.document.workbook.budget, book.money, "input")
        book.define(BUDGET, sheet, 4, 1)
    rate = _rate(book, sheet, inputs)
    signed = any(row.needed and not row.recommended for row in rows)
    heads = {column: head for column, head in _HEADS.items() if signed or column < _At.NEEDED}
    titles = {column: tr(title, code=book.document.currency) for column, (title, _) in heads.items()}
    if not model:
        titles[_At.AGAINST] = tr("Over the budget, {code}", code=book.document.currency)
    widths = [width for _, width in heads.values()]
    book.header(sheet, _TOP - 1, tuple(titles.values()), numbers=_NUMBERS, widths=widths, muted=_MUTED)
    for index, row in enumerate(rows):
        _candidate(book, sheet, first + index, row, model, inputs, rate)
    sheet.autofilter(_TOP - 1, 0, last, len(heads) - 1)
    sheet.freeze_panes(_TOP, 1)
    sheet.repeat_rows(_TOP - 1)
    sheet.print_area(0, 0, last, _At.REMARK)
    return Candidates(
        sheet=sheet,
        cheapest="cheapest_option",
        cheapest_now=_cheapest(book, rows),
        near=NEAR_EQUAL if model and book.document.workbook.near_equal is not None else "0",
        alike=alike,
        least_total=min(row.total for row in rows),
        first=first,
        last=last,
    )


def _prices(rows: tuple[Candidate, ...]) -> tuple[str, ...]:
    """Inputs that may change without making the recommended option another work than the others do."""
    return (*(row.price_name for row in rows if row.recommended), BUDGET, DISCOUNT, EXCHANGE)


def _head(book: Book, sheet: Worksheet, first: int, last: int, rows: tuple[Candidate, ...], alike: str) -> None:
    """Which option is the cheapest at the prices now on the sheet, with the name of that cell."""
    label = tr("Cheapest, as sure as asked")
    book.text(sheet, 3, 0, label, "label")
    book.high(sheet, 3, (label, _HEADS[_At.NAME][1] - 1), bold=True)
    within = span(sheet, first, last, _At.WITHIN)
    found = f"MATCH(MIN({within}),{within},0)"
    name, where, terms = (
        f"INDEX({span(sheet, first, last, column)},{found})" for column in (_At.NAME, _At.WHERE, _At.TERMS)
    )
    none = tr("none within the limits").replace('"', '""')
    unlike = tr("not known: an input other than a price was changed, which only the recommended option follows")
    unlike = unlike.replace('"', '""')
    formula = f'IF(NOT({alike}),"{unlike}",IF(COUNT({within})=0,"{none}",{name}&", "&{where}&", "&{terms}))'
    book.formula(sheet, 3, 1, formula, _cheapest(book, rows), style="strong")
    book.define("cheapest_option", sheet, 3, 1)


def _cheapest(book: Book, rows: tuple[Candidate, ...]) -> str:
    budget = book.document.workbook.budget
    fit = [row for row in rows if row.in_time and (not budget or row.held <= budget)]
    if not fit:
        return tr("none within the limits")
    best = min(fit, key=lambda row: row.ranked)
    return f"{best.name}, {best.where}, {best.terms}"


def _candidate(
    book: Book, sheet: Worksheet, at: int, row: Candidate, model: Model | None, inputs: Inputs | None, rate: str
) -> None:
    style = "chosen" if row.recommended else "wrap"
    for column, text in ((_At.NAME, row.name), (_At.WHERE, row.where), (_At.TERMS, row.terms)):
        book.text(sheet, at, column, text, style)
    book.number(sheet, at, _At.COUNT, row.accelerators, COUNT)
    book.number(sheet, at, _At.DAYS, row.days, DECIMAL)
    book.text(sheet, at, _At.PRICED, row.priced, "muted")
    live = row.recommended and model is not None
    if row.price_usd:
        book.number(sheet, at, _At.QUANTITY, row.quantity, DECIMAL)
        if live:
            # The recommended option's price is an input; here it only follows.
            book.text(sheet, at, _At.PRICE, tr("see Inputs"), "muted")
        else:
            _price(book, sheet, at, row)
    _other(book, sheet, at, _At.OTHER, row.other, rate)
    total = model.total if live and model else _total(book, at, row, rate)
    book.formula(sheet, at, _At.TOTAL, total, row.total, book.money)
    _limits(book, sheet, at, row, model, inputs, rate)
    book.text(sheet, at, _At.REMARK, row.remark, "muted")
    book.text(sheet, at, _At.LAYOUT, row.layout, "muted")
    texts = {_At.NAME: row.name, _At.WHERE: row.where, _At.TERMS: row.terms, _At.PRICED: row.priced}
    texts |= {_At.REMARK: row.remark, _At.LAYOUT: row.layout}
    # A muted text is indented.
    book.high(sheet, at, *((text, _HEADS[column][1] - 1 - (column > _At.TERMS)) for column, text in texts.items()))


def _price(book: Book, sheet: Worksheet, at: int, row: Candidate) -> None:
    """The price, and between which ends the row's total follows it."""
    book.number(sheet, at, _At.PRICE, row.price_usd, _price_format(row), "input")
    for column, end in ((_At.LEAST, row.least_usd), (_At.MOST, row.most_usd)):
        if end:
            book.number(sheet, at, column, end, _price_format(row))
    if row.most_usd:
        rule = {"criteria": "between", "minimum": row.least_usd, "maximum": row.most_usd}
        fault = tr(
            "This row holds for prices from {low} to {high} USD; for another one make a new plan.",
            low=f"{row.least_usd:,.4g}",
            high=f"{row.most_usd:,.4g}",
        )
    else:
        rule = {"criteria": ">=", "value": row.least_usd}
        fault = tr(
            "This row holds for prices of {low} USD or more; for another one make a new plan.",
            low=f"{row.least_usd:,.4g}",
        )
    rule |= {"validate": "decimal", "error_title": tr("Not possible"), "error_message": fault}
    sheet.data_validation(at, _At.PRICE, at, _At.PRICE, rule)


def _price_format(row: Candidate) -> str:
    """Hours to a hundredth of a cent, servers to a cent."""
    return "#,##0.0000" if row.price_usd < 1000 else money_format("USD")


def _here(at: int, column: _At) -> str:
    return cell(at, column, fixed=False)


def _rate(book: Book, sheet: Worksheet, inputs: Inputs | None) -> str:
    """Name of what one US dollar of a price is in the plan's currency; empty in a plan of dollars."""
    if inputs or book.document.currency == "USD":
        return inputs.names.get(EXCHANGE, "") if inputs else ""
    book.text(sheet, 4, 3, tr("{code} for one US dollar", code=book.document.currency), "label")
    book.number(sheet, 4, 5, book.document.workbook.per_usd, "0.0000##", "input")
    book.define(EXCHANGE, sheet, 4, 5)
    return EXCHANGE


def _times(rate: str) -> str:
    return f"*{rate}" if rate else ""


def _other(book: Book, sheet: Worksheet, at: int, column: int, amount: float, rate: str) -> None:
    """What does not follow the price; it follows the rate."""
    if not rate:
        book.number(sheet, at, column, amount, book.money)
        return
    usd = amount / book.document.workbook.per_usd
    book.formula(sheet, at, column, f"ROUND({usd:.12g}{_times(rate)},{book.digits})", amount, book.money)


def _total(book: Book, at: int, row: Candidate, rate: str) -> str:
    if not row.price_usd:
        return _here(at, _At.OTHER)
    paid = f"{_here(at, _At.QUANTITY)}*{_here(at, _At.PRICE)}{_times(rate)}"
    return f"ROUND({paid},{book.digits})+{_here(at, _At.OTHER)}"


def _limits(
    book: Book, sheet: Worksheet, at: int, row: Candidate, model: Model | None, inputs: Inputs | None, rate: str
) -> None:
    data = book.document.workbook
    budget, total, now = data.budget, row.total, _here(at, _At.TOTAL)
    held = _held(book, sheet, at, row, model, rate)
    if model:
        against = total - model.values[model.model.total]
        book.formula(sheet, at, _At.AGAINST, f"{now}-{model.total}", round(against, book.digits), book.money)
    elif budget:
        book.formula(sheet, at, _At.AGAINST, f"{held}-{BUDGET}", round(row.held - budget, book.digits), book.money)
    book.text(sheet, at, _At.IN_TIME, "yes" if row.in_time else "no", "muted")
    limit = _budget_name(book, inputs)
    kept = not budget or not limit or row.held <= budget
    formula = f'IF({held}<={limit},"yes","no")' if limit else '"yes"'
    book.formula(sheet, at, _At.IN_BUDGET, formula, "yes" if kept else "no", "", "muted")
    yes = f'{_here(at, _At.IN_TIME)}="yes",{_here(at, _At.IN_BUDGET)}="yes"'
    fits = row.in_time and kept
    book.number(sheet, at, _At.SURE, row.sure_ratio, "0.0000")
    most = f"ROUND({now}*{_here(at, _At.SURE)},{book.digits})"
    book.formula(sheet, at, _At.WITHIN, f'IF(AND({yes}),{most},"out")', row.ranked if fits else "out", book.money)


def _held(book: Book, sheet: Worksheet, at: int, row: Candidate, model: Model | None, rate: str) -> str:
    """What a budget must hold: the total, or with all that is signed at the price now on the row."""
    now = _here(at, _At.TOTAL)
    if not row.needed:
        return now
    if row.recommended and model is not None:
        return model.held[0]
    paid = round(row.needed_quantity * row.price_usd * book.document.workbook.per_usd, book.digits)
    book.number(sheet, at, _At.NEEDED, row.needed_quantity, DECIMAL)
    _other(book, sheet, at, _At.NEEDED_OTHER, round(row.needed - paid, book.digits), rate)
    price, times, other = (_here(at, column) for column in (_At.PRICE, _At.NEEDED, _At.NEEDED_OTHER))
    return f"MAX({now},ROUND({times}*{price}{_times(rate)},{book.digits})+{other})"


def _budget_name(book: Book, inputs: Inputs | None) -> str:
    """Defined name of the budget: on Inputs, or on this sheet when there is no cost model; empty without a budget."""
    if inputs:
        return inputs.names.get(BUDGET, "")
    return BUDGET if book.document.workbook.budget else ""
