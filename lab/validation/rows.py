"""Measured training runs as published, read from CSV: what a row says, and the usual choice where it is silent.

Columns as in `docs/accuracy.md`. A row is never refused for fitting badly, only for what it does not say.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from catalog.aliases import accelerator_slug
from engine.inputs.architecture import Architecture
from engine.inputs.hardware import Cluster, Device
from engine.physics.assumptions import TRAINING_ASSUMPTIONS
from lab.validation.row_defaults import (
    batches,
    cluster_of,
    framework_of,
    grad_bytes,
    interleave,
    kept,
    recompute,
    release_of,
    sequence_parallel,
    spread_sample,
    stack_of,
    tensor_overlap,
    zero_stage,
)
from lab.validation.row_model import Row, architecture, count, number, text_of
from lab.validation.tuning import Tuning, tuning_of

__all__ = ["ACCELERATORS", "Refusal", "Row", "Run", "family", "read_csv", "runs"]

ACCELERATORS: Mapping[str, str] = {
    "A100-SXM": "a100-sxm4-80",
    "A100-SXM-80GB": "a100-sxm4-80",
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
    "V100-SXM3-32GB": "v100-sxm2-32",
    "V100-PCIe-16GB": "v100-pcie-16",
    "Trillium": "tpu-v6e",
    "Ironwood": "tpu7x",
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
"""Names used by the sources → device slugs; the catalog's own table of names is asked for others."""
PRECISIONS: tuple[tuple[str, str], ...] = (
    ("nvfp4", "nvfp4"),
    ("mxfp4", "nvfp4"),
    ("fp4", "nvfp4"),
    ("mxfp8", "mxfp8"),
    ("fp8", "fp8"),
    ("float8", "fp8"),
    ("int8", "fp8"),
    ("bf16", "bf16"),
    ("bfloat16", "bf16"),
    ("fp16", "fp16"),
    ("float16", "fp16"),
    ("half", "fp16"),
    ("amp", "fp16"),
    ("mixed", "bf16"),
    ("tf32", "tf32"),
    ("fp32", "fp32"),
    ("float32", "fp32"),
    ("single", "fp32"),
)
"""Words in a precision column → name in the engine; the first that occurs counts."""


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
    stack: str
    """How tuned the source's software is: one of `engine.physics.profile.STACKS`."""
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
    policy: int
    """Place in `engine.physics.activations.POLICIES`."""
    kept: float
    sequence_parallel: bool
    grad_bytes: float
    tuning: Tuning
    dropped: bool
    tensor_overlap: float
    """1 or 0 as stated; −1 = as the framework usually does."""
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
    for place, row in enumerate(rows, start=1):
        name = text_of(row, "id") or f"row {place}"
        try:
            good.append(_run(row, name, devices, memory=memory))
        except ValueError as fault:
            bad.append(Refusal(id=name, source=family(row.get("source") or ""), reason=str(fault)))
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
    if "release" not in text_of(run.row, "notes"):
        return (run.id,)
    return (
        run.source,
        *(value for key, value in run.row.items() if key not in skip and key not in results and isinstance(value, str)),
    )


def _release(run: Run) -> tuple[int, ...]:
    return release_of(run.row)


def _run(row: Row, name: str, devices: Mapping[str, Device], *, memory: bool) -> Run:
    assumed: list[str] = []
    arch = architecture(row)
    device = _device(row, devices)
    gpus = count(row, "gpus")
    precision = precision_of(row)
    framework = framework_of(row)
    cores = 2 if device.runtime == "neuron" else 1
    tp, pp, cp = max(1, count(row, "tp", 1) // cores), count(row, "pp", 1), count(row, "cp", 1)
    sequence = count(row, "seq_len")
    if tp * pp * cp == 1 and cores == 1:
        tp, cp = spread_sample(row, gpus)
    dp = gpus / (tp * pp * cp)
    if dp < 1:
        raise ValueError("layout needs more accelerators than are stated")
    batch, micro = batches(row, framework, dp, pp, assumed)
    zero, group = zero_stage(row, framework, assumed)
    stays = kept(row, framework)
    mode = text_of(row, "train_mode") or "pretrain"
    return Run(
        id=name,
        source=family(row["source"]),
        row=row,
        arch=arch,
        cluster=cluster_of(row, device, gpus, assumed),
        count=gpus,
        precision=precision,
        framework=framework,
        stack=stack_of(row),
        sequence=sequence,
        global_batch=batch,
        micro_batch=micro,
        tp=tp,
        pp=min(pp, arch.layers),
        vpp=interleave(row, framework, arch, pp, batch / dp / micro, assumed),
        cp=cp,
        ep=count(row, "ep", 1) if arch.moe else 1,
        zero=zero,
        shard_group=group,
        recompute=recompute(row, framework, assumed),
        policy=stays[0],
        kept=stays[1],
        sequence_parallel=sequence_parallel(row, framework, tp, assumed),
        grad_bytes=grad_bytes(row, framework, precision),
        tuning=tuning_of(row, arch, mode),
        dropped=text_of(row, "moe_dispatch") == "drop",
        tensor_overlap=tensor_overlap(row),
        mode=mode,
        confidence=text_of(row, "confidence"),
        measured=_peak(row) if memory else _measured(row, gpus, sequence, batch),
        assumed=tuple(assumed),
        group=_group(row, mode),
    )


def precision_of(row: Row) -> str:
    """The engine's name of the precision that a row states; BF16 where it is silent."""
    text = text_of(row, "precision").lower()
    if not text:
        return "bf16"
    found = next((name for word, name in PRECISIONS if word in text), "")
    if not found:
        raise ValueError(f"precision {text} is not known")
    return found


def _group(row: Row, mode: str) -> str:
    if text_of(row, "confidence") == "C":
        return "confidence C"
    if text_of(row, "uncertain") in ("1", "1.0"):
        return "uncertain"
    return "" if mode == "pretrain" else mode


def _positive(row: Row, name: str) -> float:
    value = number(row, name)
    if value <= 0:
        raise ValueError(f"{name} must be above 0")
    return value


def _peak(row: Row) -> float:
    """Measured peak [GB]; infinite where the run failed for memory, or for what its source does not say."""
    what = text_of(row, "what").lower()
    if not text_of(row, "memory_gb") and ("out of memory" in what or "no result" in what):
        return float("inf")
    return _positive(row, "memory_gb")


def _measured(row: Row, gpus: int, sequence: int, batch: float) -> float:
    """Step time [s], as stated or from the token rate."""
    if text_of(row, "ref_step_time_s"):
        return _positive(row, "ref_step_time_s")
    if text_of(row, "ref_tokens_per_s_per_gpu"):
        return batch * sequence / (_positive(row, "ref_tokens_per_s_per_gpu") * gpus)
    raise ValueError("no step time or token rate measured")


def _device(row: Row, devices: Mapping[str, Device]) -> Device:
    """The device of a row, slower where the source says that its power was capped."""
    device = _named(row, devices)
    said = re.search(r"\b([2-9]\d\d|1\d{3}) ?W\b", text_of(row, "accelerator") + " " + text_of(row, "notes"))
    share = float(said.group(1)) / device.tdp_w if said and device.tdp_w else 1.0
    if not 0.4 < share < 0.95:
        return device
    slower = share ** TRAINING_ASSUMPTIONS["training.power_exponent"].value
    return replace(device, dense_flops={name: rate * slower for name, rate in device.dense_flops.items()})


def _named(row: Row, devices: Mapping[str, Device]) -> Device:
    name = text_of(row, "accelerator")
    slug = ACCELERATORS.get(name) or accelerator_slug(name) or _shorter(name)
    if slug not in devices:
        raise ValueError(f"accelerator {name or 'unnamed'} is not in the catalog")
    return devices[slug]


def _shorter(name: str) -> str:
    """The slug of a name with maker, form factor, memory size or remark around it; empty where none is found."""
    plain = re.sub(r"nvidia|amd|intel|google|aws|instinct|tesla|dgx|hgx", " ", name.lower())
    words = (
        re.sub(r"sxm\d", "sxm", plain).replace("(", " ").replace(")", " ").replace("-", " ").replace("_", " ").split()
    )
    candidates = ["-".join(words[:length]) for length in range(len(words), 0, -1)]
    return next((slug for text in candidates if (slug := accelerator_slug(text))), "")
