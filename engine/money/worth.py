"""What dated payments are worth on one day: each discounted by its days over 365 at an effective annual rate."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from engine.inputs.currency import DIGITS
from engine.money.entries import Entry
from engine.money.expressions import rounded_to

DAYS_PER_YEAR = 365
"""Actual/365 (fixed), the day count of the present value."""


def present_value(payments: Iterable[Entry], *, on: date, rate: float) -> float:
    """Worth of those payments on that day, in their currency, rounded to its smallest unit; 0 without any.

    `rate` is effective and annual (0.1 = 10 %), for money of that currency with the inflation that it has.
    """
    worth, currency = 0.0, "USD"
    for entry in payments:
        currency = entry.currency
        worth += entry.units / (1.0 + rate) ** ((entry.date - on).days / DAYS_PER_YEAR)
    digits = DIGITS[currency]
    return rounded_to(worth / 10**digits, digits)
