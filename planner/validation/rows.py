"""Measured training runs as published, read from CSV: what a row says, and the usual choice where it is silent.

Columns as in `docs/accuracy.md`. A row is never refused for fitting badly, only for what it does not say.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from planner.engine.architecture import Architecture, Mla, Moe
from planner.engine.hardware import Cluster, Device

Row = dict[str, str]

ACCELERATORS: Mapping[str, str] = {
    "A100-SXM": "a100-sxm4-80",
    "A100-SXM-80GB": "a100-sxm4-80",
    "A800-SXM-80GB": "a100-sxm4-80",
    "A100-SXM-40GB": "a100-sxm4-40",
    "A100-SXM-40GB (DGX A100)": "a100-sxm4-40",
    "A100-PCIe-80GB": "a100-pcie-80",
    "H100-SXM-80GB": "h100-sxm5",
    "H100-PCIe-80GB": "h100-pcie",
    "H100-NVL": "h100-nvl",
    "H200-SXM-141GB": "h200-sxm",
    "H200-NVL": "h200-nvl",
    "B200": "b200-sxm",
    "B300": "b300-sxm",
    "GB200": "gb200",
    "GB300": "gb300",
    "L40S": "l40s",
    "MI300X": "mi300x",
    "MI325X": "mi325x",
    "MI355X": "mi355x",
    "V100-SXM3-32GB (DGX-2)": "v100-sxm2-32",
    "V100-SXM2-32GB": "v100-sxm2-32",
    "V100-SXM2-16GB": "v100-sxm2-16",
    "TPU-v4": "tpu-v4",
    "TPU-v5e": "tpu-v5e",
    "TPU-v5p": "tpu-v5p",
    "TPU-v6e (Trillium)": "tpu-v6e",
    "TPU-v7 (Ironwood)": "tpu7x",
    "Trainium1": "trainium1",
    "Trainium2": "trainium2",
}
"""Names used by the sources → device slugs."""

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


@dataclass(frozen=True, kw_only=True)
class Run:
    """One measured run with nothing left open. `assumed` names what the source does not say."""

    id: str
    source: str
    """Text before the first `@`: rows of one source share their errors."""
    row: Row
    arch: Architecture
    cluster: Cluster
    count: int
    precision: str
    framework: str
    sequence: int
    global_batch: float
    micro_batch: float
    tp: int
    pp: int
    vpp: int
    cp: int
    ep: int
    zero: int
    shard_group: int
    recompute: float
    kept: float
    sequence_parallel: bool
    grad_bytes: float
    trained: float
    dropped: bool
    mode: str
    confidence: str
    measured: float
    assumed: tuple[str, ...] = ()
    group: str = ""
    """Why the row stands apart from the headline; empty = it counts."""

    @property
    def dp(self) -> float:
        return self.count / (self.tp * self.pp * self.cp)


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """A row that does not say enough, and what is missing."""

    id: str
    source: str
    reason: str


def read_csv(paths: Iterable[Path]) -> list[Row]:
    """All rows of the files, in order. FileNotFoundError names a missing one."""
    rows: list[Row] = []
    for path in paths:
        with path.open(newline="", encoding="utf-8") as file:
            rows += list(csv.DictReader(file))
    return rows


def family(source: str) -> str:
    """The source without its file and release."""
    return source.split("@")[0].strip()


def runs(
    rows: Sequence[Row], devices: Mapping[str, Device], *, memory: bool = False
) -> tuple[list[Run], list[Refusal]]:
    """Every row as a run, or as a refusal with its reason."""
    good: list[Run] = []
    bad: list[Refusal] = []
    for row in rows:
        try:
            good.append(_run(row, devices, memory=memory))
        except ValueError as fault:
            bad.append(Refusal(id=row["id"], source=family(row["source"]), reason=str(fault)))
    return (good if memory else _newest(good)), bad


def _newest(found: list[Run]) -> list[Run]:
    """Mark older releases of a configuration that is repeated."""
    latest: dict[tuple[str, ...], int] = {}
    for place, run in enumerate(found):
        key = _configuration(run)
        if key not in latest or _release(run) >= _release(found[latest[key]]):
            latest[key] = place
    return [
        run if run.group or latest[_configuration(run)] == place else replace(run, group="older release")
        for place, run in enumerate(found)
    ]


def _configuration(run: Run) -> tuple[str, ...]:
    skip = ("id", "source", "notes", "row_note", "confidence", "ref_basis", "flops_convention")
    results = (
        "step_time_s",
        "tokens_per_s_per_gpu",
        "model_tflops_per_gpu",
        "mfu",
        "memory_gb_per_gpu",
        "ref_tokens_per_s_per_gpu",
        "ref_step_time_s",
    )
    if "release" not in run.row.get("notes", ""):
        return (run.id,)
    return (
        run.source,
        *(value for key, value in run.row.items() if key not in skip and key not in results and isinstance(value, str)),
    )


def _release(run: Run) -> tuple[int, ...]:
    return _release_of(run.row)


def _release_of(row: Row) -> tuple[int, ...]:
    """Release of the framework as (year, month, patch), where the source names one."""
    found = re.search(r"(\d\d)\.(\d\d)(?:\.(\d\d))?", row["source"].split("@")[-1] + row.get("notes", ""))
    return tuple(int(part or 0) for part in found.groups()) if found else (0,)


def _run(row: Row, devices: Mapping[str, Device], *, memory: bool) -> Run:
    assumed: list[str] = []
    arch = architecture(row)
    device = _device(row, devices)
    count = int(_number(row, "gpus"))
    framework = framework_of(row)
    cores = 2 if device.runtime == "neuron" else 1
    tp = max(1, int(_number(row, "tp", 1)) // cores)
    pp = int(_number(row, "pp", 1))
    cp = int(_number(row, "cp", 1))
    sequence = int(_number(row, "seq_len"))
    if count % (tp * pp * cp):
        raise ValueError("layout does not divide the accelerators")
    batch, micro = _batches(row, framework, count // (tp * pp * cp), assumed)
    zero, group = _zero(row, framework, assumed)
    mode = row.get("train_mode") or "pretrain"
    return Run(
        id=row["id"],
        source=family(row["source"]),
        row=row,
        arch=arch,
        cluster=cluster_of(row, device, count, assumed),
        count=count,
        precision=row["precision"] or "bf16",
        framework=framework,
        sequence=sequence,
        global_batch=batch,
        micro_batch=micro,
        tp=tp,
        pp=pp,
        vpp=_interleave(row, framework, arch, pp, batch / (count / (tp * pp * cp)) / micro, assumed),
        cp=cp,
        ep=int(_number(row, "ep", 1)),
        zero=zero,
        shard_group=group,
        recompute=_recompute(row, framework, assumed),
        kept=_kept(row, framework),
        sequence_parallel=_sequence_parallel(row, framework, tp, assumed),
        grad_bytes=_grad_bytes(row, framework),
        trained=0.01 if mode == "lora" else 1.0,
        dropped=row.get("moe_dispatch") == "drop",
        mode=mode,
        confidence=row["confidence"],
        measured=float(row["memory_gb"]) if memory else _measured(row, count, sequence, batch),
        assumed=tuple(assumed),
        group=_group(row, mode),
    )


def _group(row: Row, mode: str) -> str:
    if row["confidence"] == "C":
        return "confidence C"
    if row.get("uncertain") == "1":
        return "uncertain"
    return "" if mode == "pretrain" else mode


def _number(row: Row, name: str, default: float | None = None) -> float:
    text = (row.get(name) or "").strip()
    if text:
        return float(text)
    if default is None:
        raise ValueError(f"{name} not stated")
    return default


def _measured(row: Row, count: int, sequence: int, batch: float) -> float:
    if row.get("ref_step_time_s"):
        return float(row["ref_step_time_s"])
    if row.get("ref_tokens_per_s_per_gpu"):
        return batch * sequence / (float(row["ref_tokens_per_s_per_gpu"]) * count)
    raise ValueError("no step time or token rate measured")


def _device(row: Row, devices: Mapping[str, Device]) -> Device:
    slug = ACCELERATORS.get(row["accelerator"], row["accelerator"])
    if slug not in devices:
        raise ValueError(f"accelerator {row['accelerator']} is not in the catalog")
    return devices[slug]


def cluster_of(row: Row, device: Device, count: int, assumed: list[str]) -> Cluster:
    """The cluster of a row; the scale-out link is the usual one of its generation where the source is silent."""
    node = int(_number(row, "gpus_per_node", 8)) if row.get("gpus_per_node") else min(device.scaleup_domain, 8)
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
    if found == "megatron" and _release_of(row) < CURRENT_RELEASE:
        return "megatron-2025"
    return "megatron-2022" if found == "megatron-plain" and old else found


def architecture(row: Row) -> Architecture:
    """The model of a row from its own shape columns. ValueError names what is missing."""
    if not (row.get("layers") and row.get("hidden") and row.get("heads")):
        raise ValueError("architecture not stated")
    hidden, heads = int(_number(row, "hidden")), int(_number(row, "heads"))
    head = re.search(r"head_dim (\d+)", row.get("notes", "") + row.get("row_note", ""))
    experts = int(_number(row, "moe_experts", 0))
    ffn = int(_number(row, "ffn_hidden", 4 * hidden))
    latent = experts >= 256 and hidden == 7168
    window = int(_number(row, "window", 0))
    return Architecture(
        slug=row["model"],
        name=row["model"],
        family="",
        layers=int(_number(row, "layers")),
        hidden=hidden,
        heads=heads,
        kv_heads=int(_number(row, "kv_heads", heads)),
        head_dim=int(head.group(1)) if head else max(1, hidden // heads),
        ffn=_dense_width(experts, ffn, latent=latent),
        gated=row.get("gated_mlp") != "0",
        vocab=int(_number(row, "vocab", 50257)),
        tied=row.get("gated_mlp") == "0",
        attention="mla" if latent else "mha",
        mla=Mla(q_lora_rank=1536, kv_lora_rank=512, qk_nope_head_dim=128, qk_rope_head_dim=64, v_head_dim=128)
        if latent
        else None,
        moe=_moe(row, experts, ffn, latent=latent),
        window=window,
        global_every=2 if window else 0,
        mtp_layers=int(_number(row, "mtp_layers", 0)),
    )


def _dense_width(experts: int, ffn: int, *, latent: bool) -> int:
    return 18432 if latent else ffn if not experts else 0


def _moe(row: Row, experts: int, ffn: int, *, latent: bool) -> Moe | None:
    """The mixture; the DeepSeek-V3 family (256 experts or more, hidden 7168) has one shared expert and leading dense layers."""
    if not experts:
        return None
    dense = (1 if experts > 256 else 3) if latent else 0
    return Moe(
        experts=experts,
        top_k=int(_number(row, "moe_topk")),
        expert_ffn=ffn,
        shared_experts=int(latent),
        dense_layers=dense,
    )


def _batches(row: Row, framework: str, dp: int, assumed: list[str]) -> tuple[float, float]:
    """Global batch [sequence] and micro-batch; without accumulation where XLA is silent, 1 or 2 for Megatron."""
    micro_text = (row.get("micro_batch") or "").strip()
    batch = _number(row, "global_batch", float(micro_text) * dp if micro_text else None)
    if micro_text:
        return batch, min(float(micro_text), batch / dp)
    assumed.append("micro-batch")
    share = batch / dp
    if framework in ("maxtext", "neuron", "fsdp", "deepspeed"):
        return batch, share if framework == "maxtext" else min(share, 1.0)
    return batch, min(share, 2.0 if framework == "megatron-2022" else 1.0)


def _interleave(row: Row, framework: str, arch: Architecture, pp: int, accumulation: float, assumed: list[str]) -> int:
    if pp == 1:
        return 1
    if row.get("vpp"):
        return int(_number(row, "vpp"))
    assumed.append("interleaving")
    if framework not in ("megatron", "megatron-2025", "mlperf"):
        return 1
    layers = arch.layers if arch.layers % pp == 0 else arch.layers + 2
    return max(1, layers // pp) if layers % pp == 0 and accumulation >= pp else 1


def _zero(row: Row, framework: str, assumed: list[str]) -> tuple[int, int]:
    """ZeRO stage and the ranks of one shard group (0 = all)."""
    text = (row.get("zero_stage") or "").lower()
    if not text:
        assumed.append("sharding")
        return {"megatron": 1, "megatron-2025": 1, "mlperf": 1, "megatron-plain": 1, "megatron-2022": 0, "neuron": 1}.get(framework, 3), 0
    group = re.search(r"over (\d+) ranks", text)
    digit = re.search(r"zero(\d)|\((\d)\)", text)
    if text == "none":
        return 0, 0
    if text in ("fsdp", "hsdp") or digit is None:
        return 3, 8 if text == "hsdp" else 0
    return int(digit.group(1) or digit.group(2)), int(group.group(1)) if group else 0


def _recompute(row: Row, framework: str, assumed: list[str]) -> float:
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


def _kept(row: Row, framework: str) -> float:
    """Share of a layer's activations that stays in memory."""
    text = (row.get("recompute") or "").lower()
    if text.startswith("selective") and framework != "fsdp":
        return 0.65
    return 1.0 - _recompute(row, framework, [])


def _sequence_parallel(row: Row, framework: str, tp: int, assumed: list[str]) -> bool:
    text = row.get("sequence_parallel") or ""
    if text:
        return text == "1" and tp > 1
    if tp > 1:
        assumed.append("sequence parallelism")
    return tp > 1 and framework in ("megatron", "megatron-2025", "mlperf", "megatron-plain", "neuron", "maxtext", "fsdp")


def _grad_bytes(row: Row, framework: str) -> float:
    if row.get("grad_bytes"):
        return float(row["grad_bytes"])
    if "pure bf16" in row.get("notes", "") or framework in ("megatron", "megatron-2025", "mlperf", "maxtext"):
        return 2.0
    return 2.0 if framework == "megatron-2022" and row["precision"] == "fp16" else 4.0
