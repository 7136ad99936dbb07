"""What one accelerator sustains in training, from its data sheet and the efficiency curve of its generation."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np

from engine.inputs.assumptions import Assumptions
from engine.inputs.hardware import Cluster, Device
from engine.physics.columns import Array, array

CURVES = (
    "volta",
    "turing",
    "ampere",
    "ada",
    "hopper",
    "blackwell-ultra",
    "blackwell",
    "cdna2",
    "cdna3",
    "cdna4",
    "tpu",
    "trainium",
    "gaudi3",
    "gaudi",
    "ascend",
)
ATTENTION_CURVES = ("ampere", "hopper", "blackwell")
SYSTOLIC = ("tpu", "trainium")
"""Generations whose matrix unit is one large array: what does not fill it is padded."""
_SIXTEEN, _WIDE = ("bf16", "fp16"), ("fp32", "tf32")
MEASURED = ("ampere", "hopper", "blackwell", "blackwell-ultra")
"""Generations with kernel tables and measured training runs."""


@dataclass(frozen=True, kw_only=True)
class Chip:
    """Rates of one accelerator in one precision [FLOP/s, byte/s, s], or of many."""

    gemm_rate: Array
    """Large matrix products in the chosen precision."""
    gemm_n0: Array
    gemm_k0: Array
    block_scaled: Array
    """1 for block-scaled formats, whose scaling current frameworks fuse."""
    bf16_rate: Array
    """Large products that stay in 16 bits: logits."""
    sixteen_rate: Array
    """Large products in 16 bits, whatever the precision."""
    wide_rate: Array
    """Large products in FP32 or TF32, in which attention then runs too; 0 in other precisions, whose attention runs in 16 bits."""
    attention_rate: Array
    """Fused attention forward in 16 bits on long sequences, newest kernels."""
    attention_old: Array
    """The same with FlashAttention 2."""
    attention_first: Array
    """The same with FlashAttention 1."""
    attention_s0: Array
    attention_d0: Array
    tile: Array
    """Width of the tiles in which matrix units work [element]."""
    generic_rate: Array
    memory_rate: Array
    memory_bytes: Array
    link: Array
    """Bus bandwidth inside the scale-up domain."""
    joined: Array
    """Accelerators that its links join; a larger group inside a node goes over the host's bus."""
    bus: Array
    """Bus bandwidth over the host's bus."""
    link_latency: Array
    domain: Array
    node: Array
    nic: Array
    """Bus bandwidth between nodes, for one accelerator."""
    nic_latency: Array
    ring_hop: Array
    """Time of one hop of a ring inside a node, where the ring spans several."""
    tensor_wait: Array
    """What a tensor-parallel collective waits for each node that it spans."""
    pcie: Array
    torus: Array
    """Dimensions of the torus that the scale-up links form; 0 = every device reaches every other at full rate."""


def curve_of(device: Device) -> str:
    """Name of the efficiency curve of that device; "other" where nothing is known of its generation."""
    return curve_named(device.generation, device.dense_flops)


def curve_named(generation: str, dense_flops: Mapping[str, float]) -> str:
    """The same for what a catalog knows of a device.

    Blackwell Ultra is told by its FP4 rate: three times FP8 instead of twice.
    """
    if generation == "blackwell" and dense_flops.get("nvfp4", 0.0) > 2.5 * dense_flops.get("fp8", math.inf):
        return "blackwell-ultra"
    for name in CURVES:
        if generation.startswith(name):
            return name
    return "other"


def sustained_share(curve: str, assume: Assumptions) -> float:
    """Share of the dense 16-bit peak that large matrix products of long runs reach on devices of that curve (0–1)."""
    return assume[f"training.gemm_best.{curve}"] * assume["training.gemm_sustained"]


def peak(device: Device, precision: str) -> float:
    """Dense peak [FLOP/s] in that precision; 0 where the device lacks it."""
    names = {"mxfp8": ("mxfp8", "fp8"), "tf32": ("tf32", "fp32"), "fp16": ("fp16", "bf16")}.get(precision, (precision,))
    return next((device.dense_flops[name] for name in names if name in device.dense_flops), 0.0)


def sixteen_bit_peak(device: Device) -> float:
    """Dense peak in BF16, else FP16, else FP32 [FLOP/s]."""
    return peak(device, "bf16") or peak(device, "fp16") or peak(device, "fp32") or 1.0


def chip_of(cluster: Cluster, precision: str, assume: Assumptions) -> Chip:
    """Sustained rates of one cluster's accelerator in one precision; each field is an array without axes."""
    values = _rates(cluster.device, precision, assume) | _network(cluster, assume)
    return Chip(**{name: array(value) for name, value in values.items()})


def chips_of(items: Sequence[tuple[Cluster, str]], assume: Assumptions) -> Chip:
    """The same of many clusters, each in a precision; each field has one element for each."""
    known = {(cluster.device.slug, precision): (cluster.device, precision) for cluster, precision in items}
    rates = {key: _rates(device, precision, assume) for key, (device, precision) in known.items()}
    found = [rates[cluster.device.slug, precision] | _network(cluster, assume) for cluster, precision in items]
    return Chip(**{item.name: np.array([values[item.name] for values in found], dtype=float) for item in fields(Chip)})


def _rates(device: Device, precision: str, assume: Assumptions) -> dict[str, float]:
    """What the accelerator does by itself."""
    sixteen = sixteen_bit_peak(device)
    best = sustained_share(curve_of(device), assume)
    scale = 1.0 if precision in _SIXTEEN else assume[f"training.gemm_{_kind(precision)}"]
    curve = "bf16" if precision in _SIXTEEN + _WIDE else precision
    top = peak(device, precision) or sixteen
    attention = next((name for name in ATTENTION_CURVES if curve_of(device).startswith(name)), "other")
    newest = assume[f"training.attention_best.{attention}"]
    old = assume[f"training.attention_old.{attention}"]
    tabled = attention in ("ampere", "hopper")
    first = assume[f"training.attention_first.{attention}"] if tabled else old
    systolic = curve_of(device) in SYSTOLIC
    return {
        "gemm_rate": top * best * scale,
        "gemm_n0": assume[f"training.gemm_n0.{curve}"],
        "gemm_k0": assume[f"training.gemm_k0.{curve}"],
        "block_scaled": float(precision in ("mxfp8", "nvfp4")),
        "bf16_rate": min(top, sixteen) * best,
        "sixteen_rate": sixteen * best,
        "wide_rate": top * best * scale if precision in _WIDE and top < sixteen else 0.0,
        "attention_rate": sixteen * newest * assume["training.attention_share"],
        "attention_old": sixteen * old,
        "attention_first": sixteen * first,
        "attention_s0": assume[f"training.attention_s0.{attention}"],
        "attention_d0": assume["training.attention_d0_systolic" if systolic else "training.attention_d0"],
        "tile": assume["training.tile_systolic" if systolic else "training.tile"],
        "generic_rate": min(top, sixteen) * best * assume["training.generic_best"],
        "memory_rate": device.memory_bandwidth * assume["training.hbm_share"],
        "memory_bytes": device.memory_bytes,
    }


def _kind(precision: str) -> str:
    return "fp32" if precision == "tf32" else precision


_BRIDGED = 4
"""Cards that bridges join at most (H200 NVL); boards with switches join each other, as the two of a2-megagpu-16g do."""


def _network(cluster: Cluster, assume: Assumptions) -> dict[str, float]:
    """Bus bandwidths and latencies."""
    device = cluster.device
    domain = cluster.domain
    link = max(device.scaleup_bandwidth, 1e9) * assume["training.link_share"]
    bridged = 1 < device.scaleup_domain < cluster.devices_per_node and device.scaleup_domain <= _BRIDGED
    return {
        "link": link,
        "joined": device.scaleup_domain if bridged else domain,
        "bus": min(device.pcie_bandwidth * assume["training.link_share"], link) if bridged else link,
        "link_latency": assume["training.link_latency"],
        "domain": domain,
        "node": cluster.devices_per_node,
        "nic": max(cluster.nic_bandwidth, 1e8) * assume["training.nic_share"] / assume["training.oversubscription"],
        "nic_latency": assume["training.nic_latency"],
        "ring_hop": assume["training.ring_hop"],
        "tensor_wait": assume["training.tensor_wait"],
        "pcie": device.pcie_bandwidth,
        "torus": next((float(size) for size in (2, 3) if f"{size}D torus" in device.scaleup_name), 0.0),
    }
