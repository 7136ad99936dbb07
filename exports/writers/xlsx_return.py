"""On Alternatives: the sale that keeping forgoes, and the rate of return of each way, found by Newton's steps in the open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

from xlsxwriter.worksheet import Worksheet

from engine.answer import CostModel
from exports.document import Alternative
from exports.timeline import Month
from exports.wording import tr
from exports.writers.xlsx_book import PERCENT, Book, cell, place, span
from exports.writers.xlsx_model import Model
from exports.writers.xlsx_timing import Timing, weight_total
from planner.money import DAYS_PER_YEAR
from planner.rent_or_own import KEPT, LEFT, SALE, sold_after

_STEPS = 10
"""Newton's steps from the plan's rate: enough for inputs that move it by a multiple."""
_NEAR = "1E-9"
_CLOSED = "–"


@dataclass(frozen=True, kw_only=True)
class Sale:
    """What is not received on the day of the request, and what is when the work is done: names and values."""

    now: tuple[str, float]
    left: tuple[str, float]
    day: str
    """Formula of the day of the later sale."""
    days: int
    """From the request until then."""
    sold: int
    """That day, as days from the first of the timeline's months are counted."""

    def month(self, months: Sequence[Month]) -> int:
        """In which month of the timeline it is sold."""
        return next((index for index, one in enumerate(months) if one.last.toordinal() >= self.sold), len(months) - 1)


class Side(Protocol):
    """A way with what its payments are made of."""

    @property
    def what(self) -> Alternative: ...

    @property
    def model(self) -> Model: ...

    @property
    def timing(self) -> Timing: ...

    @property
    def amounts(self) -> dict[str, tuple[tuple[str, float], tuple[str, float]]]: ...

    @property
    def sale(self) -> Sale | None: ...


def sale_of(book: Book, model: Model) -> Sale | None:
    """What keeping forgoes, of a way that is there already and whose value is known."""
    names, values = model.names, model.values
    if SALE not in names or not _kept(model.model):
        return None
    days = sold_after(values[KEPT])
    sold = book.document.workbook.as_of + timedelta(days=days)
    return Sale(
        now=(names[SALE], values[SALE]),
        left=(names[LEFT], values[LEFT]),
        day=f"(request_day+ROUND({names[KEPT]}*{DAYS_PER_YEAR},0))",
        days=days,
        sold=sold.toordinal(),
    )


def _kept(model: CostModel) -> bool:
    return any(line.name == LEFT for line in model.lines)


def sale_in(side: Side, index: int, rate: str) -> str:
    """Formula of what keeping forgoes in that month: the sale of today in the first one, less what is sold later; what it is worth on the
    day of the request where a rate is given."""
    sale, sheet, at = side.sale, side.timing.sheet, side.timing.first + index
    assert sale is not None
    worth = f"/(1+{rate})^(({sale.day}-request_day)/{DAYS_PER_YEAR})" if rate else ""
    within = f"AND({sale.day}>={place(sheet, at, 2)},{sale.day}<={place(sheet, at, 3)})"
    return f"{'0' if index else sale.now[0]}-IF({within},{sale.left[0]}{worth},0)"


def write_returns(book: Book, sheet: Worksheet, sides: Sequence[Side], base: int, rows: tuple[int, int]) -> None:
    """The rate of each way at the row of measures, from steps that begin at the other row; a dash where there is none."""
    shown, top = rows
    book.text(sheet, top, 0, tr("Rate of return, step by step from the plan's"), "heading")
    for step in range(_STEPS + 1):
        book.text(sheet, top + 1 + step, 0, str(step))
    for number, side in enumerate(sides):
        at, rate = 1 + number, side.what.irr
        if number == base:
            continue
        if rate is None:
            book.text(sheet, shown, at, _CLOSED)
            continue
        book.number(sheet, top + 1, at, rate, "0.000000%")
        for step in range(1, _STEPS + 1):
            before = cell(top + step, at)
            earned, slope = (
                f"({_worth(sides[base], before, slope=steep)}-({_worth(side, before, slope=steep)}))"
                for steep in (False, True)
            )
            book.formula(sheet, top + 1 + step, at, f"{before}+{earned}/{slope}", rate, "0.000000%")
        last, before = cell(top + 1 + _STEPS, at), cell(top + _STEPS, at)
        book.formula(
            sheet, shown, at, f'IFERROR(IF(ABS({last}-{before})<{_NEAR},{last},"{_CLOSED}"),"{_CLOSED}")', rate, PERCENT
        )


def _worth(side: Side, rate: str, *, slope: bool) -> str:
    """What this work pays of a way, worth at the rate in that cell; or how fast that falls as the rate rises."""
    parts = []
    for name, pair in side.amounts.items():
        one, timing = side.timing.schedules[name], side.timing
        weights, days = (span(timing.sheet, timing.first, timing.last, column) for column in (one.weight, one.days))
        times = f"*{days}/{DAYS_PER_YEAR}/(1+{rate})" if slope else ""
        each = f"SUMPRODUCT({weights}{times}/(1+{rate})^({days}/{DAYS_PER_YEAR}))"
        parts.append(f"{pair[1][0]}/MAX({weight_total(timing, name)},1E-9)*{each}")
    if side.sale is not None:
        years = f"({side.sale.day}-request_day)/{DAYS_PER_YEAR}"
        times = f"*{years}/(1+{rate})" if slope else ""
        parts.append(f"{'0' if slope else side.sale.now[0]}-{side.sale.left[0]}{times}/(1+{rate})^({years})")
    return "+".join(parts) or "0"
