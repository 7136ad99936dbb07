"""Who stands behind a stored version: whoever froze it, and whoever approved it."""

from __future__ import annotations

from planner.asked import Issue
from planner.models import PlanVersion
from planner.review import approvals
from planner.versions import State


def issue_of(version: PlanVersion, state: str = "") -> Issue:
    """Owner, approvers and day of issue of that version, by name; `state` is that of a document which was asked for before the review
    went on."""
    approved = (state or version.state) in (State.APPROVED, State.SUPERSEDED)
    given = [str(item.user) for item in approvals.of(version)] if approved else []
    by = ", ".join(given) or (str(version.decided_by) if approved and version.decided_by else "")
    return Issue(owner=str(version.created_by or ""), approver=by, on=version.created_at.date())
