"""How the lists for an accelerator moved, option by option: of each seller the one price that was followed longest.

A middle over all sellers would tell who was read, not what prices did: a list of a large cloud that ends makes it fall by half. So each
line is one good of one seller, and what is said of all counts the lists that rose and fell. Prices in other currencies than the US
dollar are left out: the rates of past days are not known here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cache
from statistics import median

from django.conf import settings

from catalog.facts import DATA
from catalog.readings import Good, Series, readings, series_of
from catalog.records import OPTIONS, PriceRow

_YEAR = timedelta(days=365)
_APART = timedelta(days=90)
"""Least time between two readings that are compared."""
_SAME = 0.001
"""Share by which prices may differ that count as unmoved."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Followed:
    """One seller's price of one good, day by day."""

    good: Good
    series: Series

    @property
    def what(self) -> str:
        """Machine and region where these tell its prices apart; empty where the seller asks one price per accelerator."""
        return ", ".join(part for part in self.good.rest[3:] if part)

    @property
    def days(self) -> list[date]:
        """The days on which it was read, in order."""
        return sorted(self.series)

    def change(self, newest: date) -> float | None:
        """Share by which it moved in the year before that day; None where its readings of that year lie less than `_APART`
        apart."""
        since = [day for day in self.days if day >= newest - _YEAR]
        before = [day for day in self.days if day < newest - _YEAR]
        first = before[-1] if before and since else since[0] if since else None
        if first is None or self.days[-1] - max(first, newest - _YEAR) < _APART:
            return None
        return self.series[self.days[-1]] / self.series[first] - 1.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Moves:
    """How the lists of one option moved in the year before the newest reading."""

    newest: date
    rose: int
    fell: int
    stayed: int
    middle: float
    """Share by which the middle one moved; 0 without any."""

    @property
    def compared(self) -> int:
        """Lists that were read at least a quarter apart within that year."""
        return self.rose + self.fell + self.stayed


def history(slug: str, prices: Iterable[PriceRow], tiers: Mapping[str, str]) -> dict[str, list[Followed]]:
    """Of each option the followed price of every seller, those that are still read first. `prices`: those that the catalog holds beside
    what the releases ship, `tiers`: the kind of each provider."""
    rows = {_mark(row): row for row in (*_shipped(settings.CATALOG_RELEASE).get(slug, ()), *prices)}
    whole = [row for row in rows.values() if row.accelerator == slug and row.count == int(row.count)]
    found: dict[str, dict[str, Followed]] = defaultdict(dict)
    for good, series in sorted(series_of(whole, tiers).items(), key=lambda item: (item[0].provider, item[0].rest)):
        option, currency = good.rest[:2]
        one = Followed(good=good, series=series)
        known = found[option].get(good.provider)
        if currency == "USD" and (known is None or _span(one) > _span(known)):
            found[option][good.provider] = one
    return {option: _ordered(list(found[option].values())) for option in OPTIONS if found.get(option)}


def _ordered(lists: Sequence[Followed]) -> list[Followed]:
    """Those that are still read first, of these the one that was followed longest."""
    newest = max(one.days[-1] for one in lists)
    return sorted(lists, key=lambda one: (one.days[-1] < newest - _YEAR, -_span(one)[0], one.good.provider))


def moves_of(lists: Sequence[Followed]) -> Moves:
    """What those lists did together."""
    newest = max(one.days[-1] for one in lists)
    changes = [change for one in lists if (change := one.change(newest)) is not None]
    rose, fell = (sum(sign * change > _SAME for change in changes) for sign in (1, -1))
    return Moves(
        newest=newest,
        rose=rose,
        fell=fell,
        stayed=len(changes) - rose - fell,
        middle=median(changes) if changes else 0.0,
    )


@cache
def _shipped(until: str) -> Mapping[str, Sequence[PriceRow]]:
    """The readings of the releases by accelerator, read once for each process: most of a second."""
    found: dict[str, list[PriceRow]] = defaultdict(list)
    for row in readings(DATA, until):
        found[row.accelerator].append(row)
    return found


def _mark(row: PriceRow) -> tuple[object, ...]:
    return row.provider, row.instance, row.region, row.zone, row.option, row.date, row.amount


def _span(one: Followed) -> tuple[int, int]:
    return (one.days[-1] - one.days[0]).days, len(one.days)
