"""What is done to a plan as a whole from the list: renamed, taken out of it, put back, and a draft deleted."""

from __future__ import annotations

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from accounts import access, audit
from accounts.models import Membership, Role
from planner import events
from planner.models import Workload
from planner.plans import Conflict, save_workload

LONGEST_NAME = 120


def rename(member: Membership, workload: Workload, *, name: str) -> Workload:
    """The workload under its new name; versions that are frozen keep theirs. ValueError for a name that cannot be."""
    words = name.replace("\x00", "").strip()
    if not words:
        raise ValueError("The name is empty: type one.")
    if len(words) > LONGEST_NAME:
        raise ValueError(f"The name is too long: at most {LONGEST_NAME} characters.")
    return save_workload(member, name=words, draft={**workload.draft, "name": words}, workload=workload)


@transaction.atomic
def restore(member: Membership, workload: Workload) -> None:
    """Puts an archived workload back into the lists. A second call changes nothing."""
    access.require_role(member, Role.PLANNER)
    rows = access.rows_of(member.team, Workload).filter(pk=workload.pk, archived_at__isnull=False)
    now = timezone.now()
    if rows.update(archived_at=None, restored_at=now, revision=F("revision") + 1, updated_at=now):
        audit.record("workload.restored", workload.public_id, team=member.team, actor=member.user)
        events.workload_told(workload, "plan.restored", member.user)


@transaction.atomic
def delete(member: Membership, workload: Workload) -> None:
    """Deletes a draft of which nothing was frozen. Conflict for any other: what was frozen stays, archived at most."""
    access.require_role(member, Role.PLANNER)
    held = access.rows_of(member.team, Workload).select_for_update().filter(pk=workload.pk).first()
    if held is None:
        return
    if held.versions.exists():
        raise Conflict("Frozen versions are never deleted: archive this plan instead.")
    audit.record("workload.deleted", held.public_id, team=member.team, actor=member.user, data={"name": held.name})
    held.delete()
