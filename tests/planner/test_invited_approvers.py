"""An approver who owes the place to the author is shown as that, and may be refused."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.exceptions import PermissionDenied
from django.test import Client

from accounts import invitations, teams
from accounts.models import AuditEvent, Membership, Role, User
from planner import plans
from planner.models import PlanVersion
from planner.review import approvals
from planner.versions import State
from tests.conftest import People, make_member
from tests.planner.versions import first_version

pytestmark = pytest.mark.django_db


@pytest.fixture
def version(people: People) -> PlanVersion:
    """Of Alice, who is the team's admin, and waits for approval."""
    alice = people.memberships["alice"]
    return plans.submit(alice, first_version(alice))


def _invited(people: People, *, by: User) -> Membership:
    row, _ = invitations.invite(people.team, "second@north.example", role=Role.APPROVER, actor=by)
    return invitations.accept(row, User.objects.create_user("second@north.example", name="Second"))


def test_it_is_shown_and_noted(people: People, version: PlanVersion, client: Client) -> None:
    second = _invited(people, by=people.alice)
    assert plans.approve(second, version).state == State.APPROVED

    event = AuditEvent.objects.get(verb="plan.approver_from_author")
    assert (event.actor, event.subject, event.team) == (second.user, version.public_id, people.team)
    client.force_login(people.bob)
    page = client.get(f"/plans/{version.public_id}", follow=True).content.decode()
    assert "(invited by the author)" in page


def test_it_is_refused_where_the_installation_says_so(people: People, version: PlanVersion, settings: Any) -> None:
    settings.INVITED_APPROVERS = "refused"
    with pytest.raises(PermissionDenied, match="An author of this plan brought you into the team"):
        plans.approve(_invited(people, by=people.alice), version)
    version.refresh_from_db()
    assert version.state == State.SUBMITTED


def test_who_was_made_an_approver_by_the_author_is_the_same(people: People, version: PlanVersion) -> None:
    teams.set_role(people.team, people.bob.email, role=Role.APPROVER, actor=people.alice)
    assert approvals.brought_by_authors(version) == {people.bob.pk}


def test_whom_somebody_else_invited_is_independent(people: People, version: PlanVersion, settings: Any) -> None:
    settings.INVITED_APPROVERS = "refused"
    dora = make_member(people.team, "Dora", Role.ADMIN)
    second = _invited(people, by=dora.user)
    assert approvals.brought_by_authors(version) == set()
    assert plans.approve(second, version).state == State.APPROVED
