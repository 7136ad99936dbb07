"""People, teams, what each may do, API tokens, and the record of what was done."""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn

from django.contrib.auth.models import AbstractBaseUser, BaseUserManager, PermissionsMixin
from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts import ids
from accounts.credentials import Attempts, Authenticator, Identity, Invitation, Passkey, RecoveryCode, Session
from accounts.roles import PriceMail, Role

__all__ = [
    "ApiToken",
    "Attempts",
    "AuditEvent",
    "AuditSeal",
    "Authenticator",
    "Identity",
    "Invitation",
    "Membership",
    "Passkey",
    "PriceMail",
    "RecoveryCode",
    "Role",
    "Session",
    "Team",
    "User",
]


class UserManager(BaseUserManager["User"]):
    """Makes users; the e-mail address is kept in small letters, so that one person has one account."""

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> User:
        """A saved user; without a password nobody can log in by form."""
        if not email:
            raise ValueError("A user needs an e-mail address.")
        user = self.model(email=self.normalize_email(email).lower(), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> User:
        """A saved user who may do everything."""
        return self.create_user(email, password, **{"is_staff": True, "is_superuser": True, **fields})

    def get_by_natural_key(self, username: str | None) -> User:
        """The user with this e-mail address, whatever its capital letters."""
        return self.get(email=(username or "").lower())


class User(AbstractBaseUser, PermissionsMixin):
    """A person; logs in with an e-mail address."""

    public_id = models.CharField(max_length=ids.MAX_LENGTH, unique=True, editable=False, default=ids.user_id)
    email = models.EmailField(_("e-mail address"), max_length=254, unique=True)
    name = models.CharField(_("name"), max_length=120, blank=True)
    is_staff = models.BooleanField(default=False)
    is_active = models.BooleanField(default=True)
    date_joined = models.DateTimeField(default=timezone.now, editable=False)

    objects: ClassVar[UserManager] = UserManager()

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    class Meta:
        constraints = [models.UniqueConstraint(Lower("email"), name="user_email_once")]

    def __str__(self) -> str:
        return self.name or self.email

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Saves, with the address in small letters."""
        self.email = self.email.lower()
        super().save(*args, **kwargs)


class Team(models.Model):
    """The owner of everything: workloads, plans, prices of its own, tokens."""

    public_id = models.CharField(max_length=ids.MAX_LENGTH, unique=True, editable=False, default=ids.team_id)
    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=120)
    currency = models.CharField(max_length=3, default="USD", help_text="What its new plans show money in (ISO 4217).")
    time_zone = models.CharField(max_length=64, default="UTC", help_text="What its pages show times in.")
    second_factor_required = models.BooleanField(
        default=False, help_text="Its pages open only to a sign-in with a second factor."
    )
    approvals_needed = models.PositiveSmallIntegerField(
        default=1, help_text="How many people, none of them its author, must approve a plan."
    )
    approvals_by_token = models.BooleanField(
        default=True, db_default=True, help_text="Whether an API token may approve its plans."
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    members = models.ManyToManyField(User, through="Membership", related_name="teams")

    class Meta:
        constraints = [
            models.CheckConstraint(condition=models.Q(approvals_needed__in=(1, 2)), name="team_approvals_one_or_two")
        ]

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """One person's role in one team."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=16, choices=Role.choices)
    price_mail = models.CharField(
        max_length=8,
        choices=PriceMail.choices,
        default=PriceMail.MINE,
        db_default=PriceMail.MINE,
        help_text="Of which approved plans this member is written to when prices have moved beyond their band.",
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["team", "user"], name="membership_once"),
            models.CheckConstraint(condition=models.Q(role__in=Role.values), name="membership_role_known"),
        ]

    def __str__(self) -> str:
        return f"{self.user} · {self.team} · {self.role}"


class ApiToken(models.Model):
    """A key for machines, bound to one team and never able to do more than the member who made it.

    Only an HMAC of the secret is stored (accounts/tokens.py), so that a copy of the database opens nothing.
    """

    public_id = models.CharField(max_length=ids.MAX_LENGTH, unique=True, editable=False, default=ids.token_id)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="tokens")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=120)
    key = models.CharField(max_length=16, unique=True, editable=False, help_text="The public part of the token.")
    digest = models.CharField(max_length=64, editable=False, help_text="HMAC-SHA-256 of the secret part, hexadecimal.")
    scopes = models.JSONField(default=list)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    expires_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True, editable=False, help_text="Exact to a minute.")
    revoked_at = models.DateTimeField(null=True, blank=True, editable=False)

    def __str__(self) -> str:
        return f"{self.name} (sxt_{self.key}_…)"


class AppendOnly(models.QuerySet["AuditEvent"]):
    """Refuses to change or remove rows in bulk."""

    def update(self, **kwargs: Any) -> NoReturn:
        """Refuses."""
        raise TypeError("Audit events are never changed.")

    def delete(self) -> NoReturn:
        """Refuses."""
        raise TypeError("Audit events are never deleted.")


class AuditEvent(models.Model):
    """Who did what to which row, when. Written inside the transaction of the step itself; never changed."""

    public_id = models.CharField(max_length=ids.MAX_LENGTH, unique=True, editable=False, default=ids.event_id)
    team = models.ForeignKey(Team, null=True, on_delete=models.PROTECT, related_name="+")
    actor = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    token_id = models.CharField(max_length=ids.MAX_LENGTH, blank=True, help_text="Public id of the API token used.")
    verb = models.CharField(max_length=60, help_text="What happened, as noun.verb: plan.approved.")
    subject = models.CharField(max_length=80, help_text="Public id of the row it happened to.")
    address = models.CharField(
        max_length=64,
        blank=True,
        default="",
        db_default="",
        help_text="Where the request came from; empty: not from a request.",
    )
    data = models.JSONField(default=dict)
    at = models.DateTimeField(default=timezone.now, editable=False)

    objects: ClassVar[models.Manager[AuditEvent]] = AppendOnly.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["team", "-at"], name="audit_team_at"),
            models.Index(fields=["subject", "-at"], name="audit_subject_at"),
        ]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M:%S} {self.verb} {self.subject}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Inserts; an existing event is never written again."""
        if not self._state.adding:
            raise TypeError("Audit events are never changed.")
        super().save(*args, **kwargs)

    def delete(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Refuses."""
        raise TypeError("Audit events are never deleted.")

    @property
    def details(self) -> list[tuple[str, Any]]:
        """`data` for a page: a template would take a key called "items" for the dict's own method."""
        return list(self.data.items())


class AuditSeal(models.Model):
    """An event's place in the chain of its team, and the hash that ties it to the one before (accounts/sealing.py)."""

    event = models.OneToOneField(AuditEvent, on_delete=models.PROTECT, related_name="seal")
    chain = models.PositiveBigIntegerField(help_text="Key of the team; 0 for events of no team.")
    number = models.PositiveBigIntegerField()
    sha256 = models.CharField(max_length=64)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["chain", "number"], name="audit_seal_once")]

    def __str__(self) -> str:
        return f"{self.number} of {self.chain}: {self.sha256[:12]}"
