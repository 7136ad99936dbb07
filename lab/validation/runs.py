"""Accelerator-hours of whole published programmes, predicted by the engine's own search on the published hardware."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from engine.answer import Option
from engine.entry import recommend
from engine.inputs.architecture import Architecture
from engine.inputs.hardware import Market
from engine.inputs.spec import FixedLayout, Spec, SpecError
from engine.odds.programme import reads_text
from lab.validation.report import Line, Report, figures, summary
from lab.validation.rows import read_csv
from lab.validation.run_rows import WholeRun, market_for, whole_runs

_HALVINGS = 5


def report(paths: Sequence[Path], market: Market) -> Report:
    """Every row of the files; the headline and the tables give each organisation the same weight."""
    good, bad = whole_runs(read_csv(paths), market)
    lines = [line_of(run, market) for run in good]
    lines += [Line(part="runs", id=one.id, source=one.source, refused=one.reason) for one in bad]
    block = summary(lines)
    by_organisation = block["by_source"]
    assert isinstance(by_organisation, Mapping)
    return Report(
        summary={**block, "by_organisation": by_organisation, "alike": alike(lines)},
        lines=tuple(lines),
    )


def line_of(run: WholeRun, market: Market, *, level: float | None = None) -> Line:
    """The row with the hours that are planned for it; `level` instead of what programmes took beyond their steps, 1 for
    the steps alone."""
    language = not isinstance(run.spec.model, Architecture) or reads_text(run.spec.model)
    if level is not None:
        levels = dict.fromkeys(("training.beyond_steps.language", "training.beyond_steps.other"), level)
        run = replace(run, spec=replace(run.spec, assumptions={**run.spec.assumptions, **levels}))
    option = planned(run, market)
    if option is None:
        return Line(part="runs", id=run.id, source=run.organisation, apart=run.apart, refused="no layout was found")
    hours = option.accelerator_hours
    return Line(
        part="runs",
        id=run.id,
        source=run.organisation,
        measured=run.hours,
        predicted=hours.expected,
        low=hours.low,
        high=hours.high,
        apart=run.apart,
        facts={"accelerator": run.device.slug, "name": run.name, "kind": "language" if language else "other"},
    )


def planned(run: WholeRun, market: Market) -> Option | None:
    """The option on that many accelerators; where the count divides nothing, on half as many and so on, whose hours differ
    little. None where none is found."""
    spec, count = run.spec, run.spec.fixed.count
    for halving in range(_HALVINGS + 1):
        answer = _answer(spec, run, market)
        if answer is not None:
            return answer
        whole = 2 ** int(math.log2(count)) >> halving
        if whole < 1:
            return None
        spec = _with_count(run.spec, whole)
    return None


def _answer(spec: Spec, run: WholeRun, market: Market) -> Option | None:
    try:
        return recommend(spec, market_for(replace(run, spec=spec), market)).recommended
    except SpecError:
        return None


def _with_count(spec: Spec, count: int) -> Spec:
    """The same on a number of accelerators, with a batch, that are powers of two."""
    training = spec.training
    assert training is not None
    batch = training.global_batch_size
    size = 2 ** round(math.log2(batch)) if isinstance(batch, int) and batch > 0 else batch
    return replace(spec, fixed=FixedLayout(count=count), training=replace(training, global_batch_size=size))


def left_out(lines: Sequence[Line]) -> list[Line]:
    """Counted rows, predicted at the plan alone, each with a level of the other organisations of its kind: the median of
    their medians."""
    counted = [line for line in lines if line.error is not None and not line.apart]
    found = []
    for line in counted:
        ratios: dict[str, list[float]] = {}
        for one in counted:
            if one.source != line.source and one.facts["kind"] == line.facts["kind"]:
                ratios.setdefault(one.source, []).append((one.measured or 1.0) / (one.predicted or 1.0))
        level = float(np.median([np.median(own) for own in ratios.values()])) if ratios else 1.0
        found.append(replace(line, predicted=(line.predicted or 1.0) * level))
    return found


def alike(lines: Sequence[Line]) -> dict[str, float | int | None]:
    """Figures in which each organisation weighs the same: those of its median row."""
    counted = [line for line in lines if line.error is not None and not line.apart]
    middle = []
    for source in sorted({line.source for line in counted}):
        own = sorted((line for line in counted if line.source == source), key=lambda line: line.error or 0.0)
        middle.append(own[(len(own) - 1) // 2])
    return {**figures(middle), "organisations": len(middle), "median_row": _median(counted)}


def _median(lines: Sequence[Line]) -> float | None:
    return round(float(np.median([abs(line.error or 0.0) for line in lines])), 4) if lines else None
