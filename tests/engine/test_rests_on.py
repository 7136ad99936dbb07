"""The assumptions that a service names are those which its rates are the product of, on every accelerator and engine."""

from __future__ import annotations

from dataclasses import replace
from math import prod

import pytest

from engine.inputs.assumptions import Assumptions
from engine.inputs.hardware import Device
from engine.kinds.service import SERVING_ASSUMPTIONS
from engine.physics.token.machine import (
    compute_share,
    engines_for,
    exchange_rests_on,
    rates_for,
    reading_shares,
    weights_rest_on,
)
from planner.market import market_from_files

ASSUME = Assumptions(SERVING_ASSUMPTIONS)
DEVICES = market_from_files().devices


def twice(name: str) -> Assumptions:
    known = SERVING_ASSUMPTIONS[name]
    return Assumptions({**SERVING_ASSUMPTIONS, name: replace(known, value=known.value * 2)})


@pytest.mark.parametrize("precision", ["bf16", "fp8", "int4", "mxfp4"])
def test_the_share_of_the_bandwidth_is_the_product_of_what_is_named(precision: str) -> None:
    tried = 0
    for device in DEVICES.values():
        for engine in engines_for(device, "auto"):
            weights, _ = reading_shares(device, precision, engine, ASSUME)
            assert weights == pytest.approx(prod(ASSUME[name] for name in weights_rest_on(device, precision, engine)))
            tried += 1
    assert tried > 50


def test_what_is_named_moves_the_rate_and_nothing_else_of_its_kind_does() -> None:
    h100, a10 = DEVICES["h100-sxm5"], DEVICES["a10"]
    assert exchange_rests_on(h100, "vllm") == ("serving.allreduce_fused_us", "serving.link_share")
    assert exchange_rests_on(h100, "tensorrt-llm-2024")[0] == "serving.allreduce_us"
    assert exchange_rests_on(a10, "vllm") == ("serving.allreduce_pcie_us", "serving.pcie_link_share")
    assert compute_share(h100, "bf16") == "serving.compute_share.fp16"
    assert compute_share(h100, "fp8") == "serving.compute_share.fp8"
    assert computed(h100, "fp8", "serving.compute_share.fp8") == pytest.approx(2.0)
    assert computed(h100, "fp8", "serving.compute_share.fp16") == pytest.approx(1.0)


def computed(device: Device, precision: str, name: str) -> float:
    """How many times as fast matrix products are when that share is twice as large."""
    before, after = (rates_for(device, precision, "vllm", one).compute for one in (ASSUME, twice(name)))
    return after / before
