"""Accelerators that fail for want of a price, not of ability: which they are, how a refusal says so, and what to do."""

from __future__ import annotations

from engine.answer import Change, Nearest
from engine.choice.certified import nobody_certified
from engine.context import Context
from engine.inputs.finding import Finding, Quantity, Ref, finding
from engine.inputs.hardware import Device, Market
from engine.inputs.named import device_ref
from engine.inputs.spec import Spec
from engine.supply import able_to, may_buy, rented, sold

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


def refusal(context: Context) -> Finding | None:
    """Why nothing can be had where a certificate, a price or a horizon is all that is missing; None where something else stands in the
    way."""
    if nobody := nobody_certified(context):
        return nobody
    spec, market = context.spec, context.market
    named, missing, buyable = _named(spec, market), without_price(spec, market), only_sold(spec, market)
    if not named or len(missing) + len(buyable) < len(named):
        return None
    if missing:
        return finding("refusal.no_price", names=_refs(missing))
    return finding("refusal.only_sold", names=_refs(buyable))


def price_ways(context: Context) -> tuple[Nearest, ...]:
    """What would let those accelerators be planned with."""
    missing, buyable = without_price(context.spec, context.market), only_sold(context.spec, context.market)
    found = []
    if missing:
        change = Change(field="agreed", now=None, needed=Ref("word", "price"))
        found.append(Nearest(changes=(change,), told=(finding("way.agree_price", names=_refs(missing)),)))
    if buyable:
        months = Quantity(HORIZON_MONTHS, "month")
        change = Change(field="horizon_months", now=Quantity(0, "month"), needed=months)
        told = finding("way.state_horizon", months=HORIZON_MONTHS, names=_refs(buyable))
        found.append(Nearest(changes=(change,), told=(told,)))
    return tuple(found)


def _named(spec: Spec, market: Market) -> tuple[Device, ...]:
    """What the request asks for by name and could be planned with; what is owned needs no price."""
    owned = {item.accelerator for item in spec.owned}
    found = (market.devices[slug] for slug in spec.constraints.accelerators if slug in market.devices)
    able = (device for device in found if device.plannable and able_to(spec, device))
    return tuple(device for device in able if device.slug not in owned)


def _refs(devices: tuple[Device, ...]) -> tuple[Ref, ...]:
    return tuple(device_ref(device) for device in devices)
