"""The fonts of the PDF: from pinned packages, embedded as subsets, chosen character by character.

The brand's typeface comes first. Noto Sans has figures of equal width, as tables need; FiraGO adds Greek, Arabic, Hebrew,
Thai, Georgian, Devanagari and signs; Cascadia Mono adds boxes and ticks. Where the package matplotlib-fontja is installed (the
extra `cjk`), its IPAexGothic adds kana and the Chinese characters of Japanese. A character that none of them has is
printed as its code point.
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

from exports.brand import in_use  # noqa: E402
from exports.cjk_font import cjk_font  # noqa: E402

_FALLBACKS = {False: ("notos", "figo", "cascadia"), True: ("notosbo", "figbo", "cascadiab")}
_CJK = "ipaexg"
"""One weight only: bold text in these scripts is drawn in it too."""
_LOCK = threading.Lock()
_LOADED: dict[str, TTFont] = {}


def load() -> None:
    """Makes the main fonts known to reportlab."""
    for name in (main(bold=False), main(bold=True)):
        _face(name)


def main(*, bold: bool) -> str:
    """The font of the brand in use."""
    face = in_use().typeface
    return face.bold if bold else face.regular


def font_for(character: str, *, bold: bool) -> str | None:
    """The first font that has the character; None when none has it."""
    return _chosen(character, main(bold=bold), bold)


def advance(text: str, font: str, size: float) -> float:
    """Width of that text [pt]."""
    return _units(text, font) * size / 1000


def ascent(size: float) -> float:
    """Distance from the top of a line of text to its base line [pt], for even spacing above and below."""
    return 0.93 * size


@lru_cache(maxsize=8192)
def _chosen(character: str, first: str, bold: bool) -> str | None:
    code = ord(character)
    stack = (first, *(name for name in _FALLBACKS[bold] if name != first), *((_CJK,) if cjk_font() else ()))
    return next((name for name in stack if code in _face(name).face.charToGlyph), None)


@lru_cache(maxsize=16384)
def _units(text: str, font: str) -> float:
    return float(pdfmetrics.stringWidth(text, font, 1000))


def _face(name: str) -> TTFont:
    """The font, registered once in a process: a second registration would break a page that another thread draws."""
    with _LOCK:
        if name not in _LOADED:
            found = cjk_font() if name == _CJK else None
            data = found.read_bytes() if found else pymupdf_fonts.myfont(name)
            _LOADED[name] = TTFont(name, io.BytesIO(data), shapable=False)
            pdfmetrics.registerFont(_LOADED[name])
    return _LOADED[name]
