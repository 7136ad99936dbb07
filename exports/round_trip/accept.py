"""Accepting the edits of a workbook: the request with the new values is planned again and frozen as the next version."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from django.db import transaction

from accounts import access, audit
from accounts.models import ApiToken, Membership, Role
from engine.inputs.spec import Spec
from exports.round_trip.compare import Difference
from exports.round_trip.targets import changed_spec
from incoming.package import Refused
from planner import planned, plans
from planner.frozen.snapshot import Plan, plain
from planner.models import PlanVersion, Workload
from planner.request.day import asked_again
from planner.request.parse import spec_from

MAY_ACCEPT = (Role.PLANNER, Role.FINANCE)


def planned_again(version: PlanVersion, found: Iterable[Difference]) -> Plan:
    """The plan of the request with the taken values, on the team's current prices and facts.

    Refused when no edited input belongs to a request; SpecError when a value does not fit its field.
    """
    taken = {item.target: item.after for item in found if item.taken}
    if not taken:
        raise Refused("None of the edited inputs belongs to the request: there is nothing to plan again.")
    spec = changed_spec(version.head.spec, taken)
    return planned.plan_of(asked_again(spec_from(plain(spec))), version.workload.team)


@transaction.atomic
def accept(
    member: Membership, version: PlanVersion, found: Iterable[Difference], *, token: ApiToken | None = None
) -> PlanVersion:
    """The new version; the workload's draft takes the same values. PermissionDenied, Conflict, Refused, SpecError."""
    access.require_role(member, *MAY_ACCEPT)
    # Read anew under a lock: of two workbooks that are accepted at once, the second finds the version of the first.
    workload = Workload.objects.select_for_update().get(pk=version.workload_id)
    newest = workload.newest
    if newest is not None and newest.pk != version.pk:
        raise plans.Conflict(f"Version {newest.number} is newer: export its workbook and edit that.")
    edits = tuple(found)
    plan = planned_again(version, edits)
    draft = _draft(workload.draft, plan.spec, edits)
    plans.save_workload(
        member,
        name=workload.name,
        draft=draft,
        workload=workload,
        revision=workload.revision,  # SQLite has no such lock
        token=token,
        roles=MAY_ACCEPT,
    )
    made = plans.freeze_version(member, workload, plan, token=token, roles=MAY_ACCEPT)
    taken = {item.name: [item.before, item.after] for item in edits if item.taken}
    data = {"from": version.public_id, "inputs": list(taken), "values": taken}
    audit.record("plan.workbook_accepted", made.public_id, team=member.team, actor=member.user, token=token, data=data)
    return made


def _draft(draft: dict[str, Any], spec: Spec, edits: Iterable[Difference]) -> dict[str, Any]:
    """The draft with the accepted values and all else as it was typed."""
    found: dict[str, Any] = {key: dict(value) if isinstance(value, dict) else value for key, value in draft.items()}
    for item in edits:
        target = item.target
        if target.kind == "price":
            found["agreed"] = [asdict(price) for price in spec.agreed]
        elif target.kind == "assumption":
            found["assumptions"] = dict(spec.assumptions)
        elif target.kind == "request":
            head, _, leaf = target.path.rpartition(".")
            if "." in head:  # a row of a list, which is kept as a whole
                name = head.partition(".")[0]
                found[name] = [plain(row) for row in getattr(spec, name)]
                continue
            part = found.setdefault(head, {}) if head else found
            part[leaf] = getattr(getattr(spec, head), leaf) if head else getattr(spec, leaf)
    return found
