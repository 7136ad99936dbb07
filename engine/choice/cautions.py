"""What to check before relying on an option: capacity, the evidence for a price, its age, and room in memory."""

from __future__ import annotations

import math
from datetime import date, timedelta

from engine.answer import Memory
from engine.context import Context
from engine.inputs.hardware import Offer
from engine.inputs.names import seller
from engine.inputs.software import PORTING_WEEKS, RUNTIME_NAMES
from engine.money.schedule import wait_days
from engine.money.site import lead_name
from engine.money.spot import fallback_share
from engine.supply import Supply

_WEEKS_PER_YEAR = 52.0
STALE_DAYS = 90
"""Age from which a price is called stale."""


def offer_warnings(context: Context, supply: Supply, count: int) -> tuple[str, ...]:
    """What to check before relying on an offer: software, capacity, which no price list states, and the age of its price."""
    offer, porting = supply.offer, porting_warning(context, supply)
    found = [porting] if porting else []
    if offer is None:
        return (*found, *_delivery_warning(context, supply), *_server_age(context, supply))
    if offer.option == "spot":
        found.append(_spot_warning(context, supply, offer, count))
    if count > context.assume["select.capacity_known"]:
        kind = "spot " if offer.option == "spot" else ""
        found.append(
            f"No price list says whether {seller(offer)} has {count:,} {kind}{supply.device.name} free in "
            f"{offer.region}: have the capacity confirmed before you rely on this."
        )
    age = days_old(offer.price_date, context.as_of)
    if age is None or age > STALE_DAYS:
        found.append(f"The price {_of_day(offer.price_date, age)}: ask for a new one.")
    return tuple(found)


def porting_warning(context: Context, supply: Supply) -> str:
    """That code and kernels written for CUDA must be brought to accelerators which run something else; nothing for those
    that the team owns and so knows."""
    runtime, name = supply.device.runtime, supply.device.name
    if supply.kind == "owned" or runtime not in PORTING_WEEKS:
        return ""
    week = context.assume["onprem.usd_per_fte"] / _WEEKS_PER_YEAR
    low, high = PORTING_WEEKS[runtime]
    least, most = (context.currency.about(weeks * week) for weeks in (low, high))
    return (
        f"{name} runs {RUNTIME_NAMES[runtime]}, not CUDA: code must be ported, and kernels may be missing. CUDA kernels of "
        f"your own take {low}–{high} person-weeks, {least} to {most}, not in the total: run a real step before you sign."
    )


def days_old(day: str, as_of: date) -> int | None:
    """Age of a price of that day [days], none below zero; None where its day is unknown."""
    try:
        return max((as_of - date.fromisoformat(day)).days, 0)
    except ValueError:
        return None


def _of_day(day: str, age: int | None) -> str:
    return "has no date" if age is None else f"was read on {day}, {age} days before this plan"


def _server_age(context: Context, supply: Supply) -> tuple[str, ...]:
    """That the price of servers which would be bought is old."""
    if supply.kind != "on_prem" or supply.system is None:
        return ()
    age = days_old(supply.system.price_date, context.as_of)
    if age is not None and age <= STALE_DAYS:
        return ()
    return (f"The price of a server {_of_day(supply.system.price_date, age)}: ask for a quote.",)


def _delivery_warning(context: Context, supply: Supply) -> tuple[str, ...]:
    """That bought hardware must be there before the work begins, where nothing like it can be rented meanwhile."""
    if not supply.waits:
        return ()
    months, wait = context.assume[f"onprem.{lead_name(supply.system)}"], wait_days(context, supply)
    start = context.start + timedelta(days=math.ceil(wait))
    when = f"begins on {start}" if wait else f"can begin on {start} if they are ordered in time"
    none = "Nothing may be rented" if context.spec.air_gapped else f"No {supply.device.name} can be rented"
    return (
        f"{none} until the servers are delivered, by assumption {months:g} months after the order: the work {when}.",
    )


def _spot_warning(context: Context, supply: Supply, offer: Offer, count: int) -> str:
    """On how much evidence a spot price stands, and what stands beside it when the capacity is not there."""
    behind = {0: "the one price listed for the region", 1: "the price of one zone"}.get(
        offer.zones, f"the middle of {offer.zones} zones"
    )
    money = context.currency
    each, dear = offer.usd_per_hour / offer.devices, offer.dear_usd_per_hour / offer.devices
    text = f"Spot at {money.price(each)} per accelerator-hour is {behind} on {offer.price_date}"
    if dear > each * 1.01:
        text += f"; one zone in ten of the provider asks {money.price(dear)} or more"
    if not supply.fallback_usd_per_hour:
        return f"{text}. No on-demand price is known to fall back on: agree on one before you rely on this."
    share = fallback_share(count, context.assume)
    sure = supply.fallback_usd_per_hour / offer.devices
    return f"{text}. On demand it is {money.price(sure)}: {share:.0%} of the hours are costed at that price."


def memory_warning(memory: Memory) -> tuple[str, ...]:
    """A sentence where the memory may not suffice at the upper end of its band."""
    used, room = memory.total_gb, memory.capacity_gb
    if used.high <= room:
        return ()
    return (
        f"Memory is close: {used.expected:.1f} GB expected of {room:.1f}, at the pessimistic end {used.high - room:.2g} GB too many. "
        "Try one step first; "
        "more recomputation or sharding makes room at some cost in speed.",
    )
