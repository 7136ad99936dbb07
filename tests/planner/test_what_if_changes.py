"""Moved knobs as changes of the request: each lands in its place, is valid there, and what has no place is said."""

from __future__ import annotations

from typing import Any

import pytest

from engine.inputs.spec import Spec
from planner.frozen.snapshot import Plan, plain
from planner.request.merging import merged
from planner.request.parse import spec_from
from planner.what_if import knobs as what_if
from planner.what_if.changes import changes_of
from tests.exports import samples

TRAINING, SERVING = samples.training_plan(), samples.serving_plan()


def moved(plan: Plan, **values: float) -> tuple[dict[str, Any], list[str], Spec]:
    """The patch of those knobs, what was left out, and the request that comes of it."""
    best = plan.recommendation.recommended
    assert best is not None
    knobs = what_if.knobs_of(best, plan.spec)
    assert values.keys() <= {knob.key for knob in knobs}
    patch, left = changes_of(plan, knobs, {knob.key: knob.value for knob in knobs} | values)
    return patch, left, spec_from(merged(plain(plan.spec), patch))


def test_nothing_moved_changes_nothing() -> None:
    patch, left, spec = moved(TRAINING)
    assert (patch, left) == ({}, [])
    assert plain(spec) == plain(TRAINING.spec)


@pytest.mark.parametrize("plan", [TRAINING, SERVING], ids=["training", "serving"])
def test_every_knob_moves_to_a_valid_request_or_says_why_not(plan: Plan) -> None:
    best = plan.recommendation.recommended
    assert best is not None
    for knob in what_if.knobs_of(best, plan.spec):
        value = knob.value * 2 or 10.0
        patch, left, _ = moved(plan, **{knob.key: min(value, knob.high)})
        assert bool(patch) != bool(left), knob.key
        assert all(words.endswith(".") for words in left)


def test_a_discount_is_an_agreed_price_of_the_planned_offer() -> None:
    best = TRAINING.recommendation.recommended
    assert best is not None
    assert best.offer is not None
    _, _, spec = moved(TRAINING, price=20.0, discount=25.0)
    assert [(item.item, item.what, item.usd) for item in spec.agreed] == [(best.offer.id, "instance_hour", 15.0)]


def test_a_step_time_is_a_measurement_of_the_very_layout() -> None:
    best = TRAINING.recommendation.recommended
    assert best is not None
    _, _, spec = moved(TRAINING, step=9.5)
    (item,) = spec.measured
    assert (item.accelerator, item.count, item.step_time_s) == (best.accelerator, best.count, 9.5)
    assert (item.layout.tp, item.layout.pp, item.layout.dp) == (
        best.parallelism.tp, best.parallelism.pp, best.parallelism.dp,
    )  # fmt: skip
    assert item.layout.micro_batch == best.micro_batch


def test_shares_and_counts_are_in_the_units_of_the_request() -> None:
    patch, _, spec = moved(TRAINING, experiment_overhead=30.0, runs=3.0, tokens=30e9)
    assert patch["training"] == {"experiment_overhead": 0.3, "runs": 3, "tokens": 30e9}
    assert spec.training is not None
    assert spec.training.runs == 3


def test_failures_that_never_happen_cannot_be_planned_with() -> None:
    best = TRAINING.recommendation.recommended
    assert best is not None
    knobs = {knob.key for knob in what_if.knobs_of(best, TRAINING.spec)}
    assert "failures" in knobs
    patch, left, _ = moved(TRAINING, failures=0.0)
    assert patch == {}
    assert "cannot be planned with" in left[0]
