"""Prices that a team has agreed: they take the place of the listed ones before anything is searched or ranked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date

from engine.inputs.hardware import Market, Offer, System
from engine.inputs.spec import AgreedPrice

SOURCE = "agreed by the team, set in this plan"


def with_agreed(market: Market, agreed: tuple[AgreedPrice, ...], day: date) -> Market:
    """The market on that day with those prices in place of its own; the same market when none was agreed and none has run
    out. Unknown items are ignored here: the doors refuse them by name. An agreed rate of exchange has no date of its own:
    what is listed in that currency keeps the dollars of its price list."""
    market = _on_day(market, day)
    held = [price for price in agreed if not has_run_out(price.valid_until, day)]
    if not held:
        return market
    prices: dict[str, dict[str, AgreedPrice]] = {}
    for price in held:
        prices.setdefault(price.item, {})[price.what] = price
    offers = tuple(_offer(offer, prices.get(offer.id, {}), prices) for offer in market.offers)
    systems = tuple(_system(item, prices[item.slug]) if item.slug in prices else item for item in market.systems)
    rates = {price.item: (price.usd, "") for price in held if price.what == "currency"}
    return replace(market, offers=offers, systems=systems, fx_usd={**market.fx_usd, **rates})


def has_run_out(valid_until: date | None, day: date) -> bool:
    """Whether a price that holds until then holds no more on that day; one without such a day is taken as it is."""
    return valid_until is not None and valid_until < day


def _on_day(market: Market, day: date) -> Market:
    """The market in which a quote of the team that has run out gives way to what its seller lists; without a listed price
    it stays, and whoever reads the plan is told that it holds no more."""
    if not any(_lapsed(offer, day) for offer in market.offers):
        return market
    return replace(market, offers=tuple(_listed(one) if _lapsed(one, day) else one for one in market.offers))


def _lapsed(offer: Offer, day: date) -> bool:
    return bool(offer.valid_until and offer.public) and offer.valid_until < day.isoformat()


def _listed(offer: Offer) -> Offer:
    """The offer as its seller lists it."""
    public = offer.public
    assert public is not None  # only such a quote gives way
    return replace(
        offer,
        usd_per_hour=public.usd_per_hour,
        listed_usd_per_hour=offer.listed_usd_per_hour if offer.term_months else 0.0,
        price_date=public.date,
        source=public.source,
        basis=public.basis,
        public=None,
        valid_until="",
        native_amount="",
        native_currency="USD",
    )


def _offer(offer: Offer, prices: Mapping[str, AgreedPrice], agreed: Mapping[str, Mapping[str, AgreedPrice]]) -> Offer:
    """The offer at its agreed prices; a spot offer falls back on the agreed on-demand price of the same instance."""
    sure = agreed.get(f"{offer.provider}/{offer.instance}/{offer.region}/on_demand", {}).get("instance_hour")
    if sure and offer.option == "spot":
        offer = replace(offer, on_demand_usd_per_hour=sure.usd)
    if not prices:
        return offer
    hour, storage, egress = (prices.get(what) for what in ("instance_hour", "storage_gb_month", "egress_gb"))
    offer = _at_quote(offer, hour) if hour else offer
    return replace(
        offer,
        storage_usd_per_gb_month=storage.usd if storage else offer.storage_usd_per_gb_month,
        egress_usd_per_gb=egress.usd if egress else offer.egress_usd_per_gb,
        source=f"{SOURCE}; otherwise {offer.source}",
        native_amount="",
        native_currency="USD",
    )


def _at_quote(offer: Offer, price: AgreedPrice) -> Offer:
    return replace(
        offer,
        usd_per_hour=price.usd,
        listed_usd_per_hour=offer.listed_usd_per_hour or offer.usd_per_hour,
        price_date=price.quoted_on.isoformat() if price.quoted_on else offer.price_date,
        basis="quoted",
        valid_until=_text(price.valid_until),
    )


def _system(system: System, prices: Mapping[str, AgreedPrice]) -> System:
    price = prices.get("server")
    if price is None:
        return system
    return replace(
        system,
        price_low_usd=price.usd,
        price_high_usd=price.usd,
        price_date=price.quoted_on.isoformat() if price.quoted_on else system.price_date,
        source=f"{SOURCE}; otherwise {system.source}",
        quoted=True,
        valid_until=_text(price.valid_until),
    )


def _text(day: date | None) -> str:
    return day.isoformat() if day else ""
