"""From many (source, layout) pairs to a choice: feasible → Pareto front → ranked. Arrays in, indices out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.inputs.assumptions import Assumption, Limits
from engine.inputs.spec import Objective

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

SELECT_ASSUMPTIONS: Mapping[str, Assumption] = {
    item.id: item
    for item in (
        Assumption(
            id="select.confidence",
            value=0.8,
            low=0.5,
            high=0.95,
            limits=Limits(0.01, 0.99),
            unit="1",
            meaning="chance with which a recommended plan must keep all its limits together; `confidence` of the request sets it",
            source="planning convention: the upper end of the 80 % band is the 90th percentile",
        ),
        Assumption(
            id="select.fits",
            value=0.97,
            low=0.9,
            high=0.99,
            limits=Limits(0.5, 0.999),
            unit="1",
            meaning="chance with which a run must fit into memory; `confidence.memory` of the request sets it",
            source="planning convention: a run that does not fit does not start, so three of a hundred are left to it",
        ),
        Assumption(
            id="select.patience",
            value=365.0,
            low=90.0,
            high=730.0,
            limits=Limits(1, 10_000),
            unit="day",
            meaning="longest that a single run may last to be recommended, of however many the programme has",
            source="planning convention: hardware and models age faster than that",
        ),
        Assumption(
            id="select.programme",
            value=1095.0,
            low=365.0,
            high=1825.0,
            limits=Limits(1, 36_500),
            unit="day",
            meaning="longest that several runs and experiments may take together to be recommended; a longer stated horizon holds",
            source="planning convention: three years, the term of a long commitment; servers are written off in four to six",
        ),
        Assumption(
            id="select.near_equal",
            value=0.02,
            low=0.0,
            high=0.05,
            limits=Limits(0, 1),
            unit="1",
            meaning="difference in cost below which the option with fewer accelerators is taken",
            source="below the noise of published step times (4.6–5.8 % between repeats); fewer are easier to get",
        ),
        Assumption(
            id="select.startup_h",
            value=0.3,
            low=0.1,
            high=1.0,
            limits=Limits(0, 720),
            unit="h",
            meaning="from the first paid minute to the first step: boot, image, weights, data, compilation",
            source="planning judgement; published warm-ups of serving replicas alone take 4–5 minutes (vLLM #19824, #44881)",
        ),
        Assumption(
            id="select.capacity_known",
            value=64.0,
            low=16.0,
            high=256.0,
            limits=Limits(1, 1e6),
            unit="",
            meaning="accelerators of one kind that a provider usually has free; beyond it a plan asks for confirmation",
            source="planning judgement: providers publish prices, not free capacity",
        ),
    )
}


@dataclass(frozen=True, kw_only=True)
class Pairs:
    """One entry for each (source, layout) pair; arrays of equal length."""

    supply: Ints
    row: Ints
    days: Floats
    """Expected days to finish."""
    run_days: Floats
    """Expected days of one run."""
    days_sure: Floats
    """Days within which it finishes with the wanted confidence."""
    wait: Floats
    """Days of these until its accelerators are there."""
    log_sigma: Floats
    """Standard deviation of the log of the others."""
    fits: Floats
    """Probability that it fits into memory."""
    usd: Floats
    """Expected cost of the programme."""
    usd_sigma: Floats
    """Standard deviation of its log."""
    least: Floats
    """What the programme would cost if nothing ever failed; nothing where that is not known."""
    cash: Floats
    """What a budget must hold: that cost, and all of what is signed for it [USD]."""
    kg: Floats
    """Expected emissions [kg CO₂e]."""
    kg_sigma: Floats
    """Standard deviation of the log of what rented hardware emits."""
    days_kept: Floats
    """Days that hold with the wanted confidence where it fits into memory."""
    usd_kept: Floats
    """Cost that does, and"""
    kg_kept: Floats
    """emissions that do: what is minimised."""
    kept: Floats
    """Share of the days that is progress: with no failure at all, nothing would take less than that part of them."""

    def __len__(self) -> int:
        return len(self.supply)

    def take(self, index: Ints | Bools) -> Pairs:
        """Those entries only."""
        return Pairs(**{name: values[index] for name, values in self.__dict__.items()})


def in_limits(pairs: Pairs, *, deadline_days: float, budget_usd: float, longest_run: float, fits: float = 0.0) -> Bools:
    """Which pairs keep the deadline (with confidence) and the budget, 0 = none, fit with that probability at least, and
    have no run longer than that."""
    keeps: Bools = (pairs.run_days <= longest_run) & (pairs.fits >= fits * (1.0 - 1e-9))
    if deadline_days:
        keeps &= pairs.days_sure <= deadline_days
    if budget_usd:
        keeps &= pairs.cash <= budget_usd
    return keeps


def score(pairs: Pairs, objective: Objective) -> Floats:
    """What is minimised, as surely as is asked: US dollars, days, dollars × days, or kilograms of CO₂e."""
    match objective:
        case "time":
            return pairs.days_kept
        case "balanced":
            return pairs.usd_kept * pairs.days_kept
        case "carbon":
            return pairs.kg_kept
    return pairs.usd_kept


def ranked(pairs: Pairs, objective: Objective) -> Ints:
    """Indices from best to worst; ties are broken by cost, then days, then order of the catalog."""
    return np.lexsort((np.arange(len(pairs)), pairs.days, pairs.usd, score(pairs, objective)))


def ranked_small_first(pairs: Pairs, groups: Ints, counts: Ints, *, near_equal: float) -> Ints:
    """Indices by cost, but within a group costs that are nearly its least count as equal and fewer accelerators win."""
    least = np.full(int(groups.max(initial=-1)) + 1, np.inf)
    usd = pairs.usd_kept
    np.minimum.at(least, groups, usd)
    level = np.where(usd <= least[groups] * (1.0 + near_equal), least[groups], usd)
    return np.lexsort((np.arange(len(pairs)), usd, counts, level))


def best_of_each(keys: Ints, order: Ints) -> Ints:
    """The first index in `order` of each distinct key, in that order."""
    _, first = np.unique(keys[order], return_index=True)
    return order[np.sort(first)]


def pareto(days: Floats, usd: Floats) -> Bools:
    """Which points no other point beats in both time and cost."""
    order = np.lexsort((usd, days))
    best_before = np.minimum.accumulate(np.concatenate([[np.inf], usd[order][:-1]]))
    front = np.zeros(len(days), dtype=bool)
    front[order] = usd[order] < best_before
    return front
