"""Samples per second of models that are not language models, predicted from the configuration of each measured row."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from engine.inputs.assumptions import Assumptions
from engine.inputs.hardware import Device
from engine.kinds.service import SERVING_ASSUMPTIONS
from engine.odds.normal import P90
from engine.odds.serving import log_sigma
from engine.physics.samples import Values, batch_seconds, sample_of
from lab.validation.report import Line, Report, figures, summary
from lab.validation.rows import read_csv
from lab.validation.sample_rows import SampleCase, sample_cases


def report(paths: Sequence[Path], devices: Mapping[str, Device], assume: Assumptions | None = None) -> Report:
    """Every row of the files; the summary also by task."""
    good, bad = sample_cases(read_csv(paths), devices)
    known = assume or Assumptions(SERVING_ASSUMPTIONS)
    lines = [line_of(case, known) for case in good]
    lines += [Line(part="samples", id=one.id, source=one.source, refused=one.reason) for one in bad]
    return Report(summary={**summary(lines), "by_task": by_task(lines)}, lines=tuple(lines))


def predict(case: SampleCase, assume: Values) -> float:
    """Samples/s of one accelerator."""
    sample = sample_of(case.arch, case.tokens, assume)
    share = case.passes / sample.passes
    sample = replace(sample, operations=sample.operations * share, passes=case.passes)
    seconds = batch_seconds(
        sample,
        case.device,
        precision=case.precision,
        batch=case.batch,
        stack=case.stack,
        host=case.host,
        assume=assume,
    )
    return case.batch / seconds / (3.0 if case.trained else 1.0)


def line_of(case: SampleCase, assume: Assumptions) -> Line:
    value = predict(case, assume)
    spread = math.exp(P90 * log_sigma(case.device, "sample"))
    return Line(
        part="samples",
        id=case.id,
        source=case.source,
        measured=case.measured,
        predicted=value,
        low=value / spread,
        high=value * spread,
        apart=case.apart,
        facts={
            "task": case.task,
            "accelerator": case.device.slug,
            "precision": case.precision,
            "framework": case.stack,
        },
    )


def by_task(lines: Sequence[Line]) -> dict[str, object]:
    """Figures of each task, rows that stand apart left out."""
    counted = [line for line in lines if line.error is not None and not line.apart]
    names = sorted({line.facts["task"] for line in counted})
    return {name: figures([line for line in counted if line.facts["task"] == name]) for name in names}
