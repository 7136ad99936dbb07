"""Offers, systems and assumptions for tests of cost and failures."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from engine.answer import Estimate
from engine.choice.select import SELECT_ASSUMPTIONS
from engine.inputs.assumptions import Assumptions
from engine.inputs.hardware import Device, Offer, System
from engine.money.carbon import CARBON_ASSUMPTIONS
from engine.money.cost import COST_ASSUMPTIONS
from engine.physics.data_path import DATA_ASSUMPTIONS
from engine.reliability.checkpoints import RELIABILITY_ASSUMPTIONS

ASSUME = Assumptions(
    {
        **COST_ASSUMPTIONS,
        **RELIABILITY_ASSUMPTIONS,
        **CARBON_ASSUMPTIONS,
        **DATA_ASSUMPTIONS,
        **SELECT_ASSUMPTIONS,
    }
)

H100 = Device(
    slug="h100-sxm5",
    name="H100 SXM",
    vendor="NVIDIA",
    generation="hopper",
    runtime="cuda",
    release_year=2022,
    memory_bytes=80e9,
    memory_bandwidth=3.35e12,
    dense_flops={"bf16": 989e12},
    scaleup_bandwidth=450e9,
    scaleup_domain=8,
    tdp_w=700.0,
    purchase_usd=(25_000.0, 35_000.0),
)

SERVER = System(
    slug="hgx-h100",
    name="HGX H100",
    device="h100-sxm5",
    devices=8,
    nic_bandwidth=400e9,
    max_power_w=10_200.0,
    price_low_usd=230_000.0,
    price_high_usd=310_000.0,
    price_date="2025-03",
    source="listings",
)

_OFFER = Offer(
    id="aws/p5.48xlarge/us-east-1/on_demand",
    provider="aws",
    instance="p5.48xlarge",
    region="us-east-1",
    device="h100-sxm5",
    devices=8,
    option="on_demand",
    usd_per_hour=55.04,
    price_date="2026-07-20",
    source="price list",
    tier="hyperscaler",
)


def offer(**changes: Any) -> Offer:
    """Eight H100 at the listed price, changed."""
    return replace(_OFFER, **changes)


def days(expected: float, low: float = 0.9, high: float = 1.2) -> Estimate:
    """Wall days with a band of those ratios."""
    return Estimate(low=expected * low, expected=expected, high=expected * high, unit="day")
