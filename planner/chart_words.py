"""How charts on the pages speak: compact numbers, as everywhere on a page."""

from __future__ import annotations

from charts.words import Words
from planner.request.quantities import compact


def figure_text(value: float) -> str:
    """A number on hovering over a mark and in a table: compact, three significant digits."""
    return compact(value, 3, first=5)


PAGE = Words(value=figure_text)
