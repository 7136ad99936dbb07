"""Who somebody from a single sign-on provider is here.

The provider's name for the person (issuer, subject) is the link; an e-mail address alone never is where the account has
another way in. See docs/signing-in.md.
"""

from __future__ import annotations

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from accounts import audit, invitations, letters, signin, teams
from accounts.models import Identity, Team, User
from accounts.sso import Claims, Refused

_OFF = "This account is switched off; ask the operator."


class PasswordNeeded(Exception):
    """There is an account with this address and a password: its owner confirms the connection with that."""

    def __init__(self, user: User) -> None:
        super().__init__(user.email)
        self.user = user


@transaction.atomic
def person_of(claims: Claims) -> User:
    """The person: known, or new where the settings or an invitation give a place.

    PasswordNeeded when the account must be connected by its password first; Refused with one sentence else.
    """
    known = Identity.objects.select_related("user").filter(issuer=claims.issuer, subject=claims.subject).first()
    if known is not None:
        if not known.user.is_active:
            raise Refused(_OFF, email=claims.email)
        Identity.objects.filter(pk=known.pk).update(last_used_at=timezone.now())
        return known.user
    user = User.objects.filter(email=claims.email).first()
    if user is None:
        return _newcomer(claims)
    if not user.is_active:
        raise Refused(_OFF, email=claims.email)
    if user.identities.exists() or signin.has_second_factor(user):
        told = f"{user.email} signs in another way; do so, then connect single sign-on on your account page."
        raise Refused(told, email=claims.email)
    if user.has_usable_password():
        raise PasswordNeeded(user)
    connect(user, claims)
    return user


@transaction.atomic
def connect(user: User, claims: Claims, *, tell: bool = True) -> Identity:
    """The link between the person and the provider's name for them; Refused when it is somebody else's."""
    row, made = Identity.objects.get_or_create(
        issuer=claims.issuer, subject=claims.subject, defaults={"user": user, "last_used_at": timezone.now()}
    )
    if row.user_id != user.pk:
        raise Refused("This identity is connected to another account already.", email=claims.email)
    if made:
        audit.record("identity.connected", row.public_id, team=None, actor=user, data={"issuer": claims.issuer})
        if tell:
            letters.changed(user, f"Your account can now be entered by single sign-on ({settings.OIDC_NAME}).")
    return row


@transaction.atomic
def disconnect(row: Identity, *, actor: User) -> None:
    """Ends the link. ValidationError when it is the only way in."""
    others = Identity.objects.filter(user=actor).exclude(pk=row.pk).exists()
    if not (others or actor.has_usable_password() or actor.passkeys.exists()):
        raise ValidationError("This is your only way in; set a password or add a passkey first.")
    row.delete()
    audit.record("identity.disconnected", row.public_id, team=None, actor=actor, data={"issuer": row.issuer})


def _newcomer(claims: Claims) -> User:
    waiting = list(invitations.live_for(claims.email))
    team = Team.objects.filter(slug=settings.OIDC_TEAM).first() if settings.OIDC_TEAM else None
    if not waiting and team is None:
        told = f"There is no place for {claims.email} yet; ask an admin of your team to invite you."
        raise Refused(told, email=claims.email)
    user = User.objects.create_user(claims.email, None, name=claims.name)
    audit.record("user.created", user.public_id, team=None, actor=user, data={"how": "single sign-on"})
    connect(user, claims, tell=False)
    for row in waiting:
        invitations.accept(row, user)
    if team is not None and not user.memberships.filter(team=team).exists():
        teams.set_role(team, user.email, role=settings.OIDC_ROLE, actor=None)
    return user
