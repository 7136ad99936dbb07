"""Models, devices and services that the serving tests share."""

from __future__ import annotations

from typing import Any

from planner.engine.architecture import Architecture, Moe
from planner.engine.assumptions import Assumptions
from planner.engine.hardware import Cluster, Device
from planner.engine.serving import SERVING_ASSUMPTIONS, ServingWork
from planner.engine.spec import FixedLayout

ASSUME = Assumptions(SERVING_ASSUMPTIONS)

H100 = Device(
    slug="h100-sxm5",
    name="NVIDIA H100 SXM5 80GB",
    vendor="NVIDIA",
    generation="hopper",
    runtime="cuda",
    release_year=2022,
    memory_bytes=80 * 2**30,
    memory_bandwidth=3.35e12,
    dense_flops={"fp32": 67e12, "fp16": 989.4e12, "bf16": 989.4e12, "fp8": 1978.9e12, "int8": 1978.9e12},
    scaleup_bandwidth=450e9,
    scaleup_domain=8,
    pcie_bandwidth=63e9,
)
T4 = Device(
    slug="t4",
    name="NVIDIA T4",
    vendor="NVIDIA",
    generation="turing",
    runtime="cuda",
    release_year=2018,
    memory_bytes=16 * 2**30,
    memory_bandwidth=320e9,
    dense_flops={"fp32": 8.1e12, "fp16": 65e12, "int8": 130e12},
    scaleup_bandwidth=15.75e9,
    scaleup_domain=1,
    pcie_bandwidth=15.75e9,
)
NODE = Cluster(device=H100, devices_per_node=8, nic_bandwidth=50e9, max_devices=1024)
T4_NODE = Cluster(device=T4, devices_per_node=4, nic_bandwidth=0.0, max_devices=4)

QWEN3_32B = Architecture(
    slug="qwen3-32b",
    name="Qwen3-32B",
    family="qwen3",
    layers=64,
    hidden=5120,
    heads=64,
    kv_heads=8,
    head_dim=128,
    ffn=25600,
    vocab=151936,
    qk_norm=True,
)
MIXTRAL = Architecture(
    slug="mixtral-8x7b",
    name="Mixtral 8x7B",
    family="mixtral",
    layers=32,
    hidden=4096,
    heads=32,
    kv_heads=8,
    head_dim=128,
    ffn=14336,
    vocab=32000,
    moe=Moe(experts=8, top_k=2, expert_ffn=14336),
)
RESNET50 = Architecture(
    slug="resnet-50",
    name="ResNet-50",
    family="resnet",
    kind="generic",
    modality="image",
    generic_parameters=25.6e6,
    flops_per_sample=8.2e9,
    activation_bytes_per_sample=1e8,
)


def service(**changes: Any) -> ServingWork:
    """A chat service on Qwen3-32B: 40 requests/s, 1500 tokens in, 400 out, TTFT p95 800 ms."""
    asked: dict[str, Any] = {
        "arch": QWEN3_32B,
        "requests_per_s": 40.0,
        "input_tokens": 1500.0,
        "output_tokens": 400.0,
        "ttft_p95_ms": 800.0,
        "tpot_p95_ms": 50.0,
        "framework": "vllm",
        "fixed": FixedLayout(),
        "requests": 600,
    }
    return ServingWork(**(asked | changes))
