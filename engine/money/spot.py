"""Spot capacity as a number: which share of its hours is paid on demand because it is not there, and what that costs."""

from __future__ import annotations

from engine.answer import CostInput, CostLine
from engine.inputs.assumptions import Assumptions
from engine.inputs.hardware import Offer
from engine.money.drift import Band
from engine.money.lines import dollars, given
from engine.money.rented import paid_when


def fallback_share(accelerators: float, assume: Assumptions, share: float | None = None) -> float:
    """Share of instance-hours that is reckoned at the on-demand price.

    Of as many accelerators as a provider usually has free, the assumed share; whatever goes beyond, always.
    """
    base = assume["cost.spot_fallback_share"] if share is None else share
    return 1.0 - (1.0 - base) * min(1.0, assume["select.capacity_known"] / max(accelerators, 1.0))


def fallback_lines(
    inputs: list[CostInput],
    offer: Offer,
    *,
    whose: Offer,
    price: Band | None,
    instances: float,
    hours: str,
    assume: Assumptions,
) -> list[CostLine]:
    """What spot costs more because some of its hours are paid on demand; nothing where no such price is known. `whose`: the offer
    with that price."""
    if price is None:
        return []
    item, count = assume.get("cost.spot_fallback_share"), instances * offer.devices
    inputs += [
        given(
            "on_demand_price",
            "On-demand price of an instance, for hours without spot capacity",
            price.expected,
            "USD/h",
            whose.source,
            low=price.low,
            high=price.high,
            date=whose.price_date,
        ),
        given(
            "fallback_share",
            "Share of the instance-hours that is paid on demand",
            fallback_share(count, assume),
            "share",
            f"cost.spot_fallback_share, and all beyond {assume['select.capacity_known']:,.0f} accelerators: {item.source}",
            low=fallback_share(count, assume, item.low),
            high=fallback_share(count, assume, item.high),
        ),
    ]
    return [
        dollars(
            "fallback",
            "On-demand instances for hours without spot capacity",
            f"{hours} * fallback_share * max(on_demand_price - price_per_instance_hour, 0)",
            schedule=paid_when(offer) if "paid_hours" in hours else "monthly",
        )
    ]
