"""One entry of the ledger: so much money, on that day, in one view, for one line of the cost model and one contract."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Literal

from engine.inputs.currency import DIGITS

View = Literal["committed", "cash", "expense", "allocated", "economic"]
"""What a sum is of; sums of different views are never added together.

committed: a stock, what is owed and cannot be cancelled (signed, less paid, less released). cash: what leaves the account.
expense: what the books show, by `policy`. allocated: the part of the expense that this work carries. economic: the same
with the cost of capital, which nobody pays.
"""
VIEWS: tuple[View, ...] = ("committed", "cash", "expense", "allocated", "economic")
Contract = Literal[
    "purchase", "commitment", "lease", "block", "rental", "spot", "services", "operation", "owned", "spend"
]
"""What a payment is made under. spend: a commitment with a provider that is signed already, which use there draws down. services:
billed by use beside the instances; operation: people, energy and space for hardware in one's own rooms, and people of one's own who
answer for a service; owned: hardware that is
paid for already."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """`units` are whole smallest units of the currency, so that sums are exact; negative where money comes back."""

    date: date
    view: View
    units: int
    currency: str
    line: str
    contract: Contract

    @property
    def amount(self) -> float:
        """The same in the currency."""
        return self.units / 10.0 ** DIGITS[self.currency]

    @property
    def month(self) -> str:
        """Its calendar month, 2027-01."""
        return f"{self.date.year:04d}-{self.date.month:02d}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Carried:
    """The expense of one line in one month, in smallest units: what this work carries of it, what other work uses as stated,
    and what nobody uses."""

    line: str
    contract: Contract
    month: str
    mine: int
    others: int
    idle: int


def units_of(entries: tuple[Entry, ...], view: View) -> int:
    """The sum of one view, in smallest units."""
    return sum(entry.units for entry in entries if entry.view == view)
