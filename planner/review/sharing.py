"""Share links: whoever has one reads one frozen version until the link expires or is revoked.

The secret has 192 random bits and is shown once; its SHA-256 finds the row, so a copy of the database opens nothing. A
link may ask for a password as well, stored and throttled like that of an account: for links that travel by mail.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from datetime import timedelta

from django.contrib.auth.hashers import check_password, make_password
from django.core import signing
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from accounts import access, audit, throttle
from accounts.models import ApiToken, Membership, Role
from planner.models import PlanVersion, ShareLink
from rest import caps

LIVES = (1, 7, 30, 90)
"""Days for which a link may work."""
SHORTEST, LONGEST = 8, 128
"""Characters of its password."""
OPEN_FOR = timedelta(hours=12)
"""So long a browser that has shown the password is not asked again."""
_SHAPE = re.compile(r"[A-Za-z0-9_-]{32}")


@transaction.atomic
def create(
    member: Membership, version: PlanVersion, *, days: int, password: str = "", token: ApiToken | None = None
) -> tuple[ShareLink, str]:
    """The new link and its secret, to show once; with a password it asks for that.

    ValueError for a life that is not offered, and for a password that is too short or too long. CapReached.
    """
    access.require_role(member, Role.PLANNER, Role.FINANCE, Role.APPROVER)
    if days not in LIVES:
        raise ValueError(f"A link works for {', '.join(str(life) for life in LIVES)} days: choose one of them.")
    if password and not SHORTEST <= len(password) <= LONGEST:
        raise ValueError(f"The password of a link has {SHORTEST} to {LONGEST} characters: take another.")
    live = version.share_links.filter(revoked_at=None, expires_at__gt=timezone.now()).count()
    caps.check("links_of_version", live, whose="This version", what="live share links", instead="end one of them first")
    secret = secrets.token_urlsafe(24)
    link = ShareLink.objects.create(
        version=version,
        digest=_digest(secret),
        created_by=member.user,
        expires_at=timezone.now() + timedelta(days=days),
        password=make_password(password) if password else "",
    )
    data = {"link": link.public_id, "days": days, "password": bool(password)}
    audit.record("plan.shared", version.public_id, team=member.team, actor=member.user, token=token, data=data)
    return link, secret


def count_opening(link: ShareLink) -> None:
    """One reading more."""
    ShareLink.objects.filter(pk=link.pk).update(opened=F("opened") + 1)


def unlock(link: ShareLink, password: str, *, address: str) -> str:
    """Empty for the right password, else a sentence. Tries are counted for the link, here and from anywhere."""
    limits = throttle.shared(link.public_id, address)
    if not throttle.take(limits):
        return "Too many attempts; wait 15 minutes and try again."
    if not check_password(password[:LONGEST], link.password):
        return "This is not the password of this link; ask who sent it to you."
    throttle.forget(limits)
    return ""


def pass_for(link: ShareLink) -> str:
    """What a browser that has shown the password keeps, instead of a session: signed, for this link and `OPEN_FOR`."""
    return signing.dumps(link.public_id, salt=_salt(link))


def has_pass(link: ShareLink, kept: str) -> bool:
    """Whether that is such a pass; anything will do for a link without a password."""
    if not link.password:
        return True
    try:
        return bool(signing.loads(kept, salt=_salt(link), max_age=OPEN_FOR) == link.public_id)
    except signing.BadSignature:
        return False


def _salt(link: ShareLink) -> str:
    return f"planner.share {link.password}"


def find_link(secret: str) -> ShareLink | None:
    """The live link behind that secret; None for anything else."""
    if not _SHAPE.fullmatch(secret):
        return None
    rows = ShareLink.objects.filter(digest=_digest(secret), revoked_at=None, expires_at__gt=timezone.now())
    return rows.select_related("version__workload__team", "version__created_by").defer("version__body").first()


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
