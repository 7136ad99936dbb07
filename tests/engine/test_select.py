"""Feasible → Pareto front → ranked."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from engine.choice.select import Pairs, best_of_each, in_limits, pareto, ranked


def pairs(*rows: tuple[float, float]) -> Pairs:
    """Pairs from (days, usd); sure days are 10 % more."""
    days, usd = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    index = np.arange(len(rows))
    return Pairs(
        supply=index,
        row=index,
        days=days,
        run_days=days / 2,
        days_sure=days * 1.1,
        wait=np.zeros_like(days),
        wait_sigma=np.zeros_like(days),
        log_sigma=np.full_like(days, 0.1),
        fits=np.array([0.99, 0.98, 0.9])[: len(rows)],
        usd=usd,
        usd_sigma=np.full_like(usd, 0.1),
        worth=usd,
        least=usd,
        cash=usd,
        kg=usd / 10,
        kg_sigma=np.full_like(usd, 0.1),
        days_kept=days * 1.1,
        usd_kept=usd * 1.1,
        worth_kept=usd * 1.1,
        porting=np.zeros_like(usd),
        kg_kept=usd / 9,
        kept=np.ones_like(usd),
    )


def test_limits_use_the_confident_end() -> None:
    both = pairs((20, 100), (18, 100), (10, 500))
    assert in_limits(both, deadline_days=20, budget_usd=400, longest_run=365).tolist() == [False, True, False]
    assert in_limits(both, deadline_days=0, budget_usd=0, longest_run=9.5).tolist() == [False, True, True]
    assert in_limits(both, deadline_days=20, budget_usd=0, longest_run=5).tolist() == [False, False, True]
    assert in_limits(both, deadline_days=0, budget_usd=0, longest_run=365, fits=0.97).tolist() == [True, True, False]


def test_each_objective_picks_its_own() -> None:
    three = pairs((30, 100), (10, 400), (12, 150))
    best = {objective: int(ranked(three, objective)[0]) for objective in ("cost", "time", "balanced", "carbon")}
    assert best == {"cost": 0, "time": 1, "balanced": 2, "carbon": 0}


def test_the_best_of_each_key_keeps_the_order() -> None:
    assert best_of_each(np.array([7, 7, 3, 3]), np.array([2, 1, 0, 3])).tolist() == [2, 1]


@given(st.lists(st.tuples(st.floats(1, 1e4), st.floats(1, 1e8)), min_size=1, max_size=40))
def test_nothing_beats_a_point_of_the_front(rows: list[tuple[float, float]]) -> None:
    days, usd = (np.array(column) for column in zip(*rows, strict=True))
    front = pareto(days, usd)
    assert front.any()
    for index in np.flatnonzero(front):
        assert not ((days <= days[index]) & (usd < usd[index])).any()
    for index in np.flatnonzero(~front):
        assert ((days <= days[index]) & (usd <= usd[index]) & (np.arange(len(days)) != index)).any()
