"""Invitations: a place in a team for whoever owns a mailbox, by a link that works once and for a week.

The secret in the link has 256 random bits; only its SHA-256 is stored. Sending again makes a new secret, and the link
of before ends.
"""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta
from typing import Final

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from accounts import audit, letters, throttle
from accounts.models import Invitation, Membership, Role, Team, User

LIFE: Final = timedelta(days=7)


def open_in(team: Team) -> QuerySet[Invitation]:
    """Those of the team that wait for an answer, also those whose link is over."""
    return Invitation.objects.filter(team=team, accepted_at=None, revoked_at=None).order_by("email")


@transaction.atomic
def invite(team: Team, email: str, *, role: str, actor: User | None) -> tuple[Invitation, str]:
    """The invitation and the secret of its link, which goes out by mail.

    ValidationError with one sentence for an odd address or role, a member, somebody who is invited already, and a team
    that invites too many.
    """
    email = email.strip().lower()
    if role not in Role.values:
        raise ValidationError(f"There is no role {role!r}; choose from {', '.join(Role.values)}.")
    try:
        validate_email(email)
    except ValidationError as error:
        raise ValidationError(f"{email[:254]!r} is not an e-mail address.") from error
    Team.objects.select_for_update().get(pk=team.pk)  # two admins invite one person once
    if Membership.objects.filter(team=team, user__email=email).exists():
        raise ValidationError(f"{email} belongs to the team already; change the role in the list.")
    if open_in(team).filter(email=email).exists():
        raise ValidationError(f"{email} is invited already; send the link again or withdraw it.")
    if (waiting := open_in(team).count()) >= (most := settings.CAPS["invitations_of_team"]):
        raise ValidationError(f"{waiting:,} invitations wait for an answer and {most:,} may: withdraw one first.")
    if not throttle.take(throttle.invitations(team.pk)):
        raise ValidationError("The team has sent many invitations; wait 15 minutes and try again.")
    secret = secrets.token_urlsafe(32)
    row = Invitation.objects.create(
        team=team, email=email, role=role, digest=digest_of(secret), invited_by=actor, expires_at=timezone.now() + LIFE
    )
    audit.record("invitation.sent", row.public_id, team=team, actor=actor, data={"email": email, "role": role})
    letters.invitation(row, secret)
    return row, secret


@transaction.atomic
def send_again(row: Invitation, *, actor: User | None) -> str:
    """The secret of a new link; the old one ends. ValidationError when the invitation was answered or withdrawn."""
    if not throttle.take(throttle.invitations(row.team_id)):
        raise ValidationError("The team has sent many invitations; wait 15 minutes and try again.")
    secret, now = secrets.token_urlsafe(32), timezone.now()
    waiting = Invitation.objects.filter(pk=row.pk, accepted_at=None, revoked_at=None)
    if not waiting.update(digest=digest_of(secret), sent_at=now, expires_at=now + LIFE):
        raise ValidationError("This invitation was answered or withdrawn already.")
    audit.record("invitation.sent_again", row.public_id, team=row.team, actor=actor, data={"email": row.email})
    letters.invitation(row, secret)
    return secret


@transaction.atomic
def revoke(row: Invitation, *, actor: User | None) -> None:
    """Ends the link; a second call changes nothing."""
    waiting = Invitation.objects.filter(pk=row.pk, accepted_at=None, revoked_at=None)
    if waiting.update(revoked_at=timezone.now()):
        audit.record("invitation.revoked", row.public_id, team=row.team, actor=actor, data={"email": row.email})


def find(digest: str) -> Invitation | None:
    """The invitation that the secret with this `digest_of` opens now; None for anything else."""
    live = Invitation.objects.filter(accepted_at=None, revoked_at=None, expires_at__gt=timezone.now())
    return live.select_related("team", "invited_by").filter(digest=digest).first()


def live_for(email: str) -> QuerySet[Invitation]:
    """The invitations that wait for the owner of this address."""
    live = Invitation.objects.filter(accepted_at=None, revoked_at=None, expires_at__gt=timezone.now())
    return live.select_related("team").filter(email=email.lower())


@transaction.atomic
def accept(row: Invitation, user: User) -> Membership:
    """The membership. ValidationError when the invitation is for another address, or is over in the meantime."""
    if row.email != user.email:
        raise ValidationError(f"This invitation is for {row.email}, and you are signed in as {user.email}.")
    now = timezone.now()
    live = Invitation.objects.filter(pk=row.pk, accepted_at=None, revoked_at=None, expires_at__gt=now)
    if not live.update(accepted_at=now):
        raise ValidationError("This invitation has ended; ask for a new one.")
    membership, _ = Membership.objects.get_or_create(team=row.team, user=user, defaults={"role": row.role})
    audit.record("invitation.accepted", row.public_id, team=row.team, actor=user, data={"role": membership.role})
    return membership


def digest_of(secret: str) -> str:
    """What is stored of a secret."""
    return hashlib.sha256(secret.encode()).hexdigest()
