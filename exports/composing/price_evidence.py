"""On which prices a plan rests, and how old they are."""

from __future__ import annotations

from datetime import date

from engine.answer import Money
from exports.composing.context import Context
from exports.numbers import long_date, plural
from exports.wording import tr


def evidence(context: Context) -> str:
    """How many prices the plan rests on, and how old they are."""
    offers = [option.offer for option in context.options if option.offer]
    release = tr("Catalog of {date}", date=long_date(context.catalog_day)) + _server_price(context)
    dates = sorted(filter(None, (_day(offer.price_date) for offer in offers)))
    if not dates and context.best is None:
        return tr("{release}; prices of the changes that are named are of the same catalog.", release=release)
    if not dates:
        return tr("{release}; no rented price is part of this plan.", release=release)
    prices = len({offer.id for offer in offers})
    age = (context.issued - dates[0]).days
    oldest = tr("up to {days} old", days=plural(age, "day")) if age > 0 else tr("none older than the plan")
    own = _day(context.best.offer.price_date) if context.best and context.best.offer else None
    if own and age > 0:
        release = tr("{release}; the recommended price was read on {date}", release=release, date=long_date(own))
    providers = plural(len({offer.provider for offer in offers}), "provider")
    return tr(
        "{release}; {prices} of {providers}, {oldest}.",
        release=release,
        prices=plural(prices, "price"),
        providers=providers,
        oldest=oldest,
    )


def _server_price(context: Context) -> str:
    """Of hardware to buy: its price with the day on which it was read."""
    inputs = context.best.cost.model.inputs if context.best else ()
    item = next((item for item in inputs if item.name == "price_per_server"), None)
    read = _day(item.date) if item else None
    if item is None or read is None:
        return ""
    low, value, high = (context.money.of(price) for price in (item.low, item.value, item.high))
    price = context.money.banded(Money(low=low, expected=value, high=high, currency=context.money.code))
    return tr("; the price of a server, {price}, was read on {date}", price=price, date=long_date(read))


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None
