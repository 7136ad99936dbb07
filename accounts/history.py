"""What happened to a person's account lately, in words, from the audit events that belong to no team."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Count, Max
from django.utils import timezone

from accounts import refusals
from accounts.models import AuditEvent, User

MOST: Final = 15
_RECENT: Final = timedelta(days=30)
_SAID: Final = {
    "user.logged_in": "Signed in",
    "user.created": "Account opened",
    "user.renamed": "Name changed",
    "password.changed": "Password changed",
    "password.reset": "Password set anew by a mailed link",
    "authenticator.added": "Authenticator app set up",
    "authenticator.removed": "Authenticator app turned off",
    "recovery_codes.made": "Recovery codes made",
    "recovery_code.used": "Recovery code used",
    "passkey.added": "Passkey added",
    "passkey.removed": "Passkey removed",
    "passkey.refused": "A passkey was refused",
    "code.refused": "A code was refused",
    "sign_in.refused": "A sign-in was refused",
    "second_factor.paused": "Too many wrong codes",
    "second_factor.removed_by_operator": "Second factor removed by the operator",
    "identity.connected": "Single sign-on connected",
    "identity.disconnected": "Single sign-on disconnected",
    "session.ended": "A session ended",
    "session.others_ended": "All other sessions ended",
}


@dataclass(frozen=True, kw_only=True)
class Happening:
    """One line of the list."""

    at: datetime
    said: str


def lately(user: User) -> list[Happening]:
    """The newest events of the account, newest first; those of a team stand on its own page."""
    rows = AuditEvent.objects.filter(actor=user, team=None).order_by("-at", "-pk")[:MOST]
    found = [Happening(at=row.at, said=_said(row)) for row in rows]
    return sorted([*_refused(user), *found], key=lambda item: item.at, reverse=True)


def _refused(user: User) -> list[Happening]:
    """One line for all of them, so that whoever guesses pushes nothing else off the list."""
    lately = refusals.of(user).filter(at__gt=timezone.now() - _RECENT).aggregate(count=Count("pk"), latest=Max("at"))
    if not lately["count"]:
        return []
    words = _SAID["sign_in.refused"] if lately["count"] == 1 else f"{lately['count']:,} sign-ins were refused"
    return [Happening(at=lately["latest"], said=f"{words} in the last {_RECENT.days} days, the latest then")]


def _said(row: AuditEvent) -> str:
    words = _SAID.get(row.verb, row.verb)
    about = row.data.get("how") or row.data.get("name") or ""
    return f"{words}: {about}" if about else words
