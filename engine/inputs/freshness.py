"""How old a price may be before somebody has to ask for it again, and how old one is."""

from __future__ import annotations

from datetime import date
from typing import Final

LIST_DAYS: Final = 60
"""A list price read longer ago than this is asked for again before anything is signed on it [day]."""
SPOT_DAYS: Final = 7
"""The same of spot, whose price is the market's of the day [day]."""


def limit_days(option: str = "") -> int:
    """Most days that a price sold in that way may be old; of a server that is bought, those of a list."""
    return SPOT_DAYS if option == "spot" else LIST_DAYS


def days_old(day: str, as_of: date) -> int | None:
    """Age of a price of that day [days], none below zero; None where its day is unknown."""
    try:
        return max((as_of - date.fromisoformat(day)).days, 0)
    except ValueError:
        return None
