"""Catalogs of translations in the usual .po form: English in the source is the key; read as text, without a compiled form.

A catalog lies in `voice/locale/` under its language (`de.po`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from gettext import c2py
from math import ceil
from pathlib import Path
from string import Formatter

import polib

FOLDER = Path(__file__).parent / "locale"


def english(count: int) -> int:
    """The form of a count in English: 0 for one, 1 for any other."""
    return int(count != 1)


@dataclass(frozen=True, kw_only=True)
class Catalog:
    """One language: each message's texts, one for each plural form, and which form a count takes."""

    language: str = ""
    """Code of the language, for screen readers; empty: the English of the brand."""
    texts: Mapping[str, tuple[str, ...]] | None = None
    """None: the messages themselves."""
    form: Callable[[int], int] = english

    def one(self, message: str) -> str:
        """The message in this language; itself where it is not translated."""
        found = self.texts.get(message) if self.texts else None
        return found[0] if found else message

    def of(self, one: str, many: str, count: float) -> str:
        """The form for that count; a count that is not whole takes the form of the next whole one above it, two or more."""
        number = int(count) if float(count).is_integer() else max(2, ceil(count))
        found = self.texts.get(one) if self.texts else None
        if not found:
            return (one, many)[english(number)]
        return found[min(self.form(number), len(found) - 1)]


ENGLISH = Catalog()


@cache
def catalog_of(code: str) -> Catalog:
    """The catalog of that language (“de-DE”, then “de”); English where there is none. ValueError for a broken one."""
    for name in dict.fromkeys((code, code.partition("-")[0])):
        path = FOLDER / f"{name}.po"
        if path.is_file():
            return read_catalog(path.read_text(encoding="utf-8"), name)
    return ENGLISH


def read_catalog(text: str, language: str) -> Catalog:
    """A .po file as a catalog; what is unconfirmed, obsolete or of another context is left out.

    ValueError when a translation names other placeholders than its message, or the text is no .po file.
    """
    try:
        file = polib.pofile(text)
    except OSError as error:
        raise ValueError(f"The catalog of “{language}” cannot be read. {error}") from error
    texts = {}
    for entry in file.translated_entries():
        if entry.msgctxt is None:
            found = tuple(form for _, form in sorted(entry.msgstr_plural.items())) or (entry.msgstr,)
            _check(entry.msgid, entry.msgid_plural or entry.msgid, found)
            texts[entry.msgid] = found
    return Catalog(language=language, texts=texts, form=_plural_rule(file.metadata.get("Plural-Forms", "")))


def _plural_rule(header: str) -> Callable[[int], int]:
    """“nplurals=2; plural=(n != 1);” as a function; English where the header has none."""
    found = re.search(r"\bplural=([^;]+)", header)
    return c2py(found[1]) if found else english


def placeholders(message: str) -> set[str]:
    """Names of the placeholders of a message."""
    return {name for _, name, _, _ in Formatter().parse(message) if name is not None}


def _check(one: str, many: str, found: tuple[str, ...]) -> None:
    """A translation that lacks a number or asks for an unknown one would end the making of a document."""
    known = placeholders(one) | placeholders(many)
    for text in found:
        if placeholders(text) - known or placeholders(many) - {"count"} - placeholders(text):
            raise ValueError(f"“{text}” must use the placeholders of “{one}”: {', '.join(sorted(known)) or 'none'}.")
