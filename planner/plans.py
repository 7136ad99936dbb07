"""The write steps of a plan: each is one function, one transaction, one audit row.

State machine of a version::

    draft ──submit──▶ submitted ──as many approve as the team demands──▶ approved ──a newer one is approved──▶ superseded
      ▲  ◀─withdraw── │  │  └──a newer one is submitted──▶ superseded
      └──────┐        │
         returned ◀───┘ (and may be submitted again)

Of one plan at most one version waits and at most one is approved. Nobody decides on what they submitted or froze
themselves, nobody approves twice, and all approve the same hash (planner/review/approvals.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from functools import partial
from typing import Any, Final

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import F, Max
from django.http import Http404
from django.utils import timezone

from accounts import access, audit
from accounts.models import ApiToken, Membership, Role
from planner import events, notices
from planner.budgets.sheets import kept
from planner.frozen.snapshot import Plan, body_of
from planner.models import PlanVersion, Workload
from planner.price_age import price_day
from planner.review import approvals
from planner.telling import told
from planner.versions import OPEN, State
from rest import caps


class Conflict(Exception):
    """The row has moved on since the caller read it; the message says how."""


@transaction.atomic
def save_workload(
    member: Membership,
    *,
    name: str,
    draft: Mapping[str, Any],
    workload: Workload | None = None,
    revision: int | None = None,
    token: ApiToken | None = None,
    roles: tuple[str, ...] = (Role.PLANNER,),
) -> Workload:
    """The saved draft, new or changed. Conflict when `revision` is not the stored one."""
    access.require_role(member, *roles)
    if workload is None:
        count = Workload.objects.filter(team=member.team).count()
        caps.check("workloads_of_team", count, whose="The team", what="workloads", instead="ask the operator for more")
        created = Workload.objects.create(team=member.team, name=name[:120], draft=dict(draft), created_by=member.user)
        audit.record(
            "workload.created",
            created.public_id,
            team=member.team,
            actor=member.user,
            token=token,
            data={"name": created.name},
        )
        return created
    rows = access.rows_of(member.team, Workload).filter(pk=workload.pk)
    if revision is not None:
        rows = rows.filter(revision=revision)
    if not rows.update(name=name[:120], draft=dict(draft), revision=F("revision") + 1, updated_at=timezone.now()):
        raise Conflict(
            "Somebody else has changed this workload since you opened it: reload it and apply your change again."
        )
    workload.refresh_from_db()
    audit.record(
        "workload.changed",
        workload.public_id,
        team=member.team,
        actor=member.user,
        token=token,
        data={"revision": workload.revision},
    )
    return workload


def version_of(member: Membership, public_id: str) -> PlanVersion:
    """That version of the team, with its workload. Http404 when it is none of theirs."""
    found = access.one_of(member.team, PlanVersion, public_id)
    return PlanVersion.objects.select_related("workload__team").get(pk=found.pk)


@transaction.atomic
def archive_workload(member: Membership, workload: Workload, *, token: ApiToken | None = None) -> None:
    """Takes the workload out of the lists; its versions stay. A second call changes nothing."""
    access.require_role(member, Role.PLANNER)
    rows = access.rows_of(member.team, Workload).filter(pk=workload.pk, archived_at=None)
    if rows.update(archived_at=timezone.now(), revision=F("revision") + 1, updated_at=timezone.now()):
        audit.record("workload.archived", workload.public_id, team=member.team, actor=member.user, token=token)
        events.workload_told(workload, "plan.archived", member.user)


@transaction.atomic
def freeze_version(
    member: Membership,
    workload: Workload,
    plan: Plan,
    *,
    token: ApiToken | None = None,
    roles: tuple[str, ...] = (Role.PLANNER,),
) -> PlanVersion:
    """A new immutable version of that plan; the newest one again when nothing has changed since."""
    access.require_role(member, *roles)
    Workload.objects.select_for_update().filter(pk=workload.pk).update(updated_at=timezone.now())
    newest = workload.newest
    if newest is not None and newest.sha256 == plan.sha256:
        return newest
    number = (workload.versions.aggregate(top=Max("number"))["top"] or 0) + 1
    best = plan.recommendation.recommended
    version = PlanVersion.objects.create(
        workload=workload,
        number=number,
        created_by=member.user,
        finish=best.finish if best else None,
        price_day=price_day(best) if best else "",
        **columns_of(plan),
    )
    audit.record(
        "plan.frozen",
        version.public_id,
        team=member.team,
        actor=member.user,
        token=token,
        data={"number": number, "sha256": plan.sha256},
    )
    events.version_told(version, "plan.version.created", member.user)
    return version


def columns_of(plan: Plan) -> dict[str, Any]:
    """What the row repeats of the snapshot, so that lists need not open it."""
    answer = plan.recommendation
    best = answer.recommended
    signed = best.cost.signed.total if best else 0.0
    return {
        "body": body_of(plan),
        "sha256": plan.sha256,
        "feasible": answer.feasible,
        "headline": told(answer.headline)[:500],
        "cost": Decimal(f"{best.cost.total.expected:.2f}") if best else None,
        "currency": answer.currency.code,
        "signed": Decimal(f"{signed:.2f}") if signed else None,
        "catalog_release": answer.catalog_release,
        "engine_version": answer.engine_version,
    }


@transaction.atomic
def submit(member: Membership, version: PlanVersion, *, token: ApiToken | None = None) -> PlanVersion:
    """The version, now waiting for approval; an earlier one that waited is superseded.

    Conflict unless it is the newest, feasible, and a draft or returned.
    """
    access.require_role(member, Role.PLANNER)
    _hold(member, version)
    _require_feasible(version)
    newest = version.workload.newest
    if newest is None or newest.pk != version.pk:
        raise Conflict("Only the newest version can be submitted.")
    _supersede(State.SUBMITTED, version, member, token)
    moved = _move(
        version,
        OPEN,
        State.SUBMITTED,
        "plan.submitted",
        member,
        token,
        submitted_by=member.user,
        approvals_needed=version.workload.team.approvals_needed,
        **_UNDECIDED,
    )
    notices.review_asked(moved, member.user)
    return moved


@transaction.atomic
def withdraw(member: Membership, version: PlanVersion, *, token: ApiToken | None = None) -> PlanVersion:
    """The version, a draft again because its author asks for no approval any more; approvals given so far are void.

    PermissionDenied for anybody but who made or submitted it, Conflict unless it waits.
    """
    access.require_role(member, Role.PLANNER)
    _hold(member, version)
    if member.user_id not in authors_of(version):
        raise PermissionDenied("Only who made or submitted this plan can withdraw it.")
    moved = _move(version, (State.SUBMITTED,), State.DRAFT, "plan.withdrawn", member, token, submitted_by=None)
    notices.withdrawn(moved, member.user)
    return moved


@transaction.atomic
def approve(
    member: Membership, version: PlanVersion, *, reason: str = "", proof: str = "", token: ApiToken | None = None
) -> PlanVersion:
    """The version: approved when as many people as its team demands have said yes, else waiting with one yes more.

    `proof` says how the member has shown who they are on the page; of a token it is that.

    An earlier approved version of the same plan is superseded. Conflict for a second yes of the same person, unless
    nobody is missing any more: somebody whose yes did not count for a while may approve again.
    """
    _hold(member, version)
    _require_other(member, version)
    _require_feasible(version)
    if version.state != State.SUBMITTED:
        raise _conflict(version, State.APPROVED)
    proof = approvals.BY_TOKEN if token else proof
    first_time = approvals.give(member, version, reason=reason, proof=proof)
    missing = approvals.missing(version)
    if missing and not first_time:
        raise Conflict("You have approved this version already: somebody else must approve it as well.")
    if missing:
        said = {"reason": reason.strip()[:4000], "proof": proof}
        data = {"sha256": version.sha256, **said, "progress": approvals.progress(version)}
        audit.record("plan.endorsed", version.public_id, team=member.team, actor=member.user, token=token, data=data)
        return version
    _supersede(State.APPROVED, version, member, token)
    moved = _move(
        *(version, (State.SUBMITTED,), State.APPROVED, "plan.approved", member, token),
        noted={"proof": proof},
        **_decision(member, reason),
    )
    notices.decided(moved)
    transaction.on_commit(partial(kept.keep, [moved]), robust=True)
    return moved


@transaction.atomic
def return_for_changes(
    member: Membership, version: PlanVersion, *, reason: str, token: ApiToken | None = None
) -> PlanVersion:
    """The version, sent back with a reason; approvals given so far are void. ValueError without a reason."""
    if not reason.strip():
        raise ValueError("Say why the plan goes back: the reason is missing.")
    _hold(member, version)
    _require_other(member, version)
    moved = _move(
        version, (State.SUBMITTED,), State.RETURNED, "plan.returned", member, token, **_decision(member, reason)
    )
    notices.decided(moved)
    return moved


def authors_of(version: PlanVersion) -> set[int | None]:
    """The keys of those who made and who submitted it, who decide nothing about it."""
    return {version.submitted_by_id, version.created_by_id}


def _hold(member: Membership, version: PlanVersion) -> None:
    """Locks the plan and reads the version anew: of two steps at once the second sees what the first has done.

    Http404 for another team's.
    """
    if not access.rows_of(member.team, Workload).select_for_update().filter(pk=version.workload_id):
        raise Http404("There is nothing here with this id.")
    version.refresh_from_db()


def _require_other(member: Membership, version: PlanVersion) -> None:
    access.require_role(member, Role.APPROVER)
    if member.user_id in authors_of(version):
        raise PermissionDenied(
            "Somebody else must decide on this plan: you made or submitted it. An approver of the team can; an admin invites one "
            "on the team's page (/accounts/team)."
        )


def _require_feasible(version: PlanVersion) -> None:
    if not version.feasible:
        raise Conflict("Nothing is feasible in this version, so there is nothing to approve: change the request first.")


def _decision(member: Membership, reason: str) -> dict[str, Any]:
    return {"decided_by": member.user, "decided_at": timezone.now(), "reason": reason.strip()[:4000]}


_UNDECIDED: Final[dict[str, Any]] = {"decided_by": None, "decided_at": None, "reason": ""}


def _supersede(state: State, by: PlanVersion, member: Membership, token: ApiToken | None) -> None:
    """The other version in that state gives way: of one plan never two wait, and never two are approved."""
    for earlier in PlanVersion.objects.others_in(state, by):
        _move(earlier, (state,), State.SUPERSEDED, "plan.superseded", member, token, superseded_by=by)


def _move(
    version: PlanVersion,
    sources: tuple[str, ...],
    target: str,
    verb: str,
    member: Membership,
    token: ApiToken | None,
    noted: Mapping[str, Any] | None = None,
    **fields: Any,
) -> PlanVersion:
    """Moves by one conditional UPDATE, so that two people cannot decide at once; the trail holds what is `noted`, too."""
    moved = (
        access.rows_of(member.team, PlanVersion).filter(pk=version.pk, state__in=sources).update(state=target, **fields)
    )
    version.refresh_from_db()
    if not moved:
        raise _conflict(version, target)
    Workload.objects.filter(pk=version.workload_id).update(updated_at=timezone.now())
    if State.APPROVED not in (target, *sources):
        approvals.void(version)
    data: dict[str, Any] = {"sha256": version.sha256, "reason": fields.get("reason", ""), **(noted or {})}
    if version.superseded_by:
        data["superseded_by"] = version.superseded_by.number
    audit.record(verb, version.public_id, team=member.team, actor=member.user, token=token, data=data)
    events.version_told(version, verb, member.user)
    return version


def _conflict(version: PlanVersion, target: str) -> Conflict:
    if version.state == State.SUPERSEDED and version.superseded_by:
        newer = version.superseded_by.number
        return Conflict(f"Version {newer} has taken the place of version {version.number}: decide on that one.")
    if version.state == State.SUBMITTED == target:
        return Conflict("This version waits for approval already: withdraw it, or let an approver decide.")
    return Conflict(
        f"This version is {version.get_state_display().lower()}: it cannot become {State(target).label.lower()}."
    )
