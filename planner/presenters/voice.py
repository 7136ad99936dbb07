"""The voice of the pages and of the API: English, in their way of writing numbers and days."""

from __future__ import annotations

import math
from collections.abc import Callable

from catalog.days import plain_date
from planner.asked import Voice
from planner.presenters.words import NBSP, days, percent
from planner.request.quantities import rounded
from planner.telling import named

_SCALES = ((1e15, "quadrillion"), (1e12, "trillion"), (1e9, "billion"), (1e6, "million"))


def page_voice(amount: Callable[[float], str]) -> Voice:
    """English as pages write it."""
    return Voice(
        tr=_english,
        trn=_counted,
        amount=amount,
        number=_number,
        scaled=_scaled,
        percent=percent,
        days=days,
        day=plain_date,
        name=str,
        thing=named,
    )


def _english(message: str, /, **values: object) -> str:
    return message.format(**values) if values else message


def _counted(one: str, many: str, count: float, /, **values: object) -> str:
    return (one if count == 1 else many).format(**{"count": count, **values})


def _number(value: float) -> str:
    """Up to six significant digits, no trailing zeros."""
    text = f"{value:,.{max(0, 6 - len(str(int(abs(value)))))}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _scaled(value: float) -> str:
    for size, word in _SCALES:
        if abs(value) >= size * 0.9995:
            return f"{rounded(value / size)}{NBSP}{word}"
    return rounded(value, max(3, math.ceil(math.log10(max(abs(value), 1.0)))))
