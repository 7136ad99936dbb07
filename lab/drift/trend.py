"""Monthly medians of list prices by family of accelerators, which may judge but are not shipped: is the market's band wide enough?

A median of many lists holds what they do together, so it is judged by the market's part of the list motion alone.
"""

from __future__ import annotations

import csv
import math
from collections import defaultdict
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from engine.money.drift import DAYS_PER_YEAR, DRIFT_ASSUMPTIONS, width_of
from engine.odds.normal import P90

_ALL, _KIND = "all_providers_median", "raw_list_on_demand"
_MONTHS = 3


class TrendError(ValueError):
    """The file cannot be read; the message names it and what it lacks."""


@dataclass(frozen=True, kw_only=True)
class TrendVerdict:
    """How many quarters of one family's median lay within the market's band."""

    family: str
    moves: int
    within: int
    above: int
    below: int


def judged_trend(path: Path) -> tuple[TrendVerdict, ...]:
    """A verdict for each family of the file. TrendError when it is no such file."""
    medians: dict[str, dict[date, float]] = defaultdict(dict)
    try:
        with path.open(encoding="utf-8", newline="") as stream:
            for row in csv.DictReader(stream):
                if row["provider"] == _ALL and row["kind"] == _KIND:
                    medians[row["accelerator_family"]][date.fromisoformat(f"{row['month']}-01")] = float(row["value"])
    except OSError as error:
        raise TrendError(f"{path} cannot be read: {error.strerror}.") from error
    except (KeyError, ValueError) as error:
        raise TrendError(f"{path} is no table of monthly medians: {error}.") from error
    return tuple(_judged(family, by_month) for family, by_month in sorted(medians.items()))


def _judged(family: str, by_month: dict[date, float]) -> TrendVerdict:
    drift = DRIFT_ASSUMPTIONS["price.drift_list"]
    market = DRIFT_ASSUMPTIONS["price.market_list"].value
    moves, above, below, begin = 0, 0, 0, None
    for month in sorted(by_month):
        if begin is None:
            begin = month
            continue
        months = (month.year - begin.year) * 12 + month.month - begin.month
        if months < _MONTHS:
            continue
        years = (month - begin).days / DAYS_PER_YEAR
        half = width_of(0.0, years=years, market=market, own=0.0, drift_sigma=(drift.high - drift.low) / 2.0 / P90)
        moved = math.log(by_month[month] / by_month[begin])
        moves, above, below, begin = moves + 1, above + (moved > half), below + (moved < -half), month
    return TrendVerdict(family=family, moves=moves, within=moves - above - below, above=above, below=below)
