"""The payments of a cost model by day, not rounded by month: what is paid, and what of it is for this work alone.

The ledger has the same payments in whole smallest units. Ways are compared by these, because a workbook sums them by formulas.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

from engine.answer import UNPAID, CostModel
from engine.money.cash import CALENDAR_DAYS, longest_days, month_end, payment_days, payments, weights_of
from engine.money.decision import DAYS
from engine.money.forgone import KEPT, LEFT, SALE


@dataclass(frozen=True, kw_only=True, slots=True)
class Payment:
    """So much on that day, in the currency of the model; below zero where it comes back."""

    day: date
    paid: float
    """The whole of what is bought or signed."""
    carried: float
    """What of it is for this work, with the sale that a kept asset forgoes."""


def dated(model: CostModel, *, start: date, as_of: date) -> tuple[Payment, ...]:
    """Every payment of that model, the earliest first; none where its work ends beyond the calendar."""
    if longest_days(model) > CALENDAR_DAYS:
        return ()
    paid, found = payments(model), []
    for line in model.lines:
        if line.schedule == "none" or line.paid == UNPAID:
            continue
        weights, days = weights_of(line, model, start), payment_days(line, model, start)
        whole = sum(weights.values())
        for month, weight in weights.items():
            part = weight / whole if whole else 0.0
            day = days.get(month) or month_end(month)
            found.append(Payment(day=day, paid=paid[line.name] * part, carried=line.amount * part))
    return tuple(sorted((*found, *_sale(model, as_of)), key=lambda one: one.day))


def _sale(model: CostModel, as_of: date) -> tuple[Payment, ...]:
    """What is not received on the day of the request, and what is when the work is done."""
    lines = {line.name: line.amount for line in model.lines}
    if SALE not in lines:
        return ()
    later = as_of + timedelta(days=sold_after(lines[KEPT]))
    return Payment(day=as_of, paid=0.0, carried=lines[SALE]), Payment(day=later, paid=0.0, carried=-lines[LEFT])


def sold_after(years: float) -> int:
    """Days from the request to the sale of what is kept for so long."""
    return int(years * DAYS + 0.5)
