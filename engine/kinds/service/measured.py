"""The measured rows most like a choice: what was measured, its value, and how far it is from the choice.

`measured_rows.csv` beside this module holds one row for each accelerator, model, engine, precision, number of
accelerators and lengths, written by `python -m lab.validation.serving_nearest`.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Protocol

from engine.inputs.architecture import Architecture
from engine.inputs.hardware import Cluster
from engine.odds import likeness

FILE = Path(__file__).with_name("measured_rows.csv")


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
    """Of `engine.odds.likeness`."""


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
    """How unlike a row and a choice are (`engine.odds.likeness`)."""
    ratios = (
        (row.active, work.arch.active_parameters, 1.0),
        (row.devices, choice.accelerators_per_replica, 0.5),
        (row.input_tokens, work.input_tokens, 0.5),
        (row.output_tokens, work.output_tokens, 0.5),
    )
    names = (
        (row.accelerator, choice.cluster.device.slug, likeness.ACCELERATOR),
        (row.engine.removesuffix("-2024"), choice.engine, likeness.SOFTWARE),
        (row.precision.replace("bf16", "fp16"), choice.precision.replace("bf16", "fp16"), likeness.PRECISION),
    )
    return likeness.distance(ratios, names)


def nearest_rows(work: _Work, choice: _Choice) -> tuple[MeasuredNear, ...]:
    """The nearest measured rows, nearest first, at most one of each accelerator, model and engine."""
    found = likeness.nearest(
        measured_rows(),
        far=lambda row: distance(row, work, choice),
        order=lambda row: row.id,
        alike=lambda row: (row.accelerator, row.model, row.engine),
    )
    return tuple(MeasuredNear(row=row, distance=away) for row, away in found)
