"""Comments and share links over the API."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from django.test import Client

from accounts.models import AuditEvent
from planner.models import ShareLink
from tests.api.support import TRAINING, Api, pointers, problem

pytestmark = pytest.mark.usefixtures("quick_engine")


@pytest.fixture
def plan(petra: Api) -> str:
    """The id of a plan with one version."""
    return str(petra.post("/plans", TRAINING).json()["id"])


def test_it_works(petra: Api, bob: Api, plan: str) -> None:
    response = petra.post(f"/plans/{plan}/comments", {"text": "Why so much?", "pointer": "figure.cost"})
    made = response.json()
    assert response.status_code == 201
    assert (made["version"], made["pointer"], made["resolved_at"]) == (1, "figure.cost", None)
    assert bob.get(f"/plans/{plan}/comments").json()["data"] == [made]
    assert bob.get(f"/plans/{plan}/comments?version=2").json()["data"] == []
    assert AuditEvent.objects.get(verb="comment.added").token_id == petra.row.public_id


def test_a_comment_is_settled_once(petra: Api, paula: Api, plan: str) -> None:
    made = petra.post(f"/plans/{plan}/comments", {"text": "Look"}).json()["id"]
    first, again = (paula.post(f"/plans/{plan}/comments/{made}:resolve").json() for _ in range(2))
    assert first == again
    assert first["resolved_by"] == paula.member.user.public_id


def test_a_number_that_the_plan_lacks_is_named(petra: Api, plan: str) -> None:
    response = petra.post(f"/plans/{plan}/comments", {"text": "Look", "pointer": "figure.nothing"})
    assert pointers(response) == ["/pointer"]
    assert "figure.cost" in response.json()["detail"]


@pytest.mark.parametrize("text", ["", " \n", "x" * 4001, 7, None])
def test_a_text_that_says_nothing(petra: Api, plan: str, text: Any) -> None:
    assert pointers(petra.post(f"/plans/{plan}/comments", {"text": text})) == ["/text"]


def test_a_viewer_says_nothing(bob: Api, petra: Api, plan: str) -> None:
    problem(bob.post(f"/plans/{plan}/comments", {"text": "Look"}), 403)


def test_a_comment_belongs_to_its_plan(petra: Api, plan: str) -> None:
    made = petra.post(f"/plans/{plan}/comments", {"text": "Look"}).json()["id"]
    other = petra.post("/plans", {**TRAINING, "name": "Other"}).json()["id"]
    problem(petra.post(f"/plans/{other}/comments/{made}:resolve"), 404)


def test_a_link_opens_one_version_until_it_is_revoked(petra: Api, client: Client, plan: str) -> None:
    response = petra.post("/share-links", {"plan_id": plan, "days": 1})
    made = response.json()
    assert response.status_code == 201
    path = "/" + made["address"].split("/", 3)[3]
    assert client.get(path).status_code == 200
    listed = petra.get(f"/share-links?plan={plan}").json()["data"]
    assert (listed[0]["id"], listed[0]["opened"]) == (made["id"], 1)
    assert "address" not in listed[0]
    assert petra.delete(f"/share-links/{made['id']}").status_code == 204
    assert client.get(path).status_code == 404
    assert petra.get("/share-links").json()["data"][0]["revoked_at"] is not None


def test_its_secret_is_stored_nowhere(petra: Api, plan: str) -> None:
    secret = petra.post("/share-links", {"plan_id": plan}, Idempotency_Key="k").json()["address"].rpartition("/")[2]
    secret = secret or petra.post("/share-links", {"plan_id": plan}).json()["address"].rstrip("/").rpartition("/")[2]
    assert len(secret) == 32
    assert ShareLink.objects.filter(digest=hashlib.sha256(secret.encode()).hexdigest()).count() == 1
    from rest.models import IdempotencyRecord

    assert not IdempotencyRecord.objects.filter(body__contains=secret).exists()


@pytest.mark.parametrize(
    ("body", "where"),
    [({"days": 2}, "/days"), ({"days": True}, "/days"), ({"version": 0}, "/version"), ({"x": 1}, "/x")],
)
def test_what_a_link_cannot_be(petra: Api, plan: str, body: dict[str, Any], where: str) -> None:
    assert pointers(petra.post("/share-links", {"plan_id": plan, **body})) == [where]


def test_another_teams_plan_cannot_be_shared(charlie: Api, plan: str) -> None:
    problem(charlie.post("/share-links", {"plan_id": plan}), 404)
