"""What happened to a person's account lately, in words, from the audit events that belong to no team."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from accounts.models import AuditEvent, User

MOST: Final = 15
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
    return [Happening(at=row.at, said=_said(row)) for row in rows]


def _said(row: AuditEvent) -> str:
    words = _SAID.get(row.verb, row.verb)
    about = row.data.get("how") or row.data.get("name") or ""
    return f"{words}: {about}" if about else words
