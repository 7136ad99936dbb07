"""The day of a decision: what is paid on other days, discounted to it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from engine.context import Context
from engine.money.cash import add_months

Floats = NDArray[np.float64]
DAYS = 365
"""Actual/365 (fixed), the day count of present values."""
RATE = "onprem.wacc"
"""The assumption that is the effective annual rate."""
_MONTHS = 480
"""Months from the start for which payments are dated in sums over arrays; later ones count as its last."""


@dataclass(frozen=True, kw_only=True)
class Decision:
    """The day on which it is decided, the one on which the work starts, and the effective annual rate between them."""

    as_of: date
    start: date
    rate: float

    def on(self, day: date) -> float:
        """What one unit that is paid on that day is worth."""
        return float((1.0 + self.rate) ** (-(day - self.as_of).days / DAYS))

    def later(self, days: Floats | float) -> Floats:
        """The same of so many days after the start."""
        found: Floats = np.power(1.0 + self.rate, -((self.start - self.as_of).days + np.asarray(days)) / DAYS)
        return found

    def spread(self, hours: Floats | float, *, after: Floats | float = 0.0) -> Floats:
        """What one unit is worth that is paid in equal parts over so many hours, which begin so many hours `after` the start: each part
        on the last day of its month."""
        ends, sums = self._sums
        begun = np.asarray(after, dtype=np.float64)
        lasts = np.maximum(np.asarray(hours, dtype=np.float64), 1e-6)
        found: Floats = (np.interp(begun + lasts, ends, sums) - np.interp(begun, ends, sums)) / lasts
        over = begun + lasts > ends[-1]
        return np.where(over, self.later(ends[-1] / 24.0), found) if np.any(over) else found

    @cached_property
    def _sums(self) -> tuple[Floats, Floats]:
        """Hours from the start to the end of each month, and the worth of one unit an hour until then."""
        firsts = [add_months(self.start.replace(day=1), number) for number in range(1, _MONTHS + 1)]
        ends = np.array([0.0, *((first - self.start).days * 24.0 for first in firsts)])
        each = np.array([self.on(first - timedelta(days=1)) for first in firsts])
        return ends, np.concatenate([[0.0], np.cumsum(np.diff(ends) * each)])


def decision_of(context: Context) -> Decision:
    """That of the request."""
    return _decision(context.as_of, context.start, context.assume[RATE])


@lru_cache(maxsize=64)
def _decision(as_of: date, start: date, rate: float) -> Decision:
    return Decision(as_of=as_of, start=start, rate=rate)
