"""What the engine says of runs on a card of our own, before they are made: step time [s] and peak of memory [GB], with their bands.

It goes by the request that a plan would hold (model, batch, precision, recomputation, how tuned the stack is): PyTorch on one
accelerator, everything on it. A plan knows no fused AdamW, which these runs use: its update makes no copies. A table of
`lab.own_runs.asked` says what is run.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

import numpy as np

from catalog.presets import architectures
from engine.inputs.architecture import Architecture, Moe
from engine.inputs.assumptions import Assumptions
from engine.inputs.hardware import Cluster, Device
from engine.inputs.spec import Spec, Training
from engine.kinds.service import SERVING_ASSUMPTIONS
from engine.kinds.training.space import RECOMPUTE, RECOMPUTE_KEPT, RECOMPUTE_POLICY, RECOMPUTE_TIME
from engine.kinds.training.work import TrainingWork, optimizer_bytes, weight_bytes, work_from
from engine.odds.bands import Band, band, memory_band
from engine.physics.assumptions import TRAINING_ASSUMPTIONS
from engine.physics.chip import chip_of
from engine.physics.holding import gradient_bytes, holding_of
from engine.physics.layout import Spread
from engine.physics.memory import memory_parts
from engine.physics.profile import Stack, profile_of
from engine.physics.shape import shape_of
from engine.physics.step import step_time
from engine.reliability.assumptions import RELIABILITY_ASSUMPTIONS
from lab.own_runs.asked import DECODERS, MOST_ROWS, ROWS, SIDE, Asked, Widths, asked, decoders

OWN = ("script", "unet", "dit", "recommender")
"""Kinds whose code is a script of ours; the others are libraries as documented."""
NODE = 8
PURE = {"weight_bytes": 2.0, "optimizer_bytes": 4.0, "grad_bytes": 2.0}
"""Where nothing is kept in FP32: a weight, two moments, a gradient [byte]."""
HEADS = ("id", "step_s", "low_s", "high_s", "reserved_gb", "reserved_low_gb", "reserved_high_gb", "other_step_s")
CHECKPOINT, LOADED = 12.0, 2.0
"""Bytes of a weight as `lab.own_runs.storage` saves and loads it."""


@dataclass(frozen=True, kw_only=True)
class Said:
    """What is expected of one run."""

    step: float
    low: float
    high: float
    memory: tuple[float, float, float] | None = None
    """Expected, low, high [byte]; None where none is judged."""


def written(folder: Path, device: Device, other: Device) -> list[dict[str, str]]:
    """Every run of the folder as rows of `predicted.csv`; `other`: the card of the wave whose runs are made again."""
    known, lines = decoders(folder), []
    for run in asked(folder):
        said = expected(run, known, device)
        memory = said.memory or (np.nan, np.nan, np.nan)
        again = f"{expected(run, known, other).step:.6g}" if run.repeats else ""
        figures = [said.step, said.low, said.high, *(size / 1e9 for size in memory)]
        texts = ["" if np.isnan(value) else f"{value:.6g}" for value in figures]
        lines.append(dict(zip(HEADS, [run.id, *texts, again], strict=True)))
    return lines


def write(folder: Path, device: Device, other: Device) -> int:
    """Writes `predicted.csv` beside the table; says how many runs it holds."""
    lines = written(folder, device, other)
    with (folder / "predicted.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, HEADS, lineterminator="\n")
        table.writeheader()
        table.writerows(lines)
    return len(lines)


def expected(run: Asked, known: Mapping[str, Widths], device: Device) -> Said:
    """One run on one accelerator of that device."""
    assume = Assumptions(TRAINING_ASSUMPTIONS)
    if run.kind in ("checkpoint", "cold"):
        return _stored(run, _decoder(run.model, known[run.model]))
    cluster = Cluster(
        device=device, devices_per_node=NODE, nic_bandwidth=device.nic_bandwidth or 5e10, max_devices=NODE
    )
    if run.kind == "product":
        return _product(run, cluster, assume)
    arch = _model(run, known)
    work = _work(run, arch)
    stack = Stack("own" if run.kind in OWN else "auto", "auto", "yes" if run.compiled else "no")
    framework = "torchrec" if arch.tables else "pytorch"
    precision = run.precision.removesuffix("-weights")
    holding = holding_of("fsdp-compiled" if run.compiled else framework, assume)
    profile = profile_of(framework, assume, stack=stack)
    shape, spread = shape_of(arch), _spread(run, work, framework, precision, stack)
    chip = chip_of(cluster, precision, assume)
    with np.errstate(all="ignore"):
        step = float(step_time(shape, spread, chip, profile, assume).total)
        peak = float(memory_parts(shape, spread, profile, replace(holding, update=np.zeros(())), assume).reserved)
    also = ("adapters",) if run.lora_rank else ()
    width = band(arch, device, 1, framework, precision, assume, tuning=stack.tuning, also=also)
    room = memory_band(framework, assume)
    return _banded(step, width, memory=(peak, room.low(peak), room.high(peak)))


def _model(run: Asked, known: Mapping[str, Widths]) -> Architecture:
    if run.kind in DECODERS:
        return _decoder(run.model, known[run.model])
    arch = architectures()[run.model]
    if arch.tables is None:
        return arch
    return replace(arch, tables=replace(arch.tables, rows=sum(min(rows, MOST_ROWS) for rows in ROWS)))


def _decoder(name: str, widths: Widths) -> Architecture:
    shape = widths.shape
    return Architecture(
        slug=name,
        name=name,
        family="",
        layers=shape.layers,
        hidden=shape.hidden,
        heads=shape.heads,
        kv_heads=shape.kv_heads,
        head_dim=shape.head_dim,
        ffn=0 if widths.experts else shape.ffn,
        gated=shape.gated,
        vocab=shape.vocab,
        tied=shape.tied,
        window=widths.window,
        moe=Moe(experts=widths.experts, top_k=widths.top_k, expert_ffn=shape.ffn) if widths.experts else None,
    )


def _work(run: Asked, arch: Architecture) -> TrainingWork:
    """The request that a plan would hold."""
    training = Training(
        method="lora" if run.lora_rank else "pretrain",
        samples=1e6,
        sequence_length=run.sequence or 4096,
        global_batch_size=run.batch * run.accumulate,
        precision=run.precision.removesuffix("-weights"),  # type: ignore[arg-type]
        lora_rank=run.lora_rank or 16,
    )
    day = date(2026, 11, 28)
    return work_from(Spec(name=run.id, workload="training", model=arch, start=day, as_of=day, training=training), arch)


def _spread(run: Asked, work: TrainingWork, framework: str, precision: str, stack: Stack) -> Spread:
    """One accelerator that holds everything."""
    again = RECOMPUTE.index("full" if run.recompute else "none")
    alone = dict.fromkeys(("tp", "pp", "vpp", "cp", "ep", "dp"), 1.0)
    values = alone | {
        "sequence": work.sequence,
        "zero": 0.0,
        "shard_group": 0.0,
        "micro_batch": run.batch,
        "accumulation": run.accumulate,
        "recompute": RECOMPUTE_TIME[again],
        "policy": RECOMPUTE_POLICY[again],
        "kept": RECOMPUTE_KEPT[again],
        "sequence_parallel": 0.0,
        "grad_bytes": gradient_bytes(framework, stack.tuning, precision),
        "trained": work.trained_share,
        "weight_bytes": weight_bytes(work, precision, 0.0),
        "optimizer_bytes": optimizer_bytes(work, precision),
        "offload": 0.0,
        "dropped": 0.0,
    }
    values |= PURE if run.precision == "bf16-weights" else {}
    return Spread(**{name: np.asarray(value, dtype=np.float64) for name, value in values.items()})


def _product(run: Asked, cluster: Cluster, assume: Assumptions) -> Said:
    """One large product at the rate that the engine says is sustained; as wide as a step's base band."""
    rate = float(chip_of(cluster, run.precision, assume).gemm_rate)
    return _banded(2.0 * SIDE**3 / rate, Band(log_sigma=assume["training.band.base"], because=()))


def _stored(run: Asked, arch: Architecture) -> Said:
    """Seconds of one file at the assumed rate of storage, and at both ends of its range."""
    if run.kind == "checkpoint":
        item, size, unit = RELIABILITY_ASSUMPTIONS["reliability.storage_write_per_node"], CHECKPOINT, 1.0
    else:
        item, size, unit = SERVING_ASSUMPTIONS["serving.load_gb_s"], LOADED, 1e9
    seconds = size * arch.parameters / unit
    return Said(step=seconds / item.value, low=seconds / item.high, high=seconds / item.low)


def _banded(step: float, width: Band, *, memory: tuple[float, float, float] | None = None) -> Said:
    return Said(step=step, low=width.low(step), high=width.high(step), memory=memory)
