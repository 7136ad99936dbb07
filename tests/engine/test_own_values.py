"""Hardware of a team's own, at the ends of what may be entered for it, is answered like any other: with numbers, or with a reason."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from engine.inputs.hardware import Device
from exports.compose import compose
from planner.estimate import estimate
from planner.market import market_from_files
from planner.request.parse import spec_from

MARKET = market_from_files()
SLUG = "h100-sxm5"
ENDS: dict[str, tuple[float, float]] = {
    "memory_bytes": (0.1 * 2**30, 1e8 * 2**30),
    "memory_bandwidth": (1e6, 1e16),
    "scaleup_bandwidth": (1e6, 1e16),
    "pcie_bandwidth": (1e6, 1e16),
    "dense_flops": (1e9, 1e19),
    "tdp_w": (0.1, 1e8),
}
ASKED: dict[str, dict[str, Any]] = {
    "run": {"workload": "training", "model": "llama-3.1-8b", "training": {"tokens": 1e10}},
    "service": {
        "workload": "serving",
        "model": "llama-3.1-8b",
        "serving": {
            "requests_per_s": 5,
            "input_tokens": 500,
            "output_tokens": 200,
            "ttft_p95_ms": 2000,
            "tpot_p95_ms": 30,
        },
    },
    "batch": {
        "workload": "serving",
        "model": "llama-3.1-8b",
        "serving": {"input_tokens": 800, "output_tokens": 150, "batch": {"requests": 1e6, "deadline_hours": 24}},
    },
}


def with_end(name: str, end: float) -> Device:
    """An accelerator that has that value there, its rates all alike."""
    device = MARKET.devices[SLUG]
    if name == "dense_flops":
        return replace(device, dense_flops=dict.fromkeys(device.dense_flops, end))
    return replace(device, **{name: end})


@pytest.mark.parametrize("kind", ASKED)
@pytest.mark.parametrize("name", ENDS)
def test_every_end_has_an_answer(name: str, kind: str) -> None:
    asked = {**ASKED[kind], "name": name, "as_of": "2026-11-22", "constraints": {"accelerators": [SLUG]}}
    for end in ENDS[name]:
        market = replace(MARKET, devices={**MARKET.devices, SLUG: with_end(name, end)})
        found = estimate(spec_from(asked), market).recommendation  # a plan holds finite numbers only
        assert found.feasible or found.nearest or found.rejected


@pytest.mark.parametrize("usd_per_hour", [1e-8, 1e-3, 1e9])
def test_every_price_that_may_be_entered_has_an_answer(usd_per_hour: float) -> None:
    """Rented for less than half a coin, a run stopped the comparison with hardware that is bought."""
    offers = tuple(
        replace(offer, usd_per_hour=usd_per_hour) if offer.device == SLUG else offer for offer in MARKET.offers
    )
    short = {"workload": "training", "model": "resnet-50", "training": {"samples": 1e6, "epochs": 10}}
    asked = {**short, "name": "Short", "as_of": "2026-11-22", "constraints": {"accelerators": [SLUG]}}
    plan = estimate(spec_from(asked), replace(MARKET, offers=offers))
    best = plan.recommendation.recommended
    assert best is not None
    assert (best.cost.break_even is None) == (best.cost.total.expected < 0.1)
    assert compose(plan).decision
