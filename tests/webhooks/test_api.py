"""The API of webhooks: secrets shown once, changes that lose nothing, and nothing for other teams."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, get_args

import pytest
from django.utils import timezone

from accounts.models import AuditEvent, Role
from rest.models import IdempotencyRecord
from tests.api.support import Api, alice, bob, charlie, pointers, problem
from tests.conftest import People, make_member
from tests.outgoing.bad_server import answer, serving
from tests.webhooks.api_cases import HOOK
from tests.webhooks.support import deliver, told
from webhooks import endpoints, outbox
from webhooks.bodies import EventType
from webhooks.models import Delivery, Endpoint, Event, State

__all__ = ["alice", "bob", "charlie"]


def _made(api: Api, **more: Any) -> dict[str, Any]:
    response = api.post("/webhooks", {**HOOK, **more})
    assert response.status_code == 201, response.content
    body: dict[str, Any] = response.json()
    return body


def test_it_works(alice: Api) -> None:
    made = alice.post("/webhooks", HOOK)
    body = made.json()
    assert made["Location"] == f"/api/v1/webhooks/{body['id']}"
    assert body["id"].startswith("whk_")
    assert body["secret"].startswith("whsec_")
    assert (body["enabled"], body["figures"], body["events"]) == (True, False, ["plan.approved"])
    read = alice.get(f"/webhooks/{body['id']}")
    assert read["ETag"] == made["ETag"]
    assert "secret" not in read.json()
    assert [row["id"] for row in alice.get("/webhooks").json()["data"]] == [body["id"]]
    assert alice.get(f"/webhooks/{body['id']}", If_None_Match=read["ETag"]).status_code == 304


def test_what_happened_is_told_to_who_was_away(alice: Api, charlie: Api) -> None:
    """Without any webhook, in the order in which it happened, page by page, and never figures or another team's."""
    kinds = ["plan.submitted", "plan.approved", "plan.superseded"]
    rows = [
        outbox.emit(alice.member.team, kind, data={"plan_id": f"pln_{kind}"}, figures={"name": "Secret"})
        for kind in kinds
    ]
    outbox.emit(charlie.member.team, "plan.returned", data={"plan_id": "pln_theirs"})
    outbox.emit_test(endpoints.create(alice.member, **HOOK)[0])
    for hours, row in zip((3, 2, 1), rows, strict=True):
        Event.objects.filter(pk=row.pk).update(occurred_at=timezone.now() - timedelta(hours=hours))
    first = alice.get("/events?limit=2").json()
    rest = alice.get(f"/events?limit=2&cursor={first['next_cursor']}").json()
    told_all = first["data"] + rest["data"]
    assert [event["type"] for event in told_all] == kinds
    assert [event["data"]["plan_id"] for event in told_all] == [f"pln_{kind}" for kind in kinds]
    assert "Secret" not in str(told_all)
    since = alice.get(f"/events?since={told_all[1]['timestamp']}").json()["data"]
    assert [event["id"] for event in since] == [rows[1].public_id, rows[2].public_id]
    only = alice.get("/events?type=plan.superseded").json()["data"]
    assert [event["id"] for event in only] == [rows[2].public_id]
    assert problem(alice.get("/events?type=plan.invented"), 400)


def test_the_secret_is_nowhere_but_in_the_one_answer(alice: Api) -> None:
    body = alice.post("/webhooks", HOOK, Idempotency_Key="k").json()
    again = alice.post("/webhooks", HOOK, Idempotency_Key="k")
    assert again["Idempotency-Replayed"] == "true"
    assert (again.json()["id"], again.json()["secret"]) == (body["id"], None)
    row = Endpoint.objects.get()
    turned = alice.post(f"/webhooks/{body['id']}:rotate-secret", {}, Idempotency_Key="r").json()
    repeated = alice.post(f"/webhooks/{body['id']}:rotate-secret", {}, Idempotency_Key="r").json()
    assert turned["secret"] not in (None, body["secret"])
    assert repeated["secret"] is None
    stored = " ".join(
        [row.secret, *IdempotencyRecord.objects.values_list("body", flat=True)]
        + [str(data) for data in AuditEvent.objects.values_list("data", flat=True)]
    )
    for secret in (body["secret"], turned["secret"]):
        assert secret[6:] not in stored
    assert Endpoint.objects.count() == 1


def test_two_who_change_it_at_once_lose_nothing(alice: Api) -> None:
    body = _made(alice)
    path, tag = f"/webhooks/{body['id']}", alice.get(f"/webhooks/{body['id']}")["ETag"]
    problem(alice.patch(path, {"name": "Mine"}), 428)
    changed = alice.patch(path, {"name": "Mine", "figures": True}, If_Match=tag)
    assert (changed.status_code, changed.json()["name"], changed.json()["figures"]) == (200, "Mine", True)
    problem(alice.patch(path, {"name": "Theirs"}, If_Match=tag), 412)
    problem(alice.delete(path, If_Match=tag), 412)
    assert changed.json()["url"] == HOOK["url"]
    assert alice.delete(path, If_Match=changed["ETag"]).status_code == 204
    problem(alice.get(path), 404)
    assert AuditEvent.objects.filter(subject=body["id"]).count() == 3


def test_turning_off_and_on(alice: Api) -> None:
    body = _made(alice)
    off = alice.patch(f"/webhooks/{body['id']}", {"enabled": False}, If_Match="*")
    assert (off.json()["enabled"], off.json()["off_reason"]) == (False, "person")
    assert not outbox.emit(alice.member.team, "plan.approved", data={}).deliveries.exists()
    problem(alice.post(f"/webhooks/{body['id']}:test"), 409)
    on = alice.patch(f"/webhooks/{body['id']}", {"enabled": True}, If_Match=off["ETag"])
    assert (on.json()["enabled"], on.json()["off_reason"], on.json()["off_at"]) == (True, None, None)
    assert outbox.emit(alice.member.team, "plan.approved", data={}).deliveries.count() == 1


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("url", "http://example.com/"),
        ("url", "https://169.254.169.254/latest"),
        ("url", "https://10.1.2.3/"),
        ("url", "https://[::ffff:10.1.2.3]/"),
        ("url", "https://2130706433/"),
        ("url", "https://me:pw@example.com/"),
        ("url", "https://example.com:22/"),
        ("url", "javascript:alert(1)"),
        ("url", ""),
        ("url", 7),
        ("name", ""),
        ("name", "   "),
        ("name", "x" * 81),
        ("events", []),
        ("events", "plan.approved"),
        ("figures", "true"),
        ("secret", "whsec_mine"),
        ("team", "team_x"),
        ("enabled", True),
    ],
)
def test_a_fault_names_its_field_and_makes_nothing(alice: Api, settings: Any, field: str, value: Any) -> None:
    settings.OUTGOING_LOOPBACK = False
    assert pointers(alice.post("/webhooks", {**HOOK, field: value})) == [f"/{field}"]
    assert not Endpoint.objects.exists()


def test_an_unknown_event_is_named_by_its_place(alice: Api) -> None:
    assert pointers(alice.post("/webhooks", {**HOOK, "events": ["plan.approved", "plan.exploded"]})) == ["/events/1"]
    assert get_args(EventType) == tuple(outbox.TYPES)


def test_a_team_has_ten_at_most(alice: Api, charlie: Api) -> None:
    for number in range(endpoints.MOST):
        _made(alice, name=f"Hook {number}")
    assert "delete one first" in problem(alice.post("/webhooks", HOOK), 409)["detail"]
    _made(charlie)
    page = alice.get("/webhooks?limit=4")
    assert [row["name"] for row in page.json()["data"]] == ["Hook 9", "Hook 8", "Hook 7", "Hook 6"]
    following = alice.get(f"/webhooks?limit=4&cursor={page.json()['next_cursor']}")
    assert following.json()["data"][0]["name"] == "Hook 5"


def test_the_log_of_deliveries_and_sending_again(alice: Api) -> None:
    with serving(answer(500, b"no"), answer(200, b"yes")) as receiver:
        hook = _made(alice, url=receiver.url())
        sent = alice.post(f"/webhooks/{hook['id']}:test")
        assert sent.status_code == 202
        path = sent["Location"].removeprefix("/api/v1")
        deliver()
        first = alice.get(path).json()
        assert (first["state"], first["attempts"], first["last_status"]) == ("waiting", 1, 500)
        assert first["next_attempt_at"].endswith("Z")
        again = alice.post(f"{path}:redeliver")
        assert (again.status_code, again.json()["state"]) == (202, "waiting")
        deliver()
    body = alice.get(path).json()
    assert [attempt["status"] for attempt in body["log"]] == [200, 500]
    assert [attempt["answer"] for attempt in body["log"]] == ["yes", "no"]
    assert body["log"][1]["note"] == "The receiver answered 500."
    assert body["message"] == told(receiver.asked[0]) == told(receiver.asked[1])
    assert body["message"]["type"] == body["type"] == "webhook.test"
    assert body["message_id"].startswith("msg_")
    listed = alice.get(f"/deliveries?webhook={hook['id']}&state=delivered").json()["data"]
    assert [row["id"] for row in listed] == [body["id"]]
    assert alice.get("/deliveries?state=failed").json()["data"] == []
    problem(alice.get("/deliveries?state=lost"), 400)


def test_a_delivery_that_was_given_up_has_new_attempts(alice: Api) -> None:
    hook = _made(alice)
    path = alice.post(f"/webhooks/{hook['id']}:test")["Location"].removeprefix("/api/v1")
    Delivery.objects.update(state=State.FAILED, tries=11, attempts=11, next_attempt_at=None)
    assert alice.post(f"{path}:redeliver").json()["state"] == "waiting"
    row = Delivery.objects.get()
    assert (row.tries, row.attempts) == (0, 11)


def test_nobody_is_hammered_by_hand(alice: Api, charlie: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoints, "BY_HAND", 2)
    hook, theirs = _made(alice), _made(charlie)
    sent = alice.post(f"/webhooks/{hook['id']}:test").json()
    assert alice.post(f"/deliveries/{sent['id']}:redeliver").status_code == 202
    for path in (f"/webhooks/{hook['id']}:test", f"/deliveries/{sent['id']}:redeliver"):
        refused = alice.post(path)
        assert "within a minute" in problem(refused, 429)["detail"]
        assert refused["Retry-After"] == "60"
    assert charlie.post(f"/webhooks/{theirs['id']}:test").status_code == 202
    monkeypatch.setattr(endpoints, "BY_HAND_WITHIN", timedelta(0))
    assert alice.post(f"/webhooks/{hook['id']}:test").status_code == 202


def test_only_admins_see_webhooks(people: People, alice: Api, bob: Api, charlie: Api) -> None:
    hook = _made(alice)
    sent = alice.post(f"/webhooks/{hook['id']}:test").json()
    members = [bob] + [Api(make_member(people.team, role.title(), role)) for role in (Role.PLANNER, Role.FINANCE)]
    for path in ("/webhooks", f"/webhooks/{hook['id']}", "/deliveries", f"/deliveries/{sent['id']}"):
        for member in members:
            problem(member.get(path), 403)
    problem(charlie.get(f"/webhooks/{hook['id']}"), 404)
    problem(charlie.get(f"/deliveries/{sent['id']}"), 404)
    problem(charlie.get(f"/deliveries?webhook={hook['id']}"), 404)
    problem(charlie.post(f"/deliveries/{sent['id']}:redeliver"), 404)
    assert charlie.get("/webhooks").json()["data"] == charlie.get("/deliveries").json()["data"] == []


@pytest.mark.parametrize("hours", [2, -1, "24", True, 1.0])
def test_the_time_with_two_secrets_is_one_of_four(alice: Api, hours: Any) -> None:
    hook = _made(alice)
    assert pointers(alice.post(f"/webhooks/{hook['id']}:rotate-secret", {"keep_hours": hours})) == ["/keep_hours"]
    turned = alice.post(f"/webhooks/{hook['id']}:rotate-secret", {"keep_hours": 72}).json()
    assert turned["earlier_secret_until"] > turned["updated_at"]
    dropped = alice.post(f"/webhooks/{hook['id']}:rotate-secret", {"keep_hours": 0}).json()
    assert dropped["earlier_secret_until"] is None
    assert Endpoint.objects.get().earlier_secret == ""
