"""Numbers, quantities, money and days as they are written where a reader lives (Unicode CLDR, by Babel)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import date
from functools import cache

from babel import Locale, UnknownLocaleError
from babel.dates import format_date
from babel.plural import PluralRule

from engine.inputs.currency import digits_of
from engine.inputs.finding import Quantity, Sum
from voice.catalogs import Catalog

NBSP = "\u00a0"
_NARROW = "\u202f"
_SYMBOLS = {"byte": "B", "min": "min"}
DAY_S, HOUR_S = 86_400.0, 3600.0
_SPANS = (("day", DAY_S), ("hour", HOUR_S), ("minute", 60.0), ("second", 1.0))
_PREFIXES = ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))
DURATIONS = {
    "second": "{n:# second|# seconds}",
    "minute": "{n:# minute|# minutes}",
    "hour": "{n:# hour|# hours}",
    "day": "{n:# day|# days}",
}
"""Templates of a length of time, for translators."""
SCALES = (
    (1e15, "{number} quadrillion"),
    (1e12, "{number} trillion"),
    (1e9, "{number} billion"),
    (1e6, "{number} million"),
)
"""Templates of a large number in words of the short scale, for translators."""
LARGE = SCALES[-1][0] * 0.9995
"""What is told in such words."""
COUNTED = {
    "accelerator": "{n:# accelerator|# accelerators}",
    "month": "{n:# month|# months}",
    "run": "{n:# run|# runs}",
    "sample": "{n:# sample|# samples}",
    "token": "{n:# token|# tokens}",
    "request/s": "{n:# request/s|# requests/s}",
    "image/s": "{n:# image/s|# images/s}",
    "recording/s": "{n:# recording/s|# recordings/s}",
    "text/s": "{n:# text/s|# texts/s}",
    "sample/s": "{n:# sample/s|# samples/s}",
    "token/s": "{n:# token/s|# tokens/s}",
}
"""Templates of what is counted, for translators."""
LISTS = {"and": "{rest} and {last}", "or": "{rest} or {last}"}
"""Templates of the end of a list, for translators."""
MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
CHANCES = ("over {share}", "under {share}")
"""Templates of a chance that is never told as certain or as none, for translators."""


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
    return significant(value, int(style or 3), writes)


def percent(share: float, writes: Locale, places: int = 0) -> str:
    """“54%”, “3.5%”, “96.4%”: two digits, a third near the whole; what is not the whole is not told as 100%.

    `places`: so many decimals instead. A chance is told by `chance`.
    """
    value = share * 100.0
    if places:
        return f"{_decimals(value, places, writes)}%"
    if 90.0 < abs(value) < 100.0:
        return f"{significant(math.copysign(min(abs(value), 99.9), value), 3, writes)}%"
    return f"{_decimals(value, 0, writes) if abs(value) >= 10.0 else significant(value, 2, writes)}%"


def plural(value: float, forms: Sequence[str], writes: Locale, *, speaks: Locale | None = None, style: str = "") -> str:
    """The form of the language for that number, # in it the number itself; forms stand in the CLDR's order (one … other).

    A count of ten and more is told as a whole number, unless `style` says how many digits it has.
    """
    rounded = value if style else round(value) if abs(value) >= 10 or float(value).is_integer() else value
    text = number(rounded, style, writes)
    rule = (speaks or writes).plural_form
    return form_of(1 if text == "1" else rounded, forms, rule).replace("#", text)


def form_of(count: float, forms: Sequence[str], rule: PluralRule) -> str:
    """The form of that count by the rule of a language; forms stand in the CLDR's order."""
    tags: list[str] = [tag for tag in ("zero", "one", "two", "few", "many", "other") if tag in {*rule.tags, "other"}]
    return forms[min(tags.index(rule(count)), len(forms) - 1)]


_FOUR_DIGITS = 1000.0


def money(value: Sum, style: str, writes: Locale) -> str:
    """Whole units, cents below ten; `about`: three digits of what has more; `price`: to the smallest unit. What is approved is
    told in whole units wherever it is told: two roundings of it would be two amounts. The code stands before the number everywhere, in
    every language, and a minus before both."""
    digits = digits_of(value.currency) or 0
    amount, sign = abs(value.amount), "−" if value.amount < 0 else ""
    places = digits if style == "price" or 0 < amount < 9.995 else 0
    if style == "about" and amount >= _FOUR_DIGITS:  # a smaller one would be rounded twice
        amount = float(f"{amount:.3g}")
    return f"{sign}{value.currency}{NBSP}{_decimals(amount, places, writes)}"


def quantity(value: Quantity, style: str, writes: Locale, catalog: Catalog) -> str:
    """As its unit is written: a share in per cent, a time in the unit that fits, bytes with their prefix (10⁹ = GB)."""
    match value.unit:
        case "share" if style == "exact":
            return f"{significant(value.value * 100.0, 9, writes)}%"
        case "share":
            places = int(style[2:]) if style.startswith("0.") else 0
            return percent(value.value, writes, places)
        case "day" | "hour" if style != "exact":
            return span(value.value * (DAY_S if value.unit == "day" else HOUR_S), writes, catalog)
        case "day" | "hour":
            return _counted(value.unit, value.value, writes, catalog, style="9")
        case "s":
            return span(value.value, writes, catalog)
        case "availability":
            return availability(value.value, writes)
        case "chance":
            return chance(value.value, writes, catalog, down=style == "down")
        case "byte" | "byte/s":
            return _bytes(value.value, style, writes) + value.unit.removeprefix("byte")
    if value.unit in COUNTED:
        return _of_things(value, writes, catalog)
    return _unit(value, style, writes)


def _of_things(value: Quantity, writes: Locale, catalog: Catalog) -> str:
    """“64 accelerators”, “15 billion tokens”."""
    text = large(value.value, writes, catalog) if value.value >= LARGE else number(value.value, "", writes)
    rule = spoken_in(catalog).plural_form
    forms = catalog.one(COUNTED[value.unit])[3:-1].split("|")
    return form_of(1 if text == "1" else max(value.value, 2), forms, rule).replace("#", text)


def large(value: float, writes: Locale, catalog: Catalog) -> str:
    """“2.4 billion”, “12,000”: a large number as people say it."""
    for size, words in SCALES:
        if abs(value) >= size * 0.9995:
            return catalog.one(words).format(number=significant(value / size, 3, writes)).replace(" ", NBSP)
    return _decimals(value, 0, writes)


def availability(share: float, writes: Locale) -> str:
    """“99.968%”: with as many digits as tell what is missing in two, and never more than it is."""
    missing = max((1.0 - share) * 100.0, 1e-9)
    places = max(1 - math.floor(math.log10(missing)), 0)
    whole = math.floor(share * 100.0 * 10**places + 1e-6)
    while places and whole % 10 == 0:
        whole, places = whole // 10, places - 1
    return f"{_decimals(whole / 10**places, places, writes)}%"


def chance(probability: float, writes: Locale, catalog: Catalog, *, down: bool = False) -> str:
    """“54%”, “over 99%”: a guess is never certain. `down`: beside a greater one that is asked for, so that 79.6% is not told as 80%."""
    if down:
        probability = math.floor(probability * 100.0 + 1e-9) / 100.0
    over, under = (catalog.one(words) for words in CHANCES)
    if probability > 0.99:
        return over.format(share=percent(0.99, writes))
    whole = f"{_decimals(probability * 100.0, 0, writes)}%"
    return under.format(share=percent(0.01, writes)) if probability < 0.01 else whole


def span(seconds: float, writes: Locale, catalog: Catalog) -> str:
    """With three significant digits in the unit that people would say: “2.63 hours”, “31.7 minutes”, “45 seconds”."""
    for unit, size in _SPANS:
        if abs(seconds) >= 2.0 * size:
            return _counted(unit, seconds / size, writes, catalog, style="3")
    if abs(seconds) >= 1.0 or seconds == 0.0:
        return _counted("second", seconds, writes, catalog, style="3")
    return f"{significant(seconds * 1e3, 3, writes)}{NBSP}ms"


def span_band(low: float, high: float, expected: float, writes: Locale, catalog: Catalog) -> str:
    """“5.04–6.72 days”: both ends [s] in the unit in which `span` tells what is expected."""
    unit, size = next(((unit, size) for unit, size in _SPANS if expected >= 2.0 * size), _SPANS[-1])
    first, last = (significant(end / size, 3, writes) for end in (low, high))
    return in_units(unit, first if first == last else f"{first}–{last}", catalog)


def listed(words: Sequence[str], joint: str, catalog: Catalog) -> str:
    """“a, b and c”, “a or b”; with “;” as the joint “a; b; c”."""
    if joint == ";" or len(words) < 2:
        return "; ".join(words)
    return catalog.one(LISTS[joint]).format(rest=", ".join(words[:-1]), last=words[-1])


def day(value: date, writes: Locale, catalog: Catalog) -> str:
    """“11 January 2027” as the region writes a long date; in figures where the words are of another language."""
    style = "long" if writes.language == spoken_in(catalog).language else "short"
    return format_date(value, style, locale=writes).replace(_NARROW, NBSP)


def in_units(unit: str, text: str, catalog: Catalog) -> str:
    """A length of time that is in digits already, before the plural of its unit: “16–20.5 hours”."""
    forms = catalog.one(DURATIONS[unit])[3:-1].split("|")
    return form_of(2, forms, spoken_in(catalog).plural_form).replace("#", text).replace(" ", NBSP)


def _counted(unit: str, count: float, writes: Locale, catalog: Catalog, style: str = "") -> str:
    forms = catalog.one(DURATIONS[unit])[3:-1].split("|")
    return plural(count, forms, writes, speaks=spoken_in(catalog), style=style).replace(" ", NBSP)


def spoken_in(catalog: Catalog) -> Locale:
    """The language of the words, whose plurals hold, whatever way the numbers are written in."""
    try:
        return locale_of(catalog.language or "en_GB")
    except (ValueError, UnknownLocaleError):
        return locale_of("en_GB")


def _unit(value: Quantity, style: str, writes: Locale) -> str:
    return f"{number(value.value, style, writes)}{NBSP}{_SYMBOLS.get(value.unit, value.unit)}"


def _bytes(value: float, style: str, writes: Locale) -> str:
    for size, prefix in _PREFIXES:
        if abs(value) >= size * 0.9995:
            return f"{number(value / size, style or '3', writes)}{NBSP}{prefix}B"
    return f"{number(value, style, writes)}{NBSP}B"


def significant(value: float, digits: int, writes: Locale) -> str:
    """With at most that many significant digits, thousands separated, no trailing zeros, no exponent."""
    if value == 0 or not math.isfinite(value):
        return "0"
    places = digits - 1 - math.floor(math.log10(abs(value)))
    text = f"{round(value, places):,.{max(places, 0)}f}"
    return local(text.rstrip("0").rstrip(".") if "." in text else text, writes)


def local(english: str, writes: Locale) -> str:
    """A number written in English, “-1,234.5”, with the signs of that region: “−1 234,5”."""
    text = english.translate(_signs(writes))
    return f"−{text[1:]}" if text.startswith("-") else text


def separators(writes: Locale) -> tuple[str, str]:
    """What separates thousands, and what the whole from its parts, as the CLDR has it; a narrow space is a no-break space, which
    every font has."""
    signs = writes.number_symbols["latn"]
    return signs["group"].replace(_NARROW, NBSP), signs["decimal"]


@cache
def _signs(writes: Locale) -> dict[int, str]:
    group, decimal = separators(writes)
    return {ord(","): group, ord("."): decimal}


def _decimals(value: float, places: int, writes: Locale) -> str:
    return local(f"{round(value, places) + 0.0:,.{places}f}", writes)
