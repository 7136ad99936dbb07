"""From many (source, layout) pairs to a choice: feasible → Pareto front → ranked. Arrays in, indices out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.inputs.assumptions import Assumption, Limits
from engine.inputs.origin import origin
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
            source=origin("select.confidence"),
        ),
        Assumption(
            id="select.fits",
            value=0.97,
            low=0.9,
            high=0.99,
            limits=Limits(0.5, 0.999),
            unit="1",
            source=origin("select.fits"),
        ),
        Assumption(
            id="select.patience",
            value=365.0,
            low=90.0,
            high=730.0,
            limits=Limits(1, 10_000),
            unit="day",
            source=origin("select.patience"),
        ),
        Assumption(
            id="select.programme",
            value=1095.0,
            low=365.0,
            high=1825.0,
            limits=Limits(1, 36_500),
            unit="day",
            source=origin("select.programme"),
        ),
        Assumption(
            id="select.near_equal",
            value=0.02,
            low=0.0,
            high=0.05,
            limits=Limits(0, 1),
            unit="1",
            source=origin("select.near_equal"),
        ),
        Assumption(
            id="select.startup_h",
            value=0.3,
            low=0.1,
            high=1.0,
            limits=Limits(0, 720),
            unit="h",
            source=origin("select.startup_h"),
        ),
        Assumption(
            id="select.capacity_known",
            value=64.0,
            low=16.0,
            high=256.0,
            limits=Limits(1, 1e6),
            unit="",
            source=origin("select.capacity_known"),
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
    wait_sigma: Floats
    """Standard deviation of that wait upwards [day]; 0 where it is certain."""
    log_sigma: Floats
    """Standard deviation of the log of the others."""
    fits: Floats
    """Probability that it fits into memory."""
    usd: Floats
    """Expected cost of the programme."""
    usd_sigma: Floats
    """Standard deviation of its log."""
    worth: Floats
    """What the cash that the work causes is worth on the day of the request [USD]."""
    least: Floats
    """What the programme would be worth if nothing ever failed; nothing where that is not known."""
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
    worth_kept: Floats
    """the worth of what is caused: what `cost` ranks by, and"""
    porting: Floats
    """What counts besides it where code must be brought to another vendor's software [USD]."""
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
    """What is minimised, as surely as is asked: US dollars in present value, days, dollars × days, or kilograms of CO₂e."""
    match objective:
        case "time":
            return pairs.days_kept
        case "balanced":
            return (pairs.worth_kept + pairs.porting) * pairs.days_kept
        case "carbon":
            return pairs.kg_kept
    return pairs.worth_kept + pairs.porting


def ranked(pairs: Pairs, objective: Objective) -> Ints:
    """Indices from best to worst; ties are broken by cost, then days, then order of the catalog."""
    return np.lexsort((np.arange(len(pairs)), pairs.days, pairs.usd, score(pairs, objective)))


def ranked_small_first(pairs: Pairs, groups: Ints, counts: Ints, *, near_equal: float) -> Ints:
    """Indices by cost, but within a group costs that are nearly its least count as equal and fewer accelerators win, unless the
    cheapest of the group ends sooner with no more to be signed: `near_equal.beaten`, as far as approximations tell."""
    usd = pairs.worth_kept
    order = np.lexsort((pairs.days, usd, groups))
    first = order[np.unique(groups[order], return_index=True)[1]]
    cheapest = np.zeros(int(groups.max(initial=-1)) + 1, dtype=np.int64)
    cheapest[groups[first]] = first
    least, room = cheapest[groups], 1.0 + near_equal
    beaten = (pairs.days > pairs.days[least] * room) & (pairs.cash * room >= pairs.cash[least])
    level = np.where((usd <= usd[least] * room) & ~beaten, usd[least], usd)
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
