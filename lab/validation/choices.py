"""What a choice of layout costs: the measured time of the layout that predictions prefer, over the best measured one.

An ablation is what one source measured of one model on one cluster in one precision and sequence length, with at least three
layouts; times are for each token, since sources change the batch with the layout.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lab.validation.ordering import FEWEST, cluster_of_run, layout_of_run
from lab.validation.rows import Run


def choices(good: Sequence[Run], predicted: NDArray[np.float64]) -> dict[tuple[str, ...], float]:
    """For each ablation, how much longer a token takes in the layout that is predicted fastest."""
    groups: dict[tuple[str, ...], dict[tuple[float, ...], tuple[float, float]]] = {}
    for run, value in zip(good, predicted.tolist(), strict=True):
        tokens = run.global_batch * run.sequence
        groups.setdefault(cluster_of_run(run), {})[layout_of_run(run)] = (value / tokens, run.measured / tokens)
    return {
        key: min(found.values())[1] / min(measured for _, measured in found.values())
        for key, found in groups.items()
        if len(found) >= FEWEST
    }


def figures_of(found: dict[tuple[str, ...], float]) -> dict[str, float | int]:
    """Median and 90th percentile over the ablations."""
    values = list(found.values()) or [1.0]
    return {
        "groups": len(found),
        "median": round(float(np.median(values)), 4),
        "p90": round(float(np.quantile(values, 0.9)), 4),
    }
