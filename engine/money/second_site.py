"""What a second site of a rented service costs: its instances at their own price, and the weights that are copied there.

Load balancer, gateway, registry and storage stand at each of both sites, so their lines are multiplied by `sites`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from engine.answer import CostInput, CostLine
from engine.inputs.assumptions import Assumptions
from engine.inputs.hardware import Offer
from engine.money.drift import band_of
from engine.money.lines import assumed, dollars, given, quantity

SECOND = "second_compute"
"""Line of its instances."""
SITES = "sites"


@dataclass(frozen=True, kw_only=True)
class Second:
    """The second site of a service."""

    offer: Offer
    share: float
    """Share of all instances that stand there."""
    weights_gb: float
    """Weights that are copied there with each version [GB]."""


def second_inputs(inputs: list[CostInput], second: Second, assume: Assumptions, *, start: date, days: float) -> None:
    """Adds its inputs to those of a service that starts on that day and is costed over so many days."""
    offer = second.offer
    price = band_of(offer, assume, start=start, days=days)
    inputs += [
        given(SITES, "Sites", 2, "", "request"),
        given("second_share", "Share of the instances that stand at the second site", second.share, "share", "plan"),
        given(
            "second_price_per_instance_hour",
            "Price of one instance-hour at the second site",
            price.expected,
            "USD/h",
            offer.source,
            low=price.low,
            high=price.high,
            date=offer.price_date,
        ),
        given("weights_gb", "Weights of one version", second.weights_gb, "GB", "plan"),
        assumed("releases_per_month", "cost.releases_per_month", assume),
        assumed("cross_usd_per_gb", "cost.cross_usd_per_gb", assume),
    ]


def instance_lines() -> list[CostLine]:
    """The instances of both sites, each at its price."""
    return [
        quantity("second_hours", "Instance-hours paid at the second site", "instance_hours * second_share", "h"),
        dollars(
            "compute",
            "Instances of the first site",
            "(instance_hours - second_hours) * price_per_instance_hour",
            schedule="monthly",
        ),
        dollars(
            SECOND,
            "Instances of the second site",
            "second_hours * second_price_per_instance_hour",
            schedule="monthly",
        ),
    ]


def copied_line() -> CostLine:
    """The weights that go from one site to the other."""
    return dollars(
        "cross_site",
        "Data between the sites",
        "weights_gb * releases_per_month * cross_usd_per_gb * months",
        schedule="monthly",
    )
