"""Spot capacity as a number: which share of its hours is paid on demand because it is not there, and what that costs."""

from __future__ import annotations

import math
from dataclasses import replace

from engine.answer import CostInput, CostLine
from engine.inputs.assumptions import Assumption, Assumptions
from engine.inputs.finding import Typed
from engine.inputs.hardware import Missing, Offer
from engine.inputs.origin import SET_IN_PLAN, day_of, origin, quoted
from engine.money.drift import Band
from engine.money.lines import dollars, given
from engine.money.rented import paid_when

_SHARE = "cost.spot_fallback_share"


def measured(missing: Missing | None, assume: Assumptions) -> Missing | None:
    """What was measured counts, unless the request itself states the share."""
    return None if assume.get(_SHARE).source == SET_IN_PLAN else missing


def between(one: float, many: float, *, at: float, instances: float) -> float:
    """The share of so many instances: that of one, that of `at` from there on, and in between by the logarithm of their number."""
    return one + (many - one) * min(math.log(max(instances, 1.0)) / math.log(at), 1.0) if at > 1.0 else one


def share_item(missing: Missing | None, instances: float, assume: Assumptions) -> Assumption:
    """The assumed share of hours in which so many spot instances are not there: the usual one for a single instance, and what was
    measured where it was."""
    usual, found = assume.get(_SHARE), measured(missing, assume)
    if found is None:
        return usual
    low, value, high = (
        between(one, many, at=found.instances, instances=instances)
        for one, many in ((usual.low, found.low), (usual.value, found.share), (usual.high, found.high))
    )
    source = origin(
        "spot_missing",
        instances=round(found.instances),
        day=day_of(found.date),
        source=Typed(found.source),
        one=quoted(usual.source),
    )
    return replace(usual, value=value, low=min(low, value), high=max(high, value), source=source)


def share_at(missing: Missing | None, instances: float, assume: Assumptions, *, most: bool = False) -> float:
    """The value of `share_item`, or its upper end, without all else that it says: thousands are ranked by it."""
    usual, found = assume.get(_SHARE), measured(missing, assume)
    if found is None:
        return usual.high if most else usual.value
    value = between(usual.value, found.share, at=found.instances, instances=instances)
    return max(between(usual.high, found.high, at=found.instances, instances=instances), value) if most else value


def with_share(missing: Missing | None, instances: float, assume: Assumptions) -> Assumptions:
    """Those assumptions with the share of so many spot instances."""
    item = share_item(missing, instances, assume)
    return (
        assume if item is assume.get(_SHARE) else Assumptions({**{one.id: one for one in assume.all()}, item.id: item})
    )


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
            price.expected,
            "USD/h",
            whose.source,
            low=price.low,
            high=price.high,
            date=whose.price_date,
        ),
        given(
            "fallback_share",
            fallback_share(count, assume),
            "share",
            origin(
                "spot_beyond",
                which=assume.get(_SHARE).told,
                most=round(assume["select.capacity_known"]),
                share=quoted(item.source),
            ),
            low=fallback_share(count, assume, item.low),
            high=fallback_share(count, assume, item.high),
        ),
    ]
    return [
        dollars(
            "fallback",
            f"{hours} * fallback_share * max(on_demand_price - price_per_instance_hour, 0)",
            schedule=paid_when(offer) if "paid_hours" in hours else "monthly",
        )
    ]
