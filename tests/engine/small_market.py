"""A market of two offers and one system that can be checked by hand, and a run that is planned on it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from engine.answer import Recommendation
from engine.inputs.hardware import Market, Offer, System
from engine.inputs.spec import Constraints, Spec, Training
from tests.engine.answers import answered
from tests.engine.devices import A100, H100, LLAMA_8B

SYSTEM = System(
    slug="dgx-h100",
    name="DGX H100",
    device="h100-sxm5",
    devices=8,
    nic_bandwidth=400e9,
    max_power_w=10_200.0,
    price_low_usd=270_000.0,
    price_high_usd=375_000.0,
    price_date="2025-03-01",
)


def offer(provider: str, device: str, usd: float, *, network: float = 400e9, option: str = "on_demand") -> Offer:
    """An instance of eight at that price per hour."""
    return Offer(
        id=f"{provider}/{device}-8x/here/{option}",
        provider=provider,
        instance=f"{device}-8x",
        region="here",
        device=device,
        devices=8,
        option=option,
        usd_per_hour=usd,
        price_date="2026-01-01",
        source="made up for this test",
        country="USA",
        scaleout_bandwidth=network,
        interruption_per_month=0.1 if option == "spot" else 0.0,
    )


OFFERS = (offer("one", "h100-sxm5", 24.0), offer("two", "a100-sxm4-80", 12.0))


def market(*offers: Offer) -> Market:
    """Those offers, and the system for sale."""
    return Market(
        release="0" * 64,
        release_date="2026-01-01",
        devices={"h100-sxm5": H100, "a100-sxm4-80": A100},
        systems=(SYSTEM,),
        offers=offers,
        models={LLAMA_8B.slug: LLAMA_8B},
        carbon_g_per_kwh={"USA": 369.0},
    )


def spec(**limits: object) -> Spec:
    """20 billion tokens for an 8B model within 30 days, under those limits."""
    return Spec(
        name="Run",
        workload="training",
        model="llama-3.1-8b",
        training=Training(tokens=20e9, sequence_length=4096, global_batch_tokens=1e6),
        constraints=Constraints(**{"deadline_days": 30.0, "max_accelerators": 64, **limits}),
    )


def long_spec() -> Spec:
    """A run of several months within a demand of three years: one that servers are bought for, which come after 4.5."""
    wanted = spec(deadline_days=0.0)
    assert wanted.training is not None
    return replace(wanted, training=replace(wanted.training, tokens=8e12), horizon_months=36.0)


@cache
def _sold(offers: tuple[Offer, ...]) -> Market:
    return market(*offers)


def answer(wanted: Spec, *offers: Offer) -> Recommendation:
    """What is recommended on that market."""
    return answered(wanted, _sold(offers or OFFERS))
