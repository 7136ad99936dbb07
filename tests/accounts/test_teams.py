"""Who belongs to a team, and that one admin always stays."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command

from accounts import teams, tokens
from accounts.models import ApiToken, AuditEvent, Membership, Role, Team, User
from tests.conftest import People


def test_a_new_address_gets_an_account_without_a_password(people: People) -> None:
    membership = teams.set_role(people.team, "Dora@Example.org", role=Role.FINANCE, actor=people.alice)

    assert (membership.user.email, membership.role) == ("dora@example.org", Role.FINANCE)
    assert not membership.user.has_usable_password()
    event = AuditEvent.objects.get(verb="member.role_set")
    assert (event.actor, event.team, event.data) == (
        people.alice,
        people.team,
        {"role": "finance", "was": None},
    )


def test_a_second_role_replaces_the_first(people: People) -> None:
    teams.set_role(people.team, people.bob.email, role=Role.APPROVER, actor=people.alice)

    assert Membership.objects.get(team=people.team, user=people.bob).role == Role.APPROVER
    assert AuditEvent.objects.get(verb="member.role_set").data == {"role": "approver", "was": "viewer"}


def test_the_last_admin_stays(people: People) -> None:
    with pytest.raises(ValidationError, match="North would be left without an admin"):
        teams.set_role(people.team, people.alice.email, role=Role.VIEWER, actor=people.alice)
    with pytest.raises(ValidationError, match="make another member admin first"):
        teams.remove_member(people.memberships["alice"], actor=people.alice)

    teams.set_role(people.team, people.bob.email, role=Role.ADMIN, actor=people.alice)
    teams.remove_member(people.memberships["alice"], actor=people.bob)
    assert [membership.user for membership in Membership.objects.filter(team=people.team)] == [people.bob]


@pytest.mark.parametrize(("email", "role"), [("nobody", Role.VIEWER), ("a@b.example", "owner"), ("", Role.VIEWER)])
def test_odd_input_is_refused_with_one_sentence(people: People, email: str, role: str) -> None:
    before = User.objects.count()

    with pytest.raises(ValidationError) as refused:
        teams.set_role(people.team, email, role=role, actor=people.alice)
    assert refused.value.message.endswith(".")
    assert User.objects.count() == before


def test_the_command_makes_the_first_team_and_its_admin(db: None) -> None:
    out = StringIO()
    call_command("add_member", "lab", "ada@example.org", "--role", "admin", "--new", "The Lab", stdout=out)

    membership = Membership.objects.get()
    assert (membership.team.name, membership.user.email, membership.role) == ("The Lab", "ada@example.org", Role.ADMIN)
    assert "changepassword ada@example.org" in out.getvalue()


def test_the_command_leaves_nothing_half_done(db: None) -> None:
    with pytest.raises(CommandError, match="not an e-mail address"):
        call_command("add_member", "lab", "ada", "--new", "The Lab")
    with pytest.raises(CommandError, match="add --new NAME to make it"):
        call_command("add_member", "lab", "ada@example.org")

    assert not Team.objects.exists()


def test_who_comes_back_finds_no_old_token_at_work(people: People) -> None:
    old, raw = tokens.issue(people.team, people.bob, name="Nightly", scopes=["plans:read"])
    _, elsewhere = tokens.issue(people.other_team, people.charlie, name="Other", scopes=["plans:read"])
    teams.remove_member(people.memberships["bob"], actor=people.alice)
    teams.set_role(people.team, people.bob.email, role=Role.VIEWER, actor=people.alice)

    assert tokens.verify(raw) is None
    assert ApiToken.objects.get(pk=old.pk).revoked_at is not None
    assert AuditEvent.objects.get(verb="token.revoked").actor == people.alice
    assert tokens.verify(elsewhere) is not None
