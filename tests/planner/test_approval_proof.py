"""Who signs a plan on its page has just proved who they are, and how is noted; a team may refuse what a token signs."""

from __future__ import annotations

import json

import pytest
from django.http import HttpResponse
from django.test import Client

from accounts import teams
from accounts.models import AuditEvent, Membership, Role
from planner import plans
from planner.models import Approval, PlanVersion
from planner.versions import State
from tests.accounts.sign_in_support import PASSWORD, code_of, proved, with_app, with_password
from tests.api.support import Api, problem
from tests.conftest import People, make_member
from tests.planner.versions import first_version

pytestmark = pytest.mark.django_db


@pytest.fixture
def pat(people: People) -> Membership:
    member = make_member(people.team, "Pat", Role.APPROVER)
    with_password(member.user)
    return member


@pytest.fixture
def version(people: People) -> PlanVersion:
    """Of Alice, and waits for approval."""
    alice = people.memberships["alice"]
    return plans.submit(alice, first_version(alice))


def _unattended(member: Membership) -> Client:
    """A session whose person was last seen long ago."""
    client = Client()
    client.force_login(member.user)
    return client


def _by_token(member: Membership, version: PlanVersion) -> HttpResponse:
    """The answer to an approval by a token of the member's."""
    plan = version.workload.public_id
    answer: HttpResponse = Api(member).post(f"/plans/{plan}/versions/{version.number}/approvals", {"action": "approve"})
    return answer


def _state(version: PlanVersion) -> str:
    version.refresh_from_db()
    return version.state


def test_an_open_session_alone_signs_nothing_and_loses_nothing(pat: Membership, version: PlanVersion) -> None:
    client, page = _unattended(pat), f"/plans/{version.public_id}"
    asked = client.post(f"{page}/approve", {"reason": "Fits the <budget>."})
    assert asked["Location"].startswith("/accounts/confirm?next=%2Fplans%2F")
    assert _state(version) == State.SUBMITTED
    assert not Approval.objects.exists()

    back = client.post("/accounts/confirm", {"password": PASSWORD, "next": page})
    assert "Fits the &lt;budget&gt;.</textarea>" in client.get(back["Location"]).content.decode()
    client.post(f"{page}/approve", {"reason": "Fits the budget."})
    assert _state(version) == State.APPROVED
    assert Approval.objects.get().proof == "password"
    assert AuditEvent.objects.get(verb="plan.approved").data["proof"] == "password"
    assert "(password)" in client.get(page).content.decode()


def test_what_was_typed_for_one_plan_stands_at_no_other(pat: Membership, version: PlanVersion, people: People) -> None:
    alice = people.memberships["alice"]
    other = plans.submit(alice, first_version(alice))
    client = _unattended(pat)
    client.post(f"/plans/{version.public_id}/approve", {"reason": "Of the first."})
    assert "Of the first." not in client.get(f"/plans/{other.public_id}").content.decode()


def test_who_has_a_second_factor_shows_that_one(pat: Membership, version: PlanVersion) -> None:
    secret = with_app(pat.user)
    client, page = _unattended(pat), f"/plans/{version.public_id}"
    proved(client, by="password")
    assert client.post(f"{page}/approve")["Location"].startswith("/accounts/confirm")

    assert 'type="password"' not in client.get("/accounts/confirm").content.decode()
    assert client.post("/accounts/confirm", {"password": PASSWORD, "next": page}).status_code == 422
    assert client.post(f"{page}/approve")["Location"].startswith("/accounts/confirm")
    client.post("/accounts/confirm", {"code": code_of(secret), "next": page})
    client.post(f"{page}/approve")
    assert _state(version) == State.APPROVED
    assert Approval.objects.get().proof == "second factor"


def test_the_first_of_two_is_noted_with_its_proof(pat: Membership, version: PlanVersion, people: People) -> None:
    teams.require_approvals(people.team, 2, actor=people.alice)
    PlanVersion.objects.filter(pk=version.pk).update(approvals_needed=2)
    proved(_unattended(pat)).post(f"/plans/{version.public_id}/approve")
    assert AuditEvent.objects.get(verb="plan.endorsed").data["proof"] == "password"


def test_sending_back_asks_for_no_proof(pat: Membership, version: PlanVersion) -> None:
    _unattended(pat).post(f"/plans/{version.public_id}/return", {"reason": "Too dear."})
    assert _state(version) == State.RETURNED


def test_a_token_is_noted_as_that(pat: Membership, version: PlanVersion) -> None:
    said = json.loads(_by_token(pat, version).content)
    assert [given["proof"] for given in said["approvals"]] == ["token"]
    assert AuditEvent.objects.get(verb="plan.approved").data["proof"] == "token"


def test_a_team_may_refuse_what_a_token_signs(pat: Membership, version: PlanVersion, people: People) -> None:
    admin = _unattended(people.memberships["alice"])
    page = proved(admin).post("/accounts/team/token-approvals", {"allowed": "false"}, follow=True).content.decode()
    assert "Plans are now approved on their page alone." in page
    event = AuditEvent.objects.get(verb="team.approvals_by_token")
    assert event.data == {"allowed": False, "was": True}

    refused = problem(_by_token(pat, version), 403)
    assert "no approvals by token" in refused["detail"]
    assert _state(version) == State.SUBMITTED
    assert Api(pat).get("/teams").json()["data"][0]["approvals_by_token"] is False
    proved(_unattended(pat)).post(f"/plans/{version.public_id}/approve")
    assert _state(version) == State.APPROVED
