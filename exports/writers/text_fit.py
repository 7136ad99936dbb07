"""How much room text needs in Arial, without a font file: its widths are the public ones of Helvetica."""

from __future__ import annotations

import unicodedata
from functools import cache

from reportlab.pdfbase import pdfmetrics

from exports.document import Table
from exports.text import shorten

_SAFETY = 1.03
"""Substitutes and kerning differ a little from the published widths."""


def width(text: str, size: float, *, bold: bool = False) -> float:
    """Width of one line [pt]."""
    table = _widths(bold)
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


def cut_to_lines(text: str, size: float, room: float, most: int, *, bold: bool = False) -> str:
    """The text, shortened with an ellipsis until it takes at most that many lines."""
    limit = len(text)
    while lines(text, size, room, bold=bold) > most and limit > 8:
        limit = int(limit * 0.9)
        text = shorten(text, limit)
    return text


def column_shares(table: Table, room: float, size: float, *, padding: float) -> list[float]:
    """Widths [pt] of the columns: their shares, but none narrower than its longest word where that can be had."""
    least = [padding + word_width(table, index, size) for index in range(len(table.columns))]
    total = sum(column.share for column in table.columns)
    wanted = [column.share * room / total for column in table.columns]
    short = sum(max(0.0, low - want) for low, want in zip(least, wanted, strict=True))
    spare = sum(max(0.0, want - low) for low, want in zip(least, wanted, strict=True))
    give = min(1.0, spare / short) if short else 0.0
    take = short * give / spare if spare else 0.0
    return [
        want + give * (low - want) if low > want else want - take * (want - low)
        for low, want in zip(least, wanted, strict=True)
    ]


def word_width(table: Table, index: int, size: float) -> float:
    """Width of the longest word in that column [pt], up to a limit above which words are broken."""
    cells = [table.columns[index].title, *(row[index].text for row in table.rows[:60])]
    words = {word for text in cells for word in text.split(" ")}
    bold = table.highlight is not None
    return min(110.0, max((width(word, size, bold=bold or word in cells[0]) for word in words), default=0.0))


def _advance(character: str, table: tuple[float, ...]) -> float:
    """Width of one character [1/1000 em]; wide for East Asian scripts, generous for the rest."""
    try:
        return table[character.encode("cp1252")[0]]
    except UnicodeEncodeError:
        if unicodedata.combining(character):
            return 0.0
        return 1000.0 if unicodedata.east_asian_width(character) in {"W", "F"} else 640.0


@cache
def _widths(bold: bool) -> tuple[float, ...]:
    return tuple(pdfmetrics.getFont("Helvetica-Bold" if bold else "Helvetica").widths)
