"""Scenarios: what a version's request would change, the plan that comes of it, and what they never touch."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from django.core.exceptions import PermissionDenied
from django.test import Client

from accounts.models import AuditEvent, Role
from engine.answer import Signed
from engine.money.schedule import finish_date
from planner import planned, plans, scenarios
from planner.frozen.snapshot import freeze, plain
from planner.models import PlanVersion, Scenario
from planner.presenters.currency import Currency
from planner.request.merging import merged
from planner.request.parse import spec_from
from tests.conftest import People, make_member
from tests.planner.page_support import quick_engine
from tests.refused import refused

__all__ = ["quick_engine"]
CANARY = '"><script>alert(1)</script>{{7*7}}'
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("quick_engine")]
REQUEST = {
    "name": "Support assistant",
    "workload": "training",
    "model": "llama-3.1-70b",
    "training": {"tokens": 15e9, "sequence_length": 8192},
    "constraints": {"deadline_days": 21, "budget_usd": 400_000},
}
MORE = {"training": {"tokens": 30e9}, "assumptions": {"cost.managed_service_share": 0.2}}


@pytest.fixture
def version(people: People) -> PlanVersion:
    member = people.memberships["alice"]
    workload = plans.save_workload(member, name="Support assistant", draft=REQUEST)
    return plans.freeze_version(member, workload, planned.plan_for(REQUEST, people.team))


def kept(people: People, version: PlanVersion, name: str = "Twice the data", changes: Any = MORE) -> Scenario:
    plan = planned.plan_of(scenarios.spec_with(version, changes), people.team)
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
    with refused(sentence):
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


# --- Pages -----------------------------------------------------------------------------------------------------


@pytest.fixture
def alice(client: Client, people: People) -> Client:
    client.force_login(people.alice)
    return client


def logged_in(user: Any) -> Client:
    client = Client()
    client.force_login(user)
    return client


def test_moved_values_of_a_what_if_are_planned_again_named_and_kept(alice: Client, version: PlanVersion) -> None:
    start = f"/plans/{version.public_id}/scenarios/new?tokens=30B&price=2.50&discount=10"
    page = alice.get(start).content.decode()
    assert 'formaction="' + start.partition("?")[0] in alice.get(f"/plans/{version.public_id}").content.decode()
    assert "Training tokens" in page
    assert "15 B tokens" in page
    assert "30 B tokens" in page
    assert "USD 2.25 per instance-hour" in page
    assert alice.post(start, {"name": " "}).status_code == 422
    assert not Scenario.objects.exists()
    sent = alice.post(start, {"name": CANARY[:80]})
    assert sent["Location"] == f"/plans/{version.public_id}/scenarios"
    row = Scenario.objects.get()
    assert row.changes["training"] == {"tokens": 30e9}
    assert row.changes["agreed"][0]["usd"] == 2.25
    for address in (sent["Location"], f"/plans/{version.public_id}"):
        shown = alice.get(address).content.decode()
        assert "<script>alert" not in shown
        assert "&lt;script&gt;alert" in shown
    assert PlanVersion.objects.get().sha256 == version.sha256


def test_without_a_moved_value_there_is_nothing_to_keep(alice: Client, version: PlanVersion) -> None:
    page = alice.get(f"/plans/{version.public_id}/scenarios/new", follow=True)
    assert "Nothing differs from the plan" in page.content.decode()
    assert page.redirect_chain[0][0].startswith(f"/plans/{version.public_id}/what-if")


def test_three_stand_beside_the_plan_and_what_differs_is_said_in_words(
    alice: Client, people: People, version: PlanVersion, django_assert_max_num_queries: Any
) -> None:
    rows = [kept(people, version, f"S{at}", {"training": {"tokens": (20 + at) * 1e9}}) for at in range(4)]
    address = f"/plans/{version.public_id}/scenarios"
    with django_assert_max_num_queries(11):
        page = alice.get(address)
    assert page.context["beside"].names == ("The plan, version 1", "S1", "S2", "S3")
    page = alice.get(address, {"with": [rows[0].public_id, rows[3].public_id], "chosen": "1"})
    beside = page.context["beside"]
    assert beside.names == ("The plan, version 1", "S0", "S3")
    (tokens,) = [line for line in beside.inputs if line.label == "Training tokens"]
    assert [(cell.text, cell.differs) for cell in tokens.cells] == [
        ("15 B tokens", False), ("20 B tokens", True), ("23 B tokens", True),
    ]  # fmt: skip
    assert page.content.decode().count("differs:") >= 2
    assert alice.get(address, {"chosen": "1"}).context["beside"] is None
    chart = alice.get(f"{address}/charts/scenario-cost.csv", {"with": rows[0].public_id}).content.decode()
    assert chart.count("\r\n") == 3
    assert "S0" in chart


def test_steps_on_the_page_rename_take_over_and_delete(alice: Client, people: People, version: PlanVersion) -> None:
    row = kept(people, version)
    alice.post(f"/scenarios/{row.public_id}/rename", {"name": "Double"})
    page = alice.post(f"/scenarios/{row.public_id}/rename", {"name": ""}, follow=True).content.decode()
    assert "no name" in page
    assert "Double" in page
    taken = alice.post(f"/scenarios/{row.public_id}/promote")
    assert taken["Location"] == f"/plans/{PlanVersion.objects.get(number=2).public_id}"
    alice.post(f"/scenarios/{row.public_id}/delete")
    assert not Scenario.objects.exists()


def test_bob_only_looks_and_charlie_sees_nothing(people: People, version: PlanVersion) -> None:
    row = kept(people, version)
    bob, charlie = logged_in(people.bob), logged_in(people.charlie)
    index = f"/plans/{version.public_id}/scenarios"
    assert "Rename" not in bob.get(index).content.decode()
    assert "Save as scenario" not in bob.get(f"/plans/{version.public_id}/what-if").content.decode()
    for address in (index, f"{index}/new?tokens=30B", f"{index}/charts/scenario-cost.svg"):
        assert charlie.get(address).status_code == 404
    assert bob.get(f"{index}/new?tokens=30B").status_code == 403
    for verb in ("rename", "promote", "delete"):
        assert bob.post(f"/scenarios/{row.public_id}/{verb}", {"name": "x"}).status_code == 403
        assert charlie.post(f"/scenarios/{row.public_id}/{verb}", {"name": "x"}).status_code == 404
    assert Scenario.objects.get().name == "Twice the data"


def test_columns_that_agree_are_not_told_as_a_race(people: People, version: PlanVersion) -> None:
    from planner.presenters.scenarios import Column, side_by_side

    plan = version.plan
    beside = side_by_side([Column(name="A", plan=plan), Column(name="B", plan=plan)])
    findings = [chart.finding for chart in beside.charts]
    assert findings[0].startswith("All cost the same")
    assert findings[1].startswith("All finish in")
    assert beside.inputs == ()
    assert not any(cell.differs for line in beside.answers for cell in line.cells)


def test_what_is_signed_and_the_chance_stand_side_by_side(version: PlanVersion) -> None:
    from planner.presenters.scenarios import Column, side_by_side

    plan = version.plan
    best = plan.recommendation.recommended
    assert best is not None
    assert best.chance is not None
    signed = replace(best.cost, signed=Signed(what="commitment", total=900_000.0, months=12.0))
    bound = replace(best, cost=signed, chance=replace(best.chance, all=0.955))
    other = freeze(plan.spec, replace(plan.recommendation, recommended=bound))
    beside = side_by_side([Column(name="A", plan=plan), Column(name="B", plan=other)])
    lines = {line.label: [cell.text for cell in line.cells] for line in beside.answers}
    assert lines["To be signed"][0] == "nothing"
    assert lines["To be signed"][1].startswith("a 12-month commitment of ")
    assert "900,000" in lines["To be signed"][1]
    assert lines["All limits hold"][1] == "96% likely"


def test_the_days_of_a_band_are_the_days_on_which_the_work_would_end(version: PlanVersion) -> None:
    """Begun on 11 January, 7.26 days end on the 19th, and so do 7.94: not on the 20th."""
    from planner.presenters.scenarios import Column, side_by_side

    plan = version.plan
    best = plan.recommendation.recommended
    assert best is not None
    ended = replace(
        best, days=replace(best.days, low=6.66, expected=7.26, high=7.94), finish=finish_date(date(2027, 1, 11), 7.26)
    )
    frozen = freeze(plan.spec, replace(plan.recommendation, recommended=ended))
    beside = side_by_side([Column(name="A", plan=frozen)])
    told = next(line for line in beside.answers if line.label == "Finish").cells[0].text
    assert told == "19 Jan 2027 (18 Jan 2027 to 19 Jan 2027)"


def test_a_version_says_how_much_more_it_costs_than_the_one_before(version: PlanVersion) -> None:
    from planner.presenters.changes import changes

    before = version.plan
    best = before.recommendation.recommended
    assert best is not None
    total = best.cost.total
    dearer = replace(
        best,
        cost=replace(best.cost, total=replace(total, expected=total.expected * 1.2)),
        days=replace(best.days, expected=best.days.expected + 0.5),
    )
    now = freeze(before.spec, replace(before.recommendation, recommended=dearer))
    rows = {row.label: row for row in changes(before, now)}
    assert rows["Total cost"].difference == f"+{Currency().amount(total.expected * 0.2)} (+20%)"
    assert rows["Time to finish"].difference == "0.5 days more"
    fewer = {row.label: row for row in changes(now, before)}
    assert fewer["Total cost"].difference == f"−{Currency().amount(total.expected * 0.2)} (−17%)"
    assert fewer["Time to finish"].difference == "0.5 days less"
