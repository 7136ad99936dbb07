"""What would make a refused request feasible: every change that is offered is taken, on the whole catalog."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from engine.answer import Recommendation
from engine.entry import glance
from engine.inputs.finding import Quantity
from engine.inputs.spec import Spec
from planner.market import market_from_files
from planner.request.parse import spec_from
from tests.engine.answers import answered
from tests.told import followed, told

MARKET = market_from_files()


def training(tokens: float, *, horizon_months: float = 0.0, **limits: Any) -> Spec:
    """A 70B model from scratch within those limits."""
    body = {
        "name": "Run",
        "workload": "training",
        "model": "llama-3.1-70b",
        "training": {"tokens": tokens, "sequence_length": 8192},
        "constraints": limits,
        "horizon_months": horizon_months,
    }
    return spec_from(body)


def service(**limits: Any) -> Spec:
    """A large mixture of experts, for which buying is cheaper over the year, but the purchase is dearer than the rent."""
    body = {
        "name": "Service",
        "workload": "serving",
        "model": "deepseek-v3",
        "serving": {"requests_per_s": 5.0, "input_tokens": 3000.0, "output_tokens": 800.0, "tpot_p95_ms": 60.0},
        "constraints": limits,
        "horizon_months": 12.0,
    }
    return spec_from(body)


def answer(spec: Spec) -> Recommendation:
    return answered(spec, MARKET)


@pytest.mark.parametrize(
    ("spec", "fields"),
    [
        (training(15e12, deadline_days=5.0), ["constraints.deadline_days"]),
        (training(1e12, budget_usd=20_000.0), ["constraints.budget_usd"]),
        # A deadline that holds leaves nothing but the budget, and the other way round.
        (training(15e12, deadline_days=250.0, budget_usd=1e6), ["constraints.budget_usd"]),
        (training(15e12, deadline_days=5.0, budget_usd=40e6), ["constraints.deadline_days"]),
        (training(15e12, deadline_days=5.0, budget_usd=1e6), ["constraints.deadline_days, constraints.budget_usd"]),
        # What is bought must be paid at once, so renting needs the smaller budget.
        (
            training(
                1.4e12, horizon_months=36.0, deadline_days=120.0, budget_usd=3e5, max_accelerators=2048, spot=False
            ),
            ["constraints.budget_usd"],
        ),
        (service(budget_usd=10_000.0), ["constraints.budget_usd"]),
        (service(budget_usd=700_000.0), ["constraints.budget_usd"]),
    ],
    ids=lambda value: "" if isinstance(value, Spec) else " ".join(value),
)
def test_every_change_that_is_offered_gives_a_plan(spec: Spec, fields: list[str]) -> None:
    found = answer(spec)
    assert not found.feasible
    # How much of a training the limits would hold is offered last, where any of it is worth a plan.
    # A second deadline may follow the shortest, for much less money.
    offered = list(dict.fromkeys(change.field for change in found.nearest))
    assert offered in (fields, [*fields, "training.tokens"])
    assert (offered == [*fields, "training.tokens"]) == (spec.training is not None)
    assert [told(one.told) for one in glance(spec, MARKET).nearest] == [told(one.told) for one in found.nearest]
    for change in found.nearest:
        # Values stand alone on page 1, without their sentence: each has its unit.
        assert not [one for one in change.changes if isinstance(one.needed, float | int)]
        assert answer(followed(spec, change)).feasible, told(change.told)


def test_the_shortest_deadline_does_not_depend_on_the_one_that_was_asked_for() -> None:
    """It was looked for among the cheapest options: 1,207 days for whoever asked for five, 65 for whoever asked for 60."""
    far, close = (answer(training(15e12, deadline_days=days)).nearest for days in (5.0, 60.0))
    assert far[0].field == close[0].field == "constraints.deadline_days"
    assert far[0].changes[0].needed == close[0].changes[0].needed


def test_a_purchase_beyond_the_budget_does_not_hide_a_rental_within_it() -> None:
    best = answer(service(budget_usd=1_200_000.0)).recommended
    assert best is not None
    assert best.kind == "cloud"


def test_an_option_beyond_the_budget_says_by_how_much() -> None:
    for spec in (service(budget_usd=830_000.0), training(1.4e12, horizon_months=36.0, budget_usd=7e5, spot=False)):
        reasons = [told(point.reason) for point in answer(spec).frontier]
        over = [reason for reason in reasons if reason.endswith("over the budget")]
        assert over
        assert not [reason for reason in over if reason.startswith(("−", "USD 0 "))]


def test_an_amount_of_a_few_dollars_keeps_its_cents() -> None:
    body = {
        "name": "Tiny",
        "workload": "training",
        "model": "llama-3.2-1b",
        "training": {"method": "finetune", "tokens": 1e7, "sequence_length": 1024},
    }
    found = answer(spec_from(body))
    assert found.recommended is not None
    assert 0 < found.recommended.cost.total.expected < 10
    assert f"for about USD {found.recommended.cost.total.expected:.2f}." in told(found.headline)


def test_a_way_out_that_buys_or_commits_says_what_is_signed_and_a_little_later_for_much_less() -> None:
    """“1,008 × GB200 for about 3,960 USD” was to be had for an order of 63.6 million."""
    body = {
        "name": "Air-gapped", "workload": "training", "model": "qwen2.5-14b", "horizon_months": 36,
        "training": {"method": "continue", "tokens": 20e9, "sequence_length": 4096},
        "operations": {"security": ["air-gapped"]},
        "constraints": {"deadline_days": 60, "accelerators": ["gaudi2", "gaudi3", "h100-sxm5"]},
    }  # fmt: skip
    soon, later = answer(spec_from(body)).nearest
    assert "purchase of" in told(soon.told)
    assert ", which asks for the least money," in told(later.told)
    orders = [re.search(r"purchase of USD ([\d,]+)", told(way.told)) for way in (soon, later)]
    first, second = [float(found[1].replace(",", "")) for found in orders if found]
    assert second < first / 2
    days = [way.changes[0].needed.value for way in (soon, later)]
    assert days[0] < days[1] <= 1.25 * days[0]


def test_so_many_accelerators_are_to_be_allowed_as_the_way_out_takes() -> None:
    spec = training(1e8, accelerators=["t4"], max_accelerators=1)
    (way,) = answer(spec).nearest
    count = int(way.changes[0].needed.value)
    assert f": {count:,} × NVIDIA T4" in told(way.told)
    limits = replace(spec.constraints, max_accelerators=count)
    assert answer(replace(spec, constraints=limits)).feasible


def images(deadline_days: float) -> Spec:
    """Ninety epochs of ImageNet, with the usual batch, in so many days."""
    body = {
        "name": "Images",
        "workload": "training",
        "model": "resnet-50",
        "training": {"method": "pretrain", "samples": 1_281_167, "epochs": 90},
        "constraints": {"deadline_days": deadline_days, "spot": False},
    }
    return spec_from(body)


def test_a_deadline_below_two_days_is_offered_in_hundredths_of_a_day() -> None:
    """One who asked for 72 minutes was told “1 day”, where two hours do."""
    spec = images(0.05)
    found = answer(spec)
    assert not found.feasible
    later = next(way for way in found.nearest if way.field == "constraints.deadline_days")
    needed = later.changes[0].needed
    assert isinstance(needed, Quantity)
    assert 0.05 < needed.value < 1.0
    assert needed.value == pytest.approx(round(needed.value, 2))
    assert answer(followed(spec, later)).feasible


def test_a_larger_batch_is_offered_where_more_accelerators_would_have_nothing_to_do() -> None:
    spec = images(0.05)
    larger = next(way for way in answer(spec).nearest if way.field == "training.global_batch_size")
    assert "Train with 4,096 samples a step instead of 1,024, if learning allows" in told(larger.told)
    assert answer(followed(spec, larger)).feasible
    assert spec.training is not None
    stated = replace(spec, training=replace(spec.training, global_batch_size=1024))
    assert all(way.field != "training.global_batch_size" for way in answer(stated).nearest)
