"""Amounts of money as people write them, in the currency that they think in: "300k EUR", "€ 1.5 M", "0.60 CHF/M tokens".

A form asks in its plan's currency; a bare number there is in it, and another currency may be named. A request keeps the
text with its currency, and it becomes US dollars, in which the engine computes, when the request is planned: at the rate
that the request itself agrees on, else at the dated rate of the catalog. A bare number in a request is in US dollars, as
the API and the file of the command line say.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from planner.request.quantities import QuantityError, parse_quantity

Rates = Mapping[str, tuple[float, str]]
"""US dollars that one of each currency buys, and the date of that rate (`Market.fx_usd`)."""
USD = "USD"

_WORDS = {
    "EUR": ("€", "EUR", "euros?"), "GBP": ("£", "GBP", "pounds?"), "CHF": ("CHF", r"SFr\.?", r"Fr\.", "francs?"),
    "JPY": ("¥", "JPY", "yen"), "INR": ("₹", "INR", r"Rs\.?", "rupees?"), USD: (r"US\$", r"\$", "USD", "dollars?"),
}  # fmt: skip
_SIGNED = re.compile(
    "|".join(
        rf"(?P<{code}>{'|'.join(word if not word[0].isalpha() else rf'(?<![A-Za-z]){word}(?![A-Za-z])' for word in words)})"
        for code, words in _WORDS.items()
    ),
    re.IGNORECASE,
)
_PATH = re.compile(r"(^|\.|_)usd(_|$)")


def is_amount(path: str) -> bool:
    """Whether the field of the request at that dotted path is an amount of money (`constraints.budget_usd`)."""
    return _PATH.search(path) is not None


def currency_in(text: str) -> str:
    """The currency that the text names ("EUR"); nothing where it names none. QuantityError when it names two."""
    found = {next(code for code, word in match.groupdict().items() if word) for match in _SIGNED.finditer(text)}
    if len(found) > 1:
        raise QuantityError(f"“{text.strip()}” names {' and '.join(sorted(found))}: write one currency.")
    return next(iter(found), "")


def parse_amount(text: str, unit: str, rates: Rates) -> float:
    """US dollars, per whatever `unit` says, that the text means; a bare number is in them already.

    rates: of the catalog. QuantityError says what to write instead, also where the catalog has no rate.
    """
    code = currency_in(text)
    if code in ("", USD):
        return parse_quantity(text, unit)
    if not rates:
        return parse_quantity(text, unit)  # refuses it, saying that dollars are asked for
    if code not in rates:
        known = ", ".join(sorted({USD, *rates}))
        raise QuantityError(f"“{text.strip()}”: the catalog has no rate for {code}; write the amount in {known}.")
    try:
        value = parse_quantity(_SIGNED.sub("USD", text), unit)
    except QuantityError as error:
        raise QuantityError(
            f"“{text.strip()}” is not an amount: write for example 400k {code} or 1.5 M {code}."
        ) from error
    return round(value * rates[code][0], 6)


def with_agreed(rates: Rates, request: Mapping[str, Any]) -> Rates:
    """Those rates with the ones that the request agrees on in their place, as the plan will use them; they have no date.

    A rate that cannot be read stays out: whoever reads the request tells its fault.
    """
    rows = request.get("agreed")
    found: dict[str, tuple[float, str]] = {}
    for row in rows if isinstance(rows, list | tuple) else ():
        if isinstance(row, Mapping) and row.get("what") == "currency":
            with suppress(QuantityError, TypeError, ValueError):
                value = parse_amount(str(row.get("usd")), USD, rates)
                if math.isfinite(value) and value > 0:
                    found[str(row.get("item"))] = (value, "")
    return {**rates, **found}


def kept(text: str, home: str) -> str:
    """What a request keeps of an amount typed in a form of that currency: with its currency, unless it is dollars.

    What cannot be read stays as it was typed, so that its fault can quote it.
    """
    try:
        return text if home == USD or currency_in(text) or not _readable(text) else f"{home} {text}"
    except QuantityError:
        return text


def _readable(text: str) -> bool:
    for unit in (USD, "USD/1e6 token"):
        with suppress(QuantityError):
            parse_quantity(text, unit)
            return True
    return False


def shown(text: str, home: str) -> str:
    """What a form of that currency shows for an amount that a request keeps; the inverse of `kept`."""
    if home == USD or not text.strip():
        return text
    try:
        return text.removeprefix(f"{home} ") if currency_in(text) else f"{USD} {text}"
    except QuantityError:
        return text
