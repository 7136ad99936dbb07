"""Mail about accounts: invitations, forgotten passwords, and word of changes to how one signs in.

A letter is a job, so a mail server that is away loses nothing. Rooms know each other in one direction and the queue is
above this one, so it is handed in at the start (`carry_by`). What a letter holds is sealed in the job's row: a link in
it is a key.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Final, Protocol

from django.conf import settings
from django.contrib.auth.tokens import default_token_generator
from django.core.mail import send_mail
from django.urls import reverse
from django.utils.encoding import force_bytes
from django.utils.http import urlsafe_base64_encode

from accounts.models import Invitation, User
from accounts.secrets import seal, unseal

KIND: Final = "accounts.letter"


class Work(Protocol):
    """What a job's handler is given, as far as this module reads it."""

    @property
    def payload(self) -> dict[str, Any]: ...


_carriers: list[Callable[[dict[str, Any]], object]] = []


def carry_by(carrier: Callable[[dict[str, Any]], object]) -> None:
    """Names the function that takes a payload and has `deliver` called with it later."""
    _carriers[:] = [carrier]


def invitation(row: Invitation, secret: str) -> None:
    """The link by which a person joins a team."""
    _post({"what": "invitation", "invitation": row.pk, "secret": secret})


def forgotten(email: str) -> None:
    """The link to a new password. Whether the address has an account is asked by the worker: whoever typed it waits
    no longer and no shorter for an address that has none.
    """
    _post({"what": "forgotten", "email": email.lower()})


def changed(user: User, sentence: str) -> None:
    """Word to the person that the ways to sign in have changed, so that a stranger's change does not go unseen."""
    _post({"what": "changed", "user": user.pk, "sentence": sentence})


def deliver(job: Work) -> dict[str, Any]:
    """Writes and sends one letter; sends nothing when its reason is gone."""
    holds = json.loads(unseal(job.payload["sealed"]))
    written = {"invitation": _invitation, "forgotten": _forgotten, "changed": _changed}[holds["what"]](holds)
    if written is None:
        return {"sent": 0}
    to, subject, body = written
    send_mail(f"[Sextant] {' '.join(subject.split())[:180]}", body, None, [to])
    return {"sent": 1}


def _post(holds: dict[str, Any]) -> None:
    payload = {"what": holds["what"], "sealed": seal(json.dumps(holds))}
    for carrier in _carriers:
        carrier(payload)


def _invitation(holds: dict[str, Any]) -> tuple[str, str, str] | None:
    row = Invitation.objects.select_related("team", "invited_by").filter(pk=holds["invitation"]).first()
    if row is None or row.accepted_at or row.revoked_at:
        return None
    link = settings.SITE_URL + reverse("accounts:invitation-open", args=[holds["secret"]])
    by = row.invited_by or "The operator"
    body = (
        f"{by} invites you to the team {row.team} in Sextant, as {row.get_role_display().lower()}.\n\n{link}\n\n"
        f"The link works once, until {row.expires_at:%d %B %Y, %H:%M} UTC. If you expected no invitation, ignore it.\n"
    )
    return row.email, f"{by} invites you to {row.team}", body


def _forgotten(holds: dict[str, Any]) -> tuple[str, str, str] | None:
    user = User.objects.filter(email=holds["email"], is_active=True).first()
    if user is None:
        return None
    if not user.has_usable_password() and user.identities.exists():
        body = f"{user.email} has no password in Sextant: you sign in by {settings.OIDC_NAME}.\n\n{settings.SITE_URL}\n"
        return user.email, "You sign in another way", body
    name = urlsafe_base64_encode(force_bytes(user.pk))
    link = settings.SITE_URL + reverse("accounts:reset", args=[name, default_token_generator.make_token(user)])
    minutes = settings.PASSWORD_RESET_TIMEOUT // 60
    body = (
        f"Somebody, we hope you, asked for a new password of {user.email} in Sextant.\n\n{link}\n\n"
        f"The link works once, for {minutes} minutes. If it was not you, ignore it: nothing has changed.\n"
    )
    return user.email, "A new password", body


def _changed(holds: dict[str, Any]) -> tuple[str, str, str] | None:
    user = User.objects.filter(pk=holds["user"], is_active=True).first()
    if user is None:
        return None
    link = settings.SITE_URL + reverse("accounts:account")
    body = (
        f"{holds['sentence']}\n\nIf it was not you, change your password and end the other sessions at once:\n{link}\n"
    )
    return user.email, "How you sign in has changed", body
