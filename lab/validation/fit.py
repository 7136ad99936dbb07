"""Refine a few coefficients on measured runs: least squares on log errors, held by their ranges, robust, sources balanced.

The ranges of the assumptions are the prior (P10 to P90 of a log-normal), so a coefficient that the runs say nothing of
stays where it was. Nothing is ever fitted for one source or one row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from engine.inputs.assumptions import Assumptions
from engine.physics.assumptions import COEFFICIENTS, read_priors
from lab.validation.table import Table, predict

Floats = NDArray[np.float64]

FREE: tuple[str, ...] = (
    "gemm_sustained",
    "gemm_best.ampere",
    "gemm_best.blackwell",
    "gemm_best.blackwell-ultra",
    "gemm_fp8",
    "gemm_n0.fp8",
    "gemm_mxfp8",
    "attention_unfused_bytes",
    "ssm_passes",
    "tp_exposed_overlap",
    "tp_exposed_plain",
    "grouped_xla",
    "host_layer_2022",
    "class.megatron-plain",
)
"""The coefficients that may move, without the group name."""
ROBUST = 0.12
"""Log error beyond which a row counts linearly instead of squared."""
NOISE = 0.16
"""Log error of one row: repeated measurements differ by 0.05, sources by more; larger means more trust in the priors."""


def with_priors(assume: Assumptions) -> Assumptions:
    """The same assumptions before any measured run was looked at; the ranges stay."""
    items = {item.id: item for item in assume.all()}
    return Assumptions(
        items | {key: replace(items[key], value=value) for key, value in read_priors(COEFFICIENTS).items()}
    )


def weights(sources: Sequence[str]) -> Floats:
    """Weight of each row: a source counts with the square root of its rows, so that none drowns the others."""
    _, place, counts = np.unique(np.array(sources), return_inverse=True, return_counts=True)
    return (1.0 / np.sqrt(counts))[place] * 3.0


def fit(
    rows: Table,
    prior: Assumptions,
    *,
    free: Sequence[str] = FREE,
    keep: NDArray[np.bool_] | None = None,
    rounds: int = 8,
) -> dict[str, float]:
    """Values of the free coefficients that explain the kept rows best, by Gauss-Newton on their logs."""
    names = [f"training.{name}" for name in free]
    start = np.log([prior[name] for name in names])
    sigma = np.array([np.log(prior.get(name).high / max(prior.get(name).low, 1e-9)) / 2.56 for name in names])
    lowest = np.log([max(prior.get(name).low, 1e-9) for name in names])
    highest = np.log([prior.get(name).high for name in names])
    measured = np.log([run.measured for run in rows.runs])
    mask = np.ones(len(rows.runs), dtype=bool) if keep is None else keep
    importance = weights([run.source for run in rows.runs])[mask]
    point = start.copy()
    for _ in range(rounds):
        residual, slope = _linearised(rows, prior, names, point, measured, mask)
        robust = importance / NOISE**2 / np.sqrt(1.0 + (residual / ROBUST) ** 2)
        normal = slope.T @ (slope * robust[:, None]) + np.diag(1.0 / sigma**2)
        step = np.linalg.solve(normal, -(slope.T @ (robust * residual)) - (point - start) / sigma**2)
        point = np.clip(point + np.clip(step, -0.3, 0.3), lowest, highest)
        if np.max(np.abs(step)) < 1e-3:
            break
    return dict(zip(names, np.exp(point).tolist(), strict=True))


def _linearised(
    rows: Table, prior: Assumptions, names: Sequence[str], point: Floats, measured: Floats, mask: NDArray[np.bool_]
) -> tuple[Floats, Floats]:
    """Log errors at that point and their slopes."""

    def at(values: Floats) -> Floats:
        assume = prior.override(dict(zip(names, np.exp(values).tolist(), strict=True)))
        return np.log(predict(rows, assume).total)[mask] - measured[mask]

    residual = at(point)
    slopes = []
    for place in range(len(names)):
        moved = point.copy()
        moved[place] += 0.02
        slopes.append((at(moved) - residual) / 0.02)
    return residual, np.stack(slopes, axis=1)


def leave_one_source_out(rows: Table, prior: Assumptions, *, free: Sequence[str] = FREE) -> Floats:
    """Log error of every row, predicted with coefficients that its source took no part in."""
    return leave_out(rows, prior, [run.source for run in rows.runs], free=free)


def leave_configurations_out(rows: Table, prior: Assumptions, *, parts: int = 6, free: Sequence[str] = FREE) -> Floats:
    """Log error of every row, predicted without any row of the same source, accelerator and model; in `parts` portions."""
    keys = [f"{run.source}|{run.cluster.device.slug}|{run.arch.name}" for run in rows.runs]
    return leave_out(rows, prior, [str(crc32(key.encode()) % parts) for key in keys], free=free)


def leave_out(rows: Table, prior: Assumptions, labels: Sequence[str], *, free: Sequence[str]) -> Floats:
    """Log error of every row with coefficients from the rows of all other labels."""
    marks = np.array(labels)
    measured = np.log([run.measured for run in rows.runs])
    errors = np.zeros(len(marks))
    for mark in np.unique(marks):
        out = marks == mark
        assume = prior.override(fit(rows, prior, free=free, keep=~out))
        errors[out] = np.log(predict(rows, assume).total[out]) - measured[out]
    return errors
