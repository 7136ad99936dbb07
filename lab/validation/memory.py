"""Peak memory of measured runs, predicted from their own configuration by the engine's formulas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from engine.inputs.assumptions import Assumptions
from engine.inputs.hardware import Device
from engine.odds.normal import P90
from engine.physics.memory import memory_parts
from lab.validation.report import Line, Report, summary
from lab.validation.row_model import text_of
from lab.validation.rows import Run, read_csv
from lab.validation.rows import runs as runs_of
from lab.validation.table import chips_and_profiles, table


def report(paths: Sequence[Path], devices: Mapping[str, Device], assume: Assumptions) -> Report:
    """Every row of the files; rows that state no sequence length or batch are refused with that reason."""
    good, bad = runs_of(read_csv(paths), devices, memory=True)
    lines = _lines(good, assume) if good else []
    lines += [Line(part="memory", id=one.id, source=one.source, refused=one.reason) for one in bad]
    return Report(summary=summary(lines), lines=tuple(lines))


def _lines(good: Sequence[Run], assume: Assumptions) -> list[Line]:
    """Allocator peaks are compared with what is allocated, device readings with everything."""
    rows = table(good)
    _, profiles = chips_and_profiles(rows, assume)
    with np.errstate(all="ignore"):
        parts = memory_parts(rows.shape, rows.spread, profiles, assume)
    allocator = np.array(["alloc" in text_of(run.row, "what") for run in good])
    predicted = np.where(allocator, parts.allocated, parts.total) / 1e9
    spread = float(np.exp(P90 * assume["training.band.memory"]))
    return [
        Line(
            part="memory",
            id=run.id,
            source=run.source,
            measured=run.measured,
            predicted=value,
            low=value / spread,
            high=value * spread,
            apart=run.group,
            assumed="; ".join(run.assumed),
        )
        for run, value in zip(good, predicted.tolist(), strict=True)
    ]
