"""Colours and fonts as the writers use them, by purpose; a team's own look would be another value of the same class."""

from __future__ import annotations

from dataclasses import dataclass

from exports import theme


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

    def tone(self, name: str) -> str:
        """Text colour of that tone."""
        return theme.TONES[name]

    def fill(self, name: str) -> str:
        """Background of a callout of that tone."""
        return theme.FILLS[name]


LOOK = Look()
