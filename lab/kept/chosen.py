"""Chances of what was chosen against what came of it: the quickest of several measured layouts, the cheapest of several sizes that
passes. What is chosen because it looks best has had the luckiest error; here nothing of its source was known.

A deadline is set between each two neighbours of the predictions, so that it is neither always kept nor never.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from lab.kept.frequencies import again
from lab.kept.left_out import LeftOut
from lab.validation.fit import Floats
from lab.validation.ordering import FEWEST, cluster_of_run, layout_of_run

ASKED = (0.5, 0.8, 0.9)
"""Confidences at which the cheapest size that passes is chosen."""
BINS = ((0.5, 0.6), (0.6, 0.7), (0.7, 0.8), (0.8, 0.9), (0.9, 1.0))
"""Of stated chances; what is chosen is never less likely than an even chance."""


@dataclass(frozen=True, kw_only=True)
class Choice:
    """What was chosen for one deadline: its stated chance, and whether it kept it."""

    source: str
    stated: float
    kept: bool


@dataclass(frozen=True, kw_only=True)
class Judged:
    """Stated chances of some choices against frequencies."""

    choices: int
    sources: int
    stated: float
    kept: float
    interval: tuple[float, float]
    """90 % interval of how often they were kept, with sources drawn again."""

    @property
    def agrees(self) -> bool:
        """Does the interval contain the stated chance?"""
        return self.interval[0] <= self.stated <= self.interval[1]


def layouts(rows: LeftOut) -> list[Choice]:
    """Of each ablation the layout that is predicted fastest, for deadlines between its alternatives."""
    each = _per_token(rows)
    found: list[Choice] = []
    for places in _ablations(rows):
        best = min(places, key=lambda place: each[place])
        found += [_choice(rows, best, due, each) for due in _between(each[places])]
    return found


def _ablations(rows: LeftOut) -> list[list[int]]:
    groups: dict[tuple[str, ...], list[int]] = {}
    for number, run in enumerate(rows.runs):
        groups.setdefault(cluster_of_run(run), []).append(number)
    return [one for one in groups.values() if len({layout_of_run(rows.runs[place]) for place in one}) >= FEWEST]


def sizes(rows: LeftOut, asked: float) -> list[Choice]:
    """Of each model that a source measured on several numbers of one accelerator: the cheapest that passes with that confidence, in
    accelerator-seconds of a token; none where nothing passes."""
    groups: dict[tuple[object, ...], list[int]] = {}
    for number, run in enumerate(rows.runs):
        key = (run.source, run.arch.name, run.cluster.device.slug, run.precision, run.sequence, run.framework)
        groups.setdefault(key, []).append(number)
    each = _per_token(rows)
    counts = np.array([run.count for run in rows.runs], dtype=float)
    found = []
    for places in groups.values():
        if len(places) < FEWEST or len({rows.runs[place].count for place in places}) < 2:
            continue
        for due in _between(each[places]):
            able = [place for place in places if _stated(rows, place, due, each) >= asked]
            if able:
                found.append(_choice(rows, min(able, key=lambda place: each[place] * counts[place]), due, each))
    return found


def judged(found: Sequence[Choice]) -> Judged:
    """All of them together."""
    sources = np.array([one.source for one in found])
    kept = np.array([one.kept for one in found], dtype=float)
    return Judged(
        choices=len(found),
        sources=len(set(sources.tolist())),
        stated=float(np.mean([one.stated for one in found])),
        kept=float(kept.mean()),
        interval=again(kept, sources),
    )


def binned(found: Sequence[Choice]) -> Iterator[tuple[tuple[float, float], Judged]]:
    """The same for each bin of the stated chance that has any."""
    for low, high in BINS:
        inside = [one for one in found if low <= one.stated < high or (high == 1.0 and one.stated >= low)]
        if inside:
            yield (low, high), judged(inside)


def luck(rows: LeftOut) -> float:
    """By how much the error of the layout that is predicted fastest is luckier than those of its ablation, in multiples of its
    spread: above zero, what was chosen takes longer than it was thought to more than others do."""
    each, scores = _per_token(rows), rows.scores
    found = [scores[min(places, key=lambda place: each[place])] - scores[places].mean() for places in _ablations(rows)]
    return float(np.mean(found))


def _per_token(rows: LeftOut) -> Floats:
    """Predicted seconds of one token: sources change the batch with the layout."""
    tokens = np.array([run.global_batch * run.sequence for run in rows.runs], dtype=float)
    return np.asarray(rows.predicted / tokens, dtype=np.float64)


def _between(values: NDArray[np.float64]) -> list[float]:
    """A deadline between each two neighbours of the predictions."""
    return [math.sqrt(less * more) for less, more in pairwise(sorted(values.tolist())) if more > less]


def _stated(rows: LeftOut, place: int, due: float, each: Floats) -> float:
    return NormalDist().cdf(math.log(due / each[place]) / rows.sigmas[place])


def _choice(rows: LeftOut, place: int, due: float, each: Floats) -> Choice:
    took = each[place] * math.exp(-rows.errors[place])
    return Choice(source=str(rows.sources[place]), stated=_stated(rows, place, due, each), kept=bool(took <= due))
