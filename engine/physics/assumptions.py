"""Coefficients of the training model: each with value, range and source.

They stand in `physics/coefficients.csv`. Kernel curves come from the measured kernel tables of ai-dynamo/aiconfigurator
(commit 095f58a51, Apache-2.0), fitted once as `time = ideal / best * (1 + n0/n + k0/k)`. Shares and exposures are
physical priors, refined on the project's own measured runs with sources balanced; `docs/accuracy.md` shows the errors
that remain when a whole source is left out.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path

from engine.inputs.assumptions import Assumption, Limits
from engine.inputs.origin import origin

COEFFICIENTS = Path(__file__).with_name("coefficients.csv")


def read_coefficients(path: Path) -> dict[str, Assumption]:
    """Every coefficient of the file under its id `training.name`."""
    with path.open(newline="", encoding="utf-8") as file:
        return {f"training.{row['name']}": _assumption(row) for row in csv.DictReader(file)}


def read_priors(path: Path) -> dict[str, float]:
    """Values before any measured run was looked at, of those coefficients that the runs refined."""
    with path.open(newline="", encoding="utf-8") as file:
        return {f"training.{row['name']}": float(row["prior"]) for row in csv.DictReader(file) if row["prior"]}


def _assumption(row: dict[str, str]) -> Assumption:
    return Assumption(
        id=f"training.{row['name']}",
        value=float(row["value"]),
        low=float(row["low"]),
        high=float(row["high"]),
        limits=Limits(float(row["least"]), float(row["most"]), whole=bool(row["whole"])),
        unit=row["unit"],
        source=origin(row["source"]),
    )


TRAINING_ASSUMPTIONS: Mapping[str, Assumption] = read_coefficients(COEFFICIENTS)
