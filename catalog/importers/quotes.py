"""A team's own quotes and negotiated prices, as the team uploads them in our columns (CSV or XLSX)."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from catalog.aliases import accelerator_slug, corrected_count
from catalog.importers.outcome import MOST, ImportFault, Outcome
from catalog.importers.workbook import FORMULA, Row
from catalog.records import OPTIONS, WIDTHS, PriceRow

REQUIRED = ("provider", "instance", "region", "accelerator", "count", "option", "amount", "currency", "date")
OPTIONAL = ("zone", "per", "vcpus", "memory_gib", "valid_until")
SOURCE = "team-quote"
_PLAIN = re.compile(r"\d{1,9}(\.\d{1,8})?")
_NAME = re.compile(r"[\w .()/:+-]+")
_OPTION_WORDS = {
    "on demand": "on_demand",
    "on-demand": "on_demand",
    "1y": "commit_1y",
    "1 year": "commit_1y",
    "3y": "commit_3y",
    "3 years": "commit_3y",
    "capacity block": "capacity_block",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Known:
    """What a row may name: currencies with a rate in the release, and the day of the upload."""

    currencies: Collection[str]
    today: date


def read_quotes(rows: list[Row], known: Known) -> Outcome:
    """Prices and refusals of an uploaded table, row by row. ImportFault when its header is not ours."""
    if not rows:
        raise ImportFault("The file is empty; fill in the template.")
    header = [cell.strip().lower().replace(" ", "_") for cell in rows[0][1]]
    for name in REQUIRED:
        if name not in header:
            raise ImportFault(f"The first row lacks the column {name}; it must name {', '.join(REQUIRED)}.")
    for name in header:
        if name and name not in (*REQUIRED, *OPTIONAL):
            raise ImportFault(
                f"The column “{name[:40]}” is not known; remove it. Known: {', '.join((*REQUIRED, *OPTIONAL))}."
            )
        if name and header.count(name) > 1:
            raise ImportFault(f"The column {name} stands twice; keep one.")
    outcome, seen = Outcome(), set[PriceRow]()
    for number, cells in rows[1:]:
        outcome.lines += 1
        line = {name: cells[place] if place < len(cells) else "" for place, name in enumerate(header) if name}
        _take(number, line, outcome, known=known, seen=seen)
    return outcome


def _take(number: int, line: Mapping[str, str], outcome: Outcome, *, known: Known, seen: set[PriceRow]) -> None:
    try:
        row = _row(line, known)
    except ValueError as error:
        shown = " ".join("(formula)" if cell == FORMULA else cell for cell in line.values() if cell)
        outcome.refuse(number, str(error), shown)
        return
    outcome.take(row, seen)


def _row(line: Mapping[str, str], known: Known) -> PriceRow:
    for name, cell in line.items():
        if cell == FORMULA:
            raise ValueError(f"{name}: holds a formula; paste its value instead.")
    texts: dict[str, Any] = {name: _text(line, name, most) for name, most in WIDTHS.items()}
    count, each = _count(line, texts), _number(line, "amount")
    return PriceRow(
        **texts,
        accelerator=_accelerator(line, texts),
        count=count,
        option=_option(line),
        amount=(each * count).quantize(Decimal("0.00000001")) if _per_accelerator(line) else each,
        currency=_currency(line, known),
        date=_day(line, known),
        valid_until=_until(line),
        source=SOURCE,
        vcpus=_number(line, "vcpus", required=False),
        memory_gib=_number(line, "memory_gib", required=False),
    )


def _text(line: Mapping[str, str], name: str, most: int) -> str:
    text = " ".join(line.get(name, "").split())
    if not text and name in REQUIRED:
        raise ValueError(f"{name}: is empty; fill it in.")
    if len(text) > most or (text and not _NAME.fullmatch(text)):
        raise ValueError(f"{name}: must be at most {most} letters, digits or . - _ / : + ( ).")
    return text.lower() if name == "provider" else text


def _number(line: Mapping[str, str], name: str, *, required: bool = True) -> Decimal:
    text = line.get(name, "")
    if not text and not required:
        return Decimal(0)
    if not text:
        raise ValueError(f"{name}: is empty; an unknown price cannot be planned with, so leave the row out.")
    if not _PLAIN.fullmatch(text):
        raise ValueError(f"{name}: “{text[:30]}” is not a plain number such as 98.32 (no currency sign, no comma).")
    value = Decimal(text)
    if value <= 0 and required:
        raise ValueError(f"{name}: must be more than 0.")
    most = 10_000 if name == "count" else MOST
    if value > most:
        raise ValueError(f"{name}: must be at most {most:,}.")
    return value.quantize(Decimal("0.0001")) if name == "count" else value


def _accelerator(line: Mapping[str, str], texts: Mapping[str, str]) -> str:
    """The accelerator that the row names; where we know the instance type better, the two must agree."""
    name = _text(line, "accelerator", 60)
    slug = accelerator_slug(name)
    if slug is None:
        raise ValueError(
            f"accelerator: “{name}” is not in the catalog; use a name of the catalog page such as h100-sxm5."
        )
    known = accelerator_slug("", provider=texts["provider"], instance=texts["instance"])
    if known is not None and known != slug and slug == name.lower():
        raise ValueError(f"accelerator: {texts['instance']} has {known}, not {slug}.")
    return known or slug


def _count(line: Mapping[str, str], texts: Mapping[str, str]) -> Decimal:
    count, known = _number(line, "count"), corrected_count(texts["provider"], texts["instance"])
    if known is not None and known != count:
        raise ValueError(f"count: {texts['instance']} has {known} accelerators, not {count.normalize():f}.")
    return count


def _option(line: Mapping[str, str]) -> str:
    text = _text(line, "option", 20).lower()
    option = _OPTION_WORDS.get(text, text)
    if option not in OPTIONS:
        raise ValueError(f"option: must be one of {', '.join(OPTIONS)}.")
    return option


def _per_accelerator(line: Mapping[str, str]) -> bool:
    text = line.get("per", "").lower()
    if text not in ("", "instance", "accelerator"):
        raise ValueError("per: must be instance (the default) or accelerator.")
    return text == "accelerator"


def _currency(line: Mapping[str, str], known: Known) -> str:
    code = _text(line, "currency", 3).upper()
    if code not in known.currencies:
        raise ValueError(
            f"currency: {code} has no dated rate in the catalog; use one of {', '.join(sorted(known.currencies))}."
        )
    return code


def _day(line: Mapping[str, str], known: Known) -> date:
    text = line.get("date", "")
    try:
        day = date.fromisoformat(text)
    except ValueError as error:
        raise ValueError(f"date: “{text[:30]}” must be the day of the quote, such as 2026-08-22.") from error
    if day > known.today:
        raise ValueError("date: lies in the future; write the day of the quote.")
    if day.year < 2015:
        raise ValueError("date: is before 2015; no accelerator of the catalog was sold then.")
    return day


def _until(line: Mapping[str, str]) -> date | None:
    """Last day on which the seller holds the price; None where the row does not say."""
    text = line.get("valid_until", "")
    if not text:
        return None
    try:
        until = date.fromisoformat(text)
    except ValueError as error:
        raise ValueError(f"valid_until: “{text[:30]}” must be a day, such as 2026-12-31, or empty.") from error
    if line.get("date", "") > text:
        raise ValueError("valid_until: lies before the day of the quote; write the last day on which the price holds.")
    return until
