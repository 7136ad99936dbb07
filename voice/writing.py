"""Numbers, quantities, money and days as they are written where a reader lives (Unicode CLDR, by Babel)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date
from functools import cache

from babel import Locale
from babel.dates import format_date
from babel.numbers import format_decimal

from engine.inputs.currency import digits_of
from engine.inputs.finding import Amount, Quantity
from voice.catalogs import Catalog

NBSP = "\u00a0"
_NARROW = "\u202f"
_SYMBOLS = {"byte": "B", "min": "min"}
_DAY_H, _HOUR_MIN = 24.0, 60.0
_PREFIXES = ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))
DURATIONS = {
    "minute": "{n:# minute|# minutes}",
    "hour": "{n:# hour|# hours}",
    "day": "{n:# day|# days}",
}
"""Templates of a length of time, for translators."""


@cache
def locale_of(code: str) -> Locale:
    """The CLDR's entry for a language and region: “en_US”, “de-DE”."""
    return Locale.parse(code.replace("-", "_"))


def number(value: float, style: str, writes: Locale) -> str:
    """`0.1`: so many decimals; a whole number: so many significant digits; without a style all digits of a count, else three
    significant digits."""
    if style.startswith("0."):
        return _decimals(value, int(style[2:]), writes)
    if style == "percent":
        return percent(value, writes)
    if not style and float(value).is_integer():
        return _decimals(value, 0, writes)
    return _significant(value, int(style or 3), writes)


def percent(share: float, writes: Locale, places: int = 0) -> str:
    """“54%”; a chance that rounds to none or to certainty is not told as that by whoever asks for it."""
    return f"{_decimals(share * 100.0, places, writes)}%"


def plural(value: float, forms: Sequence[str], writes: Locale) -> str:
    """The form of the language for that number, # in it the number itself; forms stand in the CLDR's order (one … other)."""
    rounded = round(value) if abs(value) >= 10 or float(value).is_integer() else value
    tags: list[str] = [
        tag for tag in ("zero", "one", "two", "few", "many", "other") if tag in {*writes.plural_form.tags, "other"}
    ]
    at = tags.index(writes.plural_form(rounded))
    return forms[min(at, len(forms) - 1)].replace("#", number(rounded, "", writes))


def money(value: Amount, style: str, writes: Locale) -> str:
    """Whole units, cents below ten; `about`: three digits; `price`: to the smallest unit. The code stands after the number."""
    digits = digits_of(value.currency) or 0
    amount = value.amount
    if style == "price":
        return f"{_decimals(amount, digits, writes)}{NBSP}{value.currency}"
    places = digits if 0 < abs(amount) < 9.995 else 0
    if style == "about" and not places:
        amount = float(f"{amount:.3g}")
    return f"{_decimals(amount, places, writes)}{NBSP}{value.currency}"


def quantity(value: Quantity, style: str, writes: Locale, catalog: Catalog) -> str:
    """As its unit is written: a share in per cent, a time in the unit that fits, bytes with their prefix (10⁹ = GB)."""
    match value.unit:
        case "share":
            places = int(style[2:]) if style.startswith("0.") else 0
            return percent(value.value, writes, places)
        case "day" | "hour":
            days = value.value if value.unit == "day" else value.value / _DAY_H
            return duration(days, writes, catalog) if style != "exact" else _unit(value, "", writes)
        case "byte":
            return _bytes(value.value, style, writes)
    return _unit(value, style, writes)


def duration(days: float, writes: Locale, catalog: Catalog) -> str:
    """With two significant digits: “14 days”, “1.4 days”, “9 hours”, “1 minute”."""
    if days < 1.5 / _DAY_H:
        return _counted("minute", max(round(days * _DAY_H * _HOUR_MIN), 1), writes, catalog)
    if days < 2.0:
        return _counted("hour", round(days * _DAY_H), writes, catalog)
    return _counted("day", round(days, 1) if days < 9.95 else round(days), writes, catalog)


def day(value: date, writes: Locale) -> str:
    """“11 January 2027” as the region writes a long date."""
    return format_date(value, "long", locale=writes).replace(_NARROW, NBSP)


def _counted(unit: str, count: float, writes: Locale, catalog: Catalog) -> str:
    forms = catalog.one(DURATIONS[unit])[3:-1].split("|")
    return plural(count, forms, writes)


def _unit(value: Quantity, style: str, writes: Locale) -> str:
    return f"{number(value.value, style, writes)}{NBSP}{_SYMBOLS.get(value.unit, value.unit)}"


def _bytes(value: float, style: str, writes: Locale) -> str:
    for size, prefix in _PREFIXES:
        if abs(value) >= size * 0.9995:
            return f"{number(value / size, style or '3', writes)}{NBSP}{prefix}B"
    return f"{number(value, style, writes)}{NBSP}B"


def _significant(value: float, digits: int, writes: Locale) -> str:
    if value == 0 or not math.isfinite(value):
        return _decimals(0.0, 0, writes)
    places = digits - 1 - math.floor(math.log10(abs(value)))
    pattern = "#,##0." + "#" * max(places, 0)
    return format_decimal(round(value, places), format=pattern.rstrip("."), locale=writes).replace(_NARROW, NBSP)


def _decimals(value: float, places: int, writes: Locale) -> str:
    pattern = "#,##0" + ("." + "0" * places if places else "")
    return format_decimal(round(value, places) + 0.0, format=pattern, locale=writes).replace(_NARROW, NBSP)
