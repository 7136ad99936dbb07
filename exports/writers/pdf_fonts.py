"""The fonts of the PDF: from the package pymupdf-fonts, embedded as subsets, chosen character by character.

Noto Sans has figures of equal width, as tables need; FiraGO adds Greek, Arabic, Hebrew, Thai, Georgian, Devanagari and
signs; Cascadia Mono adds boxes and ticks. A character that none of them has is printed as its code point.
"""

from __future__ import annotations

import io
import threading
from functools import lru_cache

from reportlab import rl_config

# Before the other imports of reportlab: Helvetica, which is never embedded, gets in through this default.
rl_config.canvas_basefontname = "notos"
rl_config.invariant = 1
rl_config.useA85 = 0

import pymupdf_fonts  # noqa: E402
from reportlab.pdfbase import pdfmetrics  # noqa: E402
from reportlab.pdfbase.ttfonts import TTFont  # noqa: E402

REGULAR, BOLD = "notos", "notosbo"
_STACKS = {False: (REGULAR, "figo", "cascadia"), True: (BOLD, "figbo", "cascadiab")}
_LOCK = threading.Lock()
_LOADED: dict[str, TTFont] = {}


def load() -> None:
    """Makes the two main fonts known to reportlab."""
    for name in (REGULAR, BOLD):
        _face(name)


def font_for(character: str, *, bold: bool) -> str | None:
    """The first font that has the character; None when none has it."""
    return _chosen(character, bold)


def advance(text: str, font: str, size: float) -> float:
    """Width of that text [pt]."""
    return _units(text, font) * size / 1000


def ascent(size: float) -> float:
    """Distance from the top of a line of text to its base line [pt], for even spacing above and below."""
    return 0.93 * size


@lru_cache(maxsize=8192)
def _chosen(character: str, bold: bool) -> str | None:
    code = ord(character)
    return next((name for name in _STACKS[bold] if code in _face(name).face.charToGlyph), None)


@lru_cache(maxsize=16384)
def _units(text: str, font: str) -> float:
    return float(pdfmetrics.stringWidth(text, font, 1000))


def _face(name: str) -> TTFont:
    """The font, registered once in a process: a second registration would break a page that another thread draws."""
    with _LOCK:
        if name not in _LOADED:
            _LOADED[name] = TTFont(name, io.BytesIO(pymupdf_fonts.myfont(name)), shapable=False)
            pdfmetrics.registerFont(_LOADED[name])
    return _LOADED[name]
