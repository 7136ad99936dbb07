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
from engine.inputs.hardware import Market, Offer, PriceStep, Stated, System
from engine.inputs.origin import AGREED, origin, quoted
from engine.inputs.quantity import HOURS_PER_MONTH
from engine.inputs.spec import AgreedPrice, Spec
from engine.inputs.terms import Lease, SpendCommitment

LESSOR = "lessor"
"""Who leases servers out where the request gives no name."""
OWN_SITE = "own-site"
"""Region of servers that are leased."""


def with_agreed(market: Market, spec: Spec) -> Market:
    """The market on the day of the request with those terms in place of its own; the same market when none were agreed and no
    quote of the team has run out. Unknown items are ignored here: the doors refuse them by name. An agreed rate of exchange has
    no date of its own: what is listed in that currency keeps the dollars of its price list."""
    today = spec.as_of or date.fromisoformat(market.release_date)
    market = _on_day(market, today)
    held = [price for price in spec.agreed if not has_run_out(price.valid_until, today)]
    if not (held or spec.discounts or spec.spend_commitments or spec.leases):
        return market
    prices: dict[str, dict[str, AgreedPrice]] = {}
    for price in held:
        prices.setdefault(price.item, {})[price.what] = price
    start = spec.start or today
    running = {one.provider: one for one in spec.spend_commitments if one.until >= start}
    offers = [_offer(offer, prices, spec, running.get(offer.provider)) for offer in market.offers]
    systems = tuple(_system(item, prices[item.slug]) if item.slug in prices else item for item in market.systems)
    rates = {price.item: (price.usd, "") for price in held if price.what == "currency"}
    leased = _leased(spec.leases, {system.slug: system for system in market.systems}, today)
    return replace(market, offers=(*offers, *leased), systems=systems, fx_usd={**market.fx_usd, **rates})


def has_run_out(valid_until: date | None, day: date) -> bool:
    """Whether a price that holds until then holds no more on that day; one without such a day is taken as it is."""
    return valid_until is not None and valid_until < day


def _on_day(market: Market, day: date) -> Market:
    """The market in which a quote of the team that has run out gives way to what its seller lists; without a listed price
    it stays, and whoever reads the plan is told that it holds no more."""
    if not any(_lapsed(offer, day) for offer in market.quoted):
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


def commitment_share(offer: Offer, commitment: SpendCommitment | None) -> float:
    """What that commitment takes off the price of that offer; 0 where it does not hold for it."""
    if commitment is None or not holds(commitment.provider, commitment.option, offer):
        return 0.0
    if commitment.lapses == "hourly" and offer.option != "on_demand":
        return 0.0
    return commitment.discount


def _offer(
    offer: Offer, agreed: Mapping[str, Mapping[str, AgreedPrice]], spec: Spec, commitment: SpendCommitment | None
) -> Offer:
    """The offer at its agreed prices; a spot offer falls back on the agreed on-demand price of the same instance."""
    twin = f"{offer.provider}/{offer.instance}/{offer.region}/on_demand" if offer.option == "spot" else offer.id
    if not spec.discounts and commitment is None and offer.id not in agreed and twin not in agreed:
        return offer  # as nearly all are: somebody may be typing that price
    prices = agreed.get(offer.id, {})
    if offer.option == "spot":
        named = agreed.get(twin, {})
        found = discount_of(replace(offer, option="on_demand"), spec.discounts)
        listed = offer.on_demand_usd_per_hour * (1.0 - found.share if found else 1.0)
        sure = named.get("instance_hour")
        usual = sure.usd if sure else listed
        offer = replace(offer, on_demand_usd_per_hour=usual) if usual != offer.on_demand_usd_per_hour else offer
    steps = tuple(_steps(offer, prices, spec, commitment))
    if len(steps) < 2 and not prices:
        return offer
    paid = steps[-1].usd_per_hour
    public = quoted(offer.source)
    hour, storage, egress = (prices.get(what) for what in ("instance_hour", "storage_gb_month", "egress_gb"))
    return replace(
        _quoted(offer, hour) if hour else offer,
        usd_per_hour=paid,
        dear_usd_per_hour=offer.dear_usd_per_hour * math.prod(1.0 - step.share for step in steps),
        listed_usd_per_hour=offer.listed_usd_per_hour or (offer.usd_per_hour if len(steps) > 1 else 0.0),
        storage_usd_per_gb_month=storage.usd if storage else offer.storage_usd_per_gb_month,
        egress_usd_per_gb=egress.usd if egress else offer.egress_usd_per_gb,
        storage_stated=Stated(source=AGREED, date=offer.price_date) if storage else offer.storage_stated,
        egress_stated=Stated(source=AGREED, date=offer.price_date) if egress else offer.egress_stated,
        source=origin("agreed.instead" if prices else "discounted", listed=public),
        native_amount="",
        native_currency="USD",
        steps=steps if len(steps) > 1 else (),
    )


def _quoted(offer: Offer, price: AgreedPrice) -> Offer:
    """The offer with the days of that quote."""
    read = price.quoted_on.isoformat() if price.quoted_on else offer.price_date
    return replace(offer, price_date=read, basis="quoted", valid_until=_text(price.valid_until))


def _steps(
    offer: Offer, prices: Mapping[str, AgreedPrice], spec: Spec, commitment: SpendCommitment | None
) -> Iterator[PriceStep]:
    """From the listed price of an hour to the one that is paid."""
    price = offer.usd_per_hour
    yield PriceStep(step="list", share=0.0, usd_per_hour=price)
    percent = discount_of(offer, spec.discounts)
    if "instance_hour" in prices:
        price = prices["instance_hour"].usd
        yield PriceStep(step="agreed", share=0.0, usd_per_hour=price)
    elif percent:
        price *= 1.0 - percent.share
        yield PriceStep(step="discount", share=percent.share, usd_per_hour=price)
    if share := commitment_share(offer, commitment):
        yield PriceStep(step="commitment", share=share, usd_per_hour=price * (1.0 - share))


def _system(system: System, prices: Mapping[str, AgreedPrice]) -> System:
    price = prices.get("server")
    if price is None:
        return system
    return replace(
        system,
        price_low_usd=price.usd,
        price_high_usd=price.usd,
        price_date=price.quoted_on.isoformat() if price.quoted_on else system.price_date,
        source=origin("agreed.instead", listed=quoted(system.source)),
        quoted=True,
        valid_until=_text(price.valid_until),
    )


def _text(day: date | None) -> str:
    return day.isoformat() if day else ""


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
            source=AGREED,
            basis="quoted",
            scaleout_bandwidth=system.nic_bandwidth,
            term_months=lease.months,
            egress_usd_per_gb=0.0,
            storage_usd_per_gb_month=0.0,
            egress_stated=Stated(source=AGREED, date=today.isoformat()),
            storage_stated=Stated(source=AGREED, date=today.isoformat()),
            most=lease.servers,
        )
