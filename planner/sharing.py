"""Share links: whoever has one reads one frozen version until the link expires or is revoked.

The secret has 192 random bits and is shown once; its SHA-256 finds the row, so a copy of the database opens nothing.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from datetime import timedelta

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from accounts import access, audit
from accounts.models import ApiToken, Membership, Role
from planner.models import PlanVersion, ShareLink

LIVES = (1, 7, 30, 90)
"""Days for which a link may work."""
_SHAPE = re.compile(r"[A-Za-z0-9_-]{32}")


@transaction.atomic
def create(
    member: Membership, version: PlanVersion, *, days: int, token: ApiToken | None = None
) -> tuple[ShareLink, str]:
    """The new link and its secret, to show once. ValueError for a life that is not offered."""
    access.require_role(member, Role.PLANNER, Role.FINANCE, Role.APPROVER)
    if days not in LIVES:
        raise ValueError(f"A link works for {', '.join(str(life) for life in LIVES)} days: choose one of them.")
    secret = secrets.token_urlsafe(24)
    link = ShareLink.objects.create(
        version=version,
        digest=_digest(secret),
        created_by=member.user,
        expires_at=timezone.now() + timedelta(days=days),
    )
    data = {"link": link.public_id, "days": days}
    audit.record("plan.shared", version.public_id, team=member.team, actor=member.user, token=token, data=data)
    return link, secret


def open_link(secret: str) -> ShareLink | None:
    """The live link behind that secret, its use counted; None for anything else."""
    link = find_link(secret)
    if link is not None:
        ShareLink.objects.filter(pk=link.pk).update(opened=F("opened") + 1)
    return link


def find_link(secret: str) -> ShareLink | None:
    """The same without counting: for the files of a page that was opened."""
    if not _SHAPE.fullmatch(secret):
        return None
    rows = ShareLink.objects.filter(digest=_digest(secret), revoked_at=None, expires_at__gt=timezone.now())
    return rows.select_related("version__workload__team").first()


@transaction.atomic
def revoke(member: Membership, link: ShareLink, *, token: ApiToken | None = None) -> None:
    """Ends the link at once; a second call changes nothing."""
    access.require_role(member, Role.PLANNER, Role.FINANCE, Role.APPROVER)
    if access.rows_of(member.team, ShareLink).filter(pk=link.pk, revoked_at=None).update(revoked_at=timezone.now()):
        data = {"link": link.public_id}
        audit.record(
            "plan.unshared", link.version.public_id, team=member.team, actor=member.user, token=token, data=data
        )


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
