"""Errors of every measured training row with its source left out of everything, and the spreads of their bands, kept in a file.

`manage.py kept --left-out` works them out anew (minutes): coefficients and spreads are chosen without the source (`lab.validation.nested`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.inputs.assumptions import Assumptions
from engine.inputs.hardware import Market
from engine.odds.normal import P90
from engine.physics.assumptions import TRAINING_ASSUMPTIONS
from lab.validation import nested, spreads
from lab.validation.fit import Floats, with_priors
from lab.validation.rows import Run, read_csv, runs
from lab.validation.table import table

FILE = Path(__file__).parents[1] / "data/left_out.json"
_DIGITS = 5


@dataclass(frozen=True, kw_only=True)
class LeftOut:
    """Measured rows, each predicted without its source; arrays of equal length."""

    runs: tuple[Run, ...]
    sources: NDArray[np.str_]
    """Their publishers."""
    errors: Floats
    """ln(predicted / measured)."""
    sigmas: Floats
    """Standard deviation of the band of each, in the log."""

    @property
    def scores(self) -> Floats:
        """Errors in multiples of the spread, positive where the run took longer than was predicted."""
        found: Floats = -self.errors / self.sigmas
        return found

    @property
    def predicted(self) -> Floats:
        """Seconds of a step."""
        return np.asarray(np.exp(self.errors) * np.array([run.measured for run in self.runs]), dtype=np.float64)


def measured(paths: Sequence[Path], market: Market) -> list[Run]:
    """The rows of the headline."""
    return [run for run in runs(read_csv(paths), market.devices)[0] if not run.group]


def worked_out(good: list[Run], told: Callable[[int, int], None]) -> dict[str, Any]:
    """What the file holds: an error and a spread for each row. `told`: how many sources are done, of how many."""
    prior = with_priors(Assumptions(TRAINING_ASSUMPTIONS))
    result = nested.nested(table(good), prior, told=told)
    sigmas = spreads.judged(result, good, prior).log_half_width / P90
    rows = zip(good, result.errors.tolist(), sigmas.tolist(), strict=True)
    return {run.id: [round(error, _DIGITS), round(sigma, _DIGITS)] for run, error, sigma in rows}


def read(good: Sequence[Run], file: Path = FILE) -> LeftOut:
    """Those of the rows that the file knows."""
    body = json.loads(file.read_text(encoding="utf-8"))
    known = tuple(run for run in good if run.id in body)
    pairs = np.array([body[run.id] for run in known], dtype=np.float64).reshape(-1, 2)
    names = np.array([nested.publisher(run.source) for run in known])
    return LeftOut(runs=known, sources=names, errors=pairs[:, 0], sigmas=pairs[:, 1])
