"""What the frameworks of a time usually do: the choice filled in where a source is silent.

Megatron and NeMo today: micro-batch 1, largest interleave, nothing recomputed, distributed optimizer, BF16 gradients.
Megatron to 2022: micro-batch 2, full recomputation, unfused attention. XLA: no accumulation, half a forward recomputed.
"""

from __future__ import annotations

import re

from engine.inputs.architecture import Architecture
from engine.inputs.hardware import RACK, Cluster, Device
from engine.physics.activations import POLICIES
from lab.validation.row_model import Row, count, number, text_of

FRAMEWORK_WORDS: tuple[tuple[str, str], ...] = (
    ("mlperf", "mlperf"),
    ("maxtext", "maxtext"),
    ("jax", "maxtext"),
    ("pax", "maxtext"),
    ("neuron", "neuron"),
    ("mindformers", "maxtext"),
    ("habana", "fsdp-compiled"),
    ("llm-foundry", "fsdp-2023"),
    ("composer", "fsdp-2023"),
    ("mosaic", "fsdp-2023"),
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
    ("internevo", "deepspeed-2023"),
    ("deepspeed", "deepspeed"),
    ("colossal", "deepspeed"),
    ("nemo", "megatron"),
    ("megatron-bridge", "megatron"),
    ("megatron-core", "megatron"),
    ("megatron-lm 0.", "megatron-plain"),
    ("megatron", "megatron-plain"),
)

YES = ("1", "1.0", "true", "yes")
CURRENT_RELEASE = (26, 6)
"""First NeMo release with fused scaling in grouped products."""

NIC_GBIT: tuple[tuple[int, float], ...] = ((2019, 100), (2021, 200), (2024, 400), (9999, 800))
"""Usual scale-out link of one accelerator by year of release [Gbit/s]."""


def cluster_of(row: Row, device: Device, gpus: int, assumed: list[str]) -> Cluster:
    """The cluster of a row; the scale-out link is the usual one of its generation where the source is silent."""
    usual = 8 if device.scaleup_domain >= RACK else device.scaleup_domain
    node = count(row, "gpus_per_node", max(1, usual))
    gbit = _fabric(text_of(row, "internode_network"), node)
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
    name = text_of(row, "framework").lower()
    found = next((profile for word, profile in FRAMEWORK_WORDS if word in name), "fsdp")
    if found == "fsdp" and text_of(row, "compiled").lower() in YES:
        return "fsdp-compiled"
    old = text_of(row, "accelerator").startswith(("V100", "A100")) and text_of(row, "precision") == "fp16"
    if found == "megatron" and release_of(row) < CURRENT_RELEASE:
        return "megatron-2025"
    return "megatron-2022" if found == "megatron-plain" and old else found


STACK_WORDS: tuple[tuple[str, str], ...] = (
    ("mlperf", "tuned"),
    ("recipe", "tuned"),
    ("megatron-bridge", "tuned"),
    ("automodel", "tuned"),
    ("nemo", "tuned"),
    ("transformer kernel", "tuned"),
    ("maxtext", "tuned"),
    ("jax", "tuned"),
    ("llm-foundry", "tuned"),
    ("composer", "tuned"),
    ("internevo", "tuned"),
    ("oneflow", "tuned"),
    ("neuron", "tuned"),
    ("habana", "tuned"),
    ("mindformers", "tuned"),
    ("nanotron", "own"),
    ("scripts", "own"),
    ("megatron-deepspeed", "own"),
)
"""Words in a framework column → stack; who publishes a maintained framework without its maker's recipe runs it as
documented. A publisher who benchmarks its own framework, or the one that it makes for its own hardware, tunes it."""


def stack_of(row: Row) -> str:
    """How tuned what a source ran is: a recipe for that hardware, a maintained framework as documented, an own script."""
    name = text_of(row, "framework").lower()
    return next((stack for word, stack in STACK_WORDS if word in name), "documented")


def release_of(row: Row) -> tuple[int, ...]:
    """Release of the framework as (year, month, patch), where the source names one."""
    found = re.search(r"(\d\d)\.(\d\d)(?:\.(\d\d))?", text_of(row, "source").split("@")[-1] + text_of(row, "notes"))
    return tuple(int(part or 0) for part in found.groups()) if found else (0,)


def spread_sample(row: Row, gpus: int) -> tuple[int, int]:
    """Tensor- and context-parallel ranks of adapters where the source is silent and has fewer sequences than accelerators:
    tensor parallel up to four, context parallel beyond (the usual split of MLPerf's 70B model)."""
    batch = number(row, "global_batch", 0.0)
    tuned = text_of(row, "train_mode") == "lora"
    silent = (
        tuned
        and all(count(row, name, 1) == 1 for name in ("tp", "pp", "cp"))
        and text_of(row, "zero_stage") in ("", "none")
    )
    if not silent or batch < 1 or gpus <= batch or gpus % batch:
        return 1, 1
    share = int(gpus // batch)
    tensor = min(share, 4)
    return (tensor, share // tensor) if share % tensor == 0 else (1, share)


def batches(row: Row, framework: str, dp: float, pp: int, assumed: list[str]) -> tuple[float, float]:
    """Global batch [sequence] and micro-batch; without accumulation where XLA is silent, 1 or 2 for Megatron.

    Where the batch itself is not stated, enough micro-batches that its size hardly matters for the token rate.
    """
    micro = number(row, "micro_batch", 0.0)
    batch = number(row, "global_batch", 0.0)
    if micro < 0 or batch < 0:
        raise ValueError("the batch must be above 0")
    if not batch:
        assumed.append("global batch")
        micro = micro or _usual_micro_batch(framework)
        rounds = 1.0 if framework == "maxtext" and not text_of(row, "ref_tokens_per_s_per_gpu") else max(8.0, 4.0 * pp)
        return micro * dp * rounds, micro
    if micro:
        return batch, min(micro, batch / dp)
    assumed.append("micro-batch")
    share = batch / dp
    if framework in ("fsdp", "fsdp-compiled") and pp > 1:
        return batch, max(1.0, share / pp)  # torchtitan: as many micro-batches as stages
    return batch, share if framework == "maxtext" else min(share, _usual_micro_batch(framework))


def _usual_micro_batch(framework: str) -> float:
    return 2.0 if framework == "megatron-2022" else 1.0


def interleave(row: Row, framework: str, arch: Architecture, pp: int, accumulation: float, assumed: list[str]) -> int:
    if pp == 1:
        return 1
    if text_of(row, "vpp"):
        return count(row, "vpp", 1)
    assumed.append("interleaving")
    if framework not in ("megatron", "megatron-2025", "mlperf"):
        return 1
    layers = arch.layers if arch.layers % pp == 0 else arch.layers + 2
    return max(1, layers // pp) if layers % pp == 0 and accumulation >= pp else 1


def zero_stage(row: Row, framework: str, assumed: list[str]) -> tuple[int, int]:
    """ZeRO stage and the ranks of one shard group (0 = all)."""
    text = text_of(row, "zero_stage").lower()
    if (row.get("zero_stage") or "").strip().lower() == "none":
        return 0, 0
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
    if text in ("0", "ddp"):
        return 0, 0
    if text in ("fsdp", "hsdp") or digit is None:
        return 3, 8 if text == "hsdp" else 0
    return int(digit.group(1) or digit.group(2)), int(group.group(1)) if group else 0


def recompute(row: Row, framework: str, assumed: list[str]) -> float:
    """Share of a forward pass that is computed again."""
    text = (row.get("recompute") or "").strip().lower()
    stated = re.search(r"r (?:about|=|~) ?(\d+\.?\d*)", text) or re.fullmatch(r"(\d+\.?\d*)( ?%)?", text)
    if stated:
        value = float(stated.group(1))
        return min(1.0, value / 100.0 if value > 1.0 or text.endswith("%") else value)
    if text in ("nan", "?", "unknown", "n/a"):
        text = ""
    if not text:
        assumed.append("recomputation")
        return {
            "megatron-2022": 1.0,
            "maxtext": 0.5,
            "fsdp": 0.35,
            "fsdp-2023": 0.0,
            "neuron": 0.35,
            "deepspeed": 0.0,
        }.get(framework, 0.0)
    named = {
        "none": 0.0,
        "full": 1.0,
        "minimal": 0.1,
        "minimal_offloaded": 0.1,
        "selective": 0.35 if framework.startswith("fsdp") else 0.04,
    }
    if text == "selective (per op)":
        text = "selective"
    return named.get(text, 0.1 if text.startswith("selective") else 0.5)


def kept(row: Row, framework: str) -> tuple[int, float]:
    """Which tensors of a layer stay (place in `POLICIES`), and in what share of the layers they do."""
    text = text_of(row, "recompute").lower()
    if "per op" in text or (text == "selective" and framework.startswith("fsdp")):
        return POLICIES.index("operators"), 1.0
    if "mlp" in text and "selective" in text:
        return POLICIES.index("wide"), 1.0
    if "layernorm" in text or "moe_act" in text:
        return POLICIES.index("light"), 1.0
    if text.startswith("selective"):
        return POLICIES.index("core"), 1.0
    return POLICIES.index("all"), 1.0 - recompute(row, framework, [])


def sequence_parallel(row: Row, framework: str, tp: int, assumed: list[str]) -> bool:
    text = text_of(row, "sequence_parallel").lower()
    if text:
        return text in YES and tp > 1
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
        "fsdp-2023",
        "fsdp-compiled",
    )


def tensor_overlap(row: Row) -> float:
    """1 or 0 where the source says whether tensor-parallel exchange is overlapped; −1 = as the framework usually does."""
    text = text_of(row, "tp_overlap").lower()
    return -1.0 if not text else float(text in YES)


def grad_bytes(row: Row, framework: str, precision: str) -> float:
    """Bytes of one gradient element as it is kept and reduced."""
    stated = number(row, "grad_bytes", 0.0)
    if stated > 0:
        return stated
    if "pure bf16" in text_of(row, "notes") or framework in (
        "megatron",
        "megatron-2025",
        "mlperf",
        "maxtext",
        "deepspeed",
        "deepspeed-2023",
    ):
        return 2.0
    return 2.0 if framework == "megatron-2022" and precision == "fp16" else 4.0
