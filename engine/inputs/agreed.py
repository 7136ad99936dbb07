"""What a team has agreed with sellers, put in the place of what they list before anything is searched or ranked.

An instance-hour goes from its listed price to the one that is paid in this order, each step kept with the offer: the agreed
price in its place, or else the agreed percentage off it; then what a spend commitment takes off that. Servers that are leased
join the market as offers of their lessor.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date

from engine.inputs.discounts import discount_of, holds
from engine.inputs.hardware import Market, Offer, PriceStep, System
from engine.inputs.spec import Spec
from engine.inputs.terms import Lease, SpendCommitment

SOURCE = "agreed by the team, set in this plan"
HOURS_PER_MONTH = 730.0
"""In which a lessor's rate of a month is paid."""
LESSOR = "lessor"
"""Who leases servers out where the request gives no name."""
OWN_SITE = "own-site"
"""Region of servers that are leased."""
_DISCOUNTED = "discount agreed by the team, set in this plan"


def with_agreed(market: Market, spec: Spec) -> Market:
    """The market with those terms in place of its own; the same market when none were agreed. Unknown items are ignored
    here: the doors refuse them by name. An agreed rate of exchange has no date of its own: what is listed in that currency
    keeps the dollars of its price list."""
    if not (spec.agreed or spec.discounts or spec.spend_commitments or spec.leases):
        return market
    prices: dict[str, dict[str, float]] = {}
    for price in spec.agreed:
        prices.setdefault(price.item, {})[price.what] = price.usd
    today = spec.as_of or date.fromisoformat(market.release_date)
    start = spec.start or today
    running = {one.provider: one for one in spec.spend_commitments if one.until >= start}
    offers = [_offer(offer, prices, spec, running.get(offer.provider)) for offer in market.offers]
    systems = tuple(_system(item, prices[item.slug]) if item.slug in prices else item for item in market.systems)
    rates = {price.item: (price.usd, "") for price in spec.agreed if price.what == "currency"}
    leased = _leased(spec.leases, {system.slug: system for system in market.systems}, today)
    return replace(market, offers=(*offers, *leased), systems=systems, fx_usd={**market.fx_usd, **rates})


def commitment_share(offer: Offer, commitment: SpendCommitment | None) -> float:
    """What that commitment takes off the price of that offer; 0 where it does not hold for it."""
    if commitment is None or not holds(commitment.provider, commitment.option, offer):
        return 0.0
    if commitment.lapses == "hourly" and offer.option != "on_demand":
        return 0.0
    return commitment.discount


def before_commitment(offer: Offer, usd_per_hour: float) -> float:
    """The agreed price of an hour of that offer from which a spend commitment leads to this one."""
    share = next((one.share for one in offer.steps if one.step == "commitment"), 0.0)
    return usd_per_hour / (1.0 - share)


def _offer(
    offer: Offer, agreed: Mapping[str, Mapping[str, float]], spec: Spec, commitment: SpendCommitment | None
) -> Offer:
    """The offer at its agreed prices; a spot offer falls back on the agreed on-demand price of the same instance."""
    prices = agreed.get(offer.id, {})
    if offer.option == "spot":
        named = agreed.get(f"{offer.provider}/{offer.instance}/{offer.region}/on_demand", {})
        found = discount_of(replace(offer, option="on_demand"), spec.discounts)
        listed = offer.on_demand_usd_per_hour * (1.0 - found.share if found else 1.0)
        sure = named.get("instance_hour", listed)
        offer = replace(offer, on_demand_usd_per_hour=sure) if sure != offer.on_demand_usd_per_hour else offer
    steps = tuple(_steps(offer, prices, spec, commitment))
    if len(steps) < 2 and not prices:
        return offer
    paid = steps[-1].usd_per_hour
    source = f"{SOURCE}; otherwise {offer.source}" if prices else f"{offer.source}; {_DISCOUNTED}"
    return replace(
        offer,
        usd_per_hour=paid,
        dear_usd_per_hour=offer.dear_usd_per_hour * math.prod(1.0 - step.share for step in steps),
        listed_usd_per_hour=offer.listed_usd_per_hour or (offer.usd_per_hour if len(steps) > 1 else 0.0),
        storage_usd_per_gb_month=prices.get("storage_gb_month", offer.storage_usd_per_gb_month),
        egress_usd_per_gb=prices.get("egress_gb", offer.egress_usd_per_gb),
        source=source,
        native_amount="",
        native_currency="USD",
        steps=steps if len(steps) > 1 else (),
    )


def _steps(
    offer: Offer, prices: Mapping[str, float], spec: Spec, commitment: SpendCommitment | None
) -> Iterator[PriceStep]:
    """From the listed price of an hour to the one that is paid."""
    price = offer.usd_per_hour
    yield PriceStep(step="list", share=0.0, usd_per_hour=price)
    percent = discount_of(offer, spec.discounts)
    if "instance_hour" in prices:
        price = prices["instance_hour"]
        yield PriceStep(step="agreed", share=0.0, usd_per_hour=price)
    elif percent:
        price *= 1.0 - percent.share
        yield PriceStep(step="discount", share=percent.share, usd_per_hour=price)
    if share := commitment_share(offer, commitment):
        yield PriceStep(step="commitment", share=share, usd_per_hour=price * (1.0 - share))


def _system(system: System, prices: Mapping[str, float]) -> System:
    price = prices.get("server")
    if price is None:
        return system
    source = f"{SOURCE}; otherwise {system.source}"
    return replace(system, price_low_usd=price, price_high_usd=price, source=source)


def _leased(leases: tuple[Lease, ...], systems: Mapping[str, System], today: date) -> Iterator[Offer]:
    """Each lease as an offer: a commitment for its term, paid every month."""
    for lease in leases:
        system = systems.get(lease.system)
        if system is None:
            continue
        yield Offer(
            id=f"lease/{system.slug}",
            provider=lease.lessor or LESSOR,
            seller=lease.lessor or LESSOR,
            instance=system.slug,
            region=OWN_SITE,
            device=system.device,
            devices=system.devices,
            option="lease",
            usd_per_hour=lease.usd_month / HOURS_PER_MONTH,
            price_date=today.isoformat(),
            source=SOURCE,
            scaleout_bandwidth=system.nic_bandwidth,
            term_months=lease.months,
            egress_usd_per_gb=0.0,
            storage_usd_per_gb_month=0.0,
            most=lease.servers,
        )
