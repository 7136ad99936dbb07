"""Scenarios: what a version's request would change, the plan that comes of it, and what they never touch."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.exceptions import PermissionDenied

from accounts.models import AuditEvent, Role
from planner import live, plans, scenarios
from planner.engine.spec import SpecError
from planner.merging import merged
from planner.models import PlanVersion, Scenario
from planner.parse import spec_from
from planner.snapshot import plain
from tests.conftest import People, make_member
from tests.planner.page_support import quick_engine

__all__ = ["quick_engine"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("quick_engine")]
REQUEST = {
    "name": "Support assistant",
    "workload": "training",
    "model": "llama-3.1-70b",
    "training": {"tokens": 15e9, "sequence_length": 8192},
    "constraints": {"deadline_days": 21, "budget_usd": 400_000},
}
MORE = {"training": {"tokens": 30e9}, "assumptions": {"cost.managed_share": 0.2}}


@pytest.fixture
def version(people: People) -> PlanVersion:
    member = people.memberships["alice"]
    workload = plans.save_workload(member, name="Support assistant", draft=REQUEST)
    return plans.freeze_version(member, workload, live.plan_for(REQUEST, people.team))


def kept(people: People, version: PlanVersion, name: str = "Twice the data", changes: Any = MORE) -> Scenario:
    plan = live.plan_of(scenarios.spec_with(version, changes), people.team)
    return scenarios.save(people.memberships["alice"], version, name=name, changes=changes, plan=plan)


def test_it_keeps_the_changed_request_and_its_plan_and_leaves_the_version_alone(
    people: People, version: PlanVersion
) -> None:
    before = (version.sha256, plain(version.plan.spec), dict(version.workload.draft), version.workload.revision)
    scenario = kept(people, version)
    spec = scenario.plan.spec
    assert spec.training is not None
    assert spec.training.tokens == 30e9
    assert spec.training.sequence_length == 8192
    assert scenario.plan.sha256 == scenario.sha256 != version.sha256
    version = PlanVersion.objects.select_related("workload").get()
    after = (version.sha256, plain(version.plan.spec), dict(version.workload.draft), version.workload.revision)
    assert after == before
    assert AuditEvent.objects.filter(verb="scenario.created", subject=scenario.public_id).exists()


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({}, "Nothing differs"),
        ({"training": {"tokens": 15e9}}, "Nothing differs"),
        ({"name": "Other"}, "stays as in the plan"),
        ({"workload": "serving"}, "stays as in the plan"),
        ({"training": {"tokens": -1}}, "must be at least 0"),
        ({"training": {"token": 1}}, "did you mean “tokens”"),
        ({"assumptions": {"x" * 200_000: 1.0}}, "too long"),
    ],
)
def test_changes_that_make_no_scenario_are_refused(version: PlanVersion, changes: Any, sentence: str) -> None:
    with pytest.raises(SpecError, match=sentence):
        scenarios.spec_with(version, changes)


def test_names_are_free_and_whole(people: People, version: PlanVersion) -> None:
    scenario = kept(people, version, name="  Twice \n the data ")
    assert scenario.name == "Twice the data"
    for name, sentence in (("Twice the data", "already"), (" ", "no name"), ("x" * 81, "at most 80")):
        with pytest.raises(ValueError, match=sentence):
            kept(people, version, name=name, changes={"training": {"tokens": 40e9}})
    alice = people.memberships["alice"]
    assert scenarios.rename(alice, scenario, name="Double").name == "Double"
    kept(people, version, changes={"training": {"tokens": 40e9}})
    with pytest.raises(ValueError, match="already"):
        scenarios.rename(alice, scenario, name="Twice the data")


def test_promoting_makes_the_next_version_with_the_very_plan(people: People, version: PlanVersion) -> None:
    scenario = kept(people, version)
    made = scenarios.promote(people.memberships["alice"], scenario)
    assert (made.number, made.sha256) == (2, scenario.sha256)
    made.workload.refresh_from_db()
    assert spec_from(made.workload.draft).training.tokens == 30e9  # type: ignore[union-attr]
    assert PlanVersion.objects.get(number=1).sha256 == version.sha256


def test_promoting_never_loses_an_unsaved_request(people: People, version: PlanVersion) -> None:
    scenario = kept(people, version)
    draft = {**REQUEST, "objective": "time"}
    alice = people.memberships["alice"]
    plans.save_workload(alice, name="Support assistant", draft=draft, workload=version.workload)
    with pytest.raises(plans.Conflict, match="not saved as a version"):
        scenarios.promote(alice, scenario)
    version.workload.refresh_from_db()
    assert version.workload.draft == draft
    assert PlanVersion.objects.count() == 1


def test_a_viewer_changes_nothing_and_the_trail_keeps_what_is_deleted(people: People, version: PlanVersion) -> None:
    scenario = kept(people, version)
    bob = people.memberships["bob"]
    for step in (scenarios.delete, scenarios.promote):
        with pytest.raises(PermissionDenied):
            step(bob, scenario)
    with pytest.raises(PermissionDenied):
        scenarios.rename(bob, scenario, name="Mine")
    scenarios.delete(people.memberships["charlie"], scenario)
    assert Scenario.objects.exists()
    fay = make_member(people.team, "Fay", Role.FINANCE)
    scenarios.delete(fay, scenario)
    scenarios.delete(fay, scenario)
    assert not Scenario.objects.exists()
    (event,) = AuditEvent.objects.filter(verb="scenario.deleted")
    assert event.data["changes"] == MORE


def test_a_patch_takes_fields_away_and_replaces_lists_whole() -> None:
    before = {"a": {"b": 1, "c": [1, 2]}, "d": 3}
    assert merged(before, {"a": {"b": None, "c": [9]}, "e": {"f": None}}) == {"a": {"c": [9]}, "d": 3, "e": {}}
    assert before == {"a": {"b": 1, "c": [1, 2]}, "d": 3}
