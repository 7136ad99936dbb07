"""How well a colour can be read on another: relative luminance and contrast ratio of WCAG 2.2, and shades of a colour."""

from __future__ import annotations

TEXT = 4.5
"""Least contrast of text with its ground (WCAG 2.2, success criterion 1.4.3)."""
SHAPE = 3.0
"""Least contrast of marks that carry meaning, such as bars of a chart (success criterion 1.4.11)."""


def contrast(first: str, second: str) -> float:
    """The ratio of two colours (six hexadecimal digits each), 1 to 21."""
    light, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: str) -> float:
    """Relative luminance, 0 (black) to 1 (white)."""
    red, green, blue = (_linear(part / 255) for part in _parts(colour))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def mixed(colour: str, other: str, share: float) -> str:
    """The colour with that share of the other in it."""
    pairs = zip(_parts(colour), _parts(other), strict=True)
    return "".join(f"{round(first * (1 - share) + second * share):02X}" for first, second in pairs)


def readable(colour: str, ground: str, least: float = TEXT) -> str:
    """The colour itself, or as little darkened as the contrast needs on a light ground."""
    found = next((shade for shade in (mixed(colour, "000000", step / 20) for step in range(20))
                  if contrast(shade, ground) >= least), "000000")  # fmt: skip
    return found


def _linear(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


def _parts(colour: str) -> tuple[int, int, int]:
    return int(colour[:2], 16), int(colour[2:4], 16), int(colour[4:6], 16)
