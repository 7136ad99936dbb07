"""Devices, models and workloads that the tests of the training engine share."""

from __future__ import annotations

from dataclasses import replace

from planner.engine.architecture import Architecture, Moe
from planner.engine.assumptions import Assumptions
from planner.engine.hardware import Cluster, Device
from planner.engine.spec import Constraints, FixedLayout, Spec, Training
from planner.engine.training import TRAINING_ASSUMPTIONS, TrainingWork, work_from

ASSUME = Assumptions(TRAINING_ASSUMPTIONS)

H100 = Device(
    slug="h100-sxm5",
    name="H100 SXM5",
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
)
A100 = replace(
    H100,
    slug="a100-sxm4-80",
    name="A100 SXM4",
    generation="ampere",
    release_year=2020,
    memory_bandwidth=2.039e12,
    dense_flops={"fp32": 19.5e12, "tf32": 156e12, "fp16": 312e12, "bf16": 312e12},
    scaleup_bandwidth=300e9,
)
NODES = Cluster(device=H100, devices_per_node=8, nic_bandwidth=50e9, max_devices=4096)

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
RESNET = Architecture(
    slug="resnet-50",
    name="ResNet-50",
    family="resnet",
    kind="generic",
    modality="image",
    generic_parameters=25.6e6,
    flops_per_sample=8.2e9,
    activation_bytes_per_sample=90e6,
)


def work(arch: Architecture = LLAMA_8B, *, fixed: FixedLayout | None = None, **training: object) -> TrainingWork:
    """A workload of that model; 2 billion tokens at 8,192 unless told otherwise."""
    values: dict[str, object] = {"tokens": 2e9, "sequence_length": 8192, "global_batch_size": 128, **training}
    if "samples" in training:
        values["tokens"] = 0.0
    spec = Spec(
        name="test",
        workload="training",
        model=arch,
        training=Training(**values),  # type: ignore[arg-type]
        constraints=Constraints(),
        fixed=fixed or FixedLayout(),
    )
    return work_from(spec, arch)
