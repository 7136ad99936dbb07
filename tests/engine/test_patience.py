"""How long runs may last: one run and all of them apart, by named assumptions, the same for choice, table and chart."""

from __future__ import annotations

import math
import random
import re
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Any

import pytest

from engine.answer import Option, Recommendation
from engine.choice.patience import LONGEST_WAY_OUT, PROGRAMME, RUN
from engine.entry import recommend
from engine.inputs.known import Known
from engine.inputs.spec import LONGEST_DEADLINE, Spec
from planner.market import market_from_files
from planner.request.parse import spec_from
from tests.told import followed, told

MARKET = market_from_files()
EQUAL = 1.03
"""Costs within 2 % count as equal, and the smaller cluster wins."""
SEEDS = [*range(4), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(4, 24))]


def spec(**fields: Any) -> Spec:
    """A training request; twelve runs unless told otherwise."""
    training = {"method": "continue", "tokens": 200e9, "sequence_length": 8192, "runs": 12} | fields.pop("training", {})
    body = {"name": "Runs", "workload": "training", "model": "llama-3.1-70b", "as_of": "2026-11-22"}
    return spec_from({**body, "training": training, **fields})


def some(seed: int) -> Spec:
    """A random request: one run or many, experiments, owned hardware or none, with a horizon or without."""
    pick = random.Random(seed)
    kinds = pick.sample(["h100-sxm5", "h200-sxm", "b200-sxm", "a100-sxm4-80", "gaudi3", "tpu-v6e"], 3)
    owned = pick.choice([[], [{"accelerator": "h100-sxm5", "count": pick.choice([8, 16, 32])}]])
    return spec(
        model=pick.choice(["llama-3.1-8b", "llama-3.1-70b"]),
        training={
            "tokens": 10 ** pick.uniform(9.5, 11.8),
            "runs": pick.choice([1, 1, 2, 5, 12, 40]),
            "experiment_overhead": pick.choice([0.0, 0.0, 0.5, 2.0]),
        },
        owned=owned,
        horizon_months=pick.choice([0.0, 0.0, 12.0, 36.0]),
        constraints={"accelerators": kinds, "spot": pick.random() < 0.5, "max_accelerators": 512},
    )


@cache
def answer(seed: int) -> Recommendation:
    """What that request is answered without a deadline."""
    return answered(some(seed))


KNOWN = Known()
"""A deadline, a budget or more patience rank the same search again."""


def answered(wanted: Spec) -> Recommendation:
    return recommend(wanted, MARKET, known=KNOWN)


def limited(wanted: Spec, **limits: Any) -> Spec:
    return replace(wanted, constraints=replace(wanted.constraints, **limits))


def best_of(found: Recommendation) -> Option:
    assert found.recommended is not None, told(found.headline)
    return found.recommended


def test_own_hardware_that_is_enough_for_eight_runs_is_used() -> None:
    wanted = spec(
        training={"runs": 8},
        owned=[{"accelerator": "h100-sxm5", "count": 32}],
        horizon_months=36.0,
        constraints={"spot": False},
    )
    free, bound = best_of(answered(wanted)), best_of(answered(limited(wanted, deadline_days=2000.0)))
    assert free.kind == "owned"
    assert free.days.expected > 365 > free.days.expected / 8
    assert bound.id == free.id
    assert bound.cost.total == free.cost.total


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("share", [0.4, 1.2, 4.0])
def test_a_deadline_never_makes_it_cheaper(seed: int, share: float) -> None:
    free = answer(seed).recommended
    if free is None:
        assert answered(limited(some(seed), deadline_days=500.0)).recommended is None
        return
    deadline = min(max(free.days.expected * share, 0.1), LONGEST_DEADLINE)
    bound = answered(limited(some(seed), deadline_days=deadline)).recommended
    if bound is None:
        return
    assert bound.cost.npv_at_confidence * EQUAL >= free.cost.npv_at_confidence


@pytest.mark.parametrize("seed", SEEDS)
def test_more_patience_never_makes_it_dearer(seed: int) -> None:
    free, wanted = answer(seed).recommended, some(seed)
    patient = answered(replace(wanted, assumptions={RUN: 800.0, PROGRAMME: 4000.0})).recommended
    assert patient is not None or free is None
    if free and patient:
        assert patient.cost.npv_at_confidence <= free.cost.npv_at_confidence * EQUAL


@pytest.mark.parametrize(("seed", "shares"), [(17, (0.4, 0.7, 1.0, 2.5)), (28, (0.4, 0.7, 1.0))])
def test_a_later_deadline_plans_no_servers_that_do_the_work_badly(seed: int, shares: tuple[float, ...]) -> None:
    """The fewest that were in time were bought, though 8 of them pay for little memory with time (1.52 times), and though work that is
    mostly rented until 16 come needs no purchase of 10 million (1.17 times)."""
    pick = random.Random(seed)
    kinds = pick.sample(["h100-sxm5", "h200-sxm", "b200-sxm", "a100-sxm4-80", "gaudi3"], 3)
    wanted = spec(
        model=pick.choice(["llama-3.1-8b", "llama-3.1-70b", "gpt-3-175b"]),
        training={"tokens": 10 ** pick.uniform(9.5, 12.0), "runs": pick.choice([1, 5, 12, 40])},
        horizon_months=pick.choice([24.0, 36.0, 48.0]),
        constraints={"accelerators": kinds, "spot": False, "max_accelerators": 512},
    )
    days = best_of(answered(wanted)).days.expected
    costs = [best_of(answered(limited(wanted, deadline_days=days * share))).cost.ranked_by for share in shares]
    assert all(later <= earlier * EQUAL for earlier, later in pairwise(costs)), costs


def bought(seed: int) -> Spec:
    """A random request for servers of one's own: a model, an amount, a horizon, who else uses them, and whether some can be rented."""
    pick = random.Random(f"bought {seed}")
    kinds = pick.sample(["h100-sxm5", "h200-sxm", "b200-sxm", "a100-sxm4-80", "gaudi3", "rtx-4090"], 3)
    return spec(
        model=pick.choice(["llama-3.1-8b", "llama-3.1-70b"]),
        training={"tokens": 10 ** pick.uniform(9.0, 12.0), "runs": pick.choice([1, 2, 12, 40])},
        horizon_months=pick.choice([12.0, 24.0, 36.0, 60.0]),
        utilisation=pick.choice([0.0, 0.0, 0.5, 0.9]),
        operations={"security": pick.choice([["air-gapped"], []])},
        constraints={"accelerators": kinds, "spot": False, "commitments": False, "max_accelerators": 512},
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_a_later_deadline_makes_no_servers_dearer(seed: int) -> None:
    wanted, before = bought(seed), math.inf
    for days in (30.0, 90.0, 180.0, 240.0, 365.0, 700.0, 0.0):
        best = answered(limited(wanted, deadline_days=days)).recommended
        assert best is not None or before == math.inf
        if best is not None:
            assert best.cost.npv_at_confidence <= before * EQUAL, days
            before = min(before, best.cost.npv_at_confidence)


@pytest.mark.parametrize("seed", SEEDS)
def test_table_chart_and_choice_agree(seed: int) -> None:
    found = answer(seed)
    points = {point.option_id: point for point in found.frontier}
    for option in filter(None, (found.recommended, *found.alternatives)):
        point = points[option.id]
        assert point.feasible == option.keeps_limits
        if option.too_long:
            assert option is not found.recommended
            assert option.too_long.assumption in told(point.reason)
            assert option.too_long.days > option.too_long.most
        assert bool(told(point.reason)) is not option.keeps_limits


def test_a_run_that_is_too_long_is_named_with_the_assumption() -> None:
    wanted = spec(
        training={"tokens": 15e12, "runs": 1}, constraints={"accelerators": ["h100-sxm5"], "max_accelerators": 256}
    )
    found = answered(wanted)
    assert not found.feasible
    assert "with runs of at most 365 days" in told(found.headline)
    slow = found.alternatives[0]
    assert slow.too_long is not None
    assert (slow.too_long.assumption, slow.too_long.most) == (RUN, 365.0)
    point = next(point for point in found.frontier if point.option_id == slow.id)
    assert "a single run takes" in told(point.reason)
    assert "it may last at most 365 (assumption select.patience)" in told(point.reason)


def test_all_runs_together_have_their_own_limit_and_a_horizon_extends_it() -> None:
    wanted = spec(training={"tokens": 3e11, "runs": 40}, constraints={"accelerators": ["h100-sxm5"], "spot": False})
    every = (best_of(answered(wanted)), *answered(wanted).alternatives)
    assert every[0].days.expected <= 1095
    longer = best_of(answered(replace(wanted, horizon_months=60.0)))
    assert longer.keeps_limits
    assert longer.days.expected <= 60 * 365 / 12
    strict = best_of(answered(replace(wanted, assumptions={PROGRAMME: 250.0})))
    assert strict.days.expected <= 250 < every[0].days.expected


def test_more_days_for_a_programme_of_many_runs_never_make_it_dearer() -> None:
    """Commitments were ranked by a wrong sum, so that one size of each was costed, and with more days a wrong one."""
    wanted = spec(training={"tokens": 3e11, "runs": 40}, horizon_months=36.0, constraints={"spot": False})
    tight, loose = (best_of(answered(replace(wanted, assumptions={PROGRAMME: most}))) for most in (1000.0, 1095.0))
    assert loose.cost.ranked_by <= tight.cost.ranked_by * EQUAL


def test_work_beyond_the_stated_demand_says_so() -> None:
    wanted = spec(
        training={"tokens": 3e11, "runs": 20}, horizon_months=3.0, constraints={"accelerators": ["h100-sxm5"]}
    )
    best = best_of(answered(wanted))
    assert best.days.expected > 3 * 365 / 12
    assert any(
        "longer than the 3 months of demand that the horizon states" in text for text in map(told, best.warnings)
    )


@pytest.mark.parametrize(
    ("limits", "runs"),
    [
        ({}, 1),
        ({}, 200),
        ({"deadline_days": 3000.0}, 1),
        ({"deadline_days": 10.0}, 1),
        ({"deadline_days": 10.0, "budget_usd": 1e5}, 1),
        ({"budget_usd": 1e5}, 1),
    ],
)
def test_what_a_refusal_proposes_holds_when_it_is_tried(limits: dict[str, float], runs: int) -> None:
    """Deadline, budget and length of runs, each alone where that is enough, else together."""
    tokens = 15e12 if runs == 1 else 1e12
    wanted = spec(
        training={"tokens": tokens, "runs": runs},
        constraints={"accelerators": ["h100-sxm5"], "max_accelerators": 256, "spot": False, **limits},
    )
    found = answered(wanted)
    assert not found.feasible
    assert found.nearest
    for way in found.nearest:
        assert answered(followed(wanted, way)).feasible, told(way.told)


@pytest.mark.slow
@pytest.mark.parametrize("most", [8, 64, 256])
@pytest.mark.parametrize("limits", [{}, {"deadline_days": 20.0}, {"deadline_days": 20.0, "budget_usd": 5e4}])
@pytest.mark.parametrize(("tokens", "runs"), [(15e12, 1), (1e12, 200), (2e11, 5000)])
def test_no_way_out_takes_longer_than_hardware_lives(
    most: int, limits: dict[str, float], tokens: float, runs: int
) -> None:
    """Decades are no way out: then more accelerators, fewer runs or less work are, or nothing is."""
    wanted = spec(
        training={"tokens": tokens, "runs": runs},
        constraints={"accelerators": ["h100-sxm5"], "max_accelerators": most, "spot": False, **limits},
    )
    for way in answered(wanted).nearest:
        spans = [float(text.replace(",", "")) for text in re.findall(r"([\d,.]+) days", told(way.told))]
        assert max(spans, default=0.0) <= LONGEST_WAY_OUT, told(way.told)
        assert answered(followed(wanted, way)).feasible, told(way.told)
