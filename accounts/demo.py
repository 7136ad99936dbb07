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
def new_token() -> str:
    """A demo API token for one week with every scope; the demo tokens of earlier starts end."""
    membership = ensure()
    for earlier in ApiToken.objects.filter(team=membership.team, name=LABEL, revoked_at=None):
        tokens.revoke(earlier, actor=None)
    _, shown_once = tokens.issue(
        membership.team,
        membership.user,
        name=LABEL,
        scopes=tokens.SCOPES,
        expires_at=timezone.now() + timedelta(days=7),
    )
    return shown_once
