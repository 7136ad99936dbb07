"""What the frameworks of a time usually do: the choice filled in where a source is silent.

Megatron and NeMo today: micro-batch 1, largest interleave, nothing recomputed, distributed optimizer, BF16 gradients.
Megatron to 2022: micro-batch 2, full recomputation, unfused attention. XLA: no accumulation, half a forward recomputed.
"""

from __future__ import annotations

import re

from planner.engine.architecture import Architecture
from planner.engine.hardware import Cluster, Device
from planner.validation.row_model import Row, number

FRAMEWORK_WORDS: tuple[tuple[str, str], ...] = (
    ("mlperf", "mlperf"),
    ("maxtext", "maxtext"),
    ("jax", "maxtext"),
    ("pax", "maxtext"),
    ("neuron", "neuron"),
    ("llm-foundry", "fsdp"),
    ("composer", "fsdp"),
    ("fsdp", "fsdp"),
    ("titan", "fsdp"),
    ("meta", "fsdp"),
    ("pytorch", "fsdp"),
    ("megatron-deepspeed", "megatron-2022"),
    ("(2019)", "megatron-2022"),
    ("(2020)", "megatron-2022"),
    ("(2021)", "megatron-2022"),
    ("(2022)", "megatron-2022"),
    ("sc21", "megatron-2022"),
    ("v2.0 era", "megatron-2022"),
    ("oneflow", "megatron-2022"),
    ("internevo", "deepspeed"),
    ("deepspeed", "deepspeed"),
    ("colossal", "deepspeed"),
    ("nemo", "megatron"),
    ("megatron-bridge", "megatron"),
    ("megatron-core", "megatron"),
    ("megatron-lm 0.", "megatron-plain"),
    ("megatron", "megatron-plain"),
)

CURRENT_RELEASE = (26, 6)
"""First NeMo release with fused scaling in grouped products."""

NIC_GBIT: tuple[tuple[int, float], ...] = ((2019, 100), (2021, 200), (2024, 400), (9999, 800))
"""Usual scale-out link of one accelerator by year of release [Gbit/s]."""


def cluster_of(row: Row, device: Device, count: int, assumed: list[str]) -> Cluster:
    """The cluster of a row; the scale-out link is the usual one of its generation where the source is silent."""
    node = int(number(row, "gpus_per_node", 8)) if row.get("gpus_per_node") else min(device.scaleup_domain, 8)
    gbit = _fabric(row.get("internode_network") or "", node)
    if not gbit:
        gbit = device.nic_bandwidth * 8e-9 or next(value for year, value in NIC_GBIT if device.release_year < year)
        assumed.append("scale-out bandwidth")
    return Cluster(device=device, devices_per_node=node, nic_bandwidth=gbit * 1e9 / 8, max_devices=131_072)


def _fabric(text: str, node: int) -> float:
    """Gbit/s of one accelerator from a description such as `4x100 Gb RoCE per node`; 0 where it cannot be read."""
    many = re.search(r"(\d)x\s?(?:ConnectX-7 IB NDR |NVIDIA Quantum-2 CX7 InfiniBand \(4?)?(\d+)\s?Gb", text)
    if "Storage" in text or "Management" in text or "Data bandwidth" in text:
        return 0.0
    if many:
        return int(many.group(1)) * float(many.group(2)) / node
    whole = re.search(r"(\d+) Gb/s \w+ per node", text)
    return float(whole.group(1)) / node if whole else 0.0


def framework_of(row: Row) -> str:
    """Profile of the framework that a source names."""
    name = (row.get("framework") or "").lower()
    found = next((profile for word, profile in FRAMEWORK_WORDS if word in name), "fsdp")
    old = row["accelerator"].startswith(("V100", "A100")) and row.get("precision") == "fp16"
    if found == "megatron" and release_of(row) < CURRENT_RELEASE:
        return "megatron-2025"
    return "megatron-2022" if found == "megatron-plain" and old else found


def release_of(row: Row) -> tuple[int, ...]:
    """Release of the framework as (year, month, patch), where the source names one."""
    found = re.search(r"(\d\d)\.(\d\d)(?:\.(\d\d))?", row["source"].split("@")[-1] + row.get("notes", ""))
    return tuple(int(part or 0) for part in found.groups()) if found else (0,)


def batches(row: Row, framework: str, dp: int, assumed: list[str]) -> tuple[float, float]:
    """Global batch [sequence] and micro-batch; without accumulation where XLA is silent, 1 or 2 for Megatron."""
    micro_text = (row.get("micro_batch") or "").strip()
    batch = number(row, "global_batch", float(micro_text) * dp if micro_text else None)
    if micro_text:
        return batch, min(float(micro_text), batch / dp)
    assumed.append("micro-batch")
    share = batch / dp
    if framework in ("maxtext", "neuron", "fsdp", "deepspeed"):
        return batch, share if framework == "maxtext" else min(share, 1.0)
    return batch, min(share, 2.0 if framework == "megatron-2022" else 1.0)


def interleave(row: Row, framework: str, arch: Architecture, pp: int, accumulation: float, assumed: list[str]) -> int:
    if pp == 1:
        return 1
    if row.get("vpp"):
        return int(number(row, "vpp"))
    assumed.append("interleaving")
    if framework not in ("megatron", "megatron-2025", "mlperf"):
        return 1
    layers = arch.layers if arch.layers % pp == 0 else arch.layers + 2
    return max(1, layers // pp) if layers % pp == 0 and accumulation >= pp else 1


def zero_stage(row: Row, framework: str, assumed: list[str]) -> tuple[int, int]:
    """ZeRO stage and the ranks of one shard group (0 = all)."""
    text = (row.get("zero_stage") or "").lower()
    if not text:
        assumed.append("sharding")
        return {
            "megatron": 1,
            "megatron-2025": 1,
            "mlperf": 1,
            "megatron-plain": 1,
            "megatron-2022": 0,
            "neuron": 1,
        }.get(framework, 3), 0
    group = re.search(r"over (\d+) ranks", text)
    digit = re.search(r"zero(\d)|\((\d)\)", text)
    if text == "none":
        return 0, 0
    if text in ("fsdp", "hsdp") or digit is None:
        return 3, 8 if text == "hsdp" else 0
    return int(digit.group(1) or digit.group(2)), int(group.group(1)) if group else 0


def recompute(row: Row, framework: str, assumed: list[str]) -> float:
    """Share of a forward pass that is computed again."""
    text = (row.get("recompute") or "").lower()
    stated = re.search(r"r (?:about|=) ([\d.]+)", text)
    if stated:
        return float(stated.group(1))
    if not text:
        assumed.append("recomputation")
        return {"megatron-2022": 1.0, "maxtext": 0.5, "fsdp": 0.35, "neuron": 0.35, "deepspeed": 0.0}.get(
            framework, 0.0
        )
    named = {
        "none": 0.0,
        "full": 1.0,
        "minimal": 0.1,
        "minimal_offloaded": 0.1,
        "selective": 0.35 if framework == "fsdp" else 0.04,
    }
    return named.get(text, 0.1 if text.startswith("selective") else 0.5)


def kept(row: Row, framework: str) -> float:
    """Share of a layer's activations that stays in memory."""
    text = (row.get("recompute") or "").lower()
    if text.startswith("selective") and framework != "fsdp":
        return 0.65
    return 1.0 - recompute(row, framework, [])


def sequence_parallel(row: Row, framework: str, tp: int, assumed: list[str]) -> bool:
    text = row.get("sequence_parallel") or ""
    if text:
        return text == "1" and tp > 1
    if tp > 1:
        assumed.append("sequence parallelism")
    return tp > 1 and framework in (
        "megatron",
        "megatron-2025",
        "mlperf",
        "megatron-plain",
        "neuron",
        "maxtext",
        "fsdp",
    )


def grad_bytes(row: Row, framework: str) -> float:
    if row.get("grad_bytes"):
        return float(row["grad_bytes"])
    if "pure bf16" in row.get("notes", "") or framework in ("megatron", "megatron-2025", "mlperf", "maxtext"):
        return 2.0
    return 2.0 if framework == "megatron-2022" and row["precision"] == "fp16" else 4.0
