"""A new price list made from readings: which of them a plan may rest on, and why the others are kept but not planned with.

Pure: readings and rules in, prices and readings left out. What is a marketplace, how old is too old and which lists are
second-hand are facts of the release (`rules.yaml`, `providers.yaml`); no provider is named here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from fnmatch import fnmatchcase
from itertools import groupby
from statistics import median, median_high

from catalog.importers.outcome import SPOT_TOLERANCE, believable, medians
from catalog.records import PriceRow, Record

WORLD = "global"
"""The region of a list that names none: one price for every place, and no place."""
_LINEAR = Decimal("0.01")
"""Share by which eight accelerators may differ from eight times one where a provider charges by the accelerator."""
_ZONES = 2
"""Zones in which spot must have been read on one day to tell of a region."""
_PROVIDERS = 3
"""Providers from which what is usual can be told."""
_SAME_TIME = 45
"""Days within which two readings speak of one spot price."""
_Key = tuple[str, str, str, str]


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """One price as it was read, the file it came in, and why no plan rests on it; empty = plans do."""

    row: PriceRow
    file: str = ""
    why: str = ""


@dataclass(frozen=True, kw_only=True)
class Rules:
    """What a release says of readings."""

    oldest_days: Mapping[str, int]
    """Most days before the newest reading, by option, with `list` for every option that has none of its own."""
    left_out: Sequence[Mapping[str, str]]
    """Patterns of readings that are no base: field → glob, and `why`."""
    reasons: Mapping[str, str]
    """Each reason in one sentence."""


def judged(
    readings: Iterable[Reading],
    rules: Rules,
    *,
    providers: Mapping[str, Record],
    usd: Mapping[str, Decimal],
) -> list[Reading]:
    """Every reading with its reason, prices of the whole world carried over to the machines and regions that are known."""
    found = [
        one if one.why else replace(one, why=_by_pattern(one, rules) or _by_kind(one.row, providers))
        for one in readings
    ]
    found = _newest(_in_zones(carried(found), providers))
    return _believable(_not_old(found, rules, providers), usd)


def _by_pattern(one: Reading, rules: Rules) -> str:
    texts = {"file": one.file}
    for rule in rules.left_out:
        fields = ((name, glob) for name, glob in rule.items() if name != "why")
        if all(fnmatchcase(texts.get(name) or str(getattr(one.row, name, "")), glob) for name, glob in fields):
            return rule["why"]
    return ""


def _by_kind(row: PriceRow, providers: Mapping[str, Record]) -> str:
    provider = providers[row.provider]
    if provider.text("sells") == "marketplace":
        return "marketplace"
    if row.count != int(row.count):
        return "share"
    return ""


def _in_zones(readings: Sequence[Reading], providers: Mapping[str, Record]) -> list[Reading]:
    """Spot of providers that price it by zone: one zone alone is no price of a region, and one price of the whole region
    counts only against its zones. Where it is dearer than the middle of them, it stands and they do not."""
    zones: dict[_Key, list[PriceRow]] = {}
    whole: dict[_Key, PriceRow] = {}
    for one in readings:
        row = one.row
        if not one.why and row.option == "spot" and providers[row.provider].text("spot_by") == "zone":
            if row.zone:
                zones.setdefault(_key(row), []).append(row)
            else:
                whole[_key(row)] = max(whole.get(_key(row), row), row, key=lambda row: (row.date, row.amount))
    why: dict[_Key, str] = {}
    for key, rows in zones.items():
        last = [row for row in rows if row.date == max(row.date for row in rows)]
        doubt = key in whole and abs((whole[key].date - last[0].date).days) <= _SAME_TIME
        if doubt and whole[key].amount > median_high(row.amount for row in last):
            why[key] = "contradicted"
        elif len({row.zone for row in last}) < _ZONES:
            why[key] = "one_zone"

    def reason(row: PriceRow) -> str:
        if row.zone and _key(row) in zones:
            return why.get(_key(row), "")
        if _key(row) in whole and row.option == "spot":
            stands = why.get(_key(row)) == "contradicted" and row == whole[_key(row)]
            return "" if stands else "spot_without_zone"
        return ""

    return [one if one.why else replace(one, why=reason(one.row)) for one in readings]


def carried(readings: Sequence[Reading]) -> list[Reading]:
    """A price without a place, or for a whole country, told of the provider's machines and regions that are known.

    It holds for a machine of the same name, else for machines of as many of that accelerator, and by the accelerator where
    the provider charges so. It replaces what was read there before, and of the same day what was cheaper. What it was
    carried to is marked derived; the reading itself then stands aside.
    """
    placed: dict[tuple[str, str, str], list[PriceRow]] = {}
    for one in readings:
        if not one.why and one.row.region != WORLD:
            placed.setdefault((one.row.provider, one.row.accelerator, one.row.option), []).append(one.row)
    found: list[Reading] = []
    for one in readings:
        row = one.row
        targets = [] if one.why or row.region != WORLD else _targets(row, placed)
        if not targets:
            found.append(one)
            continue
        found.append(replace(one, why="carried"))
        for target in targets:
            amount = row.amount / row.count * target.count
            if (row.date, amount) > (target.date, target.amount):
                found.append(
                    Reading(
                        file=one.file,
                        row=replace(
                            target, amount=amount, currency=row.currency, date=row.date, source=row.source,
                            confidence="derived", valid_from=None, zone="",
                        ),
                    )
                )  # fmt: skip
    return found


def _targets(row: PriceRow, placed: Mapping[tuple[str, str, str], list[PriceRow]]) -> list[PriceRow]:
    known = placed.get((row.provider, row.accelerator, row.option), [])
    for fitting in (
        [one for one in known if one.instance == row.instance and one.count == row.count],
        [one for one in known if one.count == row.count or (row.count == 1 and _by_accelerator(known))],
    ):
        if fitting:
            last: dict[_Key, PriceRow] = {}
            for one in sorted(fitting, key=lambda one: one.date):
                last[_key(one)] = one
            return list(last.values())
    return []


def _by_accelerator(rows: Iterable[PriceRow]) -> bool:
    rates = {row.amount / row.count for row in rows}
    return max(rates) - min(rates) <= _LINEAR * max(rates)


def _key(row: PriceRow) -> _Key:
    return row.provider, row.instance, row.region, row.option


def _newest(readings: Sequence[Reading]) -> list[Reading]:
    """Of one machine, region and option only what was read last, and of one day without zones the dearest."""
    last: dict[_Key, tuple[date, Decimal]] = {}
    zoned = {(_key(one.row), one.row.date) for one in readings if not one.why and one.row.zone}
    for one in readings:
        if not one.why:
            rank = (one.row.date, Decimal(0) if (_key(one.row), one.row.date) in zoned else one.row.amount)
            last[_key(one.row)] = max(last.get(_key(one.row), rank), rank)
    found, seen = [], set()
    for one in readings:
        if one.why:
            found.append(one)
            continue
        day, amount = last[_key(one.row)]
        mark = (*_key(one.row), one.row.zone)
        best = one.row.date == day and amount in (Decimal(0), one.row.amount) and mark not in seen
        if best:
            seen.add(mark)
        found.append(one if best else replace(one, why="superseded"))
    return found


def _not_old(readings: Sequence[Reading], rules: Rules, providers: Mapping[str, Record]) -> list[Reading]:
    """Without what is too old beside the newest reading, unless it is the last that is known of that accelerator and
    option; a spot price is worth nothing when it is old, so there it is no exception."""
    newest = max(one.row.date for one in readings)
    days = rules.oldest_days

    def old(row: PriceRow) -> bool:
        usual = days.get(providers[row.provider].text("tier"), days["list"])
        return (newest - row.date).days > days.get(row.option, usual)

    fresh = {(one.row.accelerator, one.row.option) for one in readings if not one.why and not old(one.row)}
    return [
        replace(one, why="old")
        if not one.why and old(one.row) and (one.row.option == "spot" or (one.row.accelerator, one.row.option) in fresh)
        else one
        for one in readings
    ]


def _believable(readings: Sequence[Reading], usd: Mapping[str, Decimal]) -> list[Reading]:
    """Without prices far from the median of their kind, or of a machine whose on-demand price is, and without spot above
    what the same machine costs on demand.

    The median is that of the providers, each with its own: a cloud with many regions does not say what is usual.
    """
    dollars = [replace(one.row, amount=one.row.amount * usd[one.row.currency]) for one in readings if not one.why]
    middle = _usual(dollars)
    sure = {_key(row)[:3]: row.amount for row in dollars if row.option == "on_demand"}
    strange = {_key(row)[:3] for row in dollars if row.option == "on_demand" and not believable(row, middle)}
    found = []
    for one in readings:
        row = replace(one.row, amount=one.row.amount * usd[one.row.currency]) if not one.why else one.row
        if one.why:
            found.append(one)
        elif _key(row)[:3] in strange or not believable(row, middle):
            found.append(replace(one, why="far"))
        elif row.option == "spot" and row.amount > sure.get(_key(row)[:3], row.amount) * SPOT_TOLERANCE:
            found.append(replace(one, why="spot_above"))
        else:
            found.append(one)
    return found


def _usual(rows: Iterable[PriceRow]) -> dict[str, Decimal]:
    """The middle of the providers' own middle on-demand prices per accelerator, where there are three of them."""
    by_provider: dict[str, dict[str, Decimal]] = {}
    for provider, own in groupby(sorted(rows, key=lambda row: row.provider), key=lambda row: row.provider):
        for slug, amount in medians(own, least=1).items():
            by_provider.setdefault(slug, {})[provider] = amount
    return {slug: median(found.values()) for slug, found in by_provider.items() if len(found) >= _PROVIDERS}
