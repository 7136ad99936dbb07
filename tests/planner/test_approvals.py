"""Withdrawing a request, giving way to a newer one, and two people who must approve: steps, pages and API."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.core import mail
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import IntegrityError, connection, transaction
from django.test import Client

from accounts import teams
from accounts.models import AuditEvent, Membership, Role
from jobs.models import Job
from jobs.running import run_job
from planner import notices, plans
from planner.models import Approval, PlanVersion
from planner.review import approvals
from planner.versions import State
from tests.accounts.sign_in_support import proved
from tests.api.support import TRAINING, Api, problem
from tests.conftest import People, make_member
from tests.exports.samples import training_plan
from tests.planner.page_support import quick_engine
from tests.planner.versions import first_version, next_version

__all__ = ["quick_engine"]
pytestmark = pytest.mark.django_db


@pytest.fixture
def petra(people: People) -> Membership:
    return make_member(people.team, "Petra", Role.PLANNER)


@pytest.fixture
def pat(people: People) -> Membership:
    return make_member(people.team, "Pat", Role.APPROVER)


@pytest.fixture
def paul(people: People) -> Membership:
    return make_member(people.team, "Paul", Role.APPROVER)


@pytest.fixture
def version(petra: Membership) -> PlanVersion:
    return first_version(petra)


def demand_two(member: Membership) -> None:
    """From now on two people must approve."""
    teams.require_approvals(member.team, 2, actor=None)
    member.team.refresh_from_db()


# --- withdrawing ------------------------------------------------------------------------------------------------


def test_an_author_withdraws_and_asks_again(petra: Membership, pat: Membership, version: PlanVersion) -> None:
    plans.withdraw(petra, plans.submit(petra, version))
    assert (version.state, version.submitted_by) == (State.DRAFT, None)
    with pytest.raises(plans.Conflict, match="draft"):
        plans.approve(pat, version)
    assert plans.approve(pat, plans.submit(petra, version)).state == State.APPROVED
    assert AuditEvent.objects.filter(verb="plan.withdrawn", actor=petra.user).count() == 1


def test_nobody_else_withdraws(people: People, petra: Membership, pat: Membership, version: PlanVersion) -> None:
    plans.submit(petra, version)
    for member in (people.memberships["alice"], pat, make_member(people.team, "Pavel", Role.PLANNER)):
        with pytest.raises(PermissionDenied):
            plans.withdraw(member, version)
    assert PlanVersion.objects.get().state == State.SUBMITTED


def test_what_is_decided_is_not_withdrawn(petra: Membership, pat: Membership, version: PlanVersion) -> None:
    plans.approve(pat, plans.submit(petra, version))
    with pytest.raises(plans.Conflict, match="approved"):
        plans.withdraw(petra, version)


def test_those_who_were_asked_are_told_of_a_withdrawal(
    petra: Membership, pat: Membership, version: PlanVersion
) -> None:
    plans.withdraw(petra, plans.submit(petra, version))
    for job in Job.objects.filter(kind=notices.KIND).order_by("pk"):
        run_job(job.pk, worker="test")
    to = [(message.subject.split(":")[0], message.to[0]) for message in mail.outbox]
    assert ("[Sextant] Please review", pat.user.email) in to
    assert ("[Sextant] Withdrawn", pat.user.email) in to
    assert petra.user.email not in [address for _, address in to]


# --- giving way -------------------------------------------------------------------------------------------------


def test_a_newer_request_supersedes_the_older(petra: Membership, pat: Membership, version: PlanVersion) -> None:
    plans.submit(petra, version)
    second = plans.submit(petra, next_version(petra, version))
    version.refresh_from_db()
    assert (version.state, version.superseded_by) == (State.SUPERSEDED, second)
    with pytest.raises(plans.Conflict, match="Version 2 has taken the place of version 1"):
        plans.approve(pat, version)
    with pytest.raises(plans.Conflict, match="Version 2 has taken the place"):
        plans.return_for_changes(pat, version, reason="x")
    told = AuditEvent.objects.get(verb="plan.superseded")
    assert (told.subject, told.data["superseded_by"]) == (version.public_id, 2)


def test_what_is_approved_stays_so_until_the_newer_one_is(
    petra: Membership, pat: Membership, version: PlanVersion
) -> None:
    plans.approve(pat, plans.submit(petra, version))
    second = plans.submit(petra, next_version(petra, version))
    assert PlanVersion.objects.get(pk=version.pk).state == State.APPROVED
    plans.approve(pat, second)
    assert PlanVersion.objects.get(pk=version.pk).superseded_by == second


def test_a_draft_beside_it_takes_nothing_away(petra: Membership, pat: Membership, version: PlanVersion) -> None:
    plans.submit(petra, version)
    next_version(petra, version)
    assert plans.approve(pat, version).state == State.APPROVED


@pytest.mark.parametrize("state", [State.SUBMITTED, State.APPROVED])
def test_the_database_itself_holds_one_of_each(petra: Membership, version: PlanVersion, state: str) -> None:
    next_version(petra, version)
    with pytest.raises(IntegrityError), transaction.atomic():
        PlanVersion.objects.update(state=state)


# --- two people -------------------------------------------------------------------------------------------------


def test_two_people_approve(petra: Membership, pat: Membership, paul: Membership, version: PlanVersion) -> None:
    demand_two(petra)
    plans.submit(petra, version)
    plans.approve(pat, version, reason="Fits the roadmap")
    assert (version.state, version.decided_by, approvals.progress(version)) == (State.SUBMITTED, None, "1 of 2")
    with pytest.raises(plans.Conflict, match="somebody else"):
        plans.approve(pat, version)
    plans.approve(paul, version, reason="Fits the budget")
    assert (version.state, version.decided_by) == (State.APPROVED, paul.user)
    assert [(given.user, given.sha256) for given in approvals.of(version)] == [
        (pat.user, version.sha256),
        (paul.user, version.sha256),
    ]
    verbs = list(AuditEvent.objects.filter(subject=version.public_id).order_by("pk").values_list("verb", flat=True))
    assert verbs == ["plan.frozen", "plan.submitted", "plan.endorsed", "plan.approved"]


def test_neither_of_the_two_is_an_author(people: People, petra: Membership, pat: Membership) -> None:
    """One made it, another submitted it: neither counts, as admin or not."""
    maker, asker = people.memberships["alice"], make_member(people.team, "Ada", Role.ADMIN)
    demand_two(petra)
    workload = plans.save_workload(maker, name="Run", draft={})
    made = plans.submit(asker, plans.freeze_version(maker, workload, training_plan()))
    plans.approve(pat, made)
    for member in (maker, asker):
        with pytest.raises(PermissionDenied, match="Somebody else"):
            plans.approve(member, made)
    assert made.state == State.SUBMITTED


@pytest.mark.parametrize("how", ["demoted", "removed", "switched off"])
def test_who_may_approve_no_more_vouches_for_nothing(
    petra: Membership, pat: Membership, paul: Membership, version: PlanVersion, how: str
) -> None:
    demand_two(petra)
    plans.approve(pat, plans.submit(petra, version))
    if how == "demoted":
        teams.set_role(pat.team, pat.user.email, role=Role.VIEWER, actor=None)
    elif how == "removed":
        teams.remove_member(pat, actor=None)
    else:
        pat.user.is_active = False
        pat.user.save()
    assert approvals.progress(version) == "0 of 2"
    assert plans.approve(paul, version).state == State.SUBMITTED


def test_a_yes_that_counts_again_holds_nothing_up(
    petra: Membership, pat: Membership, paul: Membership, version: PlanVersion
) -> None:
    """Both have said yes, but never at a time when both counted: either may approve again, and it is done."""
    demand_two(petra)
    plans.approve(pat, plans.submit(petra, version))
    teams.set_role(pat.team, pat.user.email, role=Role.VIEWER, actor=None)
    plans.approve(paul, version)
    teams.set_role(pat.team, pat.user.email, role=Role.APPROVER, actor=None)
    assert (version.state, approvals.progress(version)) == (State.SUBMITTED, "2 of 2")
    page = logged_in(paul).get(f"/plans/{version.public_id}").content.decode()
    assert ">Approve</button>" in page
    assert plans.approve(paul, version).state == State.APPROVED
    assert Approval.objects.count() == 2


@pytest.mark.parametrize("step", ["return", "withdraw", "newer"])
def test_approvals_end_with_the_round_that_they_were_given_in(
    petra: Membership, pat: Membership, paul: Membership, version: PlanVersion, step: str
) -> None:
    demand_two(petra)
    plans.approve(pat, plans.submit(petra, version))
    if step == "return":
        plans.return_for_changes(paul, version, reason="Too dear")
    elif step == "withdraw":
        plans.withdraw(petra, version)
    else:
        version = next_version(petra, version)
    plans.submit(petra, version)
    assert approvals.progress(version) == "0 of 2"
    assert plans.approve(paul, version).state == State.SUBMITTED
    assert Approval.objects.count() == 1


def test_what_waits_keeps_what_was_demanded_of_it(
    petra: Membership, pat: Membership, paul: Membership, version: PlanVersion
) -> None:
    demand_two(petra)
    plans.submit(petra, version)
    teams.require_approvals(petra.team, 1, actor=None)
    assert plans.approve(pat, version).state == State.SUBMITTED
    assert plans.approve(paul, version).state == State.APPROVED
    second = plans.submit(petra, next_version(petra, version))
    teams.require_approvals(petra.team, 2, actor=None)
    assert plans.approve(pat, second).state == State.APPROVED


@pytest.mark.parametrize("needed", [0, 3, -1])
def test_a_team_demands_one_or_two(people: People, needed: int) -> None:
    with pytest.raises(ValidationError, match="one approval or two"):
        teams.require_approvals(people.team, needed, actor=None)


@pytest.mark.django_db(transaction=True)
def test_of_many_who_approve_at_once_two_count(people: People) -> None:
    teams.require_approvals(people.team, 2, actor=None)
    petra = make_member(people.team, "Petra", Role.PLANNER)
    deciders = [make_member(people.team, f"Pat{n}", Role.APPROVER) for n in range(4)]
    workload = plans.save_workload(petra, name="Run", draft={})
    version = plans.submit(petra, plans.freeze_version(petra, workload, training_plan()))
    start = threading.Barrier(2 * len(deciders))

    def decide(member: Membership) -> bool:
        start.wait()
        try:
            plans.approve(member, PlanVersion.objects.get(pk=version.pk))
            return True
        except plans.Conflict:
            return False
        finally:
            connection.close()

    with ThreadPoolExecutor(2 * len(deciders)) as pool:  # each of them twice
        assert sum(pool.map(decide, deciders * 2)) == 2
    version.refresh_from_db()
    assert version.state == State.APPROVED
    assert len({given.user_id for given in approvals.of(version)}) == 2


# --- pages and API ----------------------------------------------------------------------------------------------


def logged_in(member: Membership) -> Client:
    client = Client()
    client.force_login(member.user)
    return proved(client)


def test_the_page_says_who_and_how_many(
    petra: Membership, pat: Membership, paul: Membership, version: PlanVersion
) -> None:
    demand_two(petra)
    page = f"/plans/{version.public_id}"
    author, first, second = logged_in(petra), logged_in(pat), logged_in(paul)
    author.post(f"{page}/submit")
    assert "Withdraw" in author.get(page).content.decode()
    assert page in first.get("/").content.decode()
    said = first.post(f"{page}/approve", {"reason": "Fine"}, follow=True).content.decode()
    assert "Your approval counts, 1 of 2: somebody else must approve as well." in said
    assert "Waiting for approval (1 of 2)" in said
    assert f'formaction="{page}/return"' in said
    assert f'action="{page}/approve" class="stack"' in said
    assert ">Approve</button>" not in said
    assert "Waiting for your review" not in first.get("/").content.decode()
    assert "Waiting for your review" in second.get("/").content.decode()
    assert "Approved. This version is signed." in second.post(f"{page}/approve", follow=True).content.decode()


def test_the_page_of_a_superseded_version_leads_on(petra: Membership, pat: Membership, version: PlanVersion) -> None:
    plans.submit(petra, version)
    second = next_version(petra, version)
    page = logged_in(petra).get(f"/plans/{second.public_id}").content.decode()
    assert "Version 1 waits for approval; asking for this one takes its place." in page
    plans.submit(petra, second)
    page = logged_in(pat).get(f"/plans/{version.public_id}").content.decode()
    assert f'<a href="/plans/{second.public_id}">Version 2</a> has taken its place, so this one can no longer' in page
    assert ">Approve</button>" not in page
    said = logged_in(pat).post(f"/plans/{version.public_id}/approve", follow=True).content.decode()
    assert "Version 2 has taken the place of version 1: decide on that one." in said


def test_the_api_tells_the_same(
    petra: Membership, pat: Membership, paul: Membership, quick_engine: None, people: People
) -> None:
    demand_two(petra)
    maker, first, second = Api(petra), Api(pat), Api(paul)
    assert maker.get("/teams").json()["data"][0]["approvals_needed"] == 2
    path = f"/plans/{maker.post('/plans', TRAINING).json()['id']}"
    review = f"{path}/versions/1/approvals"
    maker.post(review, {"action": "submit"})
    tag = maker.get(path)["ETag"]
    said = first.post(review, {"action": "approve", "reason": "Fine"}).json()
    assert (said["state"], said["approvals_needed"], said["decided_by"]) == ("submitted", 2, None)
    assert [(one["by"], one["plan_sha256"], one["reason"]) for one in said["approvals"]] == [
        (pat.user.public_id, said["plan_sha256"], "Fine")
    ]
    assert maker.get(path)["ETag"] != tag, "whoever waits for the second approval sees the first"
    assert "somebody else" in problem(first.post(review, {"action": "approve"}), 409)["detail"]
    assert second.post(review, {"action": "approve"}).json()["state"] == "approved"
    assert len(maker.get(f"{path}/versions").json()["data"][0]["approvals"]) == 2


def test_the_api_withdraws_and_gives_way(petra: Membership, pat: Membership, quick_engine: None) -> None:
    maker, decider = Api(petra), Api(pat)
    path = f"/plans/{maker.post('/plans', TRAINING).json()['id']}"
    maker.post(f"{path}/versions/1/approvals", {"action": "submit"})
    problem(decider.post(f"{path}/versions/1/approvals", {"action": "withdraw"}), 403)
    assert maker.post(f"{path}/versions/1/approvals", {"action": "withdraw"}).json()["state"] == "draft"
    problem(maker.post(f"{path}/versions/1/approvals", {"action": "withdraw"}), 409)
    maker.post(f"{path}/versions/1/approvals", {"action": "submit"})
    maker.patch(path, {"horizon_months": 12}, If_Match="*")
    maker.post(f"{path}/versions")
    maker.post(f"{path}/versions/2/approvals", {"action": "submit"})
    refused = problem(decider.post(f"{path}/versions/1/approvals", {"action": "approve"}), 409)
    assert refused["detail"] == "Version 2 has taken the place of version 1: decide on that one."
    rows: list[dict[str, Any]] = maker.get(f"{path}/versions").json()["data"]
    assert [(row["number"], row["state"], row["superseded_by"]) for row in rows] == [
        (2, "submitted", None),
        (1, "superseded", 2),
    ]
