"""Scenarios of a frozen version: the write steps, each one transaction with its audit row.

A scenario says what the request would change (a merge patch) and keeps the plan that came of it. It never touches the
version: only `promote` makes something of it, and that is a new version beside the others.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from django.db import IntegrityError, transaction

from accounts import access, audit
from accounts.models import ApiToken, Membership, Role
from engine.inputs.spec import Fault, Spec, SpecError
from planner import planned, plans
from planner.frozen.snapshot import Plan, plain
from planner.models import PlanVersion, Scenario, Workload
from planner.request.day import asked_again, draft_of, same_request
from planner.request.merging import merged
from planner.request.parse import spec_from

MAY_CHANGE = (Role.PLANNER, Role.FINANCE)
MOST = 50
"""Scenarios of one version."""
LONGEST_NAME = 80
_LARGEST = 100_000
"""Characters of one scenario's changes as JSON."""
_FIXED = ("name", "workload")


def spec_with(version: PlanVersion, changes: Mapping[str, Any]) -> Spec:
    """The version's request with those changes. SpecError names each fault; also when nothing changes."""
    for key in _FIXED:
        if key in changes:
            raise SpecError(Fault(key, "fixed"))
    if len(json.dumps(changes, default=str)) > _LARGEST:
        raise SpecError(Fault("", "too_long.changes"))
    base = asked_again(version.head.spec)
    spec = spec_from(merged(plain(base), changes))
    if plain(spec) == plain(base):
        raise SpecError(Fault("", "unchanged"))
    return spec


@transaction.atomic
def save(
    member: Membership,
    version: PlanVersion,
    *,
    name: str,
    changes: Mapping[str, Any],
    plan: Plan,
    token: ApiToken | None = None,
) -> Scenario:
    """The new scenario with the plan made of `spec_with(version, changes)`. ValueError for a name that cannot be, or
    one too many."""
    access.require_role(member, *MAY_CHANGE)
    if version.scenarios.count() >= MOST:
        raise ValueError(f"This version has {MOST} scenarios already: delete one first.")
    words = _free_name(version, name)
    columns = plans.columns_of(plan)
    try:
        with transaction.atomic():
            made = Scenario.objects.create(
                version=version, name=words, changes=dict(changes), created_by=member.user, **columns
            )
    except IntegrityError as error:  # somebody else took the name in between
        raise ValueError(_taken(words)) from error
    data = {"version": version.public_id, "name": words, "sha256": plan.sha256}
    audit.record("scenario.created", made.public_id, team=member.team, actor=member.user, token=token, data=data)
    return made


@transaction.atomic
def rename(member: Membership, scenario: Scenario, *, name: str, token: ApiToken | None = None) -> Scenario:
    """The scenario under its new name. ValueError for a name that cannot be."""
    access.require_role(member, *MAY_CHANGE)
    words = name.strip()
    if words == scenario.name:
        return scenario
    words = _free_name(scenario.version, words)
    try:
        with transaction.atomic():
            access.rows_of(member.team, Scenario).filter(pk=scenario.pk).update(name=words)
    except IntegrityError as error:  # somebody else took the name in between
        raise ValueError(_taken(words)) from error
    data = {"before": scenario.name, "after": words}
    audit.record("scenario.renamed", scenario.public_id, team=member.team, actor=member.user, token=token, data=data)
    scenario.refresh_from_db()
    return scenario


@transaction.atomic
def delete(member: Membership, scenario: Scenario, *, token: ApiToken | None = None) -> None:
    """Removes the scenario; the audit trail keeps its name, changes and hash. A second call changes nothing."""
    access.require_role(member, *MAY_CHANGE)
    gone, _ = access.rows_of(member.team, Scenario).filter(pk=scenario.pk).delete()
    if gone:
        data = {"name": scenario.name, "changes": scenario.changes, "sha256": scenario.sha256}
        audit.record(
            "scenario.deleted", scenario.public_id, team=member.team, actor=member.user, token=token, data=data
        )


@transaction.atomic
def promote(member: Membership, scenario: Scenario, *, token: ApiToken | None = None) -> PlanVersion:
    """The scenario's plan as the next version, its request as the workload's draft; earlier versions stay.

    Conflict while the draft holds changes that no version has: they would be lost.
    """
    access.require_role(member, *MAY_CHANGE)
    workload = Workload.objects.select_for_update().get(pk=scenario.version.workload_id)
    if _has_unsaved(workload):
        raise plans.Conflict(
            "The request of this plan has changes that are not saved as a version: save or undo them first."
        )
    plan = scenario.plan
    plans.save_workload(
        member, name=workload.name, draft=draft_of(plan.spec), workload=workload, token=token, roles=MAY_CHANGE
    )
    made = plans.freeze_version(member, workload, plan, token=token, roles=MAY_CHANGE)
    data = {"version": made.public_id, "name": scenario.name, "sha256": plan.sha256}
    audit.record("scenario.promoted", scenario.public_id, team=member.team, actor=member.user, token=token, data=data)
    return made


def _has_unsaved(workload: Workload) -> bool:
    """Whether the draft differs from the newest version's request, or cannot be read."""
    newest = workload.newest
    try:
        return newest is None or not same_request(planned.read(workload.draft, workload.team), newest.head.spec)
    except SpecError:
        return True


def _free_name(version: PlanVersion, name: str) -> str:
    words = " ".join(name.replace("\x00", "").split())
    if not words:
        raise ValueError("The scenario has no name: say in a few words what it changes.")
    if len(words) > LONGEST_NAME:
        raise ValueError(f"The name has {len(words)} characters: write at most {LONGEST_NAME}.")
    if version.scenarios.filter(name=words).exists():
        raise ValueError(_taken(words))
    return words


def _taken(name: str) -> str:
    return f"This version has a scenario “{name}” already: choose another name."
