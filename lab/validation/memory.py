"""Peak memory of measured runs, predicted from their own configuration by the engine's formulas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from engine.inputs.assumptions import Assumptions
from engine.inputs.hardware import Device
from engine.odds.bands import memory_band
from engine.odds.chances import chance_within
from engine.physics.columns import stack
from engine.physics.memory import MemoryParts, memory_parts
from lab.validation.report import Line, Report, summary
from lab.validation.row_holding import gradient_bytes, holding_of_row
from lab.validation.row_model import text_of
from lab.validation.rows import Run, read_csv
from lab.validation.rows import runs as runs_of
from lab.validation.table import chips_and_profiles, table

SURE = 0.97


def report(paths: Sequence[Path], devices: Mapping[str, Device], assume: Assumptions) -> Report:
    """Every row of the files; rows that state no sequence length or batch are refused with that reason."""
    good, bad = runs_of(read_csv(paths), devices, memory=True)
    lines = _lines(good, assume) if good else []
    lines += [Line(part="memory", id=one.id, source=one.source, refused=one.reason) for one in bad]
    return Report(summary={**summary(lines), "fits": _fits(good, assume)}, lines=tuple(lines))


def _fits(good: Sequence[Run], assume: Assumptions) -> dict[str, float | int]:
    """Of all layouts, those that failed among them: how many are given a chance of at least `SURE`, and the share that ran."""
    if not good:
        return {"rows": 0, "sure": 0}
    needed = predicted(good, assume).total / 1e9
    sure = np.zeros(len(good), dtype=bool)
    for place, (run, value) in enumerate(zip(good, needed.tolist(), strict=True)):
        high = memory_band(run.framework, assume).high(value)
        sure[place] = chance_within(run.cluster.device.memory_bytes / 1e9, value, high) >= SURE
    ran = np.array([np.isfinite(run.measured) for run in good])
    share = round(float(np.mean(ran[sure])), 4) if sure.any() else 0.0
    return {"rows": len(good), "failed": int(np.sum(~ran)), "sure": int(sure.sum()), "fitted": share}


def predicted(good: Sequence[Run], assume: Assumptions) -> MemoryParts:
    """What each run holds, by cause."""
    rows = table(good)
    _, profiles = chips_and_profiles(rows, assume)
    at_once = np.array(["naive pipeline" in text_of(run.row, "notes") for run in good])
    spread = replace(
        rows.spread,
        grad_bytes=np.array([gradient_bytes(run) for run in good]),
        accumulation=np.where(at_once, 1.0, rows.spread.accumulation),
    )
    holding = stack([holding_of_row(run, assume) for run in good])
    with np.errstate(all="ignore"):
        return memory_parts(rows.shape, spread, profiles, holding, assume)


def _basis(run: Run) -> str:
    """What was read: the allocator's hand-outs, what it reserved, or the device."""
    what = text_of(run.row, "what").lower()
    if "reserved" in what and "nvidia-smi" not in what:
        return "reserved"
    return "allocated" if "alloc" in what or run.framework == "megatron-plain" else "device"


def _lines(good: Sequence[Run], assume: Assumptions) -> list[Line]:
    """Each row against what its tool reads."""
    parts = predicted(good, assume)
    bases = np.array([_basis(run) for run in good])
    values = np.select(
        [bases == "allocated", bases == "reserved"], [parts.allocated, parts.reserved], default=parts.total
    )
    values = values / 1e9
    widths = [memory_band(run.framework, assume) for run in good]
    return [
        Line(
            part="memory",
            id=run.id,
            source=run.source,
            measured=run.measured if np.isfinite(run.measured) else None,
            predicted=value,
            low=width.low(value),
            high=width.high(value),
            apart=run.group,
            assumed="; ".join(run.assumed),
            facts={"accelerator_slug": run.cluster.device.slug, "framework": run.framework},
        )
        for run, value, width in zip(good, values.tolist(), widths, strict=True)
    ]
