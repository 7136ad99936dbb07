"""Colours and fonts as the writers use them, by purpose, derived from the brand of the document."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from exports import theme
from exports.brand import OURS, Brand, in_use
from exports.contrast import SHAPE, contrast, mixed, readable


@dataclass(frozen=True, kw_only=True)
class Look:
    """Colours are six hexadecimal digits without a sign."""

    ink: str = theme.INK
    accent: str = theme.ACCENT
    soft: str = theme.SERIES[3]
    """The weaker half of a pair: the upper part of a range."""
    highlight: str = theme.AMBER_FILL
    limit: str = theme.RED
    muted: str = theme.MUTED
    faint: str = theme.ROLES["muted"]
    line: str = theme.LINE
    wash: str = theme.SURFACE
    tint: str = theme.ACCENT_SOFT
    series: tuple[str, ...] = theme.SERIES
    office_font: str = theme.OFFICE_FONT
    locale: str = OURS.locale
    """In whose way the numbers of a drawn chart are written."""

    def tone(self, name: str) -> str:
        """Text colour of that tone."""
        return self.accent if name == "info" else theme.TONES[name]

    def of(self, style: str) -> str:
        """Colour of what a drawing calls by that style (`charts.plot`)."""
        if style[:1] == "s" and style[1:].isdigit():
            return self.series[(int(style[1:]) - 1) % len(self.series)]
        named = {"front": self.series[0], "soft": self.soft, "highlight": self.highlight, "limit": self.limit}
        return named.get(style, self.faint)

    def fill(self, name: str) -> str:
        """Background of a callout of that tone."""
        return self.tint if name == "info" else theme.FILLS[name]


LOOK = Look()


def current() -> Look:
    """The look of the brand in use."""
    return look_of(in_use())


@lru_cache(maxsize=64)
def look_of(brand: Brand) -> Look:
    """The colours of that brand: its own where they carry meaning, tints of them for grounds; warnings stay as they are."""
    if (brand.accent, brand.ink, brand.highlight) == (OURS.accent, OURS.ink, OURS.highlight):
        return Look(office_font=brand.typeface.office, locale=brand.locale)
    return Look(
        ink=brand.ink,
        accent=readable(brand.accent, theme.WHITE),
        soft=mixed(brand.accent, theme.WHITE, 0.45),
        highlight=brand.highlight,
        muted=readable(mixed(brand.ink, theme.WHITE, 0.3), theme.SURFACE),
        tint=mixed(brand.accent, theme.WHITE, 0.88),
        series=_series(brand),
        office_font=brand.typeface.office,
        locale=brand.locale,
    )


def _series(brand: Brand) -> tuple[str, ...]:
    """The brand's colours first, then ours that can be told apart from them."""
    first = (brand.accent, mixed(brand.ink, theme.WHITE, 0.35), brand.highlight, mixed(brand.accent, theme.WHITE, 0.45))
    seen = [colour if contrast(colour, theme.WHITE) > 1.3 else readable(colour, theme.WHITE, SHAPE) for colour in first]
    return (*seen, *theme.SERIES[4:])
