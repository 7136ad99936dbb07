"""Every team row is reached through accounts.access; a row of another team does not exist."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.test import Client, RequestFactory

from accounts import access
from accounts.models import ApiToken, Membership, Role, Team
from jobs import queue
from jobs.models import Job
from tests.conftest import People, make_member


def test_a_member_reaches_the_team(people: People) -> None:
    assert access.team_for(people.bob, "north") == people.team


@pytest.mark.parametrize("slug", ["north", "nowhere"])
def test_a_stranger_gets_the_same_404_for_a_team_of_others_and_for_none(people: People, slug: str) -> None:
    with pytest.raises(Http404, match=r"^There is no such team\.$"):
        access.team_for(people.charlie, slug)


def test_a_visitor_and_a_person_switched_off_reach_nothing(people: People) -> None:
    people.bob.is_active = False

    assert not access.memberships_of(AnonymousUser()).exists()
    assert not access.memberships_of(people.bob).exists()


def test_rows_of_another_team_do_not_exist(people: People) -> None:
    job = queue.enqueue("test.kind", team=people.team, payload={})

    assert list(access.rows_of(people.team, Job)) == [job]
    assert access.one_of(people.team, Job, job.public_id) == job
    assert not access.rows_of(people.other_team, Job).exists()
    with pytest.raises(Http404):
        access.one_of(people.other_team, Job, job.public_id)


@pytest.mark.parametrize("public_id", ["", "1", "job_", "job_" + "x" * 10_000, "job_'; --", "job_" + "\x00" * 24])
def test_text_that_is_no_id_is_a_404_and_asks_the_database_nothing(
    people: People, public_id: str, django_assert_num_queries: object
) -> None:
    with django_assert_num_queries(0), pytest.raises(Http404):  # type: ignore[operator]
        access.one_of(people.team, Job, public_id)


@pytest.mark.parametrize(
    ("role", "wanted", "may"),
    [
        (Role.ADMIN, Role.APPROVER, True),
        (Role.APPROVER, Role.APPROVER, True),
        (Role.PLANNER, Role.APPROVER, False),
        (Role.VIEWER, Role.PLANNER, False),
        (Role.FINANCE, Role.PLANNER, False),
    ],
)
def test_roles(people: People, role: str, wanted: str, may: bool) -> None:
    membership = make_member(people.team, "Dora", role)

    assert access.has_role(membership, wanted) is may
    if not may:
        with pytest.raises(PermissionDenied, match=f"needs the role {wanted}; yours in North is {role}"):
            access.require_role(membership, wanted)


def test_without_named_roles_only_an_admin_passes(people: People) -> None:
    access.require_role(people.memberships["alice"])
    with pytest.raises(PermissionDenied, match="needs the role admin"):
        access.require_role(people.memberships["bob"])


def test_a_token_needs_the_scope() -> None:
    token = ApiToken(scopes=["plans:read"])

    access.require_scope(token, "plans:read")
    with pytest.raises(PermissionDenied, match="lacks the scope plans:write"):
        access.require_scope(token, "plans:write")


def test_pages_work_in_the_chosen_team_while_the_person_belongs_to_it(people: People, client: Client) -> None:
    client.force_login(people.alice)
    Membership.objects.create(team=people.other_team, user=people.alice, role=Role.VIEWER)
    request = RequestFactory().get("/")
    request.user = people.alice
    request.session = client.session

    assert access.current_team(request) == people.team
    access.choose_team(request, "south")
    assert access.current_team(request) == people.other_team

    Membership.objects.filter(team=people.other_team, user=people.alice).delete()
    assert access.current_team(request) == people.team


def test_a_person_without_a_team_is_told_so(people: People, client: Client) -> None:
    Membership.objects.all().delete()
    request = RequestFactory().get("/")
    request.user = people.bob
    request.session = client.session

    with pytest.raises(Http404, match="ask an admin"):
        access.current_membership(request)


def test_a_role_that_does_not_exist_cannot_be_stored(people: People) -> None:
    from django.db import IntegrityError

    with pytest.raises(IntegrityError):
        Membership.objects.create(team=Team.objects.create(slug="east", name="East"), user=people.bob, role="owner")
