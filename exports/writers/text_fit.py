"""How much room text needs in Office files: in Arial, whose widths are the public ones of Helvetica, or in the brand's font.

A reader may not have the brand's font and see Arial instead, so the wider of the two counts.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from reportlab.pdfbase import pdfmetrics

from exports.brand import OURS, TYPEFACES, in_use
from exports.document import Table
from exports.text import clauses, shorten

_SAFETY = 1.03
"""Substitutes and kerning differ a little from the published widths."""


def width(text: str, size: float, *, bold: bool = False) -> float:
    """Width of one line [pt]."""
    table = _widths(bold, in_use().font)
    return sum(_advance(character, table) for character in text) * size / 1000 * _SAFETY


def lines(text: str, size: float, room: float, *, bold: bool = False) -> int:
    """Lines that the text takes in a box `room` points wide; a word wider than the box is broken."""
    space = width(" ", size, bold=bold)
    count, used = 1, 0.0
    for word in text.split(" "):
        wide = width(word, size, bold=bold)
        if used and used + space + wide > room:
            count, used = count + 1, 0.0
        elif used:
            used += space
        extra = int(wide // room) if wide > room else 0
        count, used = count + extra, used + wide - extra * room
    return count


def largest(texts: list[str], room: float, sizes: tuple[float, ...], *, bold: bool = False) -> float:
    """The largest of the sizes (given largest first) at which every text keeps to one line; else the smallest."""
    fits = (size for size in sizes if all(width(text, size, bold=bold) <= room for text in texts))
    return next(fits, sizes[-1])


def display_size(texts: list[str], rooms: list[float], sizes: tuple[float, ...]) -> float:
    """The largest size at which each bold text takes two lines at most in its room, no word broken; else the smallest."""
    rows = list(zip(texts, rooms, strict=True))
    fits = (
        size
        for size in sizes
        if all(width(word, size, bold=True) <= room for text, room in rows for word in text.split(" "))
        and all(lines(text, size, room, bold=True) <= 2 for text, room in rows)
    )
    return next(fits, sizes[-1])


def card_shares(texts: list[str]) -> list[float]:
    """Widths of cards side by side: a long value gets up to half as much more than a short one, and one whose longest
    word is an amount of many digits what that needs."""
    return [max(min(1.45, max(1.0, len(text) / 14)), min(2.0, max(map(len, text.split(" "))) / 10)) for text in texts]


def cut_to_lines(text: str, size: float, room: float, most: int, *, bold: bool = False) -> str:
    """As many of the text's clauses as take at most that many lines; a clause that is longer ends in an ellipsis."""
    limit = len(text)
    while lines(text, size, room, bold=bold) > most and limit > 8:
        limit = int(limit * 0.9)
        text = shorten(clauses(text, limit), limit)
    return text


SUBSTITUTE = 1.25
"""How much wider a substitute of Arial may draw a number, which must never be broken in a table."""


def column_shares(table: Table, room: float, size: float, *, padding: float, numbers: float = 1.0) -> list[float]:
    """Widths [pt] of the columns: the longest word fits, then what the texts need, then what is left by their shares.

    `numbers` is how much wider than measured a number may be drawn: it must never be broken. Nor is a word where there is room;
    names such as `gpu-h200-sxm_1gpu` give way first, at their hyphens.
    """
    sizes = [size * (numbers if column.align == "right" else 1.0) for column in table.columns]
    least = [padding + _longest(table, index, size * numbers, words=True) for index in range(len(sizes))]
    if sum(least) >= room:
        least = [padding + _longest(table, index, each, words=True) for index, each in enumerate(sizes)]
    if sum(least) >= room:
        parts = [column.align == "left" for column in table.columns]
        least = [
            padding + _longest(table, index, each, words=True, parts=part)
            for index, (each, part) in enumerate(zip(sizes, parts, strict=True))
        ]
    natural = [padding + _longest(table, index, each, words=False) for index, each in enumerate(sizes)]
    spare = room - sum(least)
    if spare <= 0:
        return _crowded(table, least, room)
    needs = [max(0.0, full - low) for full, low in zip(natural, least, strict=True)]
    shares = [column.share for column in table.columns]
    given = _capped(needs, spare, shares)
    left = max(0.0, spare - sum(needs)) / sum(shares)
    return [low + gift + left * share for low, gift, share in zip(least, given, shares, strict=True)]


def whole_numbers(
    table: Table, room: float, sizes: Sequence[float], *, padding: float, numbers: float = 1.0
) -> tuple[float, list[float]]:
    """The largest of the sizes [pt] at which no number is broken, else the smallest, and the widths [pt] of the columns at it."""
    right = [index for index, column in enumerate(table.columns) if column.align == "right"]
    for size in sizes:
        widths = column_shares(table, room, size, padding=padding, numbers=numbers)
        needs = (padding + _longest(table, index, size * numbers, words=True, head=False) for index in right)
        if all(need <= widths[index] + 0.01 for index, need in zip(right, needs, strict=True)):
            break
    return size, widths


def _crowded(table: Table, least: list[float], room: float) -> list[float]:
    """Columns that are too wide together: words give way to numbers, unless numbers would take most of the room."""
    words = [index for index, column in enumerate(table.columns) if column.align == "left"]
    rest = room - sum(wide for index, wide in enumerate(least) if index not in words)
    if not words or rest < 0.4 * room:
        return _capped(least, room, [1.0] * len(least))
    given = _capped([least[index] for index in words], rest, [1.0] * len(words))
    return [given[words.index(index)] if index in words else wide for index, wide in enumerate(least)]


def _capped(amounts: list[float], total: float, weights: list[float]) -> list[float]:
    """The amounts, the larger ones cut to one level times their weight so that all add up to at most the total."""
    given = [0.0] * len(amounts)
    open_ = set(range(len(amounts)))
    while open_:
        level = (total - sum(given)) / sum(weights[index] for index in open_)
        small = {index for index in open_ if amounts[index] <= level * weights[index]}
        for index in small or open_:
            given[index] = amounts[index] if small else level * weights[index]
        open_ = open_ - small if small else set()
    return given


def _longest(table: Table, index: int, size: float, *, words: bool, parts: bool = False, head: bool = True) -> float:
    """Width of the longest word (of its `parts`: between hyphens), or of the longest whole text, in that column [pt], both within
    reason; of the rows alone without the `head`."""
    title, texts = table.columns[index].title, [row[index].text for row in table.rows[:60]]
    heads, pieces = (
        (title.split(" "), [word for text in texts for word in (_PARTS if parts else _BREAK).split(text)])
        if words
        else ([title], texts)
    )
    bold = table.highlight is not None or table.total
    widest = max((width(part, size, bold=bold) for part in pieces), default=0.0)
    if head:
        widest = max(widest, *(width(word, size, bold=True) for word in heads))
    return min(100.0 if words else 330.0, widest)


_BREAK = re.compile(r" |(?<=–)")
"""Where a line may end: at a space, or behind the dash of a range."""
_PARTS = re.compile(r" |(?<=[–_-])")
"""Where it ends if it must: inside a name too, behind a hyphen or an underscore."""


def _advance(character: str, table: tuple[float, ...]) -> float:
    """Width of one character [1/1000 em]; wide for East Asian scripts, generous for the rest."""
    try:
        return table[character.encode("cp1252")[0]]
    except UnicodeEncodeError:
        if unicodedata.combining(character):
            return 0.0
        return 1000.0 if unicodedata.east_asian_width(character) in {"W", "F"} else 640.0


@lru_cache(maxsize=8)
def _widths(bold: bool, font: str) -> tuple[float, ...]:
    """Widths of the characters of Windows-1252 [1/1000 em] in Helvetica or that typeface, whichever is wider."""
    plain = tuple(pdfmetrics.getFont("Helvetica-Bold" if bold else "Helvetica").widths)
    if font == OURS.font:
        return plain
    from exports.writers.pdf_fonts import advance, load  # a brand's font is read only where one is used

    load()
    name = TYPEFACES[font].bold if bold else TYPEFACES[font].regular
    letters = (bytes([code]).decode("cp1252", "ignore") for code in range(256))
    return tuple(max(wide, advance(letter, name, 1000)) for wide, letter in zip(plain, letters, strict=True))
