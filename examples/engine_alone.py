"""The engine without the product: one accelerator, one offer, one model, one run. Run it with `python examples/engine_alone.py`.

Figures of the accelerator are those of its data sheet (dense rates, SI units); the price is made up.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from engine import recommend
from engine.inputs.architecture import Architecture
from engine.inputs.hardware import Device, Market, Offer
from engine.inputs.spec import Constraints, Spec, Training

H100 = Device(
    slug="h100-sxm5",
    name="NVIDIA H100 SXM5 80GB",
    vendor="NVIDIA",
    generation="hopper",
    runtime="cuda",
    release_year=2022,
    memory_bytes=80 * 2**30,
    memory_bandwidth=3.35e12,
    dense_flops={"fp32": 67e12, "tf32": 494.7e12, "fp16": 989.4e12, "bf16": 989.4e12, "fp8": 1978.9e12},
    scaleup_bandwidth=450e9,
    scaleup_domain=8,
    nic_bandwidth=50e9,
    pcie_bandwidth=63e9,
    tdp_w=700.0,
)
EIGHT = Offer(
    id="somebody/8xh100/here/on_demand",
    provider="somebody",
    instance="8xh100",
    region="here",
    device="h100-sxm5",
    devices=8,
    option="on_demand",
    usd_per_hour=24.0,
    price_date="2026-11-22",
    source="made up for this example",
    country="USA",
    scaleout_bandwidth=400e9,
)
LLAMA = Architecture(
    slug="llama-3.1-8b",
    name="Llama 3.1 8B",
    family="llama",
    layers=32,
    hidden=4096,
    heads=32,
    kv_heads=8,
    head_dim=128,
    ffn=14336,
    vocab=128256,
)
MARKET = Market(
    release="an example",
    release_date="2026-11-22",
    devices={H100.slug: H100},
    systems=(),
    offers=(EIGHT,),
    models={LLAMA.slug: LLAMA},
)
WANTED = Spec(
    name="Run",
    workload="training",
    model="llama-3.1-8b",
    training=Training(tokens=20e9, sequence_length=8192),
    constraints=Constraints(deadline_days=14),
)

if __name__ == "__main__":
    best = recommend(WANTED, MARKET).recommended
    assert best is not None
    days, cost = best.days, best.cost.total
    sys.stdout.write(f"{best.count} x {best.accelerator_name}, layout {best.parallelism}\n")
    sys.stdout.write(f"{days.expected:.1f} days ({days.low:.1f} to {days.high:.1f})\n")
    sys.stdout.write(f"{cost.expected:,.0f} {cost.currency} ({cost.low:,.0f} to {cost.high:,.0f})\n")
