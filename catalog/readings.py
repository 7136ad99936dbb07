"""Every price that the releases ship, taken or left out, as far as it tells what something cost on its day, as series of one good each.

A large cloud's machine has a price in each region, so it is a series of its own there; so is each machine of a provider that lists
several hosts of one card. A smaller cloud asks one price per accelerator, under names that differ from reader to reader, so there
the accelerator is the good; a day on which its readings disagree shows several goods and is not used.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

from catalog.facts import DATA, load_from, price_row, releases
from catalog.records import PriceRow
from catalog.release_rules import read_rules
from engine.money.drift import motion_of

_USED: Final = frozenset({"", "history", "superseded", "old", "government"})
"""Why a reading may have been left out of plans and still tells what was asked that day."""
_SECOND_HAND: Final = ("gpu-pricing-tracker", date(2026, 5, 9))
"""That source read a price comparison until this day, which names another card now and then."""

_ONE_GOOD: Final = 1.10
"""Times the least price per accelerator of a day up to which the readings of that day are of one good."""
_BY_SOURCE: Final = ("spot", "commit_1y", "commit_3y")
"""Options that readers mean differently (a zone or a region, a reservation or a savings plan): one source makes one series."""


@dataclass(frozen=True, kw_only=True)
class Good:
    """What has one price: who sells it, which accelerator, how it moves, and the rest of what tells series apart."""

    provider: str
    accelerator: str
    motion: str
    """The class of its motion: see `engine.money.drift`."""
    rest: tuple[str, ...] = ()
    """Option, currency, source where one source makes one series, then machine, region and zone where these tell prices apart."""


Series = dict[date, float]
"""Price per accelerator-hour by the day on which it was read, in its own currency."""


def series_of(rows: Iterable[PriceRow], tiers: Mapping[str, str]) -> dict[Good, Series]:
    """Those readings as series of at least two days. `tiers`: the kind of each provider."""
    days: dict[Good, dict[date, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        days[good_of(row, tiers)][row.date].append(float(row.amount / row.count))
    found = {good: _one_price(by_day) for good, by_day in days.items()}
    return {good: series for good, series in found.items() if len(series) > 1}


def good_of(row: PriceRow, tiers: Mapping[str, str]) -> Good:
    """The good of which that row is a price."""
    tier = tiers.get(row.provider, "")
    apart = (row.option, row.currency, row.source if row.option in _BY_SOURCE else "")
    placed = {"specialist": (), "marketplace": (row.instance,)}.get(tier, (row.instance, row.region, row.zone))
    return Good(
        provider=row.provider,
        accelerator=row.accelerator,
        motion=motion_of(row.option, tier),
        rest=(*apart, *placed),
    )


def _one_price(by_day: Mapping[date, list[float]]) -> Series:
    """The dearest of each day, without days that show several goods."""
    return {day: max(prices) for day, prices in sorted(by_day.items()) if max(prices) <= _ONE_GOOD * min(prices)}


def readings(root: Path = DATA, until: str = "") -> Iterator[PriceRow]:
    """Those prices, release by release up to `until`. CatalogError names file, line and column of a fault."""
    known = {source.id for source in load_from(root, until=until).sources}
    for step in releases(root, until):
        patterns = _patterns(step)
        for path in (*sorted((step / "prices").glob("*.csv")), step / "left_out.csv"):
            if path.exists():
                yield from _of_file(path, known, patterns)


def _patterns(step: Path) -> list[Mapping[str, str]]:
    """What that release calls no base of a plan, its history aside."""
    if not (step / "rules.yaml").exists():
        return []
    rules, _ = read_rules(step / "rules.yaml")
    return [rule for rule in rules.left_out if "file" not in rule]


def _of_file(path: Path, known: set[str], patterns: Iterable[Mapping[str, str]]) -> Iterator[PriceRow]:
    with path.open(encoding="utf-8", newline="") as stream:
        reader = csv.DictReader(stream)
        for cells in reader:
            row = price_row(path.name, reader.line_num, cells, known)
            source, until = _SECOND_HAND
            second_hand = row.source == source and row.date < until
            if cells.get("why", "") in _USED and not second_hand and not any(_is(row, one) for one in patterns):
                yield row


def _is(row: PriceRow, pattern: Mapping[str, str]) -> bool:
    return all(
        fnmatchcase(str(getattr(row, name)).lower(), glob.lower()) for name, glob in pattern.items() if name != "why"
    )
