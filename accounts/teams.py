"""The write steps of a team: who belongs to it, and in which role."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.core.validators import validate_email, validate_slug
from django.db import transaction

from accounts import audit, invitations, tokens
from accounts.models import ApiToken, Invitation, Membership, PriceMail, Role, Team, User


@transaction.atomic
def create_team(name: str, *, slug: str, actor: User | None) -> Team:
    """The new team; ValidationError with one sentence for a slug that is odd or taken."""
    try:
        validate_slug(slug)
    except ValidationError as error:
        raise ValidationError(f"The slug {slug[:60]!r} is not one: use letters, digits, - and _.") from error
    if len(slug) > 60 or not 0 < len(name) <= 120:
        raise ValidationError("A team needs a name of up to 120 characters and a slug of up to 60.")
    if Team.objects.filter(slug=slug).exists():
        raise ValidationError(f"There is a team {slug!r} already; choose another slug.")
    team = Team.objects.create(slug=slug, name=name)
    audit.record("team.created", team.public_id, team=team, actor=actor, data={"name": name, "slug": slug})
    return team


@transaction.atomic
def set_role(team: Team, email: str, *, role: str, actor: User | None) -> Membership:
    """The membership of this person, in this role; makes an account without a password for a new address.

    ValidationError with one sentence for an odd address or role, and when the team would lose its last admin.
    """
    if role not in Role.values:
        raise ValidationError(f"There is no role {role!r}; choose from {', '.join(Role.values)}.")
    try:
        validate_email(email)
    except ValidationError as error:
        raise ValidationError(f"{email[:254]!r} is not an e-mail address.") from error
    user = User.objects.filter(email=email.lower()).first() or User.objects.create_user(email)
    _keep_an_admin(team, user, role)
    was = Membership.objects.filter(team=team, user=user).values_list("role", flat=True).first()
    membership, _ = Membership.objects.update_or_create(team=team, user=user, defaults={"role": role})
    audit.record("member.role_set", user.public_id, team=team, actor=actor, data={"role": role, "was": was})
    return membership


@transaction.atomic
def choose_price_mail(member: Membership, choice: str) -> None:
    """Of which plans that member is written to when prices have moved; ValidationError for another choice."""
    if choice not in PriceMail.values:
        raise ValidationError("Choose of which plans you want to be written to.")
    was = Membership.objects.select_for_update().values_list("price_mail", flat=True).get(pk=member.pk)
    if was != choice:
        Membership.objects.filter(pk=member.pk).update(price_mail=choice)
        data = {"choice": choice, "was": was}
        audit.record("member.price_mail", member.user.public_id, team=member.team, actor=member.user, data=data)


@transaction.atomic
def require_second_factor(team: Team, required: bool, *, actor: User | None) -> None:
    """Whether the team's pages open only to a sign-in with a second factor. API tokens are not asked for one."""
    if (was := _was(team, second_factor_required=required)) != required:
        data = {"required": required, "was": was}
        audit.record("team.second_factor", team.public_id, team=team, actor=actor, data=data)


@transaction.atomic
def require_approvals(team: Team, needed: int, *, actor: User | None) -> None:
    """How many people must approve a plan, none of them its author: one or two; ValidationError for another number.

    It holds for what is submitted from now on.
    """
    if needed not in (1, 2):
        raise ValidationError("A plan needs one approval or two: choose one of them.")
    if (was := _was(team, approvals_needed=needed)) != needed:
        data = {"needed": needed, "was": was}
        audit.record("team.approvals", team.public_id, team=team, actor=actor, data=data)


@transaction.atomic
def take_approvals_by_token(team: Team, allowed: bool, *, actor: User | None) -> None:
    """Whether an API token may approve plans, which proves no more than that somebody holds it."""
    if (was := _was(team, approvals_by_token=allowed)) != allowed:
        data = {"allowed": allowed, "was": was}
        audit.record("team.approvals_by_token", team.public_id, team=team, actor=actor, data=data)


@transaction.atomic
def remove_member(membership: Membership, *, actor: User | None) -> None:
    """Ends the membership, and with it the person's tokens in the team and the invitations that they sent and nobody
    answered; ValidationError for the last admin."""
    _keep_an_admin(membership.team, membership.user, None)
    subject, team, role = membership.user.public_id, membership.team, membership.role
    # Revoked, not only asleep: who is invited again later does not find old keys at work.
    for token in ApiToken.objects.filter(team=team, user=membership.user, revoked_at=None):
        tokens.revoke(token, actor=actor)
    for invitation in Invitation.objects.filter(
        team=team, invited_by=membership.user, accepted_at=None, revoked_at=None
    ):
        invitations.revoke(invitation, actor=actor)
    membership.delete()
    audit.record("member.removed", subject, team=team, actor=actor, data={"role": role})


def _was(team: Team, **rule: object) -> object:
    """What that rule of the team was before it is set now; of two who set it at once the second sees the first."""
    rows = Team.objects.filter(pk=team.pk)
    was: object = rows.select_for_update().values_list(*rule, flat=True).get()
    rows.update(**rule)
    return was


def _keep_an_admin(team: Team, user: User, role: str | None) -> None:
    # Locks the team's row, so that two admins cannot demote each other at once.
    Team.objects.select_for_update().get(pk=team.pk)
    admins = list(Membership.objects.filter(team=team, role=Role.ADMIN).values_list("user_id", flat=True))
    if admins == [user.pk] and role != Role.ADMIN:
        raise ValidationError(f"{team} would be left without an admin; make another member admin first.")
