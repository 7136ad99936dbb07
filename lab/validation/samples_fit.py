"""Fits the coefficients of `physics.samples` to measured samples per second, and judges it with publishers left out.

Run `python -m lab.validation.samples_fit` to print today's values; `--left-out` prints the errors on publishers, and on
models within publishers, that a fit has not seen. Robust least squares on logarithms (Gauss–Newton with a step that is
shortened where it does not help), each coefficient with a prior; every publisher weighs as the root of its rows.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.inputs.assumptions import Assumptions
from engine.kinds.service import SERVING_ASSUMPTIONS
from engine.physics.sample_coefficients import SAMPLE_PRIORS
from lab.validation.report import figures
from lab.validation.rows import read_csv
from lab.validation.sample_rows import SampleCase, sample_cases
from lab.validation.samples import line_of, predict

ROWS = Path(__file__).resolve().parents[1] / "data" / "measured" / "samples.csv"
NAMES = tuple(SAMPLE_PRIORS)
_WIDTHS = {"serving.sample_share": 0.15, "serving.sample_ridge": 0.15}
"""Width of the priors of rates (logarithm): what hardware reaches is known better than what a stack adds."""
_WIDTH = 0.35
_NOISE = 0.25
"""Error of one row that no coefficient explains (logarithm): beyond it a row pulls less."""
_PARTS = 5
"""Groups of models that one publisher's rows are cut into."""
Vector = NDArray[np.float64]


def counted(rows: Sequence[SampleCase]) -> list[SampleCase]:
    """Rows that are fitted: the headline's and forward passes."""
    return [case for case in rows if case.apart in ("", "forward pass")]


def fit(rows: Sequence[SampleCase]) -> dict[str, float]:
    """Coefficients that these rows ask for."""
    base = {key: entry.value for key, entry in SERVING_ASSUMPTIONS.items()}
    priors = np.log([SAMPLE_PRIORS[name].value for name in NAMES])
    sizes = Counter(case.source for case in rows)
    widths = np.array([next((w for start, w in _WIDTHS.items() if name.startswith(start)), _WIDTH) for name in NAMES])
    weight = np.array([sizes[case.source] ** -0.25 for case in rows]) * 3.0
    target = np.log([case.measured for case in rows])

    def residuals(at: Vector) -> Vector:
        values = base | dict(zip(NAMES, np.exp(at).tolist(), strict=True))
        found = np.log([predict(case, values) for case in rows])
        return np.concatenate([weight * (found - target) / _NOISE, (at - priors) / widths])

    best = _least_squares(residuals, priors)
    limits = [SAMPLE_PRIORS[name] for name in NAMES]
    return {
        entry.id: entry.limits.nearest(value) if entry.limits else value
        for entry, value in zip(limits, np.exp(best).tolist(), strict=True)
    }


def _least_squares(residuals: Callable[[Vector], Vector], start: Vector) -> Vector:
    at, damping = start.copy(), 1e-2
    now = residuals(at)
    for _ in range(25):
        slope = np.stack([(residuals(at + step) - now) / 1e-4 for step in 1e-4 * np.eye(len(at))], axis=1)
        trust = 1.0 / np.sqrt(1.0 + now**2)
        normal = slope.T @ (slope * trust[:, None])
        pull = slope.T @ (trust * now)
        for _ in range(12):
            step = np.linalg.solve(normal + damping * np.diag(np.diag(normal)), -pull)
            after = residuals(at + step)
            if _cost(after) < _cost(now):
                damping = max(damping / 3, 1e-6)
                break
            damping *= 4
        else:
            return at
        done = _cost(now) - _cost(after) < 1e-5 * _cost(now)
        at, now = at + step, after
        if done:
            return at
    return at


def _cost(residuals: Vector) -> float:
    return float(np.sum(np.sqrt(1.0 + residuals**2) - 1.0))


def left_out(
    rows: Sequence[SampleCase], key: Callable[[SampleCase], str]
) -> list[tuple[SampleCase, Mapping[str, float]]]:
    """Each row with coefficients that nothing of its group took part in."""
    found: list[tuple[SampleCase, Mapping[str, float]]] = []
    for group in sorted({key(case) for case in rows}):
        values = fit([case for case in rows if key(case) != group])
        found += [(case, values) for case in rows if key(case) == group]
    return found


def by_model(case: SampleCase) -> str:
    """One of a few parts of the models; a model is in one, whoever measured it."""
    return str(sum(map(ord, case.arch.slug)) % _PARTS)


def _print(title: str, found: Sequence[tuple[SampleCase, Mapping[str, float]]]) -> None:
    entries = dict(SERVING_ASSUMPTIONS)
    lines = [
        line_of(
            case,
            Assumptions({key: entry.at(values.get(key, entry.value), entry.source) for key, entry in entries.items()}),
        )
        for case, values in found
    ]
    for part in ("", "forward pass"):
        own = [line for line in lines if line.apart == part]
        sys.stdout.write(f"{title} {part or 'headline'}: {figures(own)}\n")
        for source in sorted({line.source for line in own}):
            sys.stdout.write(f"    {source}: {figures([line for line in own if line.source == source])}\n")


def main() -> None:
    """Prints the fit, or its errors on what it has not seen."""
    from planner.market import market_from_files

    rows = counted(sample_cases(read_csv([ROWS]), market_from_files().devices)[0])
    if "--left-out" in sys.argv:
        _print("publisher left out:", left_out(rows, lambda case: case.source))
        _print("models left out:", left_out(rows, by_model))
        return
    for name, value in fit(rows).items():
        sys.stdout.write(f'    "{name}": {value:.3g},\n')


if __name__ == "__main__":
    main()
