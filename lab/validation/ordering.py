"""Does the engine rank layouts as measurements do? Choosing a layout is the product, so the order counts, not the time.

A group is what one source measured of one model on one cluster in one precision and sequence length; its rows differ by
layout. They are compared by time for each token, since sources change the batch with the layout.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lab.validation.report import Line
from lab.validation.rows import Run

FEWEST = 3
"""Layouts that make a ranking."""


@dataclass(frozen=True, kw_only=True)
class Ranking:
    """One group and how well its order was found."""

    name: str
    layouts: int
    tau: float
    """Kendall's τ-b: 1 = same order, 0 = no relation, −1 = reversed."""


def kendall_tau(first: Sequence[float], second: Sequence[float]) -> float:
    """τ-b of two rankings (Kendall 1945): ties count on neither side. 0 where one of them ranks nothing."""
    ahead = _signs(first) * _signs(second)
    ranked = np.sqrt(float(np.count_nonzero(_signs(first))) * float(np.count_nonzero(_signs(second))))
    return float(np.sum(ahead)) / ranked if ranked else 0.0


def _signs(values: Sequence[float]) -> NDArray[np.float64]:
    """Sign of every difference."""
    column = np.asarray(values, dtype=np.float64)
    signs: NDArray[np.float64] = np.sign(column[:, None] - column[None, :])
    return signs


def rankings(good: Sequence[Run], lines: Sequence[Line]) -> list[Ranking]:
    """Every group of at least three layouts among the rows of the headline."""
    predicted = {line.id: line.predicted for line in lines if line.predicted}
    groups: dict[tuple[str, ...], dict[tuple[float, ...], tuple[float, float]]] = {}
    for run in good:
        if run.group or run.id not in predicted:
            continue
        tokens = run.global_batch * run.sequence
        found = (run.measured / tokens, float(predicted[run.id] or 0.0) / tokens)
        groups.setdefault(cluster_of_run(run), {})[layout_of_run(run)] = found
    return [
        Ranking(name=" · ".join(key), layouts=len(found), tau=kendall_tau(*zip(*found.values(), strict=True)))
        for key, found in groups.items()
        if len(found) >= FEWEST
    ]


def cluster_of_run(run: Run) -> tuple[str, ...]:
    device = run.cluster.device.slug
    arch = run.arch
    # One name may stand for several shapes: BLOOM's prototypes differ in heads.
    model = f"{arch.name} ({arch.layers} layers of {arch.hidden:,}, {arch.heads} heads)"
    return (run.source, model, f"{run.count} × {device}", run.precision, f"{run.sequence:,} tokens", run.framework)


def layout_of_run(run: Run) -> tuple[float, ...]:
    parallel = (run.tp, run.pp, run.vpp, run.cp, run.ep, run.zero, run.shard_group)
    return (*parallel, run.micro_batch, round(run.recompute, 2), run.global_batch)


def ordering(found: Sequence[Ranking]) -> dict[str, float | int | None]:
    """The block of `validate --json`."""
    taus = [one.tau for one in found]
    return {
        "groups": len(found),
        "median_tau": round(float(np.median(taus)), 3) if taus else None,
        "mean_tau": round(float(np.mean(taus)), 3) if taus else None,
    }
