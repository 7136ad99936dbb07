"""Short numbers for axes and bars: one form for all ticks of an axis, as text and as the number format of a spreadsheet."""

from __future__ import annotations

import math
from collections.abc import Iterable

MIXED = '[>=1000000]0.00,,"M";[>=10000]0,"k";#,##0'
"""Millions with two digits, thousands from ten thousand, smaller amounts whole, where one is a hundred thousand or more."""
_FEW_FACTORS = 1e3
"""Largest over least tick up to which one number of decimals suits all."""
_SCALES = ((1e6, 1e6, ',,"M"'), (1e4, 1e3, ',"k"'), (0.0, 1.0, ""))
"""From which size on, divided by what, written how."""


def number_format(values: Iterable[float]) -> str:
    """One format for all ticks of a linear axis: thousands or millions where they are, digits as needed, a plain 0."""
    known = [abs(value) for value in values if value] or [1.0]
    scale, mark = _scale(max(known))
    digits = _digits(known, scale)
    body = ("#,##0" if scale == 1 else "0") + ("." + "0" * digits if digits else "") + mark
    return f"{body};-{body};0"


def log_format(ticks: Iterable[float]) -> str:
    """One format for the ticks of a logarithmic axis, each in its own scale: 250k, 500k, 1M."""
    known = list(ticks)
    if max(known) < 1e4:
        return _small_log_format(known)
    millions, thousands = (
        [tick for tick in known if low <= tick < high] for low, high in ((1e6, math.inf), (1e3, 1e6))
    )
    forms = [("0" + _point(_digits(millions, 1e6)), 1e6, ',,"M"'), ("0" + _point(_digits(thousands, 1e3)), 1e3, ',"k"')]
    return ";".join((*(f"[>={least:.0f}]{body}{mark}" for body, least, mark in forms), "General"))


def _small_log_format(ticks: list[float]) -> str:
    """Fixed decimals where few do: an office program counts the factors itself, and shows 2.56 as 2.55999999 if left alone."""
    digits = _digits(ticks, 1.0)
    if not digits:
        return "#,##0"
    if max(ticks) > _FEW_FACTORS * min(ticks) or not all(_prints(tick, digits) for tick in ticks):
        return "General"
    above = [tick for tick in ticks if tick >= 1]
    return ("" if _digits(above, 1.0) else "[>=1]#,##0;") + "0" + _point(digits)


def label_format(values: Iterable[float]) -> str:
    """A format for single values: each in its own scale with about three digits; differences share one scale."""
    known = list(values)
    top = max(map(abs, known), default=0.0)
    if min(known, default=0.0) < 0:
        scale, mark = _scale(top)
        rough = top / scale >= (20 if scale == 1 else 200)
        body = ("#,##0" if scale == 1 else "0") + ("" if rough else ".0") + mark
        least = scale * (0.5 if rough else 0.05)
        return f'[>={least:g}]{body};[<=-{least:g}]-{body};""'
    if top >= 1e5:
        return MIXED
    if all(float(value).is_integer() for value in known):
        return "#,##0"
    if top >= 100:
        return '[>=0.5]#,##0;""'
    digits = 1 if top >= 10 or not top else min(5, 2 - math.floor(math.log10(top)))
    return f'[>={0.5 * 10.0**-digits:g}]0.{"0" * digits};""'


def short(value: float, form: str) -> str:
    """The value as that format shows it; "" where a rule shows nothing."""
    for part in form.split(";"):
        rule, _, body = part.removeprefix("[").partition("]") if part.startswith("[") else ("", "", part)
        if rule.startswith(">=") and value < float(rule[2:]):
            continue
        if rule.startswith("<=") and value > float(rule[2:]):
            continue
        if body == '""':
            return ""
        return "0" if not value else _shown(abs(value) if body.startswith("-") else value, body)
    return ""


def _shown(value: float, body: str) -> str:
    sign, body = ("-", body[1:]) if body.startswith("-") else ("", body)
    if body == "General":
        return f"{sign}{value:.12g}"
    digits = len(body.partition(".")[2].partition(",")[0])
    if body.endswith(',,"M"'):
        return f"{sign}{value / 1e6:.{digits}f}M"
    return f"{sign}{value / 1e3:.{digits}f}k" if body.endswith(',"k"') else f"{sign}{value:,.{digits}f}"


def _scale(top: float) -> tuple[float, str]:
    return next((scale, mark) for start, scale, mark in _SCALES if top >= start)


def _point(digits: int) -> str:
    return "." + "0" * digits if digits else ""


def _digits(values: Iterable[float], scale: float) -> int:
    """How many decimals print all of them, 2 where none does."""
    known = list(values)
    return next((count for count in range(6) if all(_prints(value / scale, count) for value in known)), 2)


def _prints(value: float, digits: int) -> bool:
    return abs(round(value, digits) - value) < 1e-6 * max(1.0, abs(value))
