"""The one way to write the record of what was done."""

from __future__ import annotations

from typing import Any

from accounts import origin
from accounts.models import ApiToken, AuditEvent, Team, User


def record(
    verb: str,
    subject: str,
    *,
    team: Team | None,
    actor: User | None,
    token: ApiToken | None = None,
    data: dict[str, Any] | None = None,
) -> AuditEvent:
    """Adds one event; call it inside the transaction of the step that it records.

    ``verb`` is noun.verb in the past tense (``plan.approved``), ``subject`` the public id of the row, ``actor`` None
    for the machine itself. Where the request came from is added to it. ``data`` holds what a later reader needs, never a secret.
    """
    return AuditEvent.objects.create(
        team=team,
        actor=actor,
        token_id=token.public_id if token else "",
        verb=verb,
        subject=subject,
        address=origin.address(),
        data=data or {},
    )
