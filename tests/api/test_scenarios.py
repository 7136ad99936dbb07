"""Scenarios over the API: made from changes, compared, renamed, promoted, deleted."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.models import AuditEvent
from planner.models import Scenario
from tests.api.support import TRAINING, Api, pointers, problem

pytestmark = pytest.mark.usefixtures("quick_engine")
LATER = {"name": "Twice the time", "changes": {"constraints": {"deadline_days": 42}}}


@pytest.fixture
def plan(petra: Api) -> str:
    """The address of a plan with one version."""
    return f"/plans/{petra.post('/plans', TRAINING).json()['id']}"


def test_it_works(petra: Api, plan: str) -> None:
    response = petra.post(f"{plan}/scenarios", LATER)
    made = response.json()
    assert response.status_code == 201
    assert response["Location"] == f"/api/v1{plan}/scenarios/{made['id']}"
    assert (made["version"], made["changes"]) == (1, LATER["changes"])
    assert petra.get(f"{plan}/scenarios").json()["data"] == [made]
    whole = petra.get(f"{plan}/scenarios/{made['id']}").json()
    assert whole["difference"]["patch"] == [{"op": "replace", "path": "/constraints/deadline_days", "value": 42}]
    assert whole["estimate"]["plan_sha256"] == made["plan_sha256"]
    assert AuditEvent.objects.get(verb="scenario.created").token_id == petra.row.public_id


def test_the_same_change_as_a_new_plan_gives_the_same_plan(petra: Api, plan: str) -> None:
    made = petra.post(f"{plan}/scenarios", LATER).json()
    other = petra.post("/estimates", {**TRAINING, **LATER["changes"]}).json()  # type: ignore[dict-item]
    assert made["plan_sha256"] == other["plan_sha256"]


def test_one_key_makes_one_scenario(petra: Api, plan: str) -> None:
    answers = [petra.post(f"{plan}/scenarios", LATER, Idempotency_Key="once") for _ in range(2)]
    assert answers[0].json() == answers[1].json()
    assert Scenario.objects.count() == 1


def test_two_people_rename_and_one_wins(petra: Api, alice: Api, plan: str) -> None:
    address = f"{plan}/scenarios/{petra.post(f'{plan}/scenarios', LATER).json()['id']}"
    tag = petra.get(address)["ETag"]
    renamed = petra.patch(address, {"name": "Six weeks"}, If_Match=tag)
    assert renamed.json()["name"] == "Six weeks"
    problem(alice.patch(address, {"name": "42 days"}, If_Match=tag), 412)
    assert alice.get(address)["ETag"] == renamed["ETag"]


def test_promoting_makes_the_next_version(petra: Api, plan: str) -> None:
    made = petra.post(f"{plan}/scenarios", LATER).json()
    promoted = petra.post(f"{plan}/scenarios/{made['id']}:promote")
    assert promoted.status_code == 201
    assert promoted["Location"] == f"/api/v1{plan}/versions/2"
    assert promoted.json()["plan_sha256"] == made["plan_sha256"]
    assert petra.get(plan).json()["draft"]["constraints"]["deadline_days"] == 42


def test_one_that_is_deleted_is_gone(petra: Api, plan: str) -> None:
    address = f"{plan}/scenarios/{petra.post(f'{plan}/scenarios', LATER).json()['id']}"
    assert petra.delete(address, If_Match=petra.get(address)["ETag"]).status_code == 204
    problem(petra.get(address), 404)


def test_it_belongs_to_its_plan(petra: Api, plan: str) -> None:
    made = petra.post(f"{plan}/scenarios", LATER).json()["id"]
    other = petra.post("/plans", {**TRAINING, "name": "Other"}).json()["id"]
    problem(petra.get(f"/plans/{other}/scenarios/{made}"), 404)


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ({**LATER, "changes": {"constraints": {"deadline_days": -1}}}, "/changes/constraints/deadline_days"),
        ({**LATER, "changes": {"name": "x"}}, "/changes/name"),
        ({**LATER, "changes": {}}, "/changes"),
        ({**LATER, "changes": 7}, "/changes"),
        ({**LATER, "name": " "}, "/name"),
        ({**LATER, "name": ""}, "/name"),
        ({**LATER, "nonsense": 1}, "/nonsense"),
    ],
)
def test_what_is_refused_is_named(petra: Api, plan: str, body: dict[str, Any], where: str) -> None:
    assert pointers(petra.post(f"{plan}/scenarios", body)) == [where]


def test_a_name_is_taken_once(petra: Api, plan: str) -> None:
    petra.post(f"{plan}/scenarios", LATER)
    assert pointers(petra.post(f"{plan}/scenarios", LATER)) == ["/name"]


def test_a_viewer_only_looks(petra: Api, bob: Api, plan: str) -> None:
    problem(bob.post(f"{plan}/scenarios", LATER), 403)
    assert bob.get(f"{plan}/scenarios").json()["data"] == []
