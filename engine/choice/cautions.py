"""What to check before relying on an option: capacity, the evidence for a price, its age, and room in memory."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from engine.answer import Memory
from engine.choice.peers import cheaper_than_all, far_below_lists
from engine.choice.porting import week_usd
from engine.context import Context
from engine.inputs.finding import Finding, Quantity, Ref, Sum, Value, finding
from engine.inputs.freshness import days_old, limit_days
from engine.inputs.hardware import Offer
from engine.inputs.named import cluster, device_ref, seller_ref
from engine.inputs.origin import SET_IN_PLAN
from engine.inputs.quantity import day_after
from engine.inputs.software import PORTING_WEEKS
from engine.money.drift import band_of, is_agreed, server_by
from engine.money.schedule import wait_days
from engine.money.site import lead_name
from engine.money.spot import fallback_share, share_item
from engine.money.tariffs import site_of
from engine.supply import Supply, instances

_DEARER = 1.01
"""Times the price from which that of the dearest zones is worth a word."""


def offer_warnings(context: Context, supply: Supply, count: int) -> tuple[Finding, ...]:
    """What to check before relying on an offer: software, capacity, which no price list states, and the age of its price."""
    return tuple(_offer_warnings(context, supply, count))


def _offer_warnings(context: Context, supply: Supply, count: int) -> Iterator[Finding]:
    offer, porting = supply.offer, porting_warning(context, supply)
    if porting:
        yield porting
    if offer is None:
        yield from _delivery_warning(context, supply)
        yield from _server_age(context, supply, count)
        yield from _site_warning(context, supply)
        return
    if offer.option == "spot":
        yield from _spot_warning(context, supply, offer, count)
    if count > context.assume["select.capacity_known"]:
        yield finding(
            "warning.capacity.spot" if offer.option == "spot" else "warning.capacity",
            provider=seller_ref(offer),
            count=count,
            accelerator=device_ref(supply.device),
            region=Ref("region", offer.region),
        )
    yield from cheaper_than_all(context, offer)
    yield from far_below_lists(context, offer)
    yield from _price_age(context, supply, offer, count)


def porting_warning(context: Context, supply: Supply) -> Finding | None:
    """That code and kernels written for CUDA must be brought to accelerators which run something else; nothing for those
    that the team owns and so knows."""
    runtime = supply.device.runtime
    if supply.kind == "owned" or runtime not in PORTING_WEEKS:
        return None
    week = week_usd(context)
    low, high = PORTING_WEEKS[runtime]
    return finding(
        "warning.porting",
        accelerator=device_ref(supply.device),
        runtime=Ref("runtime", runtime),
        weeks_low=low,
        weeks_high=high,
        least=Sum(low * week),
        most=Sum(high * week),
    )


def _day(day: str) -> date | Ref:
    try:
        return date.fromisoformat(day)
    except ValueError:
        return Ref("word", "unknown_day")


def _price_age(context: Context, supply: Supply, offer: Offer, count: int) -> Iterator[Finding]:
    """That a price is too old, on the day of the request or by the start, and what to ask its seller then; one that the team
    has agreed stands."""
    if is_agreed(offer):
        return
    age, limit = days_old(offer.price_date, context.as_of), limit_days(offer.option)
    then = days_old(offer.price_date, context.start)
    if age is None or then is None:
        yield finding("warning.price.undated")
    elif age > limit:
        yield finding("warning.price.old", day=date.fromisoformat(offer.price_date), age=age)
    elif then > limit:
        day = date.fromisoformat(offer.price_date)
        yield finding("warning.price.old_by_start", day=day, age=then, start=context.start, limit=limit)
    else:
        return
    yield _ask(context, supply, offer, count)


def _ask(context: Context, supply: Supply, offer: Offer, count: int) -> Finding:
    """What to ask of the seller: what, how many, where, from when, on which terms, at which price."""
    band = band_of(offer, context.assume, start=context.start)
    return finding(
        "warning.price.ask.spot" if offer.option == "spot" else "warning.price.ask",
        provider=seller_ref(offer),
        cluster=cluster(count, device_ref(supply.device)),
        devices=offer.devices,
        region=Ref("region", offer.region),
        terms=Ref("terms", offer.option),
        start=context.start,
        price=Sum(band.expected / offer.devices),
        low=Sum(band.low / offer.devices),
        high=Sum(band.high / offer.devices),
    )


def _site_warning(context: Context, supply: Supply) -> Iterator[Finding]:
    """That nothing is known of what electricity costs in the country of the request's own site."""
    country, assume = context.spec.site.country, context.assume
    held = supply.holding.country if supply.holding else ""
    if not country or held or assume.get("onprem.usd_per_kwh").source == SET_IN_PLAN:
        return
    site = site_of(context.spec, context.market)
    if site is None or site.power is None:
        yield finding("warning.site.no_tariff", country=Ref("country", country))


def _server_age(context: Context, supply: Supply, count: int) -> Iterator[Finding]:
    """That the price of servers which would be bought is too old, and what to ask for."""
    system = supply.system
    if supply.kind != "on_prem" or system is None:
        return
    age = days_old(system.price_date, context.as_of)
    if age is None:
        yield finding("warning.server_price.undated")
    elif age > limit_days():
        yield finding("warning.server_price.old", day=date.fromisoformat(system.price_date), age=age)
    else:
        return
    then = server_by(system, context.as_of, context.assume)
    yield finding(
        "warning.server_price.ask",
        servers=instances(supply, count),
        system=Ref("system", system.slug, system.name),
        low=Sum(then.price_low_usd),
        high=Sum(then.price_high_usd),
    )


def _delivery_warning(context: Context, supply: Supply) -> Iterator[Finding]:
    """That bought hardware must be there before the work begins, where nothing like it can be rented meanwhile."""
    if not supply.waits:
        return
    wait = wait_days(context, supply)
    none = "warning.delivery.air_gapped" if context.spec.air_gapped else "warning.delivery"
    yield finding(
        none if wait else f"{none}.in_time",
        accelerator=device_ref(supply.device),
        months=context.assume[f"onprem.{lead_name(supply.system)}"],
        start=day_after(context.start, 24.0 * wait),
    )


def _spot_warning(context: Context, supply: Supply, offer: Offer, count: int) -> Iterator[Finding]:
    """On how much evidence a spot price stands, and what stands beside it when the capacity is not there."""
    behind = {0: "zones.none", 1: "zones.one"}.get(offer.zones, "zones.several")
    each, dear = offer.usd_per_hour / offer.devices, offer.dear_usd_per_hour / offer.devices
    values: dict[str, Value] = {
        "price": Sum(each),
        "behind": finding(behind, zones=offer.zones),
        "day": _day(offer.price_date),
    }
    if dear > each * _DEARER:
        yield finding("warning.spot.dearer", **values, dear=Sum(dear))
    else:
        yield finding("warning.spot", **values)
    if not supply.fallback_usd_per_hour:
        yield finding("warning.spot.no_fallback")
        return
    few = share_item(supply.missing, instances(supply, count), context.assume)
    sure, share = supply.fallback_usd_per_hour / offer.devices, fallback_share(count, context.assume, few.value)
    code = "warning.spot.fallback" if supply.fallback is None else "warning.spot.fallback.other"
    code = code if sure > each else "warning.spot.fallback.no_dearer"
    seller = seller_ref(supply.fallback or offer)
    yield finding(code, price=Sum(sure), share=Quantity(share, "share"), seller=seller)


def memory_warning(memory: Memory) -> tuple[Finding, ...]:
    """That the memory may not suffice at the upper end of its band."""
    used, room = memory.total_gb, memory.capacity_gb
    if used.high <= room:
        return ()
    return (finding("warning.memory", used=_gb(used.expected), room=_gb(room), over=_gb(used.high - room)),)


def _gb(value: float) -> Quantity:
    return Quantity(value * 1e9, "byte")
