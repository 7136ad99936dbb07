"""How old the price is that decides an option: of the instance that is rented, or of the server that is bought."""

from __future__ import annotations

from datetime import date

from catalog.days import dated
from engine.answer import Option
from engine.inputs.freshness import LIST_DAYS, days_old, limit_days


def price_day(option: Option) -> str:
    """The day (YYYY-MM-DD) on which that price was read; empty for hardware that is owned, and where nobody noted it."""
    if option.offer:
        return option.offer.price_date
    if option.kind != "on_prem":
        return ""
    return next((item.date for item in option.cost.model.inputs if item.name == "price_per_server"), "")


def price_days(option: Option, as_of: date) -> int | None:
    """How old that price was by then [day]; None where nobody knows its day."""
    return days_old(price_day(option), as_of)


def price_limit(option: Option) -> int:
    """Most days that this price may be old before it is asked for again."""
    return limit_days(option.offer.option if option.offer else "")


def price_age(option: Option, as_of: date) -> tuple[str, bool]:
    """What to say of that price's day, and whether it was older than its limit by then, or of an unknown day."""
    if option.kind == "owned":
        return "", False
    return age_of(price_day(option), as_of, price_limit(option))


def age_of(day: str, as_of: date, limit: int = LIST_DAYS) -> tuple[str, bool]:
    """The same of a price of that day (YYYY-MM-DD)."""
    age = days_old(day, as_of)
    if age is None:
        return "date of the price unknown", True
    if age > limit:
        return dated(f"price of {day}, {age} days old"), True
    return dated(f"price of {day}"), False
