"""A copy of a workload, to change what differs."""

from __future__ import annotations

from django.db import transaction

from accounts.models import ApiToken, Membership
from planner.models import Workload
from planner.plans import save_workload

_MARK = " (copy)"


@transaction.atomic
def duplicate(member: Membership, workload: Workload, *, token: ApiToken | None = None) -> Workload:
    """A new workload with the same request, its name marked as a copy; nothing is frozen yet."""
    name = f"{workload.name[: 120 - len(_MARK)]}{_MARK}"
    return save_workload(member, name=name, draft={**workload.draft, "name": name}, token=token)
