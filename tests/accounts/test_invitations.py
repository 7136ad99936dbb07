"""Invitations: a link to one mailbox, once, for a week."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.utils import timezone

from accounts import invitations, teams
from accounts.models import AuditEvent, Invitation, Membership, User
from jobs.models import Job
from tests.accounts.sign_in_support import is_in, link_in, log_in, proved, sent_letters, with_password
from tests.conftest import People

NEW = {"name": "Dora Diaz", "new_password1": "four quiet harbours", "new_password2": "four quiet harbours"}


@pytest.fixture
def alice(client: Client, people: People) -> Client:
    client.force_login(people.alice)
    return proved(client)


def _invite(alice: Client, email: str = "Dora@north.example", role: str = "planner") -> str:
    """The path of the link."""
    alice.post("/accounts/team/invitations", {"email": email, "role": role})
    return link_in(sent_letters()[-1])


def test_a_newcomer_sets_name_and_password_and_is_in(alice: Client, people: People) -> None:
    path = _invite(alice)
    assert "dora@north.example" in alice.get("/accounts/team").content.decode()
    assert not User.objects.filter(email="dora@north.example").exists()
    dora = Client()
    moved = dora.get(path)
    assert path.rpartition("/")[2] not in str(dict(dora.session))
    assert moved.headers["Location"] == "/accounts/invitation"  # the secret leaves the address
    page = dora.get("/accounts/invitation")
    assert "no-store" in page["Cache-Control"]
    assert "Alice invites dora@north.example, as planner" in page.content.decode()
    for wrong in ({**NEW, "name": ""}, {**NEW, "new_password1": "short"}, {**NEW, "new_password2": "another"}):
        answer = dora.post("/accounts/invitation", wrong)
        assert answer.status_code == 422
        assert wrong["name"] in answer.content.decode()  # nothing typed is lost
    dora.post("/accounts/invitation", NEW)
    member = Membership.objects.get(user__email="dora@north.example")
    assert (member.team, member.role, member.user.name) == (people.team, "planner", "Dora Diaz")
    assert is_in(dora)
    assert dora.get("/accounts/team").status_code == 200
    assert Client().get(path, follow=True).status_code == 404
    verbs = set(AuditEvent.objects.values_list("verb", flat=True))
    assert {"invitation.sent", "invitation.accepted", "user.created", "user.logged_in"} <= verbs


def test_the_link_is_stored_hashed_and_sealed(alice: Client) -> None:
    secret = _invite(alice).rpartition("/")[2]
    assert len(secret) >= 43
    assert secret not in str(list(Invitation.objects.values()))
    assert secret not in str(list(Job.objects.values()))
    assert "dora" not in str(list(Job.objects.values_list("payload", flat=True)))


def test_a_link_ends_by_time_withdrawal_or_a_newer_one(alice: Client) -> None:
    first = _invite(alice)
    row = Invitation.objects.get()
    alice.post(f"/accounts/team/invitations/{row.public_id}/again")
    second = link_in(sent_letters()[-1])
    assert first != second
    assert Client().get(first, follow=True).status_code == 404
    assert Client().get(second, follow=True).status_code == 200
    Invitation.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert Client().get(second, follow=True).status_code == 404
    assert "Over" in alice.get("/accounts/team").content.decode()
    alice.post(f"/accounts/team/invitations/{row.public_id}/again")
    third = link_in(sent_letters()[-1])
    alice.post(f"/accounts/team/invitations/{row.public_id}/revoke")
    assert Client().get(third, follow=True).status_code == 404
    alice.post(f"/accounts/team/invitations/{row.public_id}/again")
    assert sent_letters()[-1].body.count(third) == 1  # nothing more was sent
    assert "not here yet" not in alice.get("/accounts/team").content.decode()
    _invite(alice)
    assert Invitation.objects.count() == 2


def test_somebody_with_an_account_signs_in_and_joins(alice: Client, people: People) -> None:
    charlie = with_password(people.charlie)
    path = _invite(alice, charlie.email, "approver")
    visitor = Client()
    page = visitor.get(path, follow=True).content.decode()
    assert "There is an account with this address" in page
    visitor.post("/accounts/invitation", NEW)  # no new password by the link alone
    charlie.refresh_from_db()
    assert charlie.check_password("correct horse battery")
    log_in(visitor, charlie)
    visitor.get(path)
    visitor.post("/accounts/invitation")
    assert Membership.objects.get(user=charlie, team=people.team).role == "approver"


def test_a_link_is_for_one_person_only(alice: Client, people: People) -> None:
    path = _invite(alice)
    bob = Client()
    bob.force_login(people.bob)
    assert "for somebody else" in bob.get(path, follow=True).content.decode()
    assert bob.post("/accounts/invitation").status_code == 409
    row = Invitation.objects.get()
    with pytest.raises(ValidationError):
        invitations.accept(row, people.charlie)
    assert row.accepted_at is None


def test_only_admins_of_the_team_invite_and_withdraw(alice: Client, people: People) -> None:
    _invite(alice)
    row = Invitation.objects.get()
    for person, status in ((people.bob, 403), (people.charlie, 404)):
        visitor = Client()
        visitor.force_login(person)
        for step in ("again", "revoke"):
            assert visitor.post(f"/accounts/team/invitations/{row.public_id}/{step}").status_code == status
        assert "dora" not in visitor.get("/accounts/team").content.decode()
    bob = Client()
    bob.force_login(people.bob)
    assert bob.post("/accounts/team/invitations", {"email": "e@x.example", "role": "admin"}).status_code == 403


@pytest.mark.parametrize(
    ("email", "role", "sentence"),
    [
        ("not an address", "viewer", "is not an e-mail address"),
        ("x@y.example", "owner", "There is no role"),
        ("bob@north.example", "viewer", "belongs to the team already"),
    ],
)
def test_odd_invitations_say_why(alice: Client, email: str, role: str, sentence: str) -> None:
    page = alice.post("/accounts/team/invitations", {"email": email, "role": role}, follow=True)
    assert sentence in page.content.decode()
    assert not Invitation.objects.exists()


def test_one_person_is_invited_once(alice: Client) -> None:
    _invite(alice)
    page = alice.post("/accounts/team/invitations", {"email": "DORA@north.example", "role": "admin"}, follow=True)
    assert "is invited already" in page.content.decode()
    assert Invitation.objects.count() == 1


def test_a_team_does_not_send_mail_without_end(alice: Client, people: People) -> None:
    for at in range(62):
        alice.post("/accounts/team/invitations", {"email": f"p{at}@x.example", "role": "viewer"})
    assert Invitation.objects.count() == 60


def test_guessing_links_is_stopped(db: None) -> None:
    visitor = Client()
    statuses = [visitor.get(f"/accounts/invitation/{at}", follow=True).status_code for at in range(52)]
    assert statuses == [404] * 50 + [429] * 2


def test_a_letter_has_one_subject_line_and_no_markup(alice: Client, people: People) -> None:
    people.alice.name = "Alice\r\nBcc: everybody@example.org"
    people.alice.save()
    _invite(alice)
    letter: Any = sent_letters()[-1]
    assert "\n" not in letter.subject
    assert letter.bcc == []


def test_who_is_removed_leaves_no_open_invitation(alice: Client, people: People) -> None:
    path = _invite(alice, "second@elsewhere.example", "admin")
    other = people.memberships["bob"]
    other.role = "admin"
    other.save()
    teams.remove_member(people.memberships["alice"], actor=other.user)
    assert Invitation.objects.get().revoked_at is not None
    assert Client().get(path, follow=True).status_code == 404
