"""Lines of plain text in several fonts: split into runs, broken into lines, drawn. No markup is ever interpreted."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from exports.writers.pdf_fonts import advance, font_for, main
from exports.writers.pdf_scripts import is_right_to_left, visual

_UNSHAPED = range(0x0900, 0x0E80)
"""Indic scripts and Thai: drawn letter by letter, so that the text for copying must be given."""
_SIGNS = frozenset("-–_/=&?")
"""A long word may be broken after these, and after a point before a letter; never after a mark inside a number."""


@dataclass(frozen=True, slots=True)
class Run:
    """Text in one font; `actual` is the text to copy when it differs from what is drawn."""

    text: str
    font: str
    actual: str = ""


@dataclass(frozen=True, slots=True)
class Word:
    """Runs without a space between them; `actual` is the text to copy when the letters drawn are not those typed."""

    runs: tuple[Run, ...]
    backwards: bool = False
    actual: str = ""
    units: float = 0.0
    """Width at a size of 1,000 points."""

    def width(self, size: float) -> float:
        """Width [pt]."""
        return self.units * size / 1000


@dataclass(frozen=True, kw_only=True)
class Style:
    """How a text looks: size and line height [pt], colour, weight."""

    size: float
    leading: float
    colour: str
    bold: bool = False
    align: str = "left"


def words_of(text: str, bold: bool) -> tuple[Word, ...]:
    """The words of a text, each with its runs."""
    return _words_in(text, bold, main(bold=bold))


@lru_cache(maxsize=8192)
def _words_in(text: str, bold: bool, font: str) -> tuple[Word, ...]:
    """The same, remembered for each main font."""
    return tuple(_word(word, bold) for word in text.split(" ") if word)


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """Width of the text on one line [pt]."""
    words = words_of(text, bold)
    return sum(word.width(size) for word in words) + _space(bold, size) * max(0, len(words) - 1)


def break_lines(text: str, style: Style, room: float) -> list[list[Word]]:
    """The words line by line, none wider than `room`: a longer word is broken between its letters."""
    return _broken(text, style.size, style.bold, round(room, 3), main(bold=style.bold))


@lru_cache(maxsize=4096)
def _broken(text: str, size: float, bold: bool, room: float, font: str) -> list[list[Word]]:
    """The lines, remembered for each main font."""
    lines: list[list[Word]] = [[]]
    used, gap = 0.0, _space(bold, size)
    for word in words_of(text, bold):
        for piece in _pieces(word, size, room):
            wide = piece.width(size)
            if lines[-1] and used + gap + wide > room + 0.01:
                lines.append([])
                used = 0.0
            used += wide + (gap if lines[-1] else 0.0)
            lines[-1].append(piece)
    return lines


def placed(line: list[Word], style: Style) -> list[tuple[float, Word]]:
    """Words in reading order with their x [pt]: those from right to left swap places but not their order."""
    gap = _space(style.bold, style.size)
    starts: dict[int, float] = {}
    x = 0.0
    for index in _visual_order(line):
        starts[index] = x
        x += line[index].width(style.size) + gap
    return [(starts[index], word) for index, word in enumerate(line)]


def line_width(line: list[Word], style: Style) -> float:
    """Width of that line [pt]."""
    return sum(word.width(style.size) for word in line) + _space(style.bold, style.size) * max(0, len(line) - 1)


def _space(bold: bool, size: float) -> float:
    return advance(" ", font_for(" ", bold=bold) or "", size)


def _visual_order(line: list[Word]) -> list[int]:
    """Indexes from left to right: each series of right-to-left words is turned round."""
    order: list[int] = []
    start = 0
    while start < len(line):
        end = start + 1
        while line[start].backwards and end < len(line) and line[end].backwards:
            end += 1
        order += range(end - 1, start - 1, -1)
        start = end
    return order


def _word(word: str, bold: bool) -> Word:
    if is_right_to_left(word):
        return _measured(_runs(visual(word), bold), True, word)
    spoken = any(ord(letter) in _UNSHAPED for letter in word)
    return _measured(_runs(word, bold), False, word if spoken else "")


def _measured(runs: tuple[Run, ...], backwards: bool, actual: str) -> Word:
    return Word(runs, backwards, actual, sum(advance(run.text, run.font, 1000) for run in runs))


def _runs(text: str, bold: bool) -> tuple[Run, ...]:
    runs: list[Run] = []
    for letter in text:
        font = font_for(letter, bold=bold)
        if font is None:
            # A box would hide what was typed: the code point can be looked up, and copying gives the letter.
            runs.append(Run(f"[U+{ord(letter):04X}]", font_for("U", bold=bold) or "", letter))
        elif runs and runs[-1].font == font and not runs[-1].actual:
            runs[-1] = Run(runs[-1].text + letter, font)
        else:
            runs.append(Run(letter, font))
    return tuple(runs)


def _pieces(word: Word, size: float, room: float) -> list[Word]:
    """The word, or parts of it that fit, broken after a sign such as _ or - where one is in reach."""
    if word.width(size) <= room:
        return [word]
    pieces: list[list[Run]] = [[]]
    used = 0.0
    for run in word.runs:
        for part in _parts(run):
            wide = advance(part.text, part.font, size)
            if used + wide > room and pieces[-1]:
                pieces.append(_after_sign(pieces[-1]))
                used = sum(advance(kept.text, kept.font, size) for kept in pieces[-1])
            pieces[-1].append(part)
            used += wide
    actuals = (word.actual, *[""] * len(pieces))
    return [_measured(_merged(piece), word.backwards, actual) for piece, actual in zip(pieces, actuals, strict=False)]


def _after_sign(letters: list[Run]) -> list[Run]:
    """Takes what follows the last sign from the letters, when that leaves at least half of them, and returns it."""
    places = [
        index + 1
        for index, (run, after) in enumerate(zip(letters, [*letters[1:], None], strict=True))
        if run.text in _SIGNS or (run.text == "." and after is not None and after.text.isalpha())
    ]
    start = places[-1] if places and places[-1] >= len(letters) / 2 else len(letters)
    rest = letters[start:]
    del letters[start:]
    return rest


def _parts(run: Run) -> list[Run]:
    """Single letters, except where the run stands for another text as a whole."""
    return [run] if run.actual else [Run(letter, run.font) for letter in run.text]


def _merged(parts: list[Run]) -> tuple[Run, ...]:
    """Neighbours in the same font as one run."""
    runs: list[Run] = []
    for part in parts:
        if runs and runs[-1].font == part.font and not runs[-1].actual and not part.actual:
            runs[-1] = Run(runs[-1].text + part.text, part.font)
        else:
            runs.append(part)
    return tuple(runs)
