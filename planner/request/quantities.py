"""Numbers as people write them: "70B", "1.5 M USD", "3 weeks", "40 rps", "80 GiB" in, and the same kind of text out.

`parse_quantity` reads, `show_quantity` prints for people (rounded), `write_quantity` prints so that reading it back
gives exactly the same number. A text that two people could read differently is refused with a sentence that says what
to write instead.
"""

from __future__ import annotations

import math
import re
import unicodedata
from decimal import Decimal
from typing import get_args

from engine.inputs.architecture import Counts

LONGEST = 60
_MONTH_DAYS = Decimal("30.4375")  # a twelfth of 365.25 days

_SCALES = {
    "k": 3, "K": 3, "thousand": 3,
    "M": 6, "m": 6, "mn": 6, "mio": 6, "million": 6, "millions": 6,
    "B": 9, "b": 9, "G": 9, "g": 9, "bn": 9, "billion": 9, "billions": 9,
    "T": 12, "t": 12, "tn": 12, "trillion": 12, "trillions": 12,
    "P": 15, "quadrillion": 15,
}  # fmt: skip
_TIMES = {
    "us": Decimal("0.000001"), "µs": Decimal("0.000001"), "μs": Decimal("0.000001"),
    "ms": Decimal("0.001"), "msec": Decimal("0.001"), "millisecond": Decimal("0.001"), "milliseconds": Decimal("0.001"),
    "s": Decimal(1), "sec": Decimal(1), "secs": Decimal(1), "second": Decimal(1), "seconds": Decimal(1),
    "min": Decimal(60), "mins": Decimal(60), "minute": Decimal(60), "minutes": Decimal(60),
    "h": Decimal(3600), "hr": Decimal(3600), "hrs": Decimal(3600), "hour": Decimal(3600), "hours": Decimal(3600),
    "d": Decimal(86400), "day": Decimal(86400), "days": Decimal(86400),
    "w": Decimal(604800), "wk": Decimal(604800), "week": Decimal(604800), "weeks": Decimal(604800),
    "mo": 86400 * _MONTH_DAYS, "month": 86400 * _MONTH_DAYS, "months": 86400 * _MONTH_DAYS,
    "y": 1036800 * _MONTH_DAYS, "yr": 1036800 * _MONTH_DAYS,
    "year": 1036800 * _MONTH_DAYS, "years": 1036800 * _MONTH_DAYS,
}  # fmt: skip
_BYTES = {"B": 1, "byte": 1, "bytes": 1}
for _power, _letter in enumerate("kMGTPE", start=1):
    for _name in (_letter, f"{_letter}B", f"{_letter.lower()}b", f"{_letter.upper()}B"):
        _BYTES[_name] = 1000**_power
    for _name in (f"{_letter.upper()}i", f"{_letter.upper()}iB", f"{_letter.lower()}ib", f"{_letter}iB"):
        _BYTES[_name] = 1024**_power
_NOUNS = {
    "token": ("tok", "toks", "token", "tokens"),
    "sample": ("sample", "samples", "image", "images", "item", "items", "sequence", "sequences"),
    "request": ("req", "reqs", "request", "requests"),
    "USD": ("$", "US$", "USD", "usd", "dollar", "dollars", "US dollars"),
    "USD/1e6 token": (
        "/M", "/M tokens", "/1M tokens", "$", "USD", "usd", "USD/M", "$/M",
        "USD/M tokens", "$/M tokens", "USD/1M tokens", "$/1M tokens",
        "USD/1e6 token", "per million tokens", "USD per million tokens",
    ),
    "": ("gpus", "GPUs", "accelerators"),
}  # fmt: skip
_RATES = {"s": 1, "sec": 1, "second": 1, "min": 60, "minute": 60, "h": 3600, "hour": 3600, "day": 86400, "d": 86400}
_NUMBER = re.compile(r"([+-]?)(\d[\d,_' ]*\d|\d)?(\.\d*)?(?:[eE]([+-]?\d{1,3})|[x×*]10\^([+-]?\d{1,3}))?(?![\d.,])")
_GROUPED = re.compile(r"\d{1,3}([,_' ])\d{3}(?:\1\d{3})*")
_SUPERSCRIPT = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
_EXAMPLES = {
    "token": "15B, 2T or 15e9", "sample": "50k or 1.2M", "request": "1M", "request/s": "40 or 2M per day",
    "byte": "60 GB or 2 TiB", "USD": "400k or 1.5 M", "day": "21 or 3 weeks", "month": "12 or 1 year",
    "h": "12 or 2 days", "ms": "800 or 0.8 s", "s": "11.8 or 800 ms", "USD/1e6 token": "0.60",
}  # fmt: skip


class QuantityError(ValueError):
    """The text is not one clear number in that unit; the message is a sentence that says what to write."""


def parse_quantity(text: str, unit: str = "") -> float:
    """The number that text means, in `unit` (a symbol of `Q.unit`). QuantityError says what to write instead."""
    clean = _normalised(text)
    if len(clean) > LONGEST:
        raise QuantityError(f"A number of {len(clean):,} characters is too long: write {_example(unit)}.")
    rest = _without_currency(clean, unit)
    match = _NUMBER.match(rest)
    if not match or not (match[2] or match[3]) or (match[3] == "." and not match[2]):
        raise QuantityError(f"“{text.strip()}” is not a number: write for example {_example(unit)}.")
    number = Decimal(_digits(match, text)).scaleb(int(match[4] or match[5] or 0))
    value = float(number * _factor(rest[match.end() :].strip(), unit, text))
    if not math.isfinite(value):
        raise QuantityError(f"“{text.strip()}” is too large: write for example {_example(unit)}.")
    return value


def show_quantity(value: float, unit: str = "", *, digits: int = 3) -> str:
    """That number for people, rounded to significant digits: "15 B tokens", "$402,000", "3.2 days", "80 GB"."""
    if unit in _SHOWN_TIMES:
        return _show_time(value, unit, digits)
    if unit == "USD":
        return show_money(value, digits=digits)
    if unit == "byte":
        return _show_bytes(value, digits)
    if unit == "share":
        return f"{rounded(value * 100, digits)}%"
    number = compact(value, digits)
    return f"{number} {plural(unit, value)}".strip()


def show_money(value: float, *, currency: str = "USD", digits: int = 3) -> str:
    """An amount for people, rounded so that it does not feign precision: "$402,000", "$1.24 M", "EUR 3.1 B"."""
    sign = "−" if value < 0 else ""
    mark = "$" if currency == "USD" else f"{currency} "
    size = abs(value)
    if size < 10:
        return f"{sign}{mark}{size:,.2f}"
    return f"{sign}{mark}{compact(size, digits, first=6)}"


def write_quantity(value: float, unit: str = "") -> str:
    """That number for an input field: short where exact ("15 B", "400 k"), and parsed back to the same number."""
    whole = Decimal(repr(float(value))).normalize()
    for letter, power in (("T", 12), ("B", 9), ("M", 6), ("k", 3)):
        scaled = whole.scaleb(-power)
        if unit != "byte" and abs(scaled) >= (1 if power > 3 else 10) and len(scaled.as_tuple().digits) <= 4:
            return f"{scaled.normalize():f} {letter}" if unit not in _SHOWN_TIMES else f"{whole:f}"
        if unit == "byte" and abs(scaled) >= 1 and len(scaled.as_tuple().digits) <= 6:
            return f"{scaled.normalize():f} {'k' if power == 3 else letter.replace('B', 'G')}B"
    return f"{whole:f}" if -7 < whole.adjusted() < 21 else repr(float(value))


def compact(value: float, digits: int = 3, *, first: int = 4) -> str:
    """A number with k, M, B or T from 10**first on, before that with thousands separators."""
    if value < 0:
        return "−" + compact(-value, digits, first=first)
    size = float(rounded(value, digits).replace(",", "")) if value else 0.0
    for letter, power in (("T", 12), ("B", 9), ("M", 6), ("k", 3)):
        if size >= 10 ** max(power, first):
            return f"{rounded(value / 10**power, digits)} {letter}"
    return rounded(value, digits)


def rounded(value: float, digits: int = 3) -> str:
    """A plain number with that many significant digits, no exponent, thousands separated."""
    if not value or not math.isfinite(value):
        return "0"
    places = digits - 1 - math.floor(math.log10(abs(value)))
    text = f"{round(value, places):,.{max(places, 0)}f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text).replace("-", "−")


def whole_units(amount: float) -> str:
    """An amount of 0 or more in whole units, thousands separated, halves up as in a spreadsheet: 5,553 of 5552.5.

    A sum of cents that lies a hair below a half, as sums of floats do, counts as the half.
    """
    return f"{in_whole_units(amount):,}"


def in_whole_units(amount: float) -> int:
    """That number itself; of an amount below 0 what is owed is rounded, and stays below."""
    size = math.floor(round(abs(amount), 4) + 0.5)
    return size if amount >= 0 else -size


def plural(unit: str, value: float) -> str:
    """The unit's noun as it follows that number: token → tokens, request/s → requests/s."""
    noun, _, per = unit.partition("/")
    if noun in (*get_args(Counts), "request") and per == "s":
        return f"{noun}s/s"
    if unit in (*get_args(Counts), "request", "byte", "accelerator", "core"):
        return unit if value == 1 else f"{unit}s"
    return "USD per million tokens" if unit == "USD/1e6 token" else unit


_SHOWN_TIMES = {"ms": 0.001, "s": 1.0, "min": 60.0, "h": 3600.0, "day": 86400.0}


def _show_time(value: float, unit: str, digits: int) -> str:
    if (unit == "day" and value >= 1) or value == 0:
        return f"{rounded(value, digits)} {unit}{'' if unit != 'day' or rounded(value, digits) == '1' else 's'}"
    seconds = value * _SHOWN_TIMES[unit]
    for name, size in (("days", 86400.0), ("h", 3600.0), ("min", 60.0), ("s", 1.0)):
        if seconds >= size * (2 if name == "days" else 1):
            return f"{rounded(seconds / size, digits)} {name}"
    return f"{rounded(seconds * 1000, digits)} ms"


def _show_bytes(value: float, digits: int) -> str:
    for name, power in (("EB", 18), ("PB", 15), ("TB", 12), ("GB", 9), ("MB", 6), ("kB", 3)):
        if abs(value) >= 10**power:
            return f"{rounded(value / 10**power, digits)} {name}"
    return f"{rounded(value, digits)} {plural('byte', value)}"


def _normalised(text: str) -> str:
    """Full-width and other decimal digits, spaces, minus signs and superscripts as their plain forms."""
    marked = re.sub(r"[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻]+", lambda found: "^" + found[0].translate(_SUPERSCRIPT), text)
    folded = unicodedata.normalize("NFKC", marked).replace("−", "-").replace("’", "'")
    plain = "".join(str(unicodedata.decimal(sign)) if sign.isdecimal() else sign for sign in folded)
    return " ".join(plain.split())


def _without_currency(clean: str, unit: str) -> str:
    """The text without a dollar sign in front. QuantityError for another currency, or money where none belongs."""
    if re.search(r"[€£¥₹]|\b(EUR|GBP|CHF|JPY|INR)\b", clean, re.IGNORECASE):
        raise QuantityError(f"“{clean}” is not in US dollars: convert it first and write for example {_example(unit)}.")
    sign = next((sign for sign in ("US$", "USD", "$") if clean.upper().startswith(sign)), "")
    if sign and not unit.startswith("USD"):
        raise QuantityError(f"“{clean}” is not {_noun(unit)}: write for example {_example(unit)}.")
    return clean[len(sign) :].lstrip()


def _digits(match: re.Match[str], text: str) -> str:
    """Sign, whole part and fraction without separators. QuantityError when the separators are ambiguous."""
    whole, fraction = match[2] or "0", match[3] or ""
    if not whole.isdigit() and not _GROUPED.fullmatch(whole):
        dotted = re.sub(r"[,_' ]", ".", whole, count=1)
        raise QuantityError(
            f"“{text.strip()}” can be read in two ways: write {dotted} for a fraction, or thousands in groups of three."
        )
    return f"{match[1]}{re.sub(r'[^0-9]', '', whole)}{fraction.rstrip('.')}"


def _factor(rest: str, unit: str, text: str) -> Decimal:
    """What one of the written unit is in `unit`. QuantityError names a unit that does not fit."""
    if rest == "%" and unit == "":
        return Decimal("0.01")
    if unit == "byte":
        return _byte_factor(rest, text)
    found = _unit_factor(rest, unit, text)
    if found is not None:
        return found
    for name in sorted(_SCALES, key=len, reverse=True):
        if rest.startswith(name):
            found = _unit_factor(rest[len(name) :].strip(), unit, text, scaled=name)
            if found is not None:
                return found.scaleb(_SCALES[name])
    raise QuantityError(f"“{text.strip()}” is not {_noun(unit)}: write for example {_example(unit)}.")


def _unit_factor(rest: str, unit: str, text: str, *, scaled: str = "") -> Decimal | None:
    """The factor of a written unit without a scale letter, or None when it is not one."""
    if rest in ("", unit, *_NOUNS.get(unit, ())) or rest.lower() in _NOUNS.get(unit, ()):
        if scaled in ("m", "M") and not rest and unit in ("s", "ms", "h", "day", "month"):
            raise QuantityError(
                f"“{text.strip()}” could mean minutes, months or millions: write for example {_example(unit)}."
            )
        return Decimal(1)
    if unit in ("s", "ms", "min", "h", "day", "month"):
        seconds = _TIMES.get(rest) or _TIMES.get(rest.lower()) if len(rest) > 1 else _TIMES.get(rest)
        return seconds / _TIMES[unit] if seconds else None
    return _rate_factor(rest) if unit == "request/s" else None


def _rate_factor(rest: str) -> Decimal | None:
    """Requests per second in one of the written rates (rps, qps, rpm, requests/min, per day), or None."""
    short = {"rps": 1, "qps": 1, "rpm": 60, "qpm": 60}.get(rest.lower())
    if short:
        return Decimal(1) / short
    match = re.fullmatch(r"(?:req|reqs|request|requests|queries)? ?(?:/|per|a|an) ?([a-z]+)", rest.lower())
    return Decimal(1) / _RATES[match[1]] if match and match[1] in _RATES else None


def _byte_factor(rest: str, text: str) -> Decimal:
    if rest in ("B", "b"):
        raise QuantityError(f"“{text.strip()}” could mean bytes or billions: write for example 60 GB or 60 bytes.")
    if not rest:
        return Decimal(1)
    known = _BYTES.get(rest)
    if known:
        return Decimal(known)
    hint = ", bits are not bytes" if re.fullmatch(r"[kKMGTPE]?i?b(it)?s?", rest) else ""
    raise QuantityError(f"“{text.strip()}” is not a size in bytes{hint}: write for example {_example('byte')}.")


def _example(unit: str) -> str:
    return _EXAMPLES.get(unit, "1500 or 1.5 k")


def _noun(unit: str) -> str:
    named = {"USD": "an amount of US dollars", "request/s": "a rate of requests", "": "a plain number"}
    if unit in _TIMES or unit == "day":
        return "a length of time"
    return named.get(unit, f"a number of {plural(unit, 2)}")
