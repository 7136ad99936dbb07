"""Step time of measured runs, predicted from their own configuration by the engine's formulas."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.inputs.assumptions import Assumptions
from engine.inputs.hardware import Device
from engine.odds.bands import band, layout_reasons
from engine.physics.profile import messages_wait
from lab.validation.fit import leave_one_source_out, with_priors
from lab.validation.ordering import ordering, rankings
from lab.validation.report import Line, Report, summary
from lab.validation.rows import Run, read_csv
from lab.validation.rows import runs as runs_of
from lab.validation.table import predict, table


def report(paths: Sequence[Path], devices: Mapping[str, Device], assume: Assumptions) -> Report:
    """Every row of the files predicted with the engine's coefficients."""
    good, bad = runs_of(read_csv(paths), devices)
    refused = [Line(part="training", id=one.id, source=one.source, refused=one.reason) for one in bad]
    lines = [*lines_of(good, assume), *refused]
    return Report(summary={**summary(lines), "ordering": ordering(rankings(good, lines))}, lines=tuple(lines))


def lines_of(good: Sequence[Run], assume: Assumptions, *, log_errors: NDArray[np.float64] | None = None) -> list[Line]:
    """One line for each run; `log_errors` replaces the engine's own predictions by those of another fit."""
    if not good:
        return []
    measured = np.array([run.measured for run in good])
    with np.errstate(all="ignore"):
        predicted = predict(table(good), assume).total if log_errors is None else measured * np.exp(log_errors)
    return [_line(run, value, assume) for run, value in zip(good, predicted.tolist(), strict=True)]


def _line(run: Run, value: float, assume: Assumptions) -> Line:
    """One run with its prediction and band; refused where no finite time follows from what it says."""
    about = Line(part="training", id=run.id, source=run.source)
    if not (math.isfinite(value) and value > 0):
        return replace(about, refused="no finite step time follows from the stated configuration")
    width = band(
        run.arch,
        run.cluster.device,
        run.count,
        run.framework,
        run.precision,
        assume,
        tuning=run.stack,
        also=also_of(run),
    )
    return replace(
        about,
        measured=run.measured,
        predicted=value,
        low=width.low(value),
        high=width.high(value),
        apart=run.group,
        assumed="; ".join(run.assumed),
        facts=_facts(run),
    )


def also_of(run: Run) -> tuple[str, ...]:
    """Reasons for a wider band that lie in the layout or the method."""
    domain = run.cluster.domain
    adapters = ("adapters",) if run.tuning.trained < 1.0 else ()
    waits = messages_wait(run.framework, run.stack)
    far = layout_reasons(tp=run.tp, pp=run.pp, nodes=run.count / domain, domain=domain, waits=waits)
    return (*adapters, *far)


def _facts(run: Run) -> dict[str, str]:
    """What the accuracy page slices by."""
    kind = "mixture of experts" if run.arch.moe else "dense, below 3 B" if run.arch.parameters < 3e9 else "dense"
    names = {"accelerator": run.cluster.device.slug, "precision": run.precision, "framework": run.framework}
    return {
        **names,
        "kind": kind,
        "accelerators": str(run.count),
        "accelerator_slug": run.cluster.device.slug,
    }


def left_out(good: Sequence[Run], assume: Assumptions) -> Report:
    """The headline rows, each predicted with coefficients that its whole source took no part in."""
    counted = [run for run in good if not run.group]
    errors = leave_one_source_out(table(counted), with_priors(assume))
    lines = lines_of(counted, assume, log_errors=errors)
    return Report(summary={**summary(lines), "ordering": ordering(rankings(counted, lines))}, lines=tuple(lines))
