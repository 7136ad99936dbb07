"""Errors of predictions as one block of figures, and one line for each row."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path

import numpy as np


@dataclass(frozen=True, kw_only=True)
class Line:
    """One measured row: what was predicted for it, or why nothing was."""

    part: str
    """training | memory | a serving metric."""
    id: str
    source: str
    measured: float | None = None
    predicted: float | None = None
    low: float | None = None
    high: float | None = None
    apart: str = ""
    """Why the row stands apart from the headline."""
    refused: str = ""
    assumed: str = ""
    """What the source does not say and the usual choice filled in."""
    facts: Mapping[str, str] = field(default_factory=dict)
    """Accelerator, precision, framework, kind of model, number of accelerators: what the accuracy page slices by."""

    @property
    def error(self) -> float | None:
        """Signed relative error; None where nothing was predicted."""
        if self.measured is None or self.predicted is None:
            return None
        return self.predicted / self.measured - 1.0


@dataclass(frozen=True, kw_only=True)
class Report:
    """One part of a validation."""

    summary: Mapping[str, object]
    lines: tuple[Line, ...] = field(default=())


def summary(lines: Sequence[Line]) -> dict[str, object]:
    """The block of `validate --json` for one part."""
    counted = [line for line in lines if line.error is not None and not line.apart]
    groups = sorted({line.apart for line in lines if line.apart})
    by_source = sorted({line.source for line in counted})
    return {
        "rows": len(lines),
        "refused": dict(sorted(Counter(line.refused for line in lines if line.refused).items())),
        **figures(counted),
        "by_source": {source: figures([line for line in counted if line.source == source]) for source in by_source},
        "apart": {
            group: figures([line for line in lines if line.apart == group and line.error is not None])
            for group in groups
        },
    }


def figures(lines: Sequence[Line]) -> dict[str, float | int | None]:
    """Rows predicted, median and 90th percentile of the absolute error, bias, coverage and width of the 80 % band."""
    if not lines:
        return {"predicted": 0}
    errors = np.array([line.error for line in lines], dtype=np.float64)
    banded = [line for line in lines if line.low is not None and line.high is not None and line.measured is not None]
    inside = [line.low <= line.measured <= line.high for line in banded]  # type: ignore[operator]
    widths = [(line.high - line.low) / line.predicted for line in banded]  # type: ignore[operator]
    return {
        "predicted": len(lines),
        "median_ape": _round(np.median(np.abs(errors))),
        "p90_ape": _round(np.quantile(np.abs(errors), 0.9)),
        "bias": _round(np.median(errors)),
        "band80_coverage": _round(np.mean(inside)) if banded else None,
        "band80_median_width": _round(np.median(widths)) if banded else None,
    }


def _round(value: np.floating | float) -> float:
    return round(float(value), 4)


def write_lines(path: Path, lines: Iterable[Line]) -> None:
    """One CSV line for each row of a validation."""
    names = [item.name for item in fields(Line) if item.name != "facts"]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [*names, "error"])
        writer.writeheader()
        for line in lines:
            values = {name: getattr(line, name) for name in names}
            writer.writerow({**values, "error": "" if line.error is None else round(line.error, 5)})
