"""The five views of an option's money, each a sum over its ledger: what is owed, paid, booked, carried, and worth."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import date

from engine.answer import DRAWN, Option
from engine.inputs.currency import DIGITS
from engine.money.drawing import LEFT, OTHERS, UNUSED
from engine.money.entries import Entry, View, units_of
from engine.money.ledger import POLICY, Ledger, ledger_of
from engine.money.pool import RELEASED
from engine.money.worth import present_value

RATE_ASSUMPTION = "onprem.wacc"
"""The assumption that is the rate of the present value."""


@dataclass(frozen=True, kw_only=True)
class Month:
    """What leaves the account in one calendar month; below zero where more comes back."""

    month: str
    amount: float


@dataclass(frozen=True, kw_only=True)
class Pool:
    """A spend commitment that was signed before, and what becomes of it: left = drawn + others + unused."""

    until: date
    left: float
    """On the day of the request."""
    drawn: float
    """By this work, of what nobody else would draw."""
    others: float
    """By other work, as stated."""
    unused: float
    """By nobody: paid on the last day all the same."""


@dataclass(frozen=True, kw_only=True)
class Views:
    """The sums of one ledger, in the currency of the plan. They are views of the same money: no two are added together."""

    currency: str
    committed: float
    """Newly owed from the signature on, whether it is used or not: what draws a spend commitment is owed already."""
    cash: tuple[Month, ...]
    expense: float
    allocated: float
    """Of the expense, what this work carries; `others` use the next part as stated, and nobody uses the rest, `idle`."""
    others: float
    idle: float
    economic: float
    """What this work carries with the cost of capital: the headline of the plan."""
    npv: float
    rate: float
    """Effective annual rate of the present value."""
    as_of: date
    """The day that it is discounted to."""
    policy: str = POLICY
    saved: tuple[Month, ...] = ()
    """Of the cash, the shortfall of a spend commitment that this work saves: below zero, and no payment that comes back."""
    pool: Pool | None = None
    """The spend commitment that it draws on; None where there is none."""

    @property
    def paid(self) -> float:
        """All that leaves the account, less what comes back."""
        return round(sum(item.amount for item in self.cash), DIGITS[self.currency])


@dataclass(frozen=True, kw_only=True)
class Accounts:
    """A ledger with its sums."""

    ledger: Ledger
    views: Views


def accounts_of(option: Option, *, start: date, as_of: date, rate: float) -> Accounts:
    """The ledger of that option and its five views; `rate` is the effective annual one of the present value."""
    return summed(
        ledger_of(option.cost.model, option.offer, start=start, as_of=as_of),
        currency=option.cost.total.currency,
        as_of=as_of,
        rate=rate,
    )


def summed(ledger: Ledger, *, currency: str, as_of: date, rate: float) -> Accounts:
    """That ledger with its sums."""
    entries, digits = ledger.entries, 10.0 ** DIGITS[currency]

    def sum_of(view: View) -> float:
        return units_of(entries, view) / digits

    cash = tuple(entry for entry in entries if entry.view == "cash")
    owed = [entry for entry in entries if entry.view == "committed"]
    signed = sum(entry.units for entry in owed if entry.units > 0 and entry.contract != "spend")
    signed += sum(entry.units for entry in owed if entry.line == RELEASED)
    return Accounts(
        ledger=ledger,
        views=Views(
            currency=currency,
            committed=signed / digits,
            cash=_by_month(cash, digits),
            expense=sum_of("expense"),
            allocated=sum_of("allocated"),
            others=sum(part.others for part in ledger.carried) / digits,
            idle=sum(part.idle for part in ledger.carried) / digits,
            economic=sum_of("economic"),
            npv=present_value(cash, on=as_of, rate=rate),
            rate=rate,
            as_of=as_of,
            saved=_by_month(tuple(entry for entry in cash if entry.contract == "spend"), digits),
            pool=_pool(ledger, digits),
        ),
    )


def _pool(ledger: Ledger, digits: float) -> Pool | None:
    """The sums of the commitment, by what its entries are for."""
    if ledger.pool_until is None:
        return None
    units: dict[str, int] = defaultdict(int)
    for entry in ledger.entries:
        if (entry.view, entry.contract) == ("committed", "spend"):
            units[entry.line] += entry.units
    return Pool(
        until=ledger.pool_until,
        left=units[LEFT] / digits,
        drawn=-(units[DRAWN] + units[RELEASED]) / digits,
        others=-units[OTHERS] / digits,
        unused=-units[UNUSED] / digits,
    )


def _by_month(cash: tuple[Entry, ...], digits: float) -> tuple[Month, ...]:
    months: dict[str, int] = defaultdict(int)
    for entry in cash:
        months[entry.month] += entry.units
    return tuple(Month(month=month, amount=units / digits) for month, units in sorted(months.items()))
