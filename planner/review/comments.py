"""Remarks on the numbers of a frozen version: the write steps, each one transaction with its audit row."""

from __future__ import annotations

from collections.abc import Collection

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.utils import timezone

from accounts import access, audit
from accounts.models import ApiToken, Membership, Role
from planner.models import PlanComment, PlanVersion
from rest import caps

MAY_COMMENT = (Role.PLANNER, Role.FINANCE, Role.APPROVER)
LONGEST = 4000


@transaction.atomic
def add(
    member: Membership,
    version: PlanVersion,
    *,
    text: str,
    pointer: str = "",
    known: Collection[str] = (),
    token: ApiToken | None = None,
) -> PlanComment:
    """A new comment. ValueError with one sentence for an empty or endless text, or a number that the plan lacks."""
    access.require_role(member, *MAY_COMMENT)
    words = text.replace("\x00", "").strip()
    if not words:
        raise ValueError("The comment is empty: write what you want to say.")
    if len(words) > LONGEST:
        raise ValueError(f"The comment has {len(words):,} characters: write at most {LONGEST:,}.")
    if pointer and pointer not in known:
        raise ValueError("This plan has no such number to comment on.")
    caps.check(
        "comments_of_version", version.comments.count(), whose="This version", what="comments",
        instead="begin a new version",
    )  # fmt: skip
    comment = PlanComment.objects.create(version=version, pointer=pointer, text=words, author=member.user)
    audit.record(
        "comment.added",
        version.public_id,
        team=member.team,
        actor=member.user,
        token=token,
        data={"comment": comment.public_id, "pointer": pointer},
    )
    return comment


@transaction.atomic
def resolve(member: Membership, comment: PlanComment, *, token: ApiToken | None = None) -> None:
    """Marks the comment as settled: its author, a planner or an approver may. A second call changes nothing."""
    if comment.author_id != member.user_id and not access.has_role(member, Role.PLANNER, Role.APPROVER):
        raise PermissionDenied("Its author, a planner or an approver resolves a comment.")
    open_ones = access.rows_of(member.team, PlanComment).filter(pk=comment.pk, resolved_at=None)
    if open_ones.update(resolved_at=timezone.now(), resolved_by=member.user):
        data = {"comment": comment.public_id}
        audit.record(
            "comment.resolved",
            comment.version.public_id,
            team=member.team,
            actor=member.user,
            token=token,
            data=data,
        )
