"""Countries by the name that readers know them by, where the catalog keeps the three letters of ISO 3166."""

from __future__ import annotations

import re

from babel.core import get_global

from voice.writing import locale_of

_GRID = re.compile(r"^(Grid of |No grid intensity is known for )([A-Z]{3})\b")
"""How a grid is named whose region is not known."""


def country_named(three: str, locale: str = "en_US") -> str:
    """The name of that country in that language, as the Unicode CLDR writes it; letters that are none stay."""
    two = get_global("territory_aliases").get(three, ())
    return (locale_of(locale).territories.get(two[0]) if len(two) == 1 else None) or three


def grid_named(source: str, locale: str = "en_US") -> str:
    """Whose grid it is, its country by name."""
    return _GRID.sub(lambda found: found[1] + country_named(found[2], locale), source)
