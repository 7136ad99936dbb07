"""Scales, ticks and the few SVG elements that every chart is made of."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

from planner.quantities import compact

_SMALLEST = 1e-9


@dataclass(frozen=True, kw_only=True)
class Scale:
    """Maps data between `low` and `high` to pixels between `start` and `end`, linear or logarithmic."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def __call__(self, value: float) -> float:
        """The pixel of that value; values outside are clipped to the edge."""
        if self.log:
            value, low, high = (math.log10(max(item, 1e-12)) for item in (value, self.low, self.high))
        else:
            low, high = self.low, self.high
        share = (value - low) / ((high - low) or 1)
        return round(self.start + min(max(share, 0.0), 1.0) * (self.end - self.start), 2)

    def ticks(self, wanted: int = 6) -> list[float]:
        """Round values inside the scale: 1, 2, 5 × powers of ten."""
        return _log_ticks(self.low, self.high, wanted) if self.log else _linear_ticks(self.low, self.high, wanted)


def scale_over(
    values: Iterable[float], *, start: float, end: float, log: bool = False, zero: bool = False, pad: float = 0.08
) -> Scale:
    """A scale over those values with a margin; from zero on when `zero`, and logarithmic only for positive values."""
    known = [value for value in values if math.isfinite(value)] or [0.0, 1.0]
    low, high = min(known), max(known)
    if log and low >= _SMALLEST:
        room = max((high / low) ** pad, 1.15)
        return Scale(low=low / room, high=high * room, start=start, end=end, log=True)
    room = next(size for size in ((high - low) * pad, abs(high) * 0.2, 1.0) if size >= _SMALLEST)
    if zero:
        return Scale(low=min(low - room if low < 0 else 0.0, 0.0), high=max(high + room, room), start=start, end=end)
    return Scale(low=low - room, high=high + room, start=start, end=end)


def _linear_ticks(low: float, high: float, wanted: int) -> list[float]:
    rough = (high - low) / max(wanted, 1)
    power = 10 ** math.floor(math.log10(rough))
    step = next(size * power for size in (1, 2, 5, 10) if size * power >= rough * 0.999)
    first = math.ceil(low / step - 1e-9)
    count = math.floor(high / step + 1e-9) - first + 1
    return [round((first + index) * step, 12) for index in range(max(count, 0))]


def _log_ticks(low: float, high: float, wanted: int) -> list[float]:
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for sizes in ((1, 1.5, 2, 3, 4, 5, 6, 8), (1, 2, 5), (1, 3), (1,)):
        found = [size * 10.0**power for power in powers for size in sizes if low <= size * 10.0**power <= high]
        if len(found) <= wanted + 1:
            return found
    return found[:: math.ceil(len(found) / wanted)]


def element(name: str, inner: str = "", /, **attributes: object) -> str:
    """One SVG element. `class_` becomes class, underscores become hyphens, None is left out; values are escaped."""
    pairs = (
        f' {key.rstrip("_").replace("_", "-") if key != "viewBox" else key}="{escape(_plain(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{''.join(pairs)}>{inner}</{name}>" if inner else f"<{name}{''.join(pairs)}/>"


def text(x: float, y: float, words: str, /, *, anchor: str = "start", class_: str | None = None) -> str:
    """A line of text; the words are escaped."""
    return element("text", escape(words) or " ", x=x, y=y, text_anchor=anchor, class_=class_)


def line(x1: float, y1: float, x2: float, y2: float, /, class_: str) -> str:
    """A straight line of that class."""
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=class_)


def hover(words: str) -> str:
    """The title that a browser shows on hovering, and a screen reader reads."""
    return element("title", escape(words))


def wrap(words: str, width: int, lines: int = 2) -> list[str]:
    """The words on at most that many lines of about `width` characters, cut with an ellipsis."""
    found: list[str] = [""]
    for word in words.split():
        if found[-1] and len(found[-1]) + 1 + len(word) > width:
            found.append("")
        found[-1] = f"{found[-1]} {word}".strip()
    kept = found[:lines]
    if len(found) > lines or len(kept[-1]) > width:
        kept[-1] = kept[-1][: width - 1].rstrip() + "…"
    return [item if len(item) <= width else item[: width - 1] + "…" for item in kept]


def figure_text(value: float) -> str:
    """A number on an axis or in a title: compact, three significant digits."""
    return compact(value, 3, first=5)


def _plain(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
