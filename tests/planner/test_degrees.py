"""The slider of confidence on the pages: cost, date and chance at each degree, with and without scripts."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from itertools import pairwise

import pytest
from django.test import Client

from engine.money.draws import draw as drawn
from engine.money.draws import kept_with
from planner.models import PlanVersion, Workload
from planner.presenters.currency import currency_of
from planner.presenters.degrees import key_shown, readings
from planner.presenters.scenarios import Column, side_by_side
from planner.presenters.what_if import what_if
from planner.scenarios import spec_with
from planner.what_if import knobs as model
from planner.what_if.changes import changes_of
from tests.conftest import People
from tests.exports import samples
from tests.planner.page_support import TRAINING, quick_engine

__all__ = ["quick_engine"]
PLAN = samples.training_plan()
BEST = PLAN.recommendation.recommended
assert BEST is not None
KNOBS = model.knobs_of(BEST, PLAN.spec)


@pytest.fixture
def alice(client: Client, people: People, quick_engine: None) -> Client:
    client.force_login(people.alice)
    return client


@pytest.fixture
def workload(alice: Client) -> Workload:
    alice.post("/new/train", TRAINING)
    return Workload.objects.get()


def test_every_step_has_cost_date_and_chance_which_never_fall() -> None:
    rows = [row for row in PLAN.recommendation.certainty if row.cost is not None]
    assert len(rows) >= 8
    for less, more in pairwise(rows):
        assert less.cost is not None
        assert more.cost is not None
        assert less.cost <= more.cost
        assert less.authorised is not None
        assert more.authorised is not None
        assert less.authorised <= more.authorised
    assert all(row.chance is not None and row.chance >= row.confidence - 1e-9 for row in rows)
    told = readings(PLAN, currency_of(PLAN))
    assert len({one.cost for one in told}) > 5, "money moves with the slider"
    assert len({one.time for one in told}) > 5, "and so do days"
    assert [one.key for one in told if one.extrapolated] == ["95"]
    assert [one.key for one in told if one.shown] == ["80"]


def test_an_address_chooses_the_degree_and_nonsense_none() -> None:
    rows = PLAN.recommendation.certainty
    assert key_shown(rows, "60") == "60"
    assert key_shown(rows, "61") == key_shown(rows, "<b>") == key_shown(rows, "") == "80"
    assert key_shown((), "60") == ""


def test_it_answers_within_150_ms_of_one_processor() -> None:
    start = time.process_time()
    for key in ("50", "60", "95"):
        readings(PLAN, currency_of(PLAN), key)
        what_if(PLAN, {"sure": key, "tokens": "20B"})
    assert (time.process_time() - start) / 3 <= 0.15


def test_without_scripts_the_chosen_degree_stands_there(alice: Client, workload: Workload) -> None:
    page = alice.get(f"/workloads/{workload.public_id}?sure=60&pin=x").content.decode()
    assert re.search(r'<option value="60" selected>', page)
    shown = re.findall(r'<div data-sure="(\d+)"( hidden)?>', page)
    assert [key for key, hidden in shown if not hidden] == ["60"]
    assert '<input type="hidden" name="pin" value="x">' in page
    assert '<label for="sure">' in page


def test_a_frozen_plan_has_it_too_and_says_that_it_was_checked(alice: Client, workload: Workload) -> None:
    alice.post(f"/workloads/{workload.public_id}/freeze")
    page = alice.get(f"/plans/{PlanVersion.objects.get().public_id}?sure=95").content.decode()
    assert [key for key, hidden in re.findall(r'<div data-sure="(\d+)"( hidden)?>', page) if not hidden] == ["95"]
    assert "extrapolated" in page
    assert "drawn at random" in page


def test_a_what_if_at_the_asked_confidence_is_the_row_of_the_plan() -> None:
    values, _ = model.read(KNOBS, {})
    found = model.outcome(PLAN.recommendation, BEST, KNOBS, values, PLAN.spec).sure
    (row,) = [one for one in PLAN.recommendation.certainty if one.asked]
    assert found.confidence == row.confidence
    assert found.cost == pytest.approx(row.cost, abs=0.02)
    assert found.days == pytest.approx(row.days, rel=1e-6)
    assert BEST.chance is not None
    assert found.chance == pytest.approx(BEST.chance.all, abs=1e-6)


def test_a_surer_what_if_costs_more_and_takes_longer_and_slower_steps_are_less_likely_in_time() -> None:
    def at(**typed: str) -> model.Sure:
        values, errors = model.read(KNOBS, typed)
        assert not errors
        return model.outcome(PLAN.recommendation, BEST, KNOBS, values, PLAN.spec).sure

    bold, sure = at(sure="60"), at(sure="95")
    assert bold.cost < sure.cost
    assert bold.days is not None
    assert sure.days is not None
    assert bold.days < sure.days
    assert sure.extrapolated
    assert not bold.extrapolated
    slower = at(tokens="60B")
    assert slower.chance is not None
    assert bold.chance is not None
    assert slower.chance < bold.chance


@pytest.mark.parametrize("typed", ["49", "100", "cats"])
def test_a_confidence_that_cannot_be_is_said(typed: str) -> None:
    values, errors = model.read(KNOBS, {"sure": typed})
    assert "sure" in errors
    assert values["sure"] == 80.0


def test_a_scenario_keeps_the_confidence(alice: Client, workload: Workload) -> None:
    alice.post(f"/workloads/{workload.public_id}/freeze")
    version = PlanVersion.objects.get()
    values, _ = model.read(KNOBS, {"sure": "95"})
    changes, left = changes_of(PLAN, KNOBS, values)
    assert changes == {"confidence": {"all": 0.95}}
    assert left == []
    assert spec_with(version, changes).confidence.all == 0.95


def test_plans_side_by_side_are_compared_at_one_degree() -> None:
    cheaper = replace(
        PLAN,
        recommendation=replace(
            PLAN.recommendation,
            certainty=tuple(
                replace(row, cost=row.cost and row.cost / 2)
                for row in PLAN.recommendation.certainty
                if row.confidence < 0.9
            ),
        ),
    )
    beside = side_by_side([Column(name="a", plan=PLAN), Column(name="b", plan=cheaper)], "90")
    assert [degree.key for degree in beside.degrees if degree.shown] == ["90"]
    (shown,) = [degree for degree in beside.degrees if degree.shown]
    costs = next(line for line in shown.lines if line.label == "Costs at most")
    assert costs.cells[1].text == "nothing is so sure"
    (other,) = [degree for degree in beside.degrees if degree.key == "60"]
    assert next(line for line in other.lines if line.label == "Costs at most").cells[1].differs


def test_old_plans_show_the_rows_that_they_have() -> None:
    rows = tuple(
        replace(row, hardware=None, chance=None)
        for row in PLAN.recommendation.certainty
        if row.confidence in (0.5, 0.8)
    )
    old = replace(PLAN, recommendation=replace(PLAN.recommendation, certainty=rows, checked=None))
    assert [one.key for one in readings(old, currency_of(old))] == ["50", "80"]
    none = replace(PLAN, recommendation=replace(PLAN.recommendation, certainty=()))
    assert readings(none, currency_of(none)) == []


def test_what_it_costs_at_most_suffices_as_often_as_it_says() -> None:
    """The row's own draws, once more: no less than that share of them lies within."""
    values, _ = model.read(KNOBS, {"sure": "90"})
    sure = model.outcome(PLAN.recommendation, BEST, KNOBS, values, PLAN.spec).sure
    fresh = drawn(BEST.cost.model, log_sigma_time=0.0, seed=7, draws=2000).total
    assert kept_with(fresh, 0.5) <= sure.cost
