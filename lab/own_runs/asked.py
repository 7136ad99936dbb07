"""What a table of mixed runs asks for: one row, one run; read here without PyTorch, so that predictions read the same table.

A folder holds `runs.csv` and `decoders.csv`, the widths of the decoders that it names.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from lab.own_runs.shape import Shape, Work

ROWS = (
    40_000_000, 39_060, 17_295, 7_424, 20_265, 3, 7_122, 1_543, 63, 40_000_000, 3_067_956, 405_282, 10, 2_209, 11_938, 155, 4,
    976, 14, 40_000_000, 40_000_000, 40_000_000, 590_152, 12_973, 108, 36,
)  # fmt: skip
"""Rows of each table of the recommender in MLPerf."""
MOST_ROWS = 8_000_000
"""Rows of its largest tables here, so that they fit: all of them together take 23 GB."""
SIDE = 8192
"""Rows and columns of the product that shows what matrix units sustain."""
DECODERS = ("script", "library")
"""Kinds that run a decoder: the one of `lab.own_runs`, or that of the Transformers library."""


@dataclass(frozen=True, kw_only=True)
class Widths:
    """A decoder by its widths, with what makes it no plain one."""

    shape: Shape
    experts: int
    top_k: int
    window: int
    """Tokens that a layer attends to; 0 = all before."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """One run of the table."""

    id: str
    group: str
    """What it is to show."""
    kind: str
    """script | library | image | encoder | speech | unet | dit | recommender | product | checkpoint | cold."""
    model: str
    """A decoder of the folder, or a model of the catalog."""
    batch: int
    """Samples of one pass."""
    accumulate: int
    sequence: int
    """Tokens of a sample; 0 for what has none."""
    precision: str
    """bf16 (autocast over FP32 weights) | tf32 | fp32."""
    recompute: bool
    compiled: bool
    lora_rank: int
    repeats: str
    """The run of the first wave that it makes again; empty for others."""


def asked(folder: Path) -> list[Asked]:
    """Every run of the folder, in order."""
    return [_run(row) for row in _read(folder / "runs.csv")]


def decoders(folder: Path) -> dict[str, Widths]:
    """Every decoder of the folder, by name."""
    return {row["name"]: _widths(row) for row in _read(folder / "decoders.csv")}


def work_of(run: Asked, widths: Widths) -> Work:
    """A decoder's run as one step."""
    return Work(
        shape=widths.shape,
        sequence=run.sequence,
        micro_batch=run.batch,
        accumulate=run.accumulate,
        zero_stage=0,
        recompute=run.recompute,
        compiled=run.compiled,
        lora_rank=run.lora_rank,
        transformers=run.kind == "library",
        precision=run.precision,
        window=widths.window,
        experts=widths.experts,
        top_k=widths.top_k,
    )


def _run(row: Mapping[str, str]) -> Asked:
    return Asked(
        id=row["id"],
        group=row["group"],
        kind=row["kind"],
        model=row["model"],
        batch=int(row["batch"]),
        accumulate=int(row["accumulate"]),
        sequence=int(row["sequence"]),
        precision=row["precision"],
        recompute=row["recompute"] == "full",
        compiled=row["compiled"] == "yes",
        lora_rank=int(row["lora_rank"]),
        repeats=row["repeats"],
    )


def _widths(row: Mapping[str, str]) -> Widths:
    shape = Shape(
        layers=int(row["layers"]),
        hidden=int(row["hidden"]),
        heads=int(row["heads"]),
        kv_heads=int(row["kv_heads"]),
        head_dim=int(row["head_dim"]),
        ffn=int(row["ffn"]),
        gated=True,
        vocab=int(row["vocab"]),
        tied=row["tied"] == "yes",
    )
    return Widths(shape=shape, experts=int(row["experts"]), top_k=int(row["top_k"]), window=int(row["window"]))


def _read(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))
