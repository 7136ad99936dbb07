"""Sheet Alternatives: renting, committing, leasing, buying and keeping side by side, each from its own live model and timeline.

Each way beside the plan has its cost model on a sheet of its own and its months on another. What is one number in all of them, a field
of the request or an assumption, is that of Inputs: a horizon typed there moves every way.
"""

from __future__ import annotations

from dataclasses import dataclass

from xlsxwriter.worksheet import Worksheet

from engine.answer import COMMITTED, DRAWN, LEASED, ORDERED, PREPAID, PURCHASE, CostInput
from exports.cost_values import CAPITAL, DISCOUNT
from exports.document import Alternative, CashColumn
from exports.having import TITLES
from exports.numbers import long_date
from exports.wording import mark, tr
from exports.writers.xlsx_book import COUNT, PERCENT, WHOLE_MONEY, Book, cell, place, span
from exports.writers.xlsx_break_even import break_even
from exports.writers.xlsx_candidates import NEAR_EQUAL
from exports.writers.xlsx_cash import Cash
from exports.writers.xlsx_dates import SCHEDULES
from exports.writers.xlsx_inputs import Inputs
from exports.writers.xlsx_model import Model, paid_for
from exports.writers.xlsx_return import Sale, sale_in, sale_of, write_returns
from exports.writers.xlsx_timing import Timing, weight_total
from exports.writers.xlsx_way import write_model_of, write_timing_of
from planner.money import DAYS_PER_YEAR
from planner.rent_or_own import Way

_TOP = 3
_COLUMNS = (
    mark("paid"),
    mark("worth of it"),
    mark("carried"),
    mark("worth of it"),
    mark("carried since the start"),
    mark("dearer so far"),
)
"""Of each way, month by month."""
_PAID, _WORTH, _MINE, _MINE_WORTH, _SINCE, _DEARER = range(6)
_TOLERANCE = 0.005
"""Half a cent: what a sum of months may lie beside a rounded amount."""


@dataclass(frozen=True, kw_only=True)
class Side:
    """One way with what its columns are made of."""

    what: Alternative
    model: Model
    timing: Timing
    amounts: dict[str, tuple[tuple[str, float], tuple[str, float]]]
    """Of each schedule the cells and values of what is paid and of what this work carries."""
    sale: Sale | None
    """What is forgone by keeping it."""


@dataclass(frozen=True, kw_only=True)
class Alternatives:
    """The finished comparison: whether no other way costs less than the recommended one by more than lists differ, as a condition
    and in the plan; neither where the plan does not choose by cost."""

    least: str
    least_now: bool


def write_alternatives(book: Book, model: Model, inputs: Inputs, timing: Timing, cash: Cash) -> Alternatives | None:
    """The comparison with the sheets that it stands on; None where there is one way only."""
    ways = book.document.workbook.alternatives
    if len(ways) < 2:
        return None
    sheet = book.sheet("Alternatives")
    known: dict[str, tuple[CostInput, str]] = {row.item.name: (row.item, row.use) for row in inputs.rows}
    if CAPITAL not in known and DISCOUNT in known:
        known[CAPITAL] = known[DISCOUNT]
    modelled = [(way, model if way.chosen else write_model_of(book, way, known)) for way in ways]
    timed = [
        (way, one, timing if way.chosen else write_timing_of(book, way, one, len(timing.months)))
        for way, one in modelled
    ]
    return _Comparison(book=book, sheet=sheet, inputs=inputs, cash=cash).write(timed)


@dataclass(kw_only=True)
class _Comparison:
    """The sheet itself: measures above, months below, one block of columns for each way."""

    book: Book
    sheet: Worksheet
    inputs: Inputs
    cash: Cash
    row: int = _TOP + 1

    def write(self, ways: list[tuple[Alternative, Model, Timing]]) -> Alternatives:
        book, sheet = self.book, self.sheet
        words = tr(
            "Each way at its best option, live. “Carried” is what this work bears; what is signed or bought is paid whole."
        )
        book.title(sheet, tr("Alternatives"), words)
        titles = ("", *(tr(TITLES[way.way]) for way, _, _ in ways))
        widths = (44, *(17,) * (len(_COLUMNS) * len(ways)))
        book.header(sheet, _TOP, titles, numbers=range(1, len(titles)), widths=widths)
        self._texts([way for way, _, _ in ways])
        measures, self.row = self.row, self.row + 10
        sides = self._amounts(ways)
        months = self._months(sides)
        self._measures(measures, sides, months)
        write_returns(book, sheet, sides, base_of(sides), (measures + 6, self.first + len(sides[0].timing.months) + 1))
        sheet.freeze_panes(_TOP + 1, 1)
        sheet.repeat_rows(_TOP)
        sheet.print_area(0, 0, measures + 9, max(len(ways), 5))  # as wide as the words above need
        return self._least(sides)

    def _least(self, sides: list[Side]) -> Alternatives:
        """Whether any way that keeps what was asked costs less at most, as surely as is asked, than the recommended one."""
        near = self.book.document.workbook.near_equal
        if near is None:
            return Alternatives(least="", least_now=False)
        most: dict[Way, tuple[str, float]] = {
            side.what.way: (
                f"{side.model.total}*{place(self.sheet, self.sure, 1 + number)}",
                side.model.values[side.model.model.total] * side.what.sure_ratio,
            )
            for number, side in enumerate(sides)
            if (side.what.kept or side.what.chosen)
            and side.what.way != "api"  # what quality it has the plan does not know
        }
        chosen = most[next(side.what.way for side in sides if side.what.chosen)]
        others = ",".join(text for text, _ in most.values())
        return Alternatives(
            least=f"{chosen[0]}<=MIN({others})*(1+{NEAR_EQUAL})+{_TOLERANCE}",
            least_now=chosen[1] <= min(value for _, value in most.values()) * (1 + near) + _TOLERANCE,
        )

    def _texts(self, ways: list[Alternative]) -> None:
        """Which option stands for each way."""
        rows = ((tr("Option"), [way.name for way in ways]), (tr("Where"), [way.where for way in ways]))
        for label, texts in (*rows, (tr("Terms"), [way.terms for way in ways])):
            self.book.text(self.sheet, self.row, 0, label)
            for column, text in enumerate(texts, 1):
                self.book.text(self.sheet, self.row, column, text, "muted")
            self.book.high(self.sheet, self.row, *((text, 15) for text in texts))
            self.row += 1
        self.sure = self.row
        label = tr("At most, as sure as asked: times the total")
        self.book.text(self.sheet, self.row, 0, label, "wrap")
        for column, way in enumerate(ways, 1):
            self.book.number(self.sheet, self.row, column, way.sure_ratio, "0.0000")
        self.row += 1

    def _amounts(self, ways: list[tuple[Alternative, Model, Timing]]) -> list[Side]:
        """What each schedule of each way pays and carries in all, from the lines of its model."""
        book, sheet = self.book, self.sheet
        book.text(sheet, self.row, 0, tr("By schedule"), "heading")
        amounts: list[dict[str, tuple[tuple[str, float], tuple[str, float]]]] = [{} for _ in ways]
        for name in SCHEDULES:
            lines = [[one for one in way.cash if one.schedule == name] for way, _, _ in ways]
            if not any(lines):
                continue
            pair = (
                tr("{schedule}: paid", schedule=tr(SCHEDULES[name])),
                tr("{schedule}: carried", schedule=tr(SCHEDULES[name])),
            )
            for index, ((_, model, _), mine) in enumerate(zip(ways, lines, strict=True)):
                if not mine:
                    continue
                found = []
                for down, (value, formula) in enumerate((_sum_paid(model, mine), _sum_carried(model, mine)), 1):
                    book.formula(sheet, self.row + down, 1 + index, formula, value, book.money)
                    found.append((cell(self.row + down, 1 + index), value))
                amounts[index][name] = (found[0], found[1])
            for down, label in enumerate(pair, 1):
                book.text(sheet, self.row + down, 0, label, "wrap")
            self.row += 2
        self.row += 2
        return [
            Side(what=way, model=model, timing=timing, amounts=amounts[index], sale=sale_of(book, model))
            for index, (way, model, timing) in enumerate(ways)
        ]

    def _months(self, sides: list[Side]) -> dict[tuple[int, int], list[float]]:
        """The months of each way; returns the values by way and column."""
        book, sheet = self.book, self.sheet
        titles = [tr("Month")]
        for side in sides:
            titles += [f"{tr(TITLES[side.what.way])}: {tr(title)}" for title in _COLUMNS]
        book.header(sheet, self.row, tuple(titles), numbers=range(1, len(titles)))
        book.high(sheet, self.row, *((title, 15) for title in titles[1:]), bold=True)
        self.first = self.row + 1
        for index, label in enumerate(sides[0].timing.labels):
            book.text(sheet, self.first + index, 0, label)
        rent, rate = base_of(sides), self._rate()
        values = {
            (number, column): _flow(side, column, rate[1]) for number, side in enumerate(sides) for column in range(4)
        }
        for number in range(len(sides)):
            values[number, _SINCE] = _running(values[number, _MINE])
        for number, side in enumerate(sides):
            base = values[rent, _SINCE]
            values[number, _DEARER] = [
                float(mine > other + _TOLERANCE) for mine, other in zip(values[number, _SINCE], base, strict=True)
            ]
            for column in range(len(_COLUMNS)):
                for index, value in enumerate(values[number, column]):
                    text = self._formula(side, number, column, index, rate[0], rent)
                    shown = '0;;"–"' if column == _DEARER else f'{WHOLE_MONEY};"–"'
                    book.formula(sheet, self.first + index, self.at(number, column), text, value, shown)
        return values

    def at(self, number: int, column: int) -> int:
        return 1 + len(_COLUMNS) * number + column

    def _rate(self) -> tuple[str, float]:
        key = CAPITAL if CAPITAL in self.inputs.names else DISCOUNT
        return self.inputs.names[key], next(row.item.value for row in self.inputs.rows if row.item.name == key)

    def _formula(self, side: Side, number: int, column: int, index: int, rate: str, rent: int) -> str:
        """One month of one column of one way."""
        row = self.first + index
        if column == _SINCE:
            before = f"{cell(row - 1, self.at(number, _SINCE), fixed=False)}+" if index else ""
            return f"{before}{cell(row, self.at(number, _MINE), fixed=False)}"
        if column == _DEARER:
            other = cell(row, self.at(rent, _SINCE), fixed=False)
            return f"IF({cell(row, self.at(number, _SINCE), fixed=False)}>{other}+{_TOLERANCE},1,0)"
        parts = []
        for name, pair in side.amounts.items():
            one, sheet = side.timing.schedules[name], side.timing.sheet
            at = side.timing.first + index
            share = f"{pair[column // 2][0]}*{place(sheet, at, one.weight)}/MAX({weight_total(side.timing, name)},1E-9)"
            worth = f"/(1+{rate})^({place(sheet, at, one.days)}/{DAYS_PER_YEAR})" if column % 2 else ""
            parts.append(f"{share}{worth}")
        if side.sale is not None and column in (_MINE, _MINE_WORTH):
            parts.append(sale_in(side, index, rate if column == _MINE_WORTH else ""))
        return "+".join(parts) or "0"

    def _measures(self, top: int, sides: list[Side], months: dict[tuple[int, int], list[float]]) -> None:
        """What each way costs, is worth, and from when and from which use on it beats renting."""
        book, sheet, data = self.book, self.sheet, self.book.document.workbook
        code, last, base = book.document.currency, self.first + len(sides[0].timing.months) - 1, base_of(sides)
        chosen = next(number for number, side in enumerate(sides) if side.what.chosen)
        other = tr(TITLES[sides[base].what.way])
        labels = (
            tr("Total that this work carries, {code}", code=code),
            tr("Paid in all, {code}", code=code),
            tr("Present value of what is paid on {day}, {code}", day=long_date(data.as_of), code=code),
            tr("Present value of what this work carries, {code}", code=code),
            tr("Present value saved against the plan, {code}", code=code),
            tr("Payback: months from which it stays no dearer than “{other}”", other=other),
            tr("Rate of return on what is paid first instead of “{other}”", other=other),
            tr("Break-even: share of its hours to be used to cost no more than renting"),
            tr("Signed, {code}", code=code),
        )
        for index, label in enumerate(labels):
            book.text(sheet, top + index, 0, label, "wrap")
            book.high(sheet, top + index, (label, 43))
        for number, side in enumerate(sides):
            at = 1 + number
            sums = [span(sheet, self.first, last, self.at(number, column)) for column in (_PAID, _WORTH, _MINE_WORTH)]
            whole = [sum(months[number, column]) for column in (_PAID, _WORTH, _MINE_WORTH)]
            total = side.model.values[side.model.model.total]
            book.formula(sheet, top, at, side.model.total, total, book.money)
            for down, (text, value) in enumerate(zip(sums, whole, strict=True), 1):
                book.formula(sheet, top + down, at, f"SUM({text})", value, book.money)
            if side.what.chosen:  # the plan has one present value, of payments in whole smallest units
                book.formula(sheet, top + 2, at, self.cash.npv, self.cash.npv_now, book.money)
            mine = cell(top + 3, 1 + chosen, fixed=False)
            saved = sum(months[chosen, _MINE_WORTH]) - whole[2]
            book.formula(sheet, top + 4, at, f"{mine}-{cell(top + 3, at, fixed=False)}", saved, book.money)
            signed = _signed(side.model)
            if signed:
                book.formula(sheet, top + 8, at, side.model.names[signed], side.model.values[signed], book.money)
            if number != base:
                self._against(top, at, number, sides, base, months, last)

    def _against(
        self,
        top: int,
        at: int,
        number: int,
        sides: list[Side],
        rent: int,
        months: dict[tuple[int, int], list[float]],
        last: int,
    ) -> None:
        """Payback and break-even of a way beside renting."""
        book, sheet, never = self.book, self.sheet, tr("never")
        dearer = span(sheet, self.first, last, self.at(number, _DEARER))
        numbers = span(sides[0].timing.sheet, sides[0].timing.first, sides[0].timing.last, sides[0].timing.numbers)
        latest = max((index + 1 for index, flag in enumerate(months[number, _DEARER]) if flag), default=0)
        count = len(months[number, _DEARER])
        payback = f"SUMPRODUCT(MAX({dearer}*{numbers}))"
        shown: float | str = never if latest == count else float(latest)
        book.formula(sheet, top + 5, at, f'IF({payback}={count},"{never}",{payback})', shown, COUNT)
        even = break_even(sides[number], sides[rent]) if sides[rent].what.way == "rent" else None
        if even is not None:
            (above, above_now), (below, below_now) = even
            use = above_now / below_now if below_now > 0 else 2.0
            text = f'IF({below}<=0,"{never}",IF({above}>{below},"{never}",({above})/({below})))'
            book.formula(sheet, top + 7, at, text, use if use <= 1 else never, PERCENT)


def _sum_paid(model: Model, lines: list[CashColumn]) -> tuple[float, str]:
    found = [paid_for(model, line) for line in lines]
    return sum(value for value, _ in found), "+".join(text for _, text in found)


def _sum_carried(model: Model, lines: list[CashColumn]) -> tuple[float, str]:
    return sum(model.values[line.line] for line in lines), "+".join(model.names[line.line] for line in lines)


def _flow(side: Side, column: int, rate: float) -> list[float]:
    """What a way pays or carries in each month, or what that is worth."""
    found = [0.0] * len(side.timing.months)
    for name, pair in side.amounts.items():
        one, amount = side.timing.schedules[name], pair[column // 2][1]
        whole = max(sum(one.weights), 1e-9)
        for index, weight in enumerate(one.weights):
            worth = (1 + rate) ** (one.until_paid[index] / DAYS_PER_YEAR) if column % 2 else 1.0
            found[index] += amount * weight / whole / worth
    if side.sale is not None and column in (_MINE, _MINE_WORTH):
        later, days = side.sale.month(side.timing.months), side.sale.days
        found[0] += side.sale.now[1]
        found[later] -= side.sale.left[1] / ((1 + rate) ** (days / DAYS_PER_YEAR) if column == _MINE_WORTH else 1.0)
    return found


def base_of(sides: list[Side]) -> int:
    """What payback and rate of return are held against: renting by the hour, else what the plan recommends."""
    rented = [number for number, side in enumerate(sides) if side.what.way == "rent"]
    return rented[0] if rented else next(number for number, side in enumerate(sides) if side.what.chosen)


def _signed(model: Model) -> str:
    """The line that is all that is newly signed; none where nothing is, or where a spend commitment pays a part of it already."""
    if DRAWN in model.names:
        return ""
    return next((name for name in (ORDERED, PURCHASE, COMMITTED, LEASED, PREPAID) if name in model.names), "")


def _running(months: list[float]) -> list[float]:
    found, left = [], 0.0
    for value in months:
        left += value
        found.append(left)
    return found
