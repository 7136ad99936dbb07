"""How old the price is that decides an option: of the instance that is rented, or of the server that is bought."""

from __future__ import annotations

from datetime import date

from catalog.days import dated
from engine.answer import Option
from engine.choice.cautions import STALE_DAYS, days_old


def price_day(option: Option) -> str:
    """The day (YYYY-MM-DD) on which that price was read; empty for hardware that is owned, and where nobody noted it."""
    if option.offer:
        return option.offer.price_date
    if option.kind != "on_prem":
        return ""
    return next((item.date for item in option.cost.model.inputs if item.name == "price_per_server"), "")


def price_age(option: Option, as_of: date) -> tuple[str, bool]:
    """What to say of that price's day, and whether it was old by then (over 90 days) or unknown."""
    if option.kind == "owned":
        return "", False
    return age_of(price_day(option), as_of)


def age_of(day: str, as_of: date) -> tuple[str, bool]:
    """The same of a price of that day (YYYY-MM-DD)."""
    age = days_old(day, as_of)
    if age is None:
        return "date of the price unknown", True
    if age > STALE_DAYS:
        return dated(f"price of {day}, {age} days old"), True
    return dated(f"price of {day}"), False
