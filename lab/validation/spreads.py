"""Spreads of the bands, set on errors of sources that were left out: hierarchical, with a level that is conformal over sources.

A row's standard deviation is the root of the squares of the spreads that apply to it. They maximise the likelihood of Student
errors (4 degrees of freedom), each source counting as few rows as its shared error leaves it, under a half-t prior on every spread
(Gelman 2006, Prior distributions for variance parameters). The level then is a conformal quantile over sources, whose rows weigh
alike (Lee, Barber and Willett 2023, arXiv 2306.06342); a source weighs as the root of its rows. Without the room that theirs leaves
for one source more: with it the bands cover 84 % of rows where 80 % are promised.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.inputs.assumptions import Assumptions
from engine.odds.bands import reasons_of
from engine.odds.normal import P90
from lab.validation.fit import Floats
from lab.validation.nested import Nested
from lab.validation.rows import Run
from lab.validation.training import also_of

COVERED = 0.8
FREEDOM = 4.0
PRIOR_FREEDOM = 3.0
ALIKE = 0.05
"""Correlation of the errors of one source: n rows tell as much as n / (1 + ALIKE·n) unrelated ones."""
FEWEST = 3
"""Sources that a spread must occur in to be set on their errors; else it stays as judged."""
STEPS = (1.6, 1.25, 1.1, 1.04)
DRAWS = 2000


@dataclass(frozen=True, kw_only=True)
class Bands:
    """Judgement of the bands with sources left out."""

    log_half_width: Floats
    constant: Floats
    """Half width of one constant band, set by the same rule."""


def matrix(runs: Sequence[Run]) -> tuple[tuple[str, ...], NDArray[np.bool_]]:
    """The spreads that occur, and which of them apply to each run."""
    each = [(*_reasons(run), *also_of(run)) for run in runs]
    names = tuple(sorted({name for one in each for name in one}))
    return names, np.array([[name in one for name in names] for one in each])


def _reasons(run: Run) -> list[str]:
    return reasons_of(run.arch, run.cluster.device, run.count, run.framework, run.precision, run.stack)


def spreads(errors: Floats, applies: NDArray[np.bool_], sources: NDArray[np.str_], usual: Floats) -> Floats:
    """The spreads of greatest posterior likelihood; `usual`: the scales of their half-t priors."""
    weight = _weights(sources)
    found = usual.copy()
    moving = [place for place in range(len(found)) if len(set(sources[applies[:, place]])) >= FEWEST]
    best = _posterior(found, errors, applies, weight, usual)
    for step in STEPS:
        for _ in range(6):
            before = best
            for place in moving:
                for factor in (step, 1.0 / step):
                    moved = found.copy()
                    moved[place] = np.clip(moved[place] * factor, 0.005, 1.5)
                    value = _posterior(moved, errors, applies, weight, usual)
                    if value > best:
                        found, best = moved, value
            if best - before < 1e-3:
                break
    return found


def _weights(sources: NDArray[np.str_]) -> Floats:
    _, place, counts = np.unique(sources, return_inverse=True, return_counts=True)
    return np.asarray((1.0 / (1.0 + ALIKE * counts))[place], dtype=np.float64)


def _posterior(values: Floats, errors: Floats, applies: NDArray[np.bool_], weight: Floats, usual: Floats) -> float:
    """Log of likelihood times priors, up to a constant."""
    variance = applies @ values**2
    likelihood = -0.5 * np.log(variance) - 0.5 * (FREEDOM + 1.0) * np.log1p(errors**2 / variance / FREEDOM)
    prior = -0.5 * (PRIOR_FREEDOM + 1.0) * np.log1p((values / usual) ** 2 / PRIOR_FREEDOM)
    return float(weight @ likelihood + prior.sum())


def level(ratios: Floats, sources: NDArray[np.str_]) -> float:
    """The ratio of error to spread that a source not seen keeps with the promised share of its rows."""
    _, place, counts = np.unique(sources, return_inverse=True, return_counts=True)
    heavy = np.sqrt(counts)
    weight = (heavy / counts / heavy.sum())[place]
    order = np.argsort(ratios)
    reached = np.cumsum(weight[order])
    if reached[-1] < COVERED:
        return float(ratios.max())
    return float(ratios[order][int(np.searchsorted(reached, COVERED))])


def shipped(errors: Floats, runs: Sequence[Run], sources: Sequence[str], prior: Assumptions) -> Mapping[str, float]:
    """What the engine's spreads are set to: those that enough sources tell of, times the level."""
    names, applies = matrix(runs)
    place = np.array(sources)
    found = spreads(errors, applies, place, _usual(names, prior))
    scale = level(np.abs(errors) / np.sqrt(applies @ found**2), place) / P90
    told = [len(set(place[which])) >= FEWEST for which in applies.T]
    return {name: float(value * scale) for name, value, known in zip(names, found, told, strict=True) if known}


def judged(result: Nested, runs: Sequence[Run], prior: Assumptions) -> Bands:
    """Half widths of every row's band, set without its source."""
    names, applies = matrix(runs)
    sources = np.array(result.sources)
    width, constant = np.zeros(len(runs)), np.zeros(len(runs))
    for fold in result.folds:
        out = sources == fold.source
        known = fold.others[~out]
        found = spreads(known, applies[~out], sources[~out], _usual(names, prior))
        scale = level(np.abs(known) / np.sqrt(applies[~out] @ found**2), sources[~out])
        width[out] = scale * np.sqrt(applies[out] @ found**2)
        constant[out] = level(np.abs(known), sources[~out])
    return Bands(log_half_width=width, constant=constant)


def _usual(names: Sequence[str], prior: Assumptions) -> Floats:
    return np.array([prior[f"training.band.{name}"] for name in names])


def interval_score(errors: Floats, half_width: Floats) -> Floats:
    """Width and penalty of an interval in the log (Gneiting and Raftery 2007, eq. 43); smaller is better."""
    found: Floats = 2.0 * half_width + 2.0 / (1.0 - COVERED) * np.maximum(np.abs(errors) - half_width, 0.0)
    return found


def coverage_interval(covered: NDArray[np.bool_], sources: Sequence[str], *, draws: int = DRAWS) -> tuple[float, float]:
    """90 % interval of the share of rows covered, sources drawn with replacement."""
    names, place = np.unique(np.array(sources), return_inverse=True)
    inside, rows = np.bincount(place, covered), np.bincount(place)
    picked = np.random.default_rng(7).integers(0, len(names), (draws, len(names)))
    shares = inside[picked].sum(axis=1) / rows[picked].sum(axis=1)
    low, high = np.quantile(shares, (0.05, 0.95))
    return float(low), float(high)
