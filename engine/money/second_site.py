"""What a second site of a rented service costs: its instances at their own price, and the weights that are copied there.

Both prices of one seller for the same instance move together: the second is then so many times the first, and no range of its own.

Load balancer, gateway, registry and storage stand at each of both sites, so their lines are multiplied by `sites`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from engine.answer import CostInput, CostLine
from engine.inputs.assumptions import Assumptions
from engine.inputs.finding import finding
from engine.inputs.hardware import Offer
from engine.inputs.origin import PLAN, REQUEST
from engine.money.drift import band_of
from engine.money.lines import assumed, dollars, given, quantity

SECOND = "second_compute"
"""Line of its instances."""
SITES = "sites"
PRICE, TIMES = "second_price_per_instance_hour", "second_price_times"
"""Its price, and how many times that of the first site it is."""


@dataclass(frozen=True, kw_only=True)
class Second:
    """The second site of a service."""

    offer: Offer
    share: float
    """Share of all instances that stand there."""
    weights_gb: float
    """Weights that are copied there with each version [GB]."""


def second_inputs(
    inputs: list[CostInput], second: Second, assume: Assumptions, *, first: Offer, start: date, days: float
) -> None:
    """Adds its inputs to those of a service on `first` that starts on that day and is costed over so many days."""
    inputs += [
        given(SITES, 2, "", REQUEST),
        given("second_share", second.share, "share", PLAN),
        _price_input(inputs, second.offer, first, assume, start=start, days=days),
        given("weights_gb", second.weights_gb, "GB", PLAN),
        assumed("cost.releases_per_month", assume),
        assumed("cost.cross_usd_per_gb", assume),
    ]


def alike(first: Offer, second: Offer) -> bool:
    """Is it the same seller's same instance, had in the same way, so that one price moves with the other?"""
    return (first.provider, first.instance, first.option) == (second.provider, second.instance, second.option)


def _price_input(
    inputs: list[CostInput], offer: Offer, first: Offer, assume: Assumptions, *, start: date, days: float
) -> CostInput:
    """Its price with its range, or how many times the first price it is."""
    price = band_of(offer, assume, start=start, days=days)
    if alike(first, offer):
        known = next(item.value for item in inputs if item.name == "price_per_instance_hour")
        return given(TIMES, price.expected / known, "", offer.source, date=offer.price_date)
    return given(PRICE, price.expected, "USD/h", offer.source, low=price.low, high=price.high, date=offer.price_date)


def instance_lines(first: Offer, second: Offer) -> list[CostLine]:
    """The instances of both sites, each at its price."""
    together = alike(first, second)
    return [
        *([quantity(PRICE, f"price_per_instance_hour * {TIMES}", "USD/h")] if together else []),
        quantity("second_hours", "instance_hours * second_share", "h"),
        dollars(
            "compute",
            "(instance_hours - second_hours) * price_per_instance_hour",
            schedule="monthly",
            told=finding("cost.compute.first"),
        ),
        dollars(
            SECOND,
            f"second_hours * {PRICE}",
            schedule="monthly",
        ),
    ]


def copied_line() -> CostLine:
    """The weights that go from one site to the other."""
    return dollars(
        "cross_site",
        "weights_gb * releases_per_month * cross_usd_per_gb * months",
        schedule="monthly",
    )
