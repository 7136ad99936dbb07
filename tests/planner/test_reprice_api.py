"""Today's prices over the API: looked at first, then accepted as the next version, exactly as they were shown."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from catalog.kept import Kept
from engine.inputs.spec import Spec
from planner import planned
from planner.frozen.snapshot import Plan, freeze
from planner.models import PlanVersion
from planner.versions import State
from tests.api.support import TRAINING, Api, alice, bob, petra, problem
from tests.planner.page_support import quick_engine, sample_answer

__all__ = ["alice", "bob", "petra", "quick_engine"]
pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("quick_engine")]


@pytest.fixture
def path(petra: Api, quick_engine: None) -> str:
    return f"/plans/{petra.post('/plans', TRAINING).json()['id']}"


@pytest.fixture
def dearer(monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    """From now on the catalog answers something else."""

    def answered(spec: Spec, market: Any, **_known: Any) -> Plan:
        answer = sample_answer(spec, market).recommendation
        return freeze(spec, dataclasses.replace(answer, catalog_release="another", recommended=answer.alternatives[0]))

    monkeypatch.setattr(planned, "_recent", Kept(64))
    monkeypatch.setattr(planned, "estimate", answered)


def test_a_look_keeps_nothing(petra: Api, path: str, dearer: None) -> None:
    body = petra.post(f"{path}:reprice").json()
    assert (body["changed"], body["accepted"]) == (True, None)
    assert PlanVersion.objects.count() == 1


def test_what_was_shown_is_accepted_as_the_next_version(petra: Api, path: str, dearer: None) -> None:
    shown = petra.post(f"{path}:reprice").json()["plan_sha256"]
    made = petra.post(f"{path}:reprice?dry_run=false&expected={shown}")
    assert made.status_code == 201
    assert made["Location"] == f"/api/v1{path}/versions/2"
    accepted = made.json()["accepted"]
    assert (accepted["number"], accepted["state"], accepted["plan_sha256"]) == (2, State.DRAFT, shown)
    assert petra.get(f"{path}/diff?from=1&to=2").json()["lines"] == made.json()["difference"]["lines"]
    again = petra.post(f"{path}:reprice?dry_run=false")
    assert (again.status_code, again.json()["changed"], again.json()["accepted"]["number"]) == (200, False, 2)


def test_once_is_once(petra: Api, path: str, dearer: None) -> None:
    first, second = (petra.post(f"{path}:reprice?dry_run=false", Idempotency_Key="k") for _ in range(2))
    assert first.content == second.content
    assert PlanVersion.objects.count() == 2


def test_other_prices_than_those_shown_are_not_accepted(petra: Api, path: str, dearer: None) -> None:
    old = PlanVersion.objects.get().sha256
    refused = problem(petra.post(f"{path}:reprice?dry_run=false&expected={old}"), 409)
    assert "Prices have moved" in refused["detail"]
    assert PlanVersion.objects.count() == 1


def test_a_version_that_came_between_is_not_passed_over(
    petra: Api, path: str, dearer: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody freezes another answer between the look and the write."""
    from planner.api import versions

    newest_of = versions.newest_of

    def late(request: Any, plan_id: str) -> PlanVersion:
        found = newest_of(request, plan_id)
        columns = {"body": found.body, "sha256": "0" * 64, "feasible": True, "headline": "x"}
        PlanVersion.objects.create(workload=found.workload, number=2, catalog_release="x", **columns)
        return found

    monkeypatch.setattr(versions, "newest_of", late)
    problem(petra.post(f"{path}:reprice?dry_run=false"), 409)
    assert not PlanVersion.objects.filter(number=3).exists()


def test_it_needs_the_right_to_write(petra: Api, bob: Api, path: str, dearer: None) -> None:
    reader = Api(petra.member, ("plans:read",))
    assert reader.post(f"{path}:reprice").status_code == 200
    assert "plans:write" in problem(reader.post(f"{path}:reprice?dry_run=false"), 403)["detail"]
    problem(bob.post(f"{path}:reprice?dry_run=false"), 403)
    assert PlanVersion.objects.count() == 1
