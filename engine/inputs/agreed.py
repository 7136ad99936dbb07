"""Prices that a team has agreed: they take the place of the listed ones before anything is searched or ranked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from engine.inputs.hardware import Market, Offer, System
from engine.inputs.spec import AgreedPrice

SOURCE = "agreed by the team, set in this plan"


def with_agreed(market: Market, agreed: tuple[AgreedPrice, ...]) -> Market:
    """The market with those prices in place of its own; the same market when none was agreed. Unknown items are ignored
    here: the doors refuse them by name. An agreed rate of exchange has no date of its own: what is listed in that currency
    keeps the dollars of its price list."""
    if not agreed:
        return market
    prices: dict[str, dict[str, float]] = {}
    for price in agreed:
        prices.setdefault(price.item, {})[price.what] = price.usd
    offers = tuple(_offer(offer, prices.get(offer.id, {}), prices) for offer in market.offers)
    systems = tuple(_system(item, prices[item.slug]) if item.slug in prices else item for item in market.systems)
    rates = {price.item: (price.usd, "") for price in agreed if price.what == "currency"}
    return replace(market, offers=offers, systems=systems, fx_usd={**market.fx_usd, **rates})


def _offer(offer: Offer, prices: Mapping[str, float], agreed: Mapping[str, Mapping[str, float]]) -> Offer:
    """The offer at its agreed prices; a spot offer falls back on the agreed on-demand price of the same instance."""
    sure = agreed.get(f"{offer.provider}/{offer.instance}/{offer.region}/on_demand", {}).get("instance_hour", 0.0)
    if sure and offer.option == "spot":
        offer = replace(offer, on_demand_usd_per_hour=sure)
    if not prices:
        return offer
    return replace(
        offer,
        usd_per_hour=prices.get("instance_hour", offer.usd_per_hour),
        listed_usd_per_hour=offer.listed_usd_per_hour or (offer.usd_per_hour if "instance_hour" in prices else 0.0),
        storage_usd_per_gb_month=prices.get("storage_gb_month", offer.storage_usd_per_gb_month),
        egress_usd_per_gb=prices.get("egress_gb", offer.egress_usd_per_gb),
        source=f"{SOURCE}; otherwise {offer.source}",
        native_amount="",
        native_currency="USD",
    )


def _system(system: System, prices: Mapping[str, float]) -> System:
    price = prices.get("server")
    if price is None:
        return system
    source = f"{SOURCE}; otherwise {system.source}"
    return replace(system, price_low_usd=price, price_high_usd=price, source=source)
