"""The one text policy of all files: what a reader may see, and how long it may be.

Formats fail in different ways on the same string (a control character raises in one library and prints as `_x0001_` in
another; a lone surrogate raises in all), so every text passes here once, in `compose()`, before any writer sees it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import lru_cache

NAME_LIMIT = 200
SENTENCE_LIMIT = 600
CELL_LIMIT = 160

# U+202A–202E and U+2066–2069 reorder what follows ("gnp.exe" reads "exe.png"); U+200E, U+200F and U+061C mark direction
# and hide in names just as well; U+FEFF and U+00AD are invisible.
_INVISIBLE = re.compile("[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\ufeff\u00ad\u2060-\u2064\ufff9-\ufffb]")
# A no-break space between digits groups them, as several languages do; every other white space is one space.
_SPACES = re.compile(r"(?:(?!(?<=\d)\u00a0(?=\d{3}))[\s\u00a0\u2028\u2029])+")
_LONG_WORD = 60
_PERCENT = re.compile(r"(?<=\d)[ \u00a0]%")


def percents(text: str) -> str:
    """“54%” of “54 %”, in words that come from elsewhere: one style in all documents, whoever wrote the sentence."""
    return _PERCENT.sub("%", text)


def clean_text(value: object, limit: int = SENTENCE_LIMIT) -> str:
    """That value as one line of at most `limit` characters that every format can hold.

    NFC; control characters, lone surrogates, noncharacters, private use and direction overrides dropped; white
    space collapsed; emoji replaced by their name in brackets (no embedded font has them all); a word of more than 60
    characters shortened, since nothing can break it, except in East Asian scripts. A text cut short ends in an ellipsis.
    """
    # A name of megabytes is cut before the costly steps; 8 × leaves room for what they drop.
    return _cleaned(str(value)[: 8 * limit + 1000], limit)


@lru_cache(maxsize=4096)
def _cleaned(text: str, limit: int) -> str:
    text = _SPACES.sub(" ", text)
    text = unicodedata.normalize("NFC", "".join(_kept(character) for character in text))
    text = _INVISIBLE.sub("", text)
    return shorten(_SPACES.sub(" ", _words(text)).strip(), limit)


def shorten(text: str, limit: int) -> str:
    """The text in at most `limit` characters, cut at a word where one ends near, with an ellipsis."""
    if len(text) <= limit:
        return text
    head = text[: limit - 1]
    space = head.rfind(" ")
    return (head[:space] if space > limit * 0.6 else head).rstrip(" ,;:–") + "…"


def sentences(text: str, limit: int) -> str:
    """As many whole sentences as that many characters hold, at least the first: a sentence is never cut.

    Only one of more than twice as many is, since nobody's own words are that long.
    """
    if len(text) <= limit:
        return text
    end = max(text.rfind(". ", 0, limit), text.find(". "))
    return shorten(text if end < 0 else text[: end + 1], 2 * limit)


def clauses(text: str, limit: int) -> str:
    """As many of the text's clauses as that many characters hold, at least the first; none is cut in a bracket."""
    while len(text) > limit and (end := _last_clause(text)):
        text = text[:end]
    return text


def _last_clause(text: str) -> int:
    """Where the last clause outside brackets begins; 0 when the text is one clause."""
    starts = (found.start() for found in re.finditer(r"[;,] ", text))
    return max((at for at in starts if text.count("(", 0, at) == text.count(")", 0, at)), default=0)


def upper_first(text: str) -> str:
    """The text as it opens a sentence."""
    return text[:1].upper() + text[1:]


def lower_first(text: str) -> str:
    """The text as it continues a sentence: a capital before a small letter becomes small."""
    return text[:1].lower() + text[1:] if text[1:2].islower() else text


def file_name(name: str, suffix: str = "") -> str:
    """A file name without extension: ASCII letters, digits and dashes, at most 80 characters, ending in the suffix."""
    plain = unicodedata.normalize("NFKD", clean_text(name, NAME_LIMIT)).encode("ascii", "ignore").decode()
    tail = f"-{suffix}" if suffix else ""
    slug = re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")[: 80 - len(tail)].strip("-")
    return f"{slug or 'plan'}{tail}"


def _kept(character: str) -> str:
    category = unicodedata.category(character)
    if category in {"Cc", "Cs", "Co", "Cn"}:
        return ""
    if category == "So" and ord(character) >= 0x1F000:
        return f" [{unicodedata.name(character, 'symbol').lower()}] "
    if ord(character) in range(0xFE00, 0xFE10) or ord(character) == 0x200D or ord(character) in range(0x1F3FB, 0x1F400):
        return ""  # variation selectors, joiners and skin tones are parts of emoji
    return character


def _words(text: str) -> str:
    return " ".join(
        shorten(word, _LONG_WORD) if len(word) > _LONG_WORD and not _breakable(word) else word
        for word in text.split(" ")
    )


def _breakable(word: str) -> bool:
    """Addresses may be broken at their signs, East Asian scripts between any two characters."""
    return "://" in word or unicodedata.east_asian_width(word[_LONG_WORD]) in {"W", "F"}


def texts(value: object) -> Iterator[str]:
    """Every text in a part of a document."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from texts(item)
    elif is_dataclass(value):
        for field in fields(value):
            yield from texts(getattr(value, field.name))
