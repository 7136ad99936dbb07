"""Accelerators that fail for want of a price, not of ability: which they are, how a refusal says so, and what to do."""

from __future__ import annotations

from engine.answer import Nearest
from engine.context import Context
from engine.inputs.hardware import Device, Market
from engine.inputs.spec import Spec
from engine.supply import may_buy, rented, sold

HORIZON_MONTHS = 36
"""Named where a horizon is asked for: hardware is usually written off over three years."""


def without_price(spec: Spec, market: Market) -> tuple[Device, ...]:
    """Accelerators named in the request that nobody rents out or sells at a known price, and that are not owned."""
    return tuple(
        device for device in _named(spec, market) if not rented(market, device.slug) and not sold(market, device.slug)
    )


def only_sold(spec: Spec, market: Market) -> tuple[Device, ...]:
    """Accelerators named in the request that can be bought, not rented, where nothing is bought for want of a horizon."""
    if may_buy(spec):
        return ()
    return tuple(
        device for device in _named(spec, market) if not rented(market, device.slug) and sold(market, device.slug)
    )


def refusal(context: Context) -> str:
    """Why nothing can be had where a price or a horizon is all that is missing; empty where something else stands in the
    way."""
    spec, market = context.spec, context.market
    named, missing, buyable = _named(spec, market), without_price(spec, market), only_sold(spec, market)
    if not named or len(missing) + len(buyable) < len(named):
        return ""
    if missing:
        return f"There is no price in the catalog for {_names(missing)}, so nothing can be recommended on it."
    return f"{_names(buyable)} can be bought, not rented, and no horizon of demand is stated to buy for."


def price_ways(context: Context) -> tuple[Nearest, ...]:
    """What would let those accelerators be planned with."""
    missing, buyable = without_price(context.spec, context.market), only_sold(context.spec, context.market)
    found = []
    if missing:
        found.append(
            Nearest(
                field="agreed",
                now="no price in the catalog",
                needed="a price",
                sentence=f"Agree a price for {_names(missing)} and enter it in a price list of your team, or name what you "
                "have under “owned”: the catalog holds no price.",
            )
        )
    if buyable:
        found.append(
            Nearest(
                field="horizon_months",
                now="0 months",
                needed=f"{HORIZON_MONTHS} months",
                sentence=f"State how long there will be demand in “horizon_months”, for instance {HORIZON_MONTHS}: servers "
                f"with {_names(buyable)} can then be bought; the catalog knows nobody who rents them out.",
            )
        )
    return tuple(found)


def _named(spec: Spec, market: Market) -> tuple[Device, ...]:
    """What the request asks for by name and could be planned with; what is owned needs no price."""
    owned = {item.accelerator for item in spec.owned}
    found = (market.devices[slug] for slug in spec.constraints.accelerators if slug in market.devices)
    able = (device for device in found if device.plannable and (device.trains or spec.workload == "serving"))
    return tuple(device for device in able if device.slug not in owned)


def _names(devices: tuple[Device, ...]) -> str:
    *rest, last = [device.name for device in devices]
    return f"{', '.join(rest)} and {last}" if rest else last
