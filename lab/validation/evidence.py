"""Groups of measured rows with the errors of their predictions, as the engine's evidence reads them."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from engine.inputs.hardware import Device
from engine.odds.evidence import FILE, SAME
from engine.physics.chip import curve_of
from lab.validation.report import Line, figures

METRIC = "serving.output_tokens_per_s_per_gpu"
COLUMNS = ("work", "axis", "name", "rows", "median_error", "coverage", "log_error")
_ALIKE: Mapping[str, Mapping[str, str]] = {"training": {}, "serving": SAME}
"""Precisions whose errors are told as those of another, by what was measured."""


def write(
    left_out: Sequence[Line],
    shipped: Sequence[Line],
    serving: Sequence[Line],
    memory: Sequence[Line],
    devices: Mapping[str, Device],
    path: Path = FILE,
) -> None:
    """The file of groups: training with sources left out, adapters, services and memory as they are predicted."""
    adapters = [line for line in shipped if line.apart == "lora" and line.error is not None]
    counted = [line for line in serving if line.part == METRIC]
    rows = [
        *_rows("training", left_out, devices),
        *_one("training", "method", "lora", adapters),
        *_rows("serving", counted, devices),
        *_groups("memory", "accelerator", memory, lambda line: line.facts["accelerator_slug"]),
        *_groups("memory", "framework", memory, lambda line: line.facts["framework"]),
    ]
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(sorted(rows))


def _rows(work: str, lines: Sequence[Line], devices: Mapping[str, Device]) -> Iterator[tuple[object, ...]]:
    for axis in ("accelerator", "precision", "pair", "generation"):
        yield from _groups(work, axis, lines, partial(_name, work, axis, devices=devices))


def _groups(
    work: str, axis: str, lines: Sequence[Line], name_of: Callable[[Line], str]
) -> Iterator[tuple[object, ...]]:
    """Each group of the lines that count, by that name."""
    some: dict[str, list[Line]] = {}
    for line in lines:
        if line.error is not None and not line.apart:
            some.setdefault(name_of(line), []).append(line)
    for name, group in some.items():
        yield from _one(work, axis, name, group)


def _name(work: str, axis: str, line: Line, *, devices: Mapping[str, Device]) -> str:
    device, precision = line.facts["accelerator_slug"], line.facts["precision"]
    shown = _ALIKE[work].get(precision, precision)
    if axis == "generation":
        return curve_of(devices[device])
    return {"accelerator": device, "precision": shown, "pair": f"{device} {shown}"}[axis]


def _one(work: str, axis: str, name: str, lines: Sequence[Line]) -> Iterator[tuple[object, ...]]:
    if not lines:
        return
    block = figures(lines)
    logs = [abs(np.log1p(line.error)) for line in lines if line.error is not None]
    far = round(float(np.quantile(logs, 0.8)), 4)
    yield (work, axis, name, len(lines), block["median_ape"], block["band80_coverage"], far)
