"""Drafts, frozen versions and their review."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core.exceptions import PermissionDenied
from django.db import connection
from django.http import Http404

from accounts import access
from accounts.models import AuditEvent, Membership, Role
from planner import plans
from planner.frozen.snapshot import body_of, settled, thaw
from planner.models import PlanVersion, Workload
from planner.pages.plan.review_panel import review_panel
from planner.versions import State
from tests.conftest import People, make_member
from tests.exports.samples import infeasible_plan, training_plan
from tests.planner.versions import first_version, next_version, renamed


@pytest.fixture
def planner(people: People) -> Membership:
    return make_member(people.team, "Petra", Role.PLANNER)


@pytest.fixture
def approver(people: People) -> Membership:
    return make_member(people.team, "Arne", Role.APPROVER)


@pytest.fixture
def version(planner: Membership) -> PlanVersion:
    return first_version(planner)


def test_a_snapshot_survives_the_round_trip() -> None:
    plan = training_plan()
    again = thaw(body_of(plan))
    assert again == settled(plan)
    assert again.sha256 == plan.sha256 != renamed(plan, "Another").sha256


def test_freezing_twice_gives_one_version(planner: Membership, version: PlanVersion) -> None:
    assert plans.freeze_version(planner, version.workload, training_plan()) == version
    changed = next_version(planner, version)
    assert (changed.number, version.number) == (2, 1)


def test_a_frozen_version_cannot_be_changed_or_deleted(version: PlanVersion) -> None:
    version.headline = "Another"
    with pytest.raises(TypeError):
        version.save()
    with pytest.raises(TypeError):
        version.delete()
    assert version.plan == settled(training_plan())


def test_approval_takes_two_people(planner: Membership, approver: Membership, version: PlanVersion) -> None:
    plans.submit(planner, version)
    with pytest.raises(PermissionDenied):
        plans.approve(planner, version)
    plans.approve(approver, version, reason="Within budget")
    assert (version.state, version.decided_by) == (State.APPROVED, approver.user)
    with pytest.raises(plans.Conflict):
        plans.approve(approver, version)


def test_an_admin_does_not_approve_an_own_plan(people: People) -> None:
    alice = people.memberships["alice"]
    workload = plans.save_workload(alice, name="Run", draft={})
    own = plans.freeze_version(alice, workload, training_plan())
    plans.submit(alice, own)
    with pytest.raises(PermissionDenied, match="Somebody else"):
        plans.approve(alice, own)


def test_a_new_approval_supersedes_the_old(planner: Membership, approver: Membership, version: PlanVersion) -> None:
    plans.approve(approver, plans.submit(planner, version))
    newer = next_version(planner, version)
    plans.approve(approver, plans.submit(planner, newer))
    version.refresh_from_db()
    assert version.state == State.SUPERSEDED


def test_returning_needs_a_reason(planner: Membership, approver: Membership, version: PlanVersion) -> None:
    plans.submit(planner, version)
    with pytest.raises(ValueError, match="reason"):
        plans.return_for_changes(approver, version, reason="  ")
    plans.return_for_changes(approver, version, reason="Too dear")
    assert (version.state, version.reason) == (State.RETURNED, "Too dear")


def test_only_the_newest_version_is_submitted(planner: Membership, version: PlanVersion) -> None:
    next_version(planner, version)
    with pytest.raises(plans.Conflict, match="newest"):
        plans.submit(planner, version)


def test_a_refusal_cannot_be_approved(planner: Membership, approver: Membership) -> None:
    """Neither by asking for it nor, where it waits from before, by saying yes; sending it back is open."""
    workload = plans.save_workload(planner, name="Too much", draft={})
    refusal = plans.freeze_version(planner, workload, infeasible_plan())
    assert not review_panel(planner, refusal, [refusal]).may_submit
    with pytest.raises(plans.Conflict, match="nothing to approve"):
        plans.submit(planner, refusal)
    PlanVersion.objects.filter(pk=refusal.pk).update(state=State.SUBMITTED, submitted_by=planner.user)
    refusal.refresh_from_db()
    panel = review_panel(approver, refusal, [refusal])
    assert (panel.may_decide, panel.may_approve) == (True, False)
    with pytest.raises(plans.Conflict, match="nothing to approve"):
        plans.approve(approver, refusal)
    assert plans.return_for_changes(approver, refusal, reason="Too dear").state == State.RETURNED


def test_a_stale_draft_is_refused(planner: Membership) -> None:
    workload = plans.save_workload(planner, name="Run", draft={"a": 1})
    plans.save_workload(planner, name="Run", draft={"a": 2}, workload=workload, revision=1)
    with pytest.raises(plans.Conflict, match="Somebody else"):
        plans.save_workload(planner, name="Run", draft={"a": 3}, workload=workload, revision=1)
    assert Workload.objects.get(pk=workload.pk).draft == {"a": 2}


def test_a_viewer_changes_nothing(people: People, version: PlanVersion) -> None:
    bob = people.memberships["bob"]
    for step in (lambda: plans.submit(bob, version), lambda: plans.save_workload(bob, name="x", draft={})):
        with pytest.raises(PermissionDenied):
            step()


def test_another_team_sees_nothing(people: People, version: PlanVersion) -> None:
    with pytest.raises(Http404):
        access.one_of(people.other_team, PlanVersion, version.public_id)
    with pytest.raises(Http404):
        access.one_of(people.other_team, Workload, version.workload.public_id)


def test_every_step_leaves_an_audit_row(planner: Membership, approver: Membership, version: PlanVersion) -> None:
    plans.approve(approver, plans.submit(planner, version))
    verbs = list(AuditEvent.objects.order_by("pk").values_list("verb", flat=True))
    assert verbs == ["workload.created", "plan.frozen", "plan.submitted", "plan.approved"]


@pytest.mark.django_db(transaction=True)
def test_two_approvers_at_once_decide_once(people: People) -> None:
    planner = make_member(people.team, "Petra", Role.PLANNER)
    deciders = [make_member(people.team, f"Arne{n}", Role.APPROVER) for n in range(4)]
    workload = plans.save_workload(planner, name="Run", draft={})
    version = plans.submit(planner, plans.freeze_version(planner, workload, training_plan()))
    start = threading.Barrier(len(deciders))

    def decide(member: Membership) -> bool:
        start.wait()
        try:
            plans.approve(member, PlanVersion.objects.get(pk=version.pk))
            return True
        except plans.Conflict:
            return False
        finally:
            connection.close()

    with ThreadPoolExecutor(len(deciders)) as pool:
        assert sum(pool.map(decide, deciders)) == 1
