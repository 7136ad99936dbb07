"""Stated chances against frequencies in ten bins, where what happens is drawn from errors of sources that were left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.answer import Option
from engine.odds.normal import upto
from engine.odds.waits import ended_surely
from lab.kept.outcomes import Drawer, outcome
from lab.validation.fit import Floats
from planner.asked.spans import wait_of, work_days

BINS = tuple(round(0.05 + 0.1 * number, 2) for number in range(10))
"""Middles of ten bins of a stated chance."""
HEAVIER = 1.5
"""By so much the errors are stretched where heavier tails are tried."""
DRAWS = 2000
"""Times that sources are drawn again for an interval."""


@dataclass(frozen=True, kw_only=True)
class Bin:
    """One stated chance and how often it came true."""

    stated: float
    rows: float
    """Of all rows, or draws."""
    sources: float
    """Of a source in the mean: each weighs alike."""
    interval: tuple[float, float]
    """90 % interval of the former, with sources drawn again; equal ends where nothing was drawn by source."""


def of_rows(scores: Floats, sources: NDArray[np.str_], *, stretch: float = 1.0) -> list[Bin]:
    """Of measured rows: a limit is set where the band states each chance, and it is kept or not."""
    found = []
    for stated in BINS:
        kept = scores * stretch <= upto(stated)
        names = np.unique(sources)
        found.append(
            Bin(
                stated=stated,
                rows=float(np.mean(kept)),
                sources=float(np.mean([kept[sources == name].mean() for name in names])),
                interval=again(kept.astype(float), sources),
            )
        )
    return found


def again(values: Floats, sources: NDArray[np.str_]) -> tuple[float, float]:
    """90 % interval of their mean over rows, with sources drawn with replacement."""
    names, place = np.unique(sources, return_inverse=True)
    sums, counts = np.bincount(place, values), np.bincount(place)
    picked = np.random.default_rng(7).integers(0, len(names), (DRAWS, len(names)))
    low, high = np.quantile(sums[picked].sum(axis=1) / counts[picked].sum(axis=1), (0.05, 0.95))
    return float(low), float(high)


def left_out(scores: Floats, sources: NDArray[np.str_], *, stretch: float = 1.0) -> Drawer:
    """Errors of a step drawn from those rows: a source first, each alike, then one of its rows."""
    each = [scores[sources == name] for name in np.unique(sources)]

    def draw(random: np.random.Generator, many: int) -> Floats:
        which = random.integers(0, len(each), many)
        share = random.random(many)
        found = np.empty(many)
        for number, own in enumerate(each):
            mine = which == number
            found[mine] = own[(share[mine] * len(own)).astype(int)]
        return found * stretch

    return draw


def of_plans(options: Sequence[Option], step: Drawer, *, draws: int) -> list[Bin]:
    """Of recommended runs: a deadline is set where the plan states each chance, and what happens is drawn with those errors of a step;
    all else over its range."""
    days: dict[float, list[float]] = {stated: [] for stated in BINS}
    for number, option in enumerate(options):
        found = outcome(option, np.random.default_rng([20261126, number]), draws=draws, step=step)
        wait, work = wait_of(option), work_days(option)
        for stated in BINS:
            due = ended_surely(wait, work, stated)
            days[stated].append(float(np.mean(found.days <= due)) if found.days is not None else 1.0)
    means = {stated: float(np.mean(kept)) for stated, kept in days.items()}
    return [Bin(stated=stated, rows=mean, sources=mean, interval=(mean, mean)) for stated, mean in means.items()]


def furthest(bins: Sequence[Bin]) -> float:
    """The largest difference of a frequency from what was stated."""
    return max(abs(one.rows - one.stated) for one in bins)
