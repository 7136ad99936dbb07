"""The words of documents: English in the source, other languages in catalogs of the usual .po form.

A text is written as `tr("The run takes {days}.", days=…)`: the message is the key, and its named placeholders may stand in
any order in another language. `trn` chooses a plural form as that language has them, `mark` names a text that is
translated where it is used. A catalog lies in `exports/locale/` under its language (`de.po`) and is in use as soon as a team
writes its numbers in that language; it is read as text, without tools and without a compiled form.
`manage.py texts` lists every message as a template for translators.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from gettext import c2py
from math import ceil
from pathlib import Path
from string import Formatter
from typing import Any

import polib

from exports.brand import in_use

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
_SPOKEN: ContextVar[Catalog | None] = ContextVar("catalog", default=None)


def spoken() -> Catalog:
    """The catalog in use here and now: that of the block around, or that of the brand's language."""
    return _SPOKEN.get() or catalog_of(in_use().writes.code)


@contextmanager
def speaking(catalog: Catalog) -> Iterator[None]:
    """Everything that is composed and written inside is in that language."""
    token = _SPOKEN.set(catalog)
    try:
        yield
    finally:
        _SPOKEN.reset(token)


def tr(message: str, /, **values: Any) -> str:
    """That message in the language in use, its placeholders filled."""
    text = spoken().one(message)
    return text.format(**values) if values else text


def trn(one: str, many: str, count: float, /, **values: Any) -> str:
    """The form of a message that agrees with the count; `{count}` is filled with the count unless it is given."""
    return spoken().of(one, many, count).format(**{"count": count, **values})


def both(parts: Sequence[str]) -> str:
    """“2 inputs”, “2 inputs and 1 price”: two parts of a sentence joined."""
    return tr("{first} and {second}", first=parts[0], second=parts[1]) if len(parts) == 2 else parts[0]


def mark(message: str) -> str:
    """The message itself: names a text for translators where it is written; `tr` translates it where it is used."""
    return message


def noun(word: str) -> str:
    """The noun itself: names a word for translators that `exports.numbers.plural` counts where it is used."""
    return word


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
