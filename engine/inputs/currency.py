"""The currency that an answer is in, and to which unit its amounts are rounded.

The engine computes in US dollars; `converted` puts a whole answer into its currency. How an amount is written, `voice` knows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from engine.inputs.origin import CATALOG, Origin

Code = Literal["USD", "EUR", "GBP", "CHF", "JPY", "INR"]
DIGITS = {"USD": 2, "EUR": 2, "GBP": 2, "CHF": 2, "JPY": 0, "INR": 2}
"""Decimals of the smallest unit of each currency that a plan may be in (ISO 4217)."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Currency:
    """A currency, how much of it one US dollar buys (`rate`), and where that is from and of which day."""

    code: Code = "USD"
    rate: float = 1.0
    date: str = ""
    """Empty for a rate that the request itself sets."""
    source: Origin = CATALOG

    @property
    def digits(self) -> int:
        """Decimals of its smallest unit."""
        return DIGITS[self.code]

    def of(self, usd: float) -> float:
        """That much in this currency, not rounded: a price for one unit."""
        return usd * self.rate

    def enough(self, usd: float) -> float:
        """The smallest round budget that holds that much, in US dollars: three digits of this currency, no coarser than
        about a thousand dollars."""
        value = self.of(usd)
        coarsest = 10.0 ** round(math.log10(self.of(1000.0)))
        step = min(coarsest, 10.0 ** max(math.floor(math.log10(max(value, 1.0))) - 2, 0))
        return math.ceil(round(value / step, 9)) * step / self.rate


DOLLARS = Currency()


def digits_of(unit: str) -> int | None:
    """Decimals to which an amount of that unit is rounded; None where the unit is no currency."""
    return DIGITS.get(unit)


def in_unit(unit: str, code: str) -> str:
    """That unit of a price in US dollars as one of this currency: “EUR/h” of “USD/h”; any other as it is."""
    return code + unit.removeprefix("USD") if is_dollars(unit) else unit


def is_dollars(unit: str) -> bool:
    """Whether something of that unit is an amount of US dollars, or a price in them for something."""
    return unit == "USD" or unit.startswith("USD/")
