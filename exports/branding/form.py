"""What a person typed and uploaded on the page Branding, read into a brand: every fault is one sentence at its field."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, get_args, get_type_hints

from engine.inputs.spec import Spec
from exports.brand import COLOURS, OURS, TYPEFACES, Brand, Logo, Rate
from exports.branding.taken import check_word, colours_of_slides, logo_of
from exports.contrast import TEXT, contrast, readable
from exports.formats import PAPERS
from exports.locales import LOCALES
from exports.text import clean_text
from incoming.package import Refused

CURRENCIES: tuple[str, ...] = get_args(get_args(get_type_hints(Spec, include_extras=True)["currency"])[0])
FILES = ("logo", "word", "slides")
_NAMES = {"accent": "accent", "ink": "text colour", "highlight": "highlight"}
_LEAST = {"accent": TEXT, "ink": TEXT, "highlight": 1.5}
"""Least contrast with white: accent and text colour are read, the highlight only has to be seen."""
_COLOUR = re.compile(r"#?[0-9A-Fa-f]{6}")


@dataclass
class Reading:
    """The brand as far as it could be read, and what is wrong, by field."""

    brand: Brand
    faults: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def read_brand(typed: Mapping[str, str], files: Mapping[str, bytes], old: Brand) -> Reading:
    """The old brand with what was typed and uploaded; a field that is not there keeps its value."""
    found = Reading(old)
    for name in COLOURS:
        _colour(found, name, typed.get(name, getattr(old, name)))
    for name, known in (("font", TYPEFACES), ("locale", LOCALES), ("paper", PAPERS)):
        value = typed.get(name, getattr(old, name))
        if value in known:
            found.brand = _with(found.brand, name, value)
        else:
            found.faults[name] = "This is none of the choices: choose another."
    found.brand = replace(found.brand, footer=clean_text(typed.get("footer", old.footer), 60))
    _rate(found, typed)
    for name in FILES:
        _file(found, name, files.get(name, b""), remove=typed.get(f"{name}_remove") == "true")
    return found


def _with(brand: Brand, name: str, value: Any) -> Brand:
    """The brand with another value in that field."""
    return replace(brand, **{name: value})


def _colour(found: Reading, name: str, typed: str) -> None:
    value = typed.strip()
    if not _COLOUR.fullmatch(value):
        found.faults[name] = "A colour is # and six hexadecimal digits, such as #0A5C68."
        return
    colour = value.removeprefix("#").upper()
    ratio, least = contrast(colour, "FFFFFF"), _LEAST[name]
    found.brand = _with(found.brand, name, colour)
    if ratio < least:
        better = readable(colour, "FFFFFF", least)
        found.faults[name] = (
            f"The {_NAMES[name]} #{colour} is too pale: its contrast with white is {math.floor(ratio * 10) / 10:.1f} : 1 and "
            f"{least:g} : 1 is needed, so choose a darker one such as #{better}."
        )


def _rate(found: Reading, typed: Mapping[str, str]) -> None:
    old = found.brand.rate
    code = typed.get("currency", old.currency)
    if code not in CURRENCIES:
        found.faults["currency"] = f"Choose one of {', '.join(CURRENCIES)}."
        return
    if code == "USD":
        found.brand = replace(found.brand, rate=Rate())
        return
    text, day = typed.get("per_usd", repr(old.per_usd)).strip(), typed.get("rate_date", old.date).strip()
    try:
        amount = float(text.replace(",", "."))
        if not 0 < amount < 1e6:
            raise ValueError
    except ValueError:
        found.faults["per_usd"] = f"Enter how many {code} one US dollar buys, such as 0.92."
        amount = 1.0
    try:
        date.fromisoformat(day)
    except ValueError:
        found.faults["rate_date"] = "Enter the day of this rate, such as 2026-11-21."
    source = clean_text(typed.get("rate_source", old.source), 120)
    if not source:
        found.faults["rate_source"] = "Enter where this rate comes from, such as “treasury, monthly rate”."
    found.brand = replace(found.brand, rate=Rate(code, amount, day, source))


def _file(found: Reading, name: str, data: bytes, *, remove: bool) -> None:
    if not data:
        if remove:
            found.brand = _with(found.brand, name, Logo() if name == "logo" else b"")
        return
    try:
        _TAKE[name](found, data)
    except Refused as error:
        found.faults[name] = str(error)


def _take_logo(found: Reading, data: bytes) -> None:
    found.brand = replace(found.brand, logo=logo_of(data))


def _take_word(found: Reading, data: bytes) -> None:
    check_word(data)
    found.brand = replace(found.brand, word=data)


def _take_slides(found: Reading, data: bytes) -> None:
    """The template, and its colours where the team has chosen none of its own yet."""
    colours = colours_of_slides(data)
    found.brand = replace(found.brand, slides=data)
    chosen = any(getattr(found.brand, name) != getattr(OURS, name) for name in COLOURS)
    if chosen or "accent1" not in colours:
        return
    ink = colours.get("dk1", OURS.ink)
    found.brand = replace(
        found.brand,
        accent=readable(colours["accent1"], "FFFFFF"),
        ink=ink if contrast(ink, "FFFFFF") >= TEXT else OURS.ink,
        highlight=readable(colours.get("accent2", OURS.highlight), "FFFFFF", _LEAST["highlight"]),
    )
    found.notes.append("The colours of the template's theme are now those of all documents.")


_TAKE: dict[str, Callable[[Reading, bytes], None]] = {"logo": _take_logo, "word": _take_word, "slides": _take_slides}
