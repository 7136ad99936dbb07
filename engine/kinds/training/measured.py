"""The measured training runs most like a choice, and how far off this project's estimate is on each of them.

`measured_runs.csv` beside this module holds one row for each accelerator, model, framework, precision, method, number of
accelerators and sequence length: the fastest measured. `manage.py validate --evidence` writes it; pre-training runs are predicted
with their whole source left out, adapters and fine-tuning as shipped.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from engine.odds import likeness

FILE = Path(__file__).with_name("measured_runs.csv")
COLUMNS = (
    "id", "method", "accelerator", "model", "parameters", "framework", "software", "precision", "devices", "sequence", "rate", "error",
    "source",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class MeasuredRun:
    """One published measurement."""

    id: str
    method: str
    """pretrain | finetune | lora."""
    accelerator: str
    model: str
    parameters: float
    """That work on a token."""
    framework: str
    """Whose costs it is reckoned with."""
    software: str
    """What the source says that it ran on."""
    precision: str
    devices: int
    sequence: int
    rate: float
    """Tokens per second of one accelerator."""
    error: float
    """Predicted step time over the measured one, less 1."""
    source: str


@dataclass(frozen=True, kw_only=True)
class Planned:
    """What a choice is compared by."""

    parameters: float
    """That work on a token."""
    method: str
    accelerator: str
    framework: str
    precision: str
    devices: int
    sequence: int


@cache
def measured_runs() -> tuple[MeasuredRun, ...]:
    """All rows of the file."""
    with FILE.open(newline="", encoding="utf-8") as file:
        return tuple(_run(row) for row in csv.DictReader(file))


def _run(row: dict[str, str]) -> MeasuredRun:
    return MeasuredRun(
        id=row["id"],
        method=row["method"],
        accelerator=row["accelerator"],
        model=row["model"],
        parameters=float(row["parameters"]),
        framework=row["framework"],
        software=row["software"],
        precision=row["precision"],
        devices=int(row["devices"]),
        sequence=int(row["sequence"]),
        rate=float(row["rate"]),
        error=float(row["error"]),
        source=row["source"],
    )


def distance(run: MeasuredRun, planned: Planned) -> float:
    """How unlike a run and a choice are (`engine.odds.likeness`)."""
    ratios = (
        (run.parameters, planned.parameters, 1.0),
        (run.devices, planned.devices, 0.5),
        (run.sequence, planned.sequence, 0.5),
    )
    names = (
        (run.accelerator, planned.accelerator, likeness.ACCELERATOR),
        (run.framework, planned.framework, likeness.SOFTWARE),
        (run.precision, planned.precision, likeness.PRECISION),
        (run.method, METHODS[planned.method], likeness.ACCELERATOR),
    )
    return likeness.distance(ratios, names)


METHODS = {"pretrain": "pretrain", "continue": "pretrain", "finetune": "finetune", "lora": "lora", "qlora": "lora"}
"""What a method is measured as: continued pre-training takes the same steps."""


@lru_cache(maxsize=512)
def nearest_runs(planned: Planned) -> tuple[tuple[MeasuredRun, float], ...]:
    """The nearest measured runs with their distances, nearest first, at most one of each accelerator, model and framework."""
    return likeness.nearest(
        measured_runs(),
        far=lambda run: distance(run, planned),
        order=lambda run: run.id,
        alike=lambda run: (run.accelerator, run.model, run.framework),
    )
