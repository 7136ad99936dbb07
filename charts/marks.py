"""What a drawing is made of: lines, boxes, paths, spots and texts at positions, y downwards, each with a style by name.

Styles are meanings (“grid”, “limit”, “s2”), never colours: a printer turns them into classes or into the colours of a brand.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Line:
    """A straight line: “grid”, “axis” or “limit”."""

    x1: float
    y1: float
    x2: float
    y2: float
    style: str


@dataclass(frozen=True, slots=True)
class Box:
    """A filled rectangle in the colour of a series; `about` is told on hovering."""

    x: float
    y: float
    width: float
    height: float
    style: str
    about: str = ""
    faint: bool = False


@dataclass(frozen=True, slots=True)
class Path:
    """A line through points in the colour of a series."""

    points: tuple[tuple[float, float], ...]
    style: str
    about: str = ""


@dataclass(frozen=True, slots=True)
class Spot:
    """A mark of one point; its style says its shape as well, so that none is told by colour alone."""

    x: float
    y: float
    style: str
    about: str = ""
    href: str = ""


@dataclass(frozen=True, slots=True)
class Text:
    """One line of text with its baseline at y: “”, “strong”, “limit” or “key” (on a box, over its colour)."""

    x: float
    y: float
    words: str
    anchor: str = "start"
    style: str = ""
    halo: bool = False
    """On a ground of its own, where lines would strike it through."""
    on: str = ""
    """The style of the box under a key."""


Mark = Line | Box | Path | Spot | Text


@dataclass(frozen=True, kw_only=True)
class Drawing:
    """All marks of a chart, those on top last, and the room that they take."""

    width: float
    height: float
    marks: tuple[Mark, ...]


@dataclass(frozen=True)
class Measure:
    """How large texts are: the unit (em) of all distances of a drawing, and how wide a text is."""

    em: float
    wide: Callable[[str], float]

    def wrapped(self, words: str, room: float, *, lines: int = 2) -> list[str]:
        """The words on at most that many lines that fit the room, cut with an ellipsis."""
        found: list[str] = [""]
        for word in words.split():
            if found[-1] and self.wide(f"{found[-1]} {word}") > room:
                found.append("")
            found[-1] = f"{found[-1]} {word}".strip()
        kept = found[:lines]
        if len(found) > lines:
            kept[-1] += "…"
        return [self.cut(line, room) for line in kept]

    def cut(self, words: str, room: float) -> str:
        """The words with an ellipsis where they are wider than the room."""
        if self.wide(words) <= room:
            return words
        words = words.rstrip("…")
        while len(words) > 1 and self.wide(f"{words}…") > room:
            words = words[:-1].rstrip()
        return f"{words}…"
