"""Frozen versions: snapshots that never change, what differs, today's prices, and the review."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest

from accounts.models import Role
from catalog.kept import Kept
from engine.inputs.spec import Spec
from planner import planned
from planner.frozen.snapshot import Plan, freeze
from planner.models import PlanVersion
from planner.versions import State
from tests.api.support import TRAINING, Api, pointers, problem
from tests.conftest import People, make_member
from tests.planner.page_support import sample_answer

pytestmark = pytest.mark.usefixtures("quick_engine")


@pytest.fixture
def path(petra: Api, quick_engine: None) -> str:
    """The address of a plan with one version."""
    return f"/plans/{petra.post('/plans', TRAINING).json()['id']}"


def changed(api: Api, path: str, **change: Any) -> Any:
    """The answer to freezing the draft after that change."""
    api.patch(path, change, If_Match="*")
    return api.post(f"{path}/versions")


def test_it_works(petra: Api, path: str) -> None:
    second = changed(petra, path, horizon_months=12)
    assert (second.status_code, second.json()["number"]) == (201, 2)
    assert second["Location"] == f"/api/v1{path}/versions/2"
    snapshot = petra.get(f"{path}/versions/2")
    assert snapshot.json()["spec"]["horizon_months"] == 12
    assert snapshot.json()["estimate"]["plan_sha256"] == second.json()["plan_sha256"]


def test_freezing_what_has_not_changed_makes_nothing(petra: Api, path: str) -> None:
    again = petra.post(f"{path}/versions")
    assert (again.status_code, again.json()["number"], PlanVersion.objects.count()) == (200, 1, 1)


def test_a_snapshot_is_cached_for_ever(petra: Api, path: str) -> None:
    first = petra.get(f"{path}/versions/1")
    assert first["Cache-Control"] == "private, max-age=31536000, immutable"
    assert first["ETag"] == f'"{first.json()["plan_sha256"]}"'
    petra.post(f"{path}/versions/1/approvals", {"action": "submit"})
    assert petra.get(f"{path}/versions/1").content == first.content
    assert petra.get(f"{path}/versions/1", If_None_Match=first["ETag"]).status_code == 304


def test_the_list_has_the_review(petra: Api, path: str) -> None:
    changed(petra, path, horizon_months=12)
    petra.post(f"{path}/versions/2/approvals", {"action": "submit"})
    rows = petra.get(f"{path}/versions?limit=1").json()
    assert [(row["number"], row["state"]) for row in rows["data"]] == [(2, "submitted")]
    rest = petra.get(f"{path}/versions?limit=1&cursor={rows['next_cursor']}").json()
    assert [(row["number"], row["state"]) for row in rest["data"]] == [(1, "draft")]


def test_the_difference_can_be_applied(petra: Api, path: str) -> None:
    changed(petra, path, horizon_months=12, start="2027-01-11")
    body = petra.get(f"{path}/diff?from=1&to=2").json()
    assert {(step["op"], step["path"], step["value"]) for step in body["patch"]} == {
        ("replace", "/horizon_months", 12),
        ("replace", "/start", "2027-01-11"),
    }
    assert any("horizon" in line["label"].lower() for line in body["lines"])


@pytest.mark.parametrize("query", ["from=1", "from=1&to=9", "from=a&to=1", "from=1&to=1&x=1", "from=0&to=1"])
def test_a_difference_needs_two_versions(petra: Api, path: str, query: str) -> None:
    problem(petra.get(f"{path}/diff?{query}"), 400)


def test_new_prices_show_as_a_difference(petra: Api, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def dearer(spec: Spec, market: Any, **_known: Any) -> Plan:
        answer = sample_answer(spec, market).recommendation
        return freeze(spec, dataclasses.replace(answer, catalog_release="another", recommended=answer.alternatives[0]))

    assert petra.post(f"{path}:reprice").json()["changed"] is False
    monkeypatch.setattr(planned, "_recent", Kept(64))
    monkeypatch.setattr(planned, "estimate", dearer)
    body = petra.post(f"{path}:reprice").json()
    assert body["changed"] is True
    assert body["estimate"]["catalog_release"] == "another"
    assert body["difference"]["patch"] == []
    assert body["difference"]["lines"]
    assert PlanVersion.objects.count() == 1


def test_a_plan_without_a_version_has_nothing_to_reprice(petra: Api, path: str) -> None:
    PlanVersion.objects.all()._raw_delete(using="default")  # a draft of the page that was never frozen
    for verb, body in ((":reprice", None), ("/exports", {})):
        assert "no version" in problem(petra.post(f"{path}{verb}", body), 409)["detail"]


def test_approval_takes_two_people(petra: Api, paula: Api, path: str) -> None:
    address = f"{path}/versions/1/approvals"
    assert petra.post(address, {"action": "submit"}).json()["state"] == "submitted"
    problem(petra.post(address, {"action": "approve"}), 403)
    approved = paula.post(address, {"action": "approve", "reason": "Within budget"}).json()
    assert (approved["state"], approved["decided_by"]) == ("approved", paula.member.user.public_id)
    plan = petra.get(path).json()
    assert plan["approved_version"]["plan_sha256"] == petra.get(f"{path}/versions/1").json()["plan_sha256"]
    assert [row["id"] for row in petra.get("/plans?status=approved").json()["data"]] == [plan["id"]]


def test_nobody_approves_their_own_plan(alice: Api) -> None:
    path = f"/plans/{alice.post('/plans', TRAINING).json()['id']}/versions/1/approvals"
    alice.post(path, {"action": "submit"})
    assert "Somebody else" in problem(alice.post(path, {"action": "approve"}), 403)["detail"]
    assert PlanVersion.objects.get().state == State.SUBMITTED


def test_who_froze_a_version_does_not_approve_it(people: People, petra: Api, path: str) -> None:
    both = Api(make_member(people.team, "Both", Role.ADMIN))
    changed(both, path, horizon_months=12)
    petra.post(f"{path}/versions/2/approvals", {"action": "submit"})
    problem(both.post(f"{path}/versions/2/approvals", {"action": "approve"}), 403)


@pytest.mark.parametrize("action", ["approve", "return"])
def test_only_what_was_submitted_is_decided(paula: Api, path: str, action: str) -> None:
    problem(paula.post(f"{path}/versions/1/approvals", {"action": action, "reason": "x"}), 409)


def test_only_the_newest_version_is_submitted(petra: Api, path: str) -> None:
    changed(petra, path, horizon_months=12)
    problem(petra.post(f"{path}/versions/1/approvals", {"action": "submit"}), 409)


@pytest.mark.parametrize(
    ("step", "where"),
    [
        ({"action": "return"}, "/reason"),
        ({"action": "return", "reason": "  "}, "/reason"),
        ({"action": "sign"}, "/action"),
        ({"action": "approve", "state": "approved"}, "/state"),
        ({"action": "approve", "reason": 5}, "/reason"),
        ({}, "/action"),
    ],
)
def test_a_step_says_what_and_why(petra: Api, paula: Api, path: str, step: dict[str, Any], where: str) -> None:
    petra.post(f"{path}/versions/1/approvals", {"action": "submit"})
    assert pointers(paula.post(f"{path}/versions/1/approvals", step)) == [where]


@pytest.mark.parametrize("number", ["0", "2", "99999999999999999999999", "9" * 5000, "x", "-1", "1.0"])
def test_there_is_no_other_version(petra: Api, path: str, number: str) -> None:
    problem(petra.get(f"{path}/versions/{number}"), 404)


def test_another_team_sees_nothing(charlie: Api, path: str) -> None:
    for response in (
        charlie.get(f"{path}/versions"),
        charlie.get(f"{path}/versions/1"),
        charlie.get(f"{path}/diff?from=1&to=1"),
        charlie.post(f"{path}/versions"),
        charlie.post(f"{path}:reprice"),
        charlie.post(f"{path}/versions/1/approvals", {"action": "submit"}),
    ):
        problem(response, 404)


def test_a_snapshot_is_plain_json(petra: Api, path: str) -> None:
    assert json.loads(petra.get(f"{path}/versions/1").content)["estimate"]["recommended"]["memory"]["parts"]
