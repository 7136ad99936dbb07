"""Refine a few coefficients on measured runs: least squares on log errors, held by their ranges, robust, sources balanced.

The ranges of the assumptions are the prior (P10 to P90 of a log-normal), so a coefficient that the runs say nothing of
stays where it was. Nothing is ever fitted for one source or one row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from engine.inputs.assumptions import Assumptions
from engine.physics.assumptions import COEFFICIENTS, read_priors
from lab.validation.table import Table, predict

Floats = NDArray[np.float64]

FREE: tuple[str, ...] = ()
"""The coefficients that a plain fit moves, without the group name: none, since kernels and exchange that moved predicted unseen
sources worse. `manage.py nested --ship` asks anew, and refines the two levels of stacks."""
ROBUST = 0.12
"""Log error beyond which a row counts linearly instead of squared."""
NOISE = 0.12
"""Log error of one row beside the error that all rows of its source share: repeated measurements differ by 0.05."""
SHARED = 0.15
"""Log error that the rows of one source have in common: what it does not say of its software and hardware."""


def with_priors(assume: Assumptions) -> Assumptions:
    """The same assumptions before any measured run was looked at; the ranges stay."""
    items = {item.id: item for item in assume.all()}
    return Assumptions(
        items | {key: replace(items[key], value=value) for key, value in read_priors(COEFFICIENTS).items()}
    )


def apart_from_sources(values: Floats, sources: Sequence[str], robust: Floats) -> Floats:
    """Values, or slopes, of rows whose sources share an error, made independent of variance one.

    A source of n rows tells its level with a variance of SHARED² + NOISE²/n, however many rows it has, and contrasts
    within it with NOISE² (random effects, solved exactly; Searle, Casella and McCulloch, Variance Components, ch. 8).
    `robust`: weight of each row.
    """
    columns = values if values.ndim == 2 else values[:, None]
    _, place = np.unique(np.array(sources), return_inverse=True)
    total = np.bincount(place, robust)
    mean = np.stack([np.bincount(place, robust * column) / total for column in columns.T], axis=1)
    kept = 1.0 / np.sqrt(1.0 + total * (SHARED / NOISE) ** 2)
    white = np.sqrt(robust)[:, None] * (columns - ((1.0 - kept)[:, None] * mean)[place]) / NOISE
    return np.asarray(white if values.ndim == 2 else white[:, 0], dtype=np.float64)


def level(values: Floats, sources: Sequence[str]) -> Floats:
    """The median of each row's source."""
    _, place = np.unique(np.array(sources), return_inverse=True)
    medians = np.array([np.median(values[place == number]) for number in range(int(place.max()) + 1)])
    return np.asarray(medians[place], dtype=np.float64)


@dataclass(frozen=True, kw_only=True)
class Problem:
    """Rows and coefficients as a linear problem in logs, taken at the prior."""

    names: tuple[str, ...]
    residual: Floats
    slope: Floats
    sigma: Floats
    """Standard deviation that the range of each coefficient gives it [log]."""
    room: Floats
    """How far each may go down and up [log], as two rows."""
    sources: tuple[str, ...]


def problem_of(rows: Table, prior: Assumptions, free: Sequence[str]) -> Problem:
    """The linear problem at the prior."""
    names = [f"training.{name}" for name in free]
    start, sigma, room = _ranges(prior, names)
    measured = np.log([run.measured for run in rows.runs])
    residual, slope = _linearised(rows, prior, names, start, measured, np.ones(len(measured), dtype=bool))
    sources = tuple(run.source for run in rows.runs)
    return Problem(names=tuple(free), residual=residual, slope=slope, sigma=sigma, room=room - start, sources=sources)


def _ranges(prior: Assumptions, names: Sequence[str]) -> tuple[Floats, Floats, Floats]:
    """Logs of the values, their standard deviations, and the logs of both ends of the ranges."""
    ends = np.array([[max(prior.get(name).low, 1e-9), prior.get(name).high] for name in names]).reshape(-1, 2)
    start = np.log(np.array([prior[name] for name in names], dtype=float))
    return start, np.log(ends[:, 1] / ends[:, 0]) / 2.56, np.log(ends.T)


def linear(problem: Problem, free: Sequence[str], *, keep: NDArray[np.bool_], rounds: int = 4) -> Floats:
    """Log errors of all rows with the free coefficients set on the kept ones."""
    if not free:
        return problem.residual
    which = [problem.names.index(name) for name in free]
    slope, sigma, room = problem.slope[:, which], problem.sigma[which], problem.room[:, which]
    sources = [source for source, kept in zip(problem.sources, keep, strict=True) if kept]
    moved = np.zeros(len(which))
    for _ in range(rounds):
        residual = problem.residual[keep] + slope[keep] @ moved
        moved = np.clip(moved + _step(residual, slope[keep], moved, sigma, sources), room[0], room[1])
    found: Floats = problem.residual + slope @ moved
    return found


def _step(residual: Floats, slope: Floats, moved: Floats, sigma: Floats, sources: Sequence[str]) -> Floats:
    """One Gauss-Newton step; far rows count linearly."""
    robust = 1.0 / np.sqrt(1.0 + ((residual - level(residual, sources)) / ROBUST) ** 2)
    left, right = apart_from_sources(slope, sources, robust), apart_from_sources(residual, sources, robust)
    normal = left.T @ left + np.diag(1.0 / sigma**2)
    return np.asarray(np.linalg.solve(normal, -(left.T @ right) - moved / sigma**2), dtype=np.float64)


def fit(
    rows: Table,
    prior: Assumptions,
    *,
    free: Sequence[str] = FREE,
    keep: NDArray[np.bool_] | None = None,
    rounds: int = 8,
) -> dict[str, float]:
    """Values of the free coefficients that explain the kept rows best, by Gauss-Newton on their logs."""
    if not free:
        return {}
    names = [f"training.{name}" for name in free]
    start, sigma, room = _ranges(prior, names)
    measured = np.log([run.measured for run in rows.runs])
    mask = np.ones(len(rows.runs), dtype=bool) if keep is None else keep
    sources = [run.source for run, kept in zip(rows.runs, mask, strict=True) if kept]
    point = start.copy()
    for _ in range(rounds):
        residual, slope = _linearised(rows, prior, names, point, measured, mask)
        step = _step(residual, slope, point - start, sigma, sources)
        point = np.clip(point + np.clip(step, -0.3, 0.3), room[0], room[1])
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
    return residual, np.stack(slopes, axis=1) if slopes else np.zeros((len(residual), 0))


def leave_one_source_out(rows: Table, prior: Assumptions, *, free: Sequence[str] = FREE) -> Floats:
    """Log error of every row, predicted with coefficients that its source took no part in."""
    return leave_out(rows, prior, [run.source for run in rows.runs], free=free)


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
