"""Which readings of purchase prices a plan buys at: of each server the newest, with the range of the readings of its year.

Pure: records in, records out. Readings are facts of the catalog (`purchase`), and none is lost: the pages show each with the use
that is made of it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Literal

from catalog.records import Record, Value

SPREAD = 0.15
"""σ of ln(price) by which two sellers differ on eight accelerators of one kind within a year: the root of half the mean square of the
35 pairs among the readings of the release 2026-11, which a test computes anew."""
_YEAR = 365
_TENTH = 1.2816
"""Standard deviations from the middle to the dearest tenth."""
_WHOLE = ("server", "rack")
_RANGES = {"accelerator": ("purchase_low_usd", "purchase_high_usd"), "system": ("price_low_usd", "price_high_usd")}
_Key = tuple[str, str]
Use = Literal["", "older", "below_parts", "kit", "used", "no_server"]
"""What is made of a reading: "" = plans rest on it; older = a newer one took its place; below_parts = its page asks less for a server than
for the accelerators in it; kit = perhaps without a host; used = not new; no_server = a server that the catalog does not have."""


def ranged(records: Mapping[_Key, Record]) -> dict[_Key, Record]:
    """Those accelerators and servers whose newest reading is newer than the price that they have, with its range: from the cheapest to
    the dearest reading of the year that it ends. A lone reading is no range, and gets what sellers differ by (`SPREAD`)."""
    readings = [record for record in records.values() if record.kind == "purchase"]
    found: dict[_Key, Record] = {}
    for key, group in _groups(readings).items():
        record, taken = records.get(key), _taken(group)
        low, high = _RANGES[key[0]]
        if record is None or not taken or _day(taken[-1]) <= date.fromisoformat(_date(record, high)):
            continue
        found[key] = replace(record, values={**record.values, **dict(zip((low, high), _range(taken), strict=True))})
    return found


def uses(records: Iterable[Record], slug: str) -> list[tuple[Record, Use]]:
    """Every reading of that accelerator and of what holds it, the newest first, with the use that is made of it."""
    known = {(record.kind, record.slug): record for record in records}
    readings = [record for record in known.values() if record.kind == "purchase"]
    groups = {key: _taken(group) for key, group in _groups(readings).items()}
    taken = {one.slug for key, group in groups.items() if _stands(known.get(key), key[0], group) for one in group}
    own = [one for one in readings if one.text("device") == slug]
    found = [(one, "" if one.slug in taken else _why(one, readings)) for one in own]
    return sorted(found, key=lambda pair: (-_day(pair[0]).toordinal(), pair[0].number("price_usd")))


def _stands(record: Record | None, kind: str, taken: Sequence[Record]) -> bool:
    """Is the range of those readings what that accelerator or server costs here?"""
    low, high = _RANGES[kind]
    return record is not None and (record.values.get(low), record.values.get(high)) == _range(taken)


def _groups(readings: Sequence[Record]) -> dict[_Key, list[Record]]:
    """Readings that speak of one thing, as it is in the catalog."""
    found: dict[_Key, list[Record]] = {}
    for one in readings:
        sold, system = one.text("sold"), one.text("system")
        if sold == "card":
            found.setdefault(("accelerator", one.text("device")), []).append(one)
        elif sold in _WHOLE and system and not _below_parts(one, readings):
            found.setdefault(("system", system), []).append(one)
    return found


def _below_parts(server: Record, readings: Iterable[Record]) -> bool:
    """Does the page of that reading ask less for the server, at its low end, than cards of that accelerator cost within a year?"""
    source, day = server.values["price_usd"].source, _day(server)
    same = [
        one
        for one in readings
        if one.text("system") == server.text("system") and one.values["price_usd"].source == source and _day(one) == day
    ]
    cards = [
        one.number("price_usd")
        for one in readings
        if one.text("sold") == "card" and one.text("device") == server.text("device") and _near(one, day)
    ]
    least = min(one.number("price_usd") / one.number("devices") for one in same)
    return bool(cards) and least < min(cards)


def _near(one: Record, day: date) -> bool:
    return abs((day - _day(one)).days) <= _YEAR


def _taken(group: Sequence[Record]) -> list[Record]:
    """The newest reading and those of the year before it, the oldest first."""
    ordered = sorted(group, key=lambda one: (_day(one), one.slug))
    return [one for one in ordered if _near(one, _day(ordered[-1]))]


def _range(taken: Sequence[Record]) -> tuple[Value, Value]:
    values = sorted((one.values["price_usd"] for one in taken), key=lambda value: value.number)
    if values[0].number < values[-1].number:
        return values[0], values[-1]
    wide = math.exp(_TENTH * SPREAD)
    return _times(values[0], 1 / wide), _times(values[0], wide)


def _times(value: Value, factor: float) -> Value:
    """So many times that price, to three digits."""
    number = value.number * factor
    step = 10 ** (math.floor(math.log10(number)) - 2)
    return replace(value, text=str(int(round(number / step) * step)), confidence="derived")


def _why(one: Record, readings: Sequence[Record]) -> Use:
    sold = one.text("sold")
    if sold == "kit":
        return "kit"
    if sold == "used":
        return "used"
    if sold in _WHOLE and not one.text("system"):
        return "no_server"
    return "below_parts" if sold in _WHOLE and _below_parts(one, readings) else "older"


def _day(record: Record) -> date:
    return date.fromisoformat(_date(record, "price_usd"))


def _date(record: Record, name: str) -> str:
    value = record.values.get(name)
    return value.date if value else date.min.isoformat()
