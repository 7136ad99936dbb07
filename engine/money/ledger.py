"""The ledger of an option: every sum that its money is made of, dated, in five views that are never added together.

It is drawn up from the cost model, whose lines are converted at the frozen rate and rounded already. Policy of the
expense (IAS 16 and 38, as most plans are read): what is rented is expense in the month of its use, a commitment by days
over its term, a lease by months over its term (IFRS 16.6), what is paid in advance over its use; what is bought is written off by
days from its acceptance to the end of its use, with the tax on it that does not come back (IAS 16.16), down to the value left less
what its removal takes (IAS 16.6). Tax on what is used is expense with it; of a spend commitment, what nobody draws, when it lapses.
Terms of payment: use at the end of its calendar month, an instalment on the last day of its month of the lease, a purchase on
delivery, a block of capacity when it is booked, the value left and the removal when the hardware goes; tax with what it is on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date

from engine.answer import SAVED, CostLine, CostModel
from engine.inputs.currency import DIGITS
from engine.inputs.hardware import Offer
from engine.money.cash import (
    CALENDAR_DAYS,
    booked_day,
    line_by_month,
    longest_days,
    month_end,
    paid_by_month,
    payment_days,
    settled_day,
)
from engine.money.contracts import BOOKED, CAPITAL, binds, contract_of, used_share
from engine.money.drawing import UNUSED
from engine.money.entries import Carried, Contract, Entry, View
from engine.money.lines import Schedule
from engine.money.pool import balance_of, draws

_IMPUTED = (CAPITAL, SAVED)
"""Lines that no work is charged with: what the money could have earned, and a shortfall that is not paid."""
POLICY = "use_term_straight_line"
"""Code of the accounting policy above."""


@dataclass(frozen=True, kw_only=True)
class Ledger:
    """All entries of an option, by day, and who carries its expense."""

    entries: tuple[Entry, ...]
    carried: tuple[Carried, ...]
    pool_until: date | None = None
    """The last day of the spend commitment that it draws on; None where there is none."""


def ledger_of(model: CostModel, offer: Offer | None, *, start: date, as_of: date) -> Ledger:
    """The ledger of that cost; empty where its work ends beyond the calendar.

    `offer` is what is rented, None for hardware that is bought or owned. `as_of` is the day on which servers are ordered;
    capacity is signed for on the day the work starts, a block on that of its booking.
    """
    if longest_days(model) > CALENDAR_DAYS:
        return Ledger(entries=(), carried=())
    found: list[Entry] = []
    carried: list[Carried] = []
    paid = paid_by_month(model, start)
    for line in _lines(model):
        contract = contract_of(line.name, offer)
        book = _Book(model=model, start=start, line=line, contract=contract)
        cash = list(book.posted("cash", paid.get(line.name, {}), on=payment_days(line, model, start)))
        expense, share = book.expense(paid.get(line.name, {})), book.share()
        found += cash
        if line.name != SAVED:
            found += book.posted("expense", expense)
        found += book.posted("allocated", {} if line.name in _IMPUTED else share)
        found += book.posted("economic", {} if line.name == BOOKED else share)
        if binds(contract) and line.schedule != "end":  # nobody signs for the removal years ahead
            found += _committed(cash, as_of if contract == "purchase" else booked_day(model, start))
        if line.name not in _IMPUTED:
            carried += book.carried(expense, share)
    if draws(model):
        pool = balance_of(model, found, start=start, as_of=as_of)
        found += pool.entries
        carried += pool.unused
    found.sort(key=lambda entry: entry.date)
    until = settled_day(model, start) if draws(model) else None
    return Ledger(entries=tuple(found), carried=tuple(carried), pool_until=until)


def _lines(model: CostModel) -> Iterator[CostLine]:
    """The leaves of the total, and what the books write off of hardware that is paid for."""
    for line in model.lines:
        if line.schedule != "none" or line.name == BOOKED:
            yield line


def booked_lines(model: CostModel, offer: Offer | None) -> Iterator[tuple[str, Schedule]]:
    """The lines that the books show, each with the schedule of its use: what this work is not charged with, and what a spend
    commitment pays anyway, is no expense; what nobody draws of it is. One that lapses by the hour is left out, since it does so
    before the work begins, too."""
    for line in _lines(model):
        if line.name not in _IMPUTED:
            yield line.name, _booked(line, contract_of(line.name, offer))
    if any(line.name == SAVED and line.schedule == "settled" for line in model.lines):
        yield UNUSED, "settled"


def _booked(line: CostLine, contract: Contract) -> Schedule:
    """The schedule of its use: of a purchase the time it is held, of a block and of what is written off anyway that of the work, of
    instalments the months of the lease."""
    bought: Schedule = "held" if contract == "purchase" else "run"
    spread: dict[str, Schedule] = {"upfront": bought, "end": "held", "none": "run", "instalments": "term"}
    return spread.get(line.schedule, line.schedule)


@dataclass(frozen=True, kw_only=True)
class _Book:
    """One line of a model, to be posted."""

    model: CostModel
    start: date
    line: CostLine
    contract: Contract

    def expense(self, paid: Mapping[str, int]) -> dict[str, int]:
        """All that is paid for it, in the months in which the books show it."""
        if self.line.name == BOOKED:
            return self.share()
        if _booked(self.line, self.contract) == self.line.schedule:
            return dict(paid)
        return line_by_month(self._used(sum(paid.values())), self.model, self.start)

    def share(self) -> dict[str, int]:
        """What this work carries of it, in the same months."""
        return line_by_month(self._used(None), self.model, self.start)

    def _used(self, units: int | None) -> CostLine:
        """The line over the months of its use, with that many smallest units for its amount."""
        line = replace(self.line, schedule=_booked(self.line, self.contract))
        return line if units is None else replace(line, amount=units / 10 ** DIGITS[line.unit])

    def posted(self, view: View, months: Mapping[str, int], *, on: Mapping[str, date] | None = None) -> Iterator[Entry]:
        """An entry for each month: on that day, or on the last of the month."""
        for month, units in months.items():
            if units:
                yield Entry(
                    date=(on or {}).get(month) or month_end(month),
                    view=view,
                    units=units,
                    currency=self.line.unit,
                    line=self.line.name,
                    contract=self.contract,
                )

    def carried(self, expense: Mapping[str, int], share: Mapping[str, int]) -> Iterator[Carried]:
        """Who carries that expense: of what this work leaves, others use their part of the hours, and nobody the rest."""
        used = used_share(self.model, self.contract)
        for month, units in expense.items():
            mine = share.get(month, 0)
            others = round((units - mine) * used)
            idle = units - mine - others
            line = self.line.name
            yield Carried(line=line, contract=self.contract, month=month, mine=mine, others=others, idle=idle)


def _committed(cash: list[Entry], signed: date) -> Iterator[Entry]:
    """What is owed from the signature until it is paid; a purchase that replaces another one is signed for later."""
    owed = [entry for entry in cash if entry.units > 0]
    owed = owed[:1] if owed and owed[0].contract == "purchase" else owed
    if owed:
        whole = sum(entry.units for entry in owed)
        yield replace(owed[0], view="committed", units=whole, date=signed)
        yield from (replace(entry, view="committed", units=-entry.units) for entry in owed)
