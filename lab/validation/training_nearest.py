"""The measured training runs that a plan shows behind its step time, written by `manage.py validate --evidence`."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from engine.kinds.training.measured import COLUMNS, FILE
from lab.validation.report import Line
from lab.validation.row_model import text_of
from lab.validation.rows import Run

_ASIDE = re.compile(r"\s*[(,].*$")
_BUILD = re.compile(r"\.dev\S*")
_METHODS = {"": "pretrain", "lora": "lora", "sft": "finetune"}
"""What a run that counts, or stands apart for that reason, is a run of; others are not shown."""


def write(good: Sequence[Run], left_out: Sequence[Line], shipped: Sequence[Line], path: Path = FILE) -> None:
    """The file anew: pre-training as predicted with sources left out, the others as shipped."""
    errors = {line.id: line.error for line in (*shipped, *left_out) if line.error is not None}
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(_rows(good, errors))


def _rows(good: Sequence[Run], errors: dict[str, float]) -> Iterator[tuple[str, ...]]:
    """One row, the fastest, for each configuration as the plan shows it."""
    best: dict[tuple[str, ...], tuple[float, Run]] = {}
    for run in good:
        if run.group not in _METHODS or run.id not in errors:
            continue
        rate = run.global_batch * run.sequence / run.measured / run.count
        key = _key(run)
        if key not in best or rate > best[key][0]:
            best[key] = (rate, run)
    for key, (rate, run) in sorted(best.items()):
        yield (run.id, *key, f"{rate:.5g}", f"{errors[run.id]:.4f}", run.source)


def software_of(run: Run) -> str:
    """What the source says that the run was on, by its name: without branches, recipes and builds."""
    name = _ASIDE.sub("", text_of(run.row, "framework")).strip()
    return _BUILD.sub("", name) or run.framework


def _key(run: Run) -> tuple[str, ...]:
    names = (
        _METHODS[run.group],
        run.cluster.device.slug,
        text_of(run.row, "model"),
        f"{run.arch.active_parameters:.4g}",
    )
    return (*names, run.framework, software_of(run), run.precision, str(run.count), str(run.sequence))
