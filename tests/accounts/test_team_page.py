"""The team's page: roles, tokens shown once, and the audit trail, each for those who may."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from accounts import audit, invitations, tokens
from accounts.models import ApiToken, AuditEvent, Invitation, Membership, User
from tests.accounts.sign_in_support import PASSWORD, proved, with_password
from tests.conftest import People

CANARY = "\"><script>alert('x')</script>{{7*7}}"


@pytest.fixture
def alice(client: Client, people: People) -> Client:
    client.force_login(people.alice)
    return proved(client)


@pytest.fixture
def bob(people: People) -> Client:
    client = Client()
    client.force_login(people.bob)
    return proved(client)


def test_an_admin_adds_changes_and_removes(alice: Client, people: People) -> None:
    alice.post("/accounts/team/invitations", {"email": "dora@north.example", "role": "finance"})
    dora = invitations.accept(Invitation.objects.get(), User.objects.create_user("dora@north.example"))
    assert (dora.team, dora.role) == (people.team, "finance")
    alice.post("/accounts/team/role", {"email": "dora@north.example", "role": "approver"})
    dora.refresh_from_db()
    assert dora.role == "approver"
    alice.post(f"/accounts/team/members/{dora.user.public_id}/remove")
    assert not Membership.objects.filter(pk=dora.pk).exists()


def test_the_last_admin_stays(alice: Client, people: People) -> None:
    page = alice.post("/accounts/team/role", {"email": people.alice.email, "role": "viewer"}, follow=True)
    assert "without an admin" in page.content.decode()
    assert Membership.objects.get(user=people.alice).role == "admin"


def test_a_viewer_sees_members_and_changes_nothing(bob: Client, people: People) -> None:
    page = bob.get("/accounts/team").content.decode()
    assert people.alice.email in page
    assert "Audit trail" not in page
    assert "Invite a person" not in page
    assert bob.post("/accounts/team/role", {"email": people.bob.email, "role": "admin"}).status_code == 403
    assert bob.post(f"/accounts/team/members/{people.alice.public_id}/remove").status_code == 403


def test_charlie_cannot_be_reached_from_another_team(alice: Client, people: People) -> None:
    assert alice.post(f"/accounts/team/members/{people.charlie.public_id}/remove").status_code == 404
    row, _ = tokens.issue(people.other_team, people.charlie, name="theirs", scopes=["plans:read"])
    assert alice.post(f"/accounts/team/tokens/{row.public_id}/revoke").status_code == 404
    page = alice.post("/accounts/team/role", {"email": people.charlie.email, "role": "viewer"}, follow=True)
    assert "does not belong to the team" in page.content.decode()
    assert Membership.objects.get(user=people.charlie).team == people.other_team


def test_a_token_is_shown_once_and_never_stored(bob: Client) -> None:
    made = bob.post(
        "/accounts/team/tokens", {"name": "nightly", "scopes": ["plans:read", "exports:create"], "days": "30"}
    )
    found = re.search(r"sxt_[a-z0-9]{12}_[A-Za-z0-9]{34}", made.content.decode())
    assert found is not None
    assert "no-store" in made["Cache-Control"]
    row = tokens.verify(found[0])
    assert row is not None
    assert row.scopes == ["exports:create", "plans:read"]
    assert found[0] not in bob.get("/accounts/team").content.decode()
    bob.post(f"/accounts/team/tokens/{row.public_id}/revoke")
    assert tokens.verify(found[0]) is None


@pytest.mark.parametrize("sent", [{"name": ""}, {"name": "x"}, {"name": "x", "scopes": ["root"]}])
def test_a_token_needs_a_name_and_known_scopes(bob: Client, sent: dict[str, Any]) -> None:
    assert bob.post("/accounts/team/tokens", sent).status_code == 422
    assert not ApiToken.objects.exists()


def test_only_an_admin_revokes_the_tokens_of_others(alice: Client, bob: Client, people: People) -> None:
    row, _ = tokens.issue(people.team, people.alice, name="hers", scopes=["plans:read"])
    assert bob.post(f"/accounts/team/tokens/{row.public_id}/revoke").status_code == 403
    assert "hers" not in bob.get("/accounts/team").content.decode()
    own, _ = tokens.issue(people.team, people.bob, name="his", scopes=["plans:read"])
    alice.post(f"/accounts/team/tokens/{own.public_id}/revoke")
    own.refresh_from_db()
    assert own.revoked_at is not None


def test_the_trail_names_who_did_what(alice: Client, people: People) -> None:
    alice.post("/accounts/team/role", {"email": people.bob.email, "role": "planner"})
    page = alice.get("/accounts/team").content.decode()
    assert "member.role_set" in page
    assert people.bob.public_id in page


def test_canaries_are_inert(alice: Client, people: People) -> None:
    people.team.name = CANARY
    people.team.save()
    people.bob.name = CANARY
    people.bob.save()
    tokens.issue(people.team, people.bob, name=CANARY, scopes=["plans:read"])
    AuditEvent.objects.create(team=people.team, actor=people.bob, verb=CANARY[:60], subject="x", data={CANARY: CANARY})
    for text in (alice.get("/accounts/team").content.decode(), alice.get("/accounts/teams").content.decode()):
        assert "<script>alert" not in text
        assert ">49<" not in text


def test_the_page_asks_few_questions(alice: Client, people: People, django_assert_max_num_queries: Any) -> None:
    for at in range(8):
        tokens.issue(people.team, people.bob, name=f"token {at}", scopes=["plans:read"])
    with django_assert_max_num_queries(9):
        alice.get("/accounts/team")


STEPS = {
    "/accounts/team/role": {"email": "bob@north.example", "role": "planner"},
    "/accounts/team/second-factor": {"required": "true"},
    "/accounts/team/approvals": {"needed": "2"},
    "/accounts/team/token-approvals": {"allowed": "false"},
    "/accounts/team/audit-trail": {},
    "/accounts/team/invitations": {"email": "dora@north.example", "role": "viewer"},
    "/accounts/team/tokens": {"name": "nightly", "scopes": ["plans:read"]},
    "/webhooks/": {"name": "Budget", "url": "https://hooks.example/x", "events": ["plan.approved"]},
}


@pytest.mark.parametrize("path", STEPS)
def test_what_gives_rights_away_asks_who_one_is(people: People, path: str) -> None:
    """An unattended or stolen session alone gives nobody a role, a key or a copy."""
    with_password(people.alice)
    stale = Client()
    stale.force_login(people.alice)
    before = AuditEvent.objects.count()
    asked = stale.post(path, STEPS[path])
    assert asked.status_code == 302
    assert asked["Location"].startswith("/accounts/confirm?next=")
    assert "Nothing has been changed yet" in stale.get(asked["Location"]).content.decode()
    assert AuditEvent.objects.count() == before
    back = asked["Location"].partition("next=")[2].replace("%2F", "/")
    confirmed = stale.post("/accounts/confirm", {"password": PASSWORD, "next": back})
    assert confirmed["Location"] == back
    assert stale.get(back).status_code == 200


def test_an_admin_asks_for_two_approvals(alice: Client, bob: Client, people: People) -> None:
    assert bob.post("/accounts/team/approvals", {"needed": "2"}).status_code == 403
    page = alice.post("/accounts/team/approvals", {"needed": "2"}, follow=True).content.decode()
    assert "Two people must now approve a plan. What waits already keeps what was asked of it." in page
    assert "Only one member may approve." in page
    people.team.refresh_from_db()
    assert people.team.approvals_needed == 2
    assert AuditEvent.objects.get(verb="team.approvals").data == {"needed": 2, "was": 1}
    alice.post("/accounts/team/approvals", {"needed": "2"})
    assert AuditEvent.objects.filter(verb="team.approvals").count() == 1, "what changes nothing is no event"
    alice.post("/accounts/team/approvals", {"needed": "9"})
    people.team.refresh_from_db()
    assert people.team.approvals_needed == 1


def test_an_admin_downloads_the_team_s_own_trail(alice: Client, bob: Client, people: People) -> None:
    alice.post("/accounts/team/approvals", {"needed": "2"})
    AuditEvent.objects.create(team=people.other_team, verb="plan.frozen", subject="theirs")
    sent = alice.post("/accounts/team/audit-trail")
    assert sent["Content-Disposition"] == f'attachment; filename="audit-trail-{people.team.slug}.jsonl"'
    rows = [json.loads(line) for line in sent.getvalue().splitlines()]
    assert [row["verb"] for row in rows][-2:] == ["team.approvals", "audit_trail.downloaded"]
    assert {row["team"] for row in rows} == {people.team.public_id}
    assert all(row["before"] == before["sha256"] for before, row in pairwise(rows))
    assert bob.post("/accounts/team/audit-trail").status_code == 403


def test_a_trail_that_was_tampered_with_says_so(alice: Client, people: People) -> None:
    alice.post("/accounts/team/approvals", {"needed": "2"})
    alice.post("/accounts/team/audit-trail").getvalue()
    with connection.cursor() as cursor:
        cursor.execute("UPDATE accounts_auditevent SET verb = 'team.renamed' WHERE verb = 'team.approvals'")
    last = alice.post("/accounts/team/audit-trail").getvalue().splitlines()[-1]
    assert "is not what was sealed" in json.loads(last)["broken"]


def test_a_new_name_is_noted_with_the_old_one(alice: Client, people: People) -> None:
    old = people.alice.name
    alice.post("/accounts/account/name", {"name": "Alice Ames"})
    assert AuditEvent.objects.get(verb="user.renamed").data == {"name": "Alice Ames", "was": old}


def test_the_trail_shows_the_details_of_an_event_whatever_they_are_called(alice: Client, people: People) -> None:
    audit.record("series.asked", "ser_x", team=people.team, actor=people.alice, data={"items": 60, "kind": "scenarios"})
    page = alice.get("/accounts/team").content.decode()
    assert "items: 60" in page
    assert "kind: scenarios" in page
