"""The demo team: on the embedded default one click lets a visitor in, without sign-up."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from accounts import tokens
from accounts.models import ApiToken, Membership, Role, Team, User

TEAM_SLUG = "northwind-demo"
TEAM_NAME = "Northwind Research (demo)"
EMAIL = "demo@northwind.example"
LABEL = "Demo token of this start"
COLLEAGUE = "approver@northwind.example"
"""Who made a plan may not approve it, so the demo team has a second person; nobody signs in as them."""


class DemoOff(Exception):
    """Demo mode is off, so there is no demo team."""


@transaction.atomic
def ensure() -> Membership:
    """The demo user's membership, an admin's; makes what is missing. DemoOff unless DEMO_MODE is on."""
    if not settings.DEMO_MODE:
        raise DemoOff("Demo mode is off; it exists only on the embedded default.")
    user = User.objects.filter(email=EMAIL).first()
    if user is None:
        user = User.objects.create_user(EMAIL, None, name="Demo visitor")
    team, _ = Team.objects.get_or_create(slug=TEAM_SLUG, defaults={"name": TEAM_NAME})
    membership, _ = Membership.objects.select_related("team", "user").get_or_create(
        team=team, user=user, defaults={"role": Role.ADMIN}
    )
    return membership


@transaction.atomic
def new_tokens() -> tuple[str, str]:
    """Two demo API tokens for one week: of the visitor with every scope, and of a colleague who may approve. Those of earlier
    starts end."""
    visitor = ensure()
    for earlier in ApiToken.objects.filter(team=visitor.team, name=LABEL, revoked_at=None):
        tokens.revoke(earlier, actor=None)
    return _token(visitor, tokens.SCOPES), _token(_colleague(visitor.team), ("plans:read", "approvals:write"))


def _colleague(team: Team) -> Membership:
    user = User.objects.filter(email=COLLEAGUE).first() or User.objects.create_user(
        COLLEAGUE, None, name="Demo approver"
    )
    return Membership.objects.select_related("team", "user").get_or_create(
        team=team, user=user, defaults={"role": Role.APPROVER}
    )[0]


def _token(member: Membership, scopes: tuple[str, ...]) -> str:
    ends = timezone.now() + timedelta(days=7)
    return tokens.issue(member.team, member.user, name=LABEL, scopes=scopes, expires_at=ends)[1]
