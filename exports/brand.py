"""How one team's documents look: colours, font, logo, footer, paper, currency, way of writing numbers, own templates.

A `Brand` is plain data with a hash. The hash is part of the key of every file, so that the same plan, the same brand and the
same renderer always give the same bytes, however often the team changes its mind afterwards.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields
from functools import cached_property

from exports import theme
from exports.locales import DEFAULT, LOCALES, Locale


@dataclass(frozen=True, kw_only=True)
class Typeface:
    """An open font that we embed in the PDF, and the name by which Office files ask for it."""

    name: str
    office: str
    regular: str
    bold: str
    """Names of the files in the package pymupdf-fonts."""


TYPEFACES = {
    "noto": Typeface(name="Noto Sans (Arial in Office)", office=theme.OFFICE_FONT, regular="notos", bold="notosbo"),
    "fira": Typeface(name="FiraGO (Fira Sans in Office)", office="Fira Sans", regular="figo", bold="figbo"),
    "ubuntu": Typeface(name="Ubuntu", office="Ubuntu", regular="ubuntu", bold="ubuntubo"),
}
"""The closed list: open fonts of pinned packages, so that a file never needs a font from elsewhere."""
COLOURS = ("accent", "ink", "highlight")


@dataclass(frozen=True)
class Rate:
    """What a team shows instead of US dollars: units for one dollar, from when, and where from."""

    currency: str = "USD"
    per_usd: float = 1.0
    date: str = ""
    source: str = ""


@dataclass(frozen=True)
class Logo:
    """A picture as PNG on white, re-encoded by us, with its size [pixel]."""

    png: bytes = b""
    width: int = 0
    height: int = 0

    def within(self, width: float, height: float) -> tuple[float, float]:
        """Width and height in proportion, as large as that room allows."""
        factor = min(width / self.width, height / self.height)
        return self.width * factor, self.height * factor


@dataclass(frozen=True)
class Brand:
    """Colours are six hexadecimal digits. The defaults are our own look."""

    accent: str = theme.ACCENT
    ink: str = theme.INK
    highlight: str = theme.AMBER_FILL
    font: str = "noto"
    footer: str = ""
    paper: str = "A4"
    locale: str = DEFAULT
    rate: Rate = Rate()
    logo: Logo = Logo()
    logo_alt: str = ""
    word: bytes = b""
    """A Word file whose styles, theme, header and footer are taken over; empty for ours."""
    slides: bytes = b""
    """A PowerPoint file whose master, layouts and theme are taken over; empty for ours."""

    @property
    def writes(self) -> Locale:
        """How its numbers and dates are written."""
        return LOCALES[self.locale]

    @property
    def typeface(self) -> Typeface:
        """Its font."""
        return TYPEFACES[self.font]

    @cached_property
    def sha256(self) -> str:
        """Names everything that the brand changes in a file; empty for our own look."""
        return "" if self == OURS else hashlib.sha256(self._canonical()).hexdigest()

    def _canonical(self) -> bytes:
        plain = {item.name: getattr(self, item.name) for item in fields(self)}
        plain |= {name: hashlib.sha256(plain[name]).hexdigest() for name in ("word", "slides")}
        plain["logo"] = hashlib.sha256(self.logo.png).hexdigest()
        plain["rate"] = [self.rate.currency, repr(self.rate.per_usd), self.rate.date, self.rate.source]
        return json.dumps(plain, sort_keys=True, ensure_ascii=False).encode()


OURS = Brand()
_IN_USE: ContextVar[Brand] = ContextVar("brand", default=OURS)


def in_use() -> Brand:
    """The brand of the document that is being made here and now."""
    return _IN_USE.get()


@contextmanager
def using(brand: Brand) -> Iterator[None]:
    """Everything that is composed and written inside is in that brand."""
    token = _IN_USE.set(brand)
    try:
        yield
    finally:
        _IN_USE.reset(token)
