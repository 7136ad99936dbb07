"""Moves of prices: from one reading to a later one of the same good, over spans that do not overlap."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from statistics import fmean

from lab.drift.readings import Good, Series

DAYS_PER_YEAR = 365.25
_LONGEST = 3.0
"""Times the span that is asked for beyond which a move says nothing of it."""
SAME = 0.005
"""A change by less is rounding: the price has not moved."""


@dataclass(frozen=True, kw_only=True)
class Move:
    """How far a provider's price of one accelerator moved between two days: the mean over its machines and regions."""

    motion: str
    provider: str
    accelerator: str
    begin: date
    end: date
    log: float
    """ln(later price / earlier price)."""

    @property
    def years(self) -> float:
        """The span [year]."""
        return (self.end - self.begin).days / DAYS_PER_YEAR

    @property
    def season(self) -> tuple[int, int]:
        """Year and quarter in which it begins: moves of one season have the market in common."""
        return self.begin.year, (self.begin.month - 1) // 3


def moves_of(series: Mapping[Good, Series], least_days: int) -> list[Move]:
    """Every move over at least that many days, one after the other; machines and regions of one price list count once."""
    found: dict[tuple[str, str, str, date, date], list[float]] = defaultdict(list)
    for good, prices in series.items():
        for begin, end in _spans(sorted(prices), least_days):
            key = (good.motion, good.provider, good.accelerator, begin, end)
            found[key].append(math.log(prices[end] / prices[begin]))
    return [
        Move(motion=motion, provider=provider, accelerator=accelerator, begin=begin, end=end, log=fmean(logs))
        for (motion, provider, accelerator, begin, end), logs in sorted(found.items())
    ]


def _spans(days: list[date], least_days: int) -> Iterable[tuple[date, date]]:
    begin = days[0]
    for day in days[1:]:
        span = (day - begin).days
        if span < least_days:
            continue
        if span <= _LONGEST * least_days:
            yield begin, day
        begin = day
