"""What serving needs to know of an accelerator: rates after efficiency, memory, links, and which engines run on it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from engine.inputs.architecture import Weights
from engine.inputs.assumptions import Assumptions
from engine.inputs.hardware import Device

ENGINES_OF_RUNTIME: dict[str, tuple[str, ...]] = {
    "cuda": ("vllm", "sglang", "tensorrt-llm"),
    "rocm": ("vllm", "sglang"),
    "xla": ("jetstream", "vllm"),
    "neuron": ("neuron",),
    "gaudi": ("vllm",),
    "metal": ("llama.cpp",),
    "other": ("vllm",),
}
ALSO_ON_RUNTIME: dict[str, tuple[str, ...]] = {
    "cuda": ("tgi", "triton", "llama.cpp"),
    "rocm": ("tgi", "llama.cpp"),
    "gaudi": ("tgi",),
}
_COMPUTE_SHARES = {"fp8": "fp8", "int8": "fp8", "nvfp4": "fp4", "mxfp4": "fp4"}
OWN_KERNELS = frozenset({"tensorrt-llm", "triton", "sglang", "vllm"})
"""Engines since 2025: all-reduce kernels of their own for small messages, and the next step is scheduled while this one
runs. Those of 2024 call the library and wait."""
OLD_KERNELS = frozenset({"tensorrt-llm-2024", "stack-2024"})
"""Stacks of 2024: their attention over the cache ran on vector units unless eight queries share a head of the cache."""
WEIGHT_BITS: dict[str, str] = {
    "fp16": "fp16",
    "bf16": "fp16",
    "fp8": "fp8",
    "int8": "int8",
    "int4": "int4",
    "nvfp4": "nvfp4",
    "mxfp4": "mxfp4",
    "q4": "q4",
    "q8": "q8",
}
_PLATFORM_OF_RUNTIME = {"rocm": "cdna", "gaudi": "gaudi", "xla": "tpu", "neuron": "neuron", "metal": "unified"}
_GRAPHICS_MEMORY = ("rtx-", "quadro-", "arc-", "radeon-")
_XE_GENERATIONS = frozenset({"ponte-vecchio"})
_GRAPHICS_CARDS = frozenset({"l4", "l40s", "a10", "a10g", "t4"})
_CONSUMER = re.compile(r"rtx-[2-5]0[5-9]0|radeon-rx")
_UNIFIED_MEMORY = ("apple-", "dgx-spark", "jetson", "snapdragon")


@dataclass(frozen=True, kw_only=True)
class Rates:
    """What one accelerator delivers for one precision and engine [FLOP/s, byte/s, s, byte]."""

    compute: float
    """Matrix products at the weight precision."""
    head_compute: float
    """Matrix products in 16 bits (output head)."""
    attention: float
    """Prefill attention."""
    vector: float
    """Attention over the cache on vector units, for engines without a tensor-core kernel for every shape; 0 = they have."""
    bandwidth: float
    """Reading weights."""
    experts: float
    """Rate of grouped expert products in that format against those in 8 and 16 bits."""
    kv_bandwidth: float
    """Reading the cache."""
    memory: float
    """Bytes that an engine may claim, workspace already taken off."""
    hop_s: float
    """Handing activations to the next pipeline stage."""
    layer_s: float
    step_s: float
    sequence_s: float
    ahead: bool
    """Does the engine schedule the next step while this one runs?"""
    link: float
    """Bandwidth of an all-reduce inside the scale-up domain."""
    link_latency: float
    """A small all-reduce over 8 accelerators of one scale-up domain."""
    link_ramp: float
    """What a large one adds to that before its bytes count."""
    scaling_s: float
    """Bringing what a dense product multiplies into its narrow format, for each product; 0 in 16 bits."""
    bus: float
    """Bandwidth of an all-reduce over the host bus."""
    bus_latency: float
    local: bool
    """A runtime for one user (GGUF, MLX): its expert products are as slow as its dense ones."""
    scaleup: int
    """Accelerators that the scale-up fabric joins; larger groups exchange over the host bus."""


def platform_of(device: Device) -> str:
    """Key of the platform coefficients."""
    if device.slug.startswith(_UNIFIED_MEMORY):
        return "unified"
    if device.generation == "battlemage" or device.generation.startswith("rdna"):
        return "gddr"
    if device.runtime == "rocm" and device.release_year >= 2023:
        return "cdna3"
    if device.runtime in _PLATFORM_OF_RUNTIME:
        return _PLATFORM_OF_RUNTIME[device.runtime]
    if device.generation in _XE_GENERATIONS:
        return "xe"
    if device.runtime != "cuda":
        return "other"
    if device.slug.startswith(_GRAPHICS_MEMORY) or device.slug in _GRAPHICS_CARDS:
        return "gddr"
    generation = device.generation.lower()
    return next((name for name in ("hopper", "blackwell", "ampere", "ada", "volta") if name in generation), "other")


def local_memory(device: Device) -> str:
    """Memory kind that decides how well GGUF and MLX runtimes use the bandwidth."""
    if device.runtime == "metal":
        return "apple"
    platform = platform_of(device)
    return "gb10" if platform == "unified" else "gddr" if platform == "gddr" else "hbm"


def reading_shares(device: Device, precision: str, engine: str, assume: Assumptions) -> tuple[float, float]:
    """Shares of the memory bandwidth reached while weights and while the cache are read."""
    weights, cache = 1.0, assume[_cache_share(device, engine)]
    for name in weights_rest_on(device, precision, engine):
        weights *= assume[name]
    if engine != "llama.cpp":
        cache *= assume[f"serving.platform_bandwidth.{platform_of(device)}"]
    return weights, cache


def weights_rest_on(device: Device, precision: str, engine: str) -> tuple[str, ...]:
    """The assumptions on which share of the memory bandwidth is reached while weights are read: their product."""
    if engine == "llama.cpp":
        bits = "q4" if precision in ("q4", "int4", "mxfp4") else "wide"
        return (f"serving.local_share.{local_memory(device)}.{bits}",)
    return f"serving.platform_bandwidth.{platform_of(device)}", "serving.bandwidth_share"


def _cache_share(device: Device, engine: str) -> str:
    if engine == "llama.cpp":
        return f"serving.local_share.{local_memory(device)}.cache"
    return "serving.kv_bandwidth_share"


def is_local(device: Device) -> bool:
    """A machine for a desk: unified memory or a consumer card, on which GGUF and MLX runtimes are at home."""
    return platform_of(device) == "unified" or bool(_CONSUMER.match(device.slug))


def engines_for(device: Device, wanted: str) -> tuple[str, ...]:
    """Engines to consider; empty when the wanted one does not run on the device or its rates are not published."""
    if not sixteen_bit_peak(device):
        return ()
    usual = ENGINES_OF_RUNTIME.get(device.runtime, ())
    if wanted == "auto":
        return (*usual, "llama.cpp") if is_local(device) and "llama.cpp" not in usual else usual
    return (wanted,) if wanted in usual + ALSO_ON_RUNTIME.get(device.runtime, ()) else ()


def published_on(device: Device, published: Weights) -> str:
    """The format in which a device holds the publisher's checkpoint: as it is, or in the 16 bits that the device has, where that is
    what was published or the device computes in no 8 bits."""
    if published == "mxfp4" or (published == "fp8" and "fp8" in device.dense_flops):
        return published
    return "bf16" if "bf16" in device.dense_flops or "fp16" not in device.dense_flops else "fp16"


def own_format(precision: str) -> str:
    """What GGUF and MLX runtimes call that format: 4-bit (Q4_K_M) and 8-bit (Q8_0) blocks, computed in 16 bits."""
    return {"int4": "q4", "int8": "q8"}.get(precision, precision)


def cache_format(precision: str) -> str:
    """The format of keys and values beside weights of that one, where nobody asks for another."""
    return "fp8" if precision in ("fp8", "nvfp4") else "fp16"


def compute_format(device: Device, precision: str) -> str:
    """The format that matrix products run in: weights-only formats compute in 16 bits."""
    rates = device.dense_flops
    if precision in ("fp8", "int8") and precision in rates:
        return precision
    if precision in ("nvfp4", "mxfp4") and precision in rates:
        # MXFP4 weights meet 8-bit activations on NVIDIA hardware, 4-bit ones on AMD's.
        return "fp8" if precision == "mxfp4" and device.runtime == "cuda" else precision
    return "fp16"


def compute_share(device: Device, precision: str) -> str:
    """The assumption on what share of its peak matrix products of that format reach there."""
    chosen = compute_format(device, precision)
    return f"serving.compute_share.{_COMPUTE_SHARES.get(chosen, 'fp16')}"


def exchange_rests_on(device: Device, engine: str) -> tuple[str, str]:
    """The assumptions on how long an exchange between accelerators takes: a start, and a share of the link."""
    if not _wired(device):
        return "serving.allreduce_pcie_us", "serving.pcie_link_share"
    return "serving.allreduce_fused_us" if engine in OWN_KERNELS else "serving.allreduce_us", "serving.link_share"


def _wired(device: Device) -> bool:
    """Are several of them joined by a fabric of their own?"""
    return device.scaleup_domain > 1 and device.scaleup_bandwidth > 0


def rates_for(device: Device, precision: str, engine: str, assume: Assumptions) -> Rates:
    """Rates of one accelerator after efficiency (guide/serving §3 items 1, 3 and 6)."""
    platform = platform_of(device)
    kernels = assume[f"serving.kernel_share.{engine}"]
    compute = assume[f"serving.platform_compute.{platform}"] * kernels
    weights, cache = reading_shares(device, precision, engine, assume)
    sixteen = sixteen_bit_peak(device) * compute
    chosen = compute_format(device, precision)
    peak = device.dense_flops.get(chosen, 0.0) * compute if chosen != "fp16" else sixteen
    usable = assume["serving.unified_share"] if platform == "unified" else assume["serving.kv_share"]
    return Rates(
        compute=peak * assume[compute_share(device, precision)],
        head_compute=sixteen * assume["serving.compute_share.fp16"],
        attention=sixteen * assume["serving.attention_share"] * assume[f"serving.platform_attention.{platform}"],
        vector=_vector_rate(device, engine, assume),
        bandwidth=device.memory_bandwidth * weights * kernels,
        experts=_expert_format(precision, chosen, assume),
        kv_bandwidth=device.memory_bandwidth * cache * kernels,
        memory=device.memory_bytes * usable - assume["serving.workspace_gb"] * 1e9,
        hop_s=assume["serving.local_hop_ms"] * 1e-3 if engine == "llama.cpp" else assume["serving.hop_us"] * 1e-6,
        layer_s=assume[f"serving.layer_us.{engine}"] * 1e-6,
        step_s=assume[f"serving.step_ms.{engine}"] * 1e-3,
        sequence_s=assume[f"serving.sequence_us.{engine}"] * 1e-6,
        ahead=engine in OWN_KERNELS,
        link=device.scaleup_bandwidth * assume["serving.link_share"],
        link_latency=assume["serving.allreduce_fused_us" if engine in OWN_KERNELS else "serving.allreduce_us"] * 1e-6,
        link_ramp=assume["serving.allreduce_ramp_us"] * 1e-6,
        scaling_s=assume["serving.scaling_us"] * 1e-6 if chosen != "fp16" and engine != "llama.cpp" else 0.0,
        bus=device.pcie_bandwidth * assume["serving.pcie_link_share"],
        bus_latency=assume["serving.allreduce_pcie_us"] * 1e-6,
        local=engine == "llama.cpp",
        scaleup=device.scaleup_domain if _wired(device) else 1,
    )


def _expert_format(precision: str, chosen: str, assume: Assumptions) -> float:
    """Grouped products take four bits as they are where the matrix units know the format, and unpack them first elsewhere."""
    if precision not in ("int4", "nvfp4", "mxfp4"):
        return 1.0
    return assume["serving.moe_unpacked" if chosen == "fp16" else "serving.moe_native"]


def _vector_rate(device: Device, engine: str, assume: Assumptions) -> float:
    """Rate of attention without tensor cores; 0 for engines that need it for no shape."""
    if engine not in OLD_KERNELS or device.runtime != "cuda":
        return 0.0
    return device.dense_flops.get("fp32", 0.0) * assume["serving.vector_share"]


def sixteen_bit_peak(device: Device) -> float:
    """Dense 16-bit peak; a device without one falls back on its 32-bit rate."""
    rates = device.dense_flops
    return rates.get("fp16") or rates.get("bf16") or rates.get("fp32") or 0.0
