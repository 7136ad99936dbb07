"""API tokens: issue, verify, revoke.

A token reads ``sxt_<key>_<secret>``: the key finds the row, and the secret (200 random bits) is compared with an HMAC
under the pepper of the installation. The whole token is shown once and never stored.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from accounts import audit
from accounts.models import ApiToken, Membership, Team, User
from rest import caps

PREFIX: Final = "sxt_"
SCOPES: Final = (
    "catalog:read",
    "catalog:write",
    "plans:read",
    "plans:write",
    "exports:create",
    "approvals:write",
    "webhooks:manage",
    "tokens:manage",
    "audit:read",
)
DEFAULT_LIFE: Final = timedelta(days=90)
_SHAPE = re.compile(r"sxt_([a-z0-9]{12})_([A-Za-z0-9]{34})")
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
_USED_EVERY = timedelta(minutes=1)


@transaction.atomic
def issue(
    team: Team,
    user: User,
    *,
    name: str,
    scopes: Collection[str],
    expires_at: datetime | None = None,
    by: ApiToken | None = None,
) -> tuple[ApiToken, str]:
    """The new row and the token to show once. ``expires_at`` defaults to 90 days from now; ``by`` is the token that asked.

    Raises ValueError with one sentence for a scope that does not exist or an expiry in the past, CapReached for one token
    more than there may be.
    """
    unknown = sorted(set(scopes) - set(SCOPES))
    if unknown:
        raise ValueError(f"There is no scope {unknown[0]!r}; choose from {', '.join(SCOPES)}.")
    expires_at = expires_at or timezone.now() + DEFAULT_LIFE
    if expires_at <= timezone.now():
        raise ValueError("The token would have expired already; choose a later date.")
    _check_caps(team, user)
    key = "".join(secrets.choice(_LETTERS[26:]) for _ in range(12))
    secret = "".join(secrets.choice(_LETTERS) for _ in range(34))
    token = ApiToken.objects.create(
        team=team,
        user=user,
        name=name,
        key=key,
        digest=_digest(key, secret),
        scopes=sorted(set(scopes)),
        expires_at=expires_at,
    )
    data = {"name": name, "scopes": token.scopes}
    audit.record("token.issued", token.public_id, team=team, actor=user, token=by, data=data)
    return token, f"{PREFIX}{key}_{secret}"


def _check_caps(team: Team, user: User) -> None:
    live = ApiToken.objects.filter(Q(expires_at=None) | Q(expires_at__gt=timezone.now()), team=team, revoked_at=None)
    what, instead = "live API tokens", "revoke one that is not used any more"
    caps.check("tokens_of_person", live.filter(user=user).count(), whose="This person", what=what, instead=instead)
    caps.check("tokens_of_team", live.count(), whose="The team", what=what, instead=instead)


def verify(raw: str) -> ApiToken | None:
    """The live token that ``raw`` is, with team and user; None for anything else.

    A token dies when it expires, is revoked, or its maker is switched off or leaves the team.
    """
    match = _SHAPE.fullmatch(raw)
    if match is None:
        return None
    key, secret = match.groups()
    token = ApiToken.objects.select_related("team", "user").filter(key=key).first()
    # Compared also when there is no such key, so that an answer takes as long either way.
    right = hmac.compare_digest(token.digest if token else "0" * 64, _digest(key, secret))
    if token is None or not right or not _alive(token):
        return None
    _note_use(token)
    return token


@transaction.atomic
def revoke(token: ApiToken, *, actor: User | None, by: ApiToken | None = None) -> None:
    """Ends the token at once; a second call changes nothing. ``by`` is the token that asked."""
    if ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now()):
        data = {"name": token.name}
        audit.record("token.revoked", token.public_id, team=token.team, actor=actor, token=by, data=data)


def _alive(token: ApiToken) -> bool:
    if token.revoked_at is not None or not token.user.is_active:
        return False
    if token.expires_at is not None and token.expires_at <= timezone.now():
        return False
    return Membership.objects.filter(team=token.team, user=token.user).exists()


def _note_use(token: ApiToken) -> None:
    now = timezone.now()
    if token.last_used_at is None or now - token.last_used_at >= _USED_EVERY:
        stale = Q(last_used_at=None) | Q(last_used_at__lte=now - _USED_EVERY)
        ApiToken.objects.filter(stale, pk=token.pk).update(last_used_at=now)
        token.last_used_at = now


def _digest(key: str, secret: str) -> str:
    return hmac.new(settings.TOKEN_PEPPER.encode(), f"{key}_{secret}".encode(), hashlib.sha256).hexdigest()
