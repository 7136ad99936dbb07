"""Accelerators, clusters and models with the figures of their data sheets, for all tests of the engine."""

from __future__ import annotations

from dataclasses import replace

from engine.inputs.architecture import Architecture, Moe
from engine.inputs.hardware import Cluster, Device

H100 = Device(
    slug="h100-sxm5",
    name="NVIDIA H100 SXM5 80GB",
    vendor="NVIDIA",
    generation="hopper",
    runtime="cuda",
    release_year=2022,
    memory_bytes=80 * 2**30,
    memory_bandwidth=3.35e12,
    dense_flops={
        "fp32": 67e12, "tf32": 494.7e12, "fp16": 989.4e12, "bf16": 989.4e12, "fp8": 1978.9e12, "int8": 1978.9e12,
    },
    scaleup_bandwidth=450e9,
    scaleup_domain=8,
    nic_bandwidth=50e9,
    pcie_bandwidth=63e9,
    tdp_w=700.0,
)  # fmt: skip
A100 = replace(
    H100,
    slug="a100-sxm4-80",
    name="NVIDIA A100 SXM4 80GB",
    generation="ampere",
    release_year=2020,
    memory_bandwidth=2.039e12,
    dense_flops={"fp32": 19.5e12, "tf32": 156e12, "fp16": 312e12, "bf16": 312e12},
    scaleup_bandwidth=300e9,
    nic_bandwidth=25e9,
    pcie_bandwidth=31.5e9,
    tdp_w=400.0,
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
NODES = Cluster(device=H100, devices_per_node=8, nic_bandwidth=50e9, max_devices=4096)
T4_NODE = Cluster(device=T4, devices_per_node=4, nic_bandwidth=0.0, max_devices=4)

LLAMA_8B = Architecture(
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
LLAMA_70B = replace(LLAMA_8B, slug="llama-3.1-70b", name="Llama 3.1 70B", layers=80, hidden=8192, heads=64, ffn=28672)
MIXTRAL = replace(
    LLAMA_8B,
    slug="mixtral-8x7b",
    name="Mixtral 8x7B",
    family="mixtral",
    vocab=32000,
    moe=Moe(experts=8, top_k=2, expert_ffn=14336),
)
QWEN_MOE = replace(
    LLAMA_8B,
    slug="qwen3-30b-a3b",
    name="Qwen3 30B",
    layers=48,
    hidden=2048,
    kv_heads=4,
    ffn=0,
    vocab=151936,
    moe=Moe(experts=128, top_k=8, expert_ffn=768),
)
