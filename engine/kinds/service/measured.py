"""The measured rows most like a choice: what was measured, its value, and how far it is from the choice.

`measured_rows.csv` beside this module holds one row for each accelerator, model, engine, precision, number of
accelerators and lengths, written by `python -m lab.validation.serving_nearest`.
"""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Protocol

from engine.inputs.architecture import Architecture
from engine.inputs.hardware import Cluster

FILE = Path(__file__).with_name("measured_rows.csv")
_FAR = 4.0
"""Beyond this distance a row says nothing about the choice."""


@dataclass(frozen=True, kw_only=True)
class MeasuredRow:
    """One published measurement: saturated, static or closed-loop output tokens/s of one accelerator."""

    id: str
    accelerator: str
    model: str
    active: float
    """Parameters that work on a token."""
    engine: str
    precision: str
    devices: int
    input_tokens: float
    output_tokens: float
    value: float
    source: str


@dataclass(frozen=True, kw_only=True)
class MeasuredNear:
    """One measured row near a choice."""

    row: MeasuredRow
    distance: float
    """0 = the same configuration; about 1 = a factor e in size or length, or another accelerator."""


class _Work(Protocol):
    @property
    def arch(self) -> Architecture: ...
    @property
    def input_tokens(self) -> float: ...
    @property
    def output_tokens(self) -> float: ...


class _Choice(Protocol):
    @property
    def cluster(self) -> Cluster: ...
    @property
    def engine(self) -> str: ...
    @property
    def precision(self) -> str: ...
    @property
    def accelerators_per_replica(self) -> int: ...


@cache
def measured_rows() -> tuple[MeasuredRow, ...]:
    """All rows of the file."""
    with FILE.open(newline="", encoding="utf-8") as file:
        return tuple(
            MeasuredRow(
                id=row["id"],
                accelerator=row["accelerator"],
                model=row["model"],
                active=float(row["active"]),
                engine=row["engine"],
                precision=row["precision"],
                devices=int(row["devices"]),
                input_tokens=float(row["input_tokens"]),
                output_tokens=float(row["output_tokens"]),
                value=float(row["value"]),
                source=row["source"],
            )
            for row in csv.DictReader(file)
        )


def distance(row: MeasuredRow, work: _Work, choice: _Choice) -> float:
    """How unlike a row and a choice are: logarithms of ratios, and a step for each name that differs."""
    ratios = (
        (row.active, work.arch.active_parameters, 1.0),
        (row.devices, choice.accelerators_per_replica, 0.5),
        (row.input_tokens, work.input_tokens, 0.5),
        (row.output_tokens, work.output_tokens, 0.5),
    )
    far = sum(weight * abs(math.log(max(a, 1e-9) / max(b, 1e-9))) for a, b, weight in ratios)
    names = (
        (row.accelerator, choice.cluster.device.slug, 1.0),
        (row.engine.removesuffix("-2024"), choice.engine, 0.4),
        (row.precision.replace("bf16", "fp16"), choice.precision.replace("bf16", "fp16"), 0.5),
    )
    return far + sum(weight for a, b, weight in names if a != b)


def nearest_rows(work: _Work, choice: _Choice, *, count: int = 3) -> tuple[MeasuredNear, ...]:
    """The nearest measured rows, nearest first, at most one of each accelerator, model and engine."""
    scored = sorted(((distance(row, work, choice), row.id, row) for row in measured_rows()), key=lambda one: one[:2])
    found: dict[tuple[str, str, str], MeasuredNear] = {}
    for far, _, row in scored:
        if far > _FAR or len(found) == count:
            break
        found.setdefault((row.accelerator, row.model, row.engine), MeasuredNear(row=row, distance=round(far, 2)))
    return tuple(found.values())
