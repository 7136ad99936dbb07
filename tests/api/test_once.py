"""Idempotency-Key: whatever is repeated, and however many at once, it is done once."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import override_settings
from django.utils import timezone

from accounts.models import Role
from exports.models import Export
from planner import plans
from planner.models import PlanVersion, Workload
from rest.models import IdempotencyRecord
from tests.api.support import SERVING, TRAINING, Api, problem
from tests.conftest import People, make_member

pytestmark = pytest.mark.usefixtures("quick_engine")


def test_it_works(petra: Api) -> None:
    first = petra.post("/plans", TRAINING, Idempotency_Key="one")
    again = petra.post("/plans", TRAINING, Idempotency_Key="one")
    assert (again.status_code, again.content, again["Location"]) == (201, first.content, first["Location"])
    assert (again["Idempotency-Replayed"], "Idempotency-Replayed" in first) == ("true", False)
    assert Workload.objects.count() == 1


def test_another_key_is_another_plan(petra: Api) -> None:
    for key in ("one", "two"):
        petra.post("/plans", TRAINING, Idempotency_Key=key)
    assert Workload.objects.count() == 2


def test_another_body_is_refused(petra: Api) -> None:
    petra.post("/plans", TRAINING, Idempotency_Key="one")
    body = problem(petra.post("/plans", SERVING, Idempotency_Key="one"), 422)
    assert body["errors"][0]["code"] == "idempotency_key_reused"
    assert Workload.objects.count() == 1


def test_another_address_is_refused(petra: Api) -> None:
    plan = petra.post("/plans", TRAINING, Idempotency_Key="one").json()["id"]
    problem(petra.post(f"/plans/{plan}:duplicate", Idempotency_Key="one"), 422)


def test_keys_of_others_are_others(petra: Api, charlie: Api) -> None:
    mine, theirs = (api.post("/plans", TRAINING, Idempotency_Key="one").json()["id"] for api in (petra, charlie))
    assert mine != theirs


@pytest.mark.parametrize("key", ["", " ", "x" * 256, "a b", "\x7f"])
def test_a_key_has_a_shape(petra: Api, key: str) -> None:
    problem(petra.post("/plans", TRAINING, Idempotency_Key=key), 400)


def test_a_key_is_kept_for_a_day(petra: Api) -> None:
    petra.post("/plans", TRAINING, Idempotency_Key="one")
    IdempotencyRecord.objects.update(created_at=timezone.now() - timedelta(hours=25))
    petra.post("/plans", TRAINING, Idempotency_Key="one")
    assert (Workload.objects.count(), IdempotencyRecord.objects.count()) == (2, 1)


def test_what_was_refused_may_be_tried_again(petra: Api) -> None:
    problem(petra.post("/plans", {**TRAINING, "model": "nothing"}, Idempotency_Key="one"), 422)
    assert petra.post("/plans", TRAINING, Idempotency_Key="one").status_code == 201


def test_what_failed_leaves_nothing(petra: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(plans, "freeze_version", lambda *_, **__: 1 / 0)
        problem(petra.post("/plans", TRAINING, Idempotency_Key="one"), 500)
    assert (Workload.objects.count(), IdempotencyRecord.objects.count()) == (0, 0)
    assert petra.post("/plans", TRAINING, Idempotency_Key="one").status_code == 201


def test_while_it_runs_a_second_waits(petra: Api) -> None:
    petra.post("/plans", TRAINING, Idempotency_Key="one")
    IdempotencyRecord.objects.update(status=None)
    response = petra.post("/plans", TRAINING, Idempotency_Key="one")
    assert response["Retry-After"] == "1"
    problem(response, 409)


def test_the_key_of_a_killed_request_is_free_again(petra: Api) -> None:
    petra.post("/plans", TRAINING, Idempotency_Key="one")
    IdempotencyRecord.objects.update(status=None, reserved_at=timezone.now() - timedelta(minutes=6))
    assert petra.post("/plans", TRAINING, Idempotency_Key="one").status_code == 201
    assert Workload.objects.count() == 2


def test_steps_and_files_are_done_once(petra: Api) -> None:
    path = f"/plans/{petra.post('/plans', TRAINING).json()['id']}"
    for _ in range(2):
        assert petra.post(f"{path}/versions/1/approvals", {"action": "submit"}, Idempotency_Key="s").status_code == 200
        assert petra.post(f"{path}/exports", {"formats": ["pdf"]}, Idempotency_Key="e").status_code == 202
    assert Export.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_fifty_at_once_make_one_plan(people: People, quick_engine: None) -> None:
    petra = Api(make_member(people.team, "Petra", Role.PLANNER))
    start = threading.Barrier(50)

    def post(_: int) -> Any:
        start.wait()
        try:
            response = petra.post("/plans", TRAINING, Idempotency_Key="one")
            while response.status_code == 409:
                response = petra.post("/plans", TRAINING, Idempotency_Key="one")
            return response
        finally:
            connection.close()

    with override_settings(API_PER_MINUTE={"estimate": 10**6}), ThreadPoolExecutor(50) as pool:
        answers = list(pool.map(post, range(50)))
    assert {response.status_code for response in answers} == {201}
    assert len({response.content for response in answers}) == 1
    assert (Workload.objects.count(), PlanVersion.objects.count()) == (1, 1)
