"""Who am I, my team, tokens shown once, the audit log."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import ApiToken, AuditEvent
from tests.api.support import TRAINING, Api, pointers, problem


def test_it_works(petra: Api) -> None:
    body = petra.get("/me").json()
    assert body["user"]["email"] == petra.member.user.email
    assert (body["team"]["slug"], body["team"]["role"]) == ("north", "planner")
    assert petra.get("/teams").json() == {"data": [body["team"]], "next_cursor": None}


def test_a_token_is_shown_once_and_works(petra: Api) -> None:
    made = petra.post("/tokens", {"name": "CI", "scopes": ["plans:read"], "expires_in_days": 1})
    assert (made.status_code, made["Location"]) == (201, f"/api/v1/tokens/{made.json()['id']}")
    narrow = Api(petra.member)
    narrow.token = made.json()["token"]
    assert narrow.get("/plans").status_code == 200
    problem(narrow.post("/plans", TRAINING), 403)
    secret = made.json()["token"].rpartition("_")[2]
    assert secret not in petra.get("/tokens").content.decode()
    assert secret not in str(list(AuditEvent.objects.values()))


def test_a_token_gives_away_only_what_it_has(petra: Api) -> None:
    narrow = Api(petra.member, ("tokens:manage", "plans:read"))
    assert narrow.post("/tokens", {"name": "x", "scopes": ["plans:read"]}).status_code == 201
    assert "plans:write" in problem(narrow.post("/tokens", {"name": "x", "scopes": ["plans:write"]}), 403)["detail"]


def test_a_token_does_not_outlive_the_one_that_made_it(petra: Api) -> None:
    petra.row.expires_at = timezone.now() + timedelta(days=1)
    petra.row.save()
    made = petra.post("/tokens", {"name": "Child", "scopes": ["plans:read"], "expires_in_days": 365})
    assert made.status_code == 201
    assert ApiToken.objects.get(public_id=made.json()["id"]).expires_at == petra.row.expires_at


def test_a_new_token_is_not_remembered_under_a_key(petra: Api) -> None:
    ids = {petra.post("/tokens", {"name": "x", "scopes": []}, Idempotency_Key="k").json()["id"] for _ in range(2)}
    assert len(ids) == 2


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"name": ""}, "/name"),
        ({"name": "x" * 121}, "/name"),
        ({"scopes": ["plans:everything"]}, "/scopes/0"),
        ({"scopes": "plans:read"}, "/scopes"),
        ({"expires_in_days": 0}, "/expires_in_days"),
        ({"expires_in_days": 366}, "/expires_in_days"),
        ({"team": "south"}, "/team"),
        ({"user": "alice"}, "/user"),
    ],
)
def test_what_a_token_cannot_be(petra: Api, change: dict[str, Any], where: str) -> None:
    assert pointers(petra.post("/tokens", {"name": "x", "scopes": [], **change})) == [where]


def test_a_revoked_token_is_dead(petra: Api) -> None:
    other = Api(petra.member)
    assert petra.delete(f"/tokens/{other.row.public_id}").status_code == 204
    problem(other.get("/me"), 401)


def test_the_log_says_by_which_token_another_was_made_and_ended(petra: Api) -> None:
    made = petra.post("/tokens", {"name": "CI", "scopes": []}).json()["id"]
    petra.delete(f"/tokens/{made}")
    events = AuditEvent.objects.filter(subject=made).order_by("pk").values_list("verb", "token_id")
    assert list(events) == [("token.issued", petra.row.public_id), ("token.revoked", petra.row.public_id)]


def test_members_see_their_own_tokens_and_admins_all(petra: Api, bob: Api, alice: Api) -> None:
    assert {row["id"] for row in petra.get("/tokens").json()["data"]} == {petra.row.public_id}
    assert len(alice.get("/tokens").json()["data"]) == ApiToken.objects.filter(team=alice.member.team).count()
    problem(petra.delete(f"/tokens/{bob.row.public_id}"), 404)
    assert alice.delete(f"/tokens/{bob.row.public_id}").status_code == 204


def test_another_team_sees_nothing(charlie: Api, petra: Api) -> None:
    problem(charlie.delete(f"/tokens/{petra.row.public_id}"), 404)
    assert {row["id"] for row in charlie.get("/tokens").json()["data"]} == {charlie.row.public_id}


def test_the_log_is_for_admins(quick_engine: None, petra: Api, alice: Api, charlie: Api) -> None:
    plan = petra.post("/plans", TRAINING).json()
    problem(petra.get("/audit-events"), 403)
    events = alice.get(f"/audit-events?subject={plan['id']}").json()["data"]
    assert [(event["verb"], event["token_id"]) for event in events] == [("workload.created", petra.row.public_id)]
    assert alice.get("/audit-events?verb=plan.frozen").json()["data"][0]["subject"] == plan["latest_version"]["id"]
    assert {event["verb"] for event in charlie.get("/audit-events").json()["data"]} == {"token.issued"}


def test_the_log_is_asked_for_odd_things(alice: Api) -> None:
    assert alice.get("/audit-events?subject=%00&verb=%F0%9F%9A%80").json()["data"] == []
