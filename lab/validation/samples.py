"""Samples per second of models that are not language models, predicted from the configuration of each measured row."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from engine.inputs.assumptions import Assumptions
from engine.inputs.hardware import Device
from engine.kinds.service import SERVING_ASSUMPTIONS
from engine.kinds.service.samples import latency_of
from engine.odds.normal import P90
from engine.odds.serving import log_sigma
from engine.physics.samples import Values, batch_seconds, sample_of
from lab.validation.report import Line, Report, figures, summary
from lab.validation.rows import read_csv
from lab.validation.sample_rows import CORES, SampleCase, sample_cases


def report(paths: Sequence[Path], devices: Mapping[str, Device], assume: Assumptions | None = None) -> Report:
    """Every row of the files; the summary also by task."""
    good, bad = sample_cases(read_csv(paths), devices)
    known = assume or Assumptions(SERVING_ASSUMPTIONS)
    lines = [line_of(case, known) for case in good]
    lines += [Line(part="samples", id=one.id, source=one.source, refused=one.reason) for one in bad]
    return Report(summary={**summary(lines), "by_task": by_task(lines)}, lines=tuple(lines))


_COPIED = 5e9
"""What one process copies to accelerators and back through pageable memory [byte/s]: a thread's share of a host's memory."""
_BATCHES = (1.0, 0.5, 0.25, 0.125, 0.0625)
"""Parts of the stated batch that a server may choose to keep its promise."""
_RATES = 40
"""Rates tried for each, evenly up to the busiest."""
_TAIL = 2
"""Place of the 99th percentile."""


def predict(case: SampleCase, assume: Values) -> float:
    """Samples/s of one accelerator."""
    if case.cores:
        rate = _side_by_side(case, assume)
    elif case.limit:
        rate = max(_promised(case, assume, max(round(case.batch * part), 1)) for part in _BATCHES)
    else:
        rate = case.batch / seconds_of(case, case.device, case.batch, assume)
    return rate / (3.0 if case.trained else 1.0)


def seconds_of(case: SampleCase, device: Device, batch: float, assume: Values, *, queued: bool = True) -> float:
    """Seconds of a batch of the case's samples; `queued`: another one waits."""
    sample = sample_of(case.arch, case.tokens, assume)
    share = case.passes / sample.passes
    sample = replace(sample, operations=sample.operations * share, passes=case.passes)
    return batch_seconds(
        sample,
        device,
        precision=case.precision,
        batch=batch,
        stack=case.stack,
        host=case.host,
        queued=queued,
        assume=assume,
    )


def _side_by_side(case: SampleCase, assume: Values) -> float:
    """Of cores with a network each, one batch at a time on each, driven by one process that copies one batch at a time, before and after
    the work of a core."""
    rates = {name: rate / CORES for name, rate in case.device.dense_flops.items()}
    core = replace(case.device, dense_flops=rates, memory_bandwidth=case.device.memory_bandwidth / CORES)
    worked, copied = seconds_of(case, core, case.batch, assume, queued=False), case.batch * case.copied / _COPIED
    return CORES * case.batch / max(worked + copied, case.cores * copied)


def _promised(case: SampleCase, assume: Values, batch: float) -> float:
    """Highest rate at which the 99th percentile keeps the promise with batches of what waits; a hundredth of the busiest
    stands for none."""
    full = batch / (seconds := seconds_of(case, case.device, batch, assume))
    steps = (full * step / _RATES for step in range(_RATES - 1, 0, -1))
    kept = (rate for rate in steps if latency_of(batch, seconds, rate, "dynamic")[_TAIL] <= case.limit)
    return next(kept, full / 100)


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
