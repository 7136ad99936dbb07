"""The words of documents: English in the source, other languages in catalogs of the usual .po form (`voice.catalogs`).

A text is written as `tr("The run takes {days}.", days=…)`: the message is the key, and its named placeholders may stand in
any order in another language. `trn` chooses a plural form as that language has them, `mark` names a text that is
translated where it is used. A catalog lies in `voice/locale/` under its language (`de.po`) and is in use as soon as a team
writes its numbers in that language; it is read as text, without tools and without a compiled form.
`manage.py texts` lists every message as a template for translators.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from engine.inputs.finding import Finding
from engine.inputs.origin import Origin
from exports.brand import in_use
from exports.text import CELL_LIMIT, clean_text
from voice.catalogs import Catalog, catalog_of
from voice.speech import Voice, say
from voice.units import unit_in

_SPOKEN: ContextVar[Catalog | None] = ContextVar("catalog", default=None)


def spoken() -> Catalog:
    """The catalog in use here and now: that of the block around, or that of the brand's language."""
    return _SPOKEN.get() or catalog_of(in_use().writes.code)


def voice() -> Voice:
    """How this document speaks."""
    writes = in_use().writes
    return Voice(locale=writes.code, catalog=spoken(), days=writes.day)


def label(found: Finding, limit: int = CELL_LIMIT) -> str:
    """What a line of a table or a chart is called, in at most so many characters."""
    return clean_text(say(found, voice()), limit)


def sourced(source: Origin, limit: int = CELL_LIMIT) -> str:
    """Whose a number is, in at most so many characters: a publisher's or a person's words as they stand, ours said."""
    return clean_text(source, limit) if isinstance(source, str) else label(source, limit)


def unit_words(unit: str, limit: int = 40) -> str:
    """A unit as it stands in a column of its own."""
    return clean_text(unit_in(unit, spoken()), limit)


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
