"""What a person signs in with besides a password, and the traces of it: sessions, invitations, counts of failures."""

from __future__ import annotations

from django.conf import settings
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models
from django.utils import timezone

from accounts import ids
from accounts.roles import Role
from accounts.secrets import SealedText


class Authenticator(models.Model):
    """The authenticator app of a person: one secret, from which both sides compute a code every 30 seconds."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="authenticator")
    secret = SealedText(help_text="Base32, sealed.")
    last_step = models.BigIntegerField(default=0, help_text="Number of the last time step whose code was used.")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    confirmed_at = models.DateTimeField(null=True, help_text="Null until a first code has shown that the app has it.")

    def __str__(self) -> str:
        return f"Authenticator app of {self.user}"


class RecoveryCode(models.Model):
    """One of ten codes that stand in once for a lost phone or key; stored as an HMAC only."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="recovery_codes")
    digest = models.CharField(max_length=64)
    used_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "digest"], name="recovery_code_once")]

    def __str__(self) -> str:
        return f"Recovery code of {self.user}"


class Passkey(models.Model):
    """The public half of a WebAuthn credential; the private half never leaves the person's device."""

    public_id = models.CharField(max_length=ids.MAX_LENGTH, unique=True, editable=False, default=ids.passkey_id)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="passkeys")
    name = models.CharField(max_length=80)
    credential_id = models.CharField(max_length=1400, unique=True, help_text="Base64url; up to 1,023 bytes.")
    public_key = models.BinaryField(help_text="COSE key.")
    sign_count = models.BigIntegerField(default=0, help_text="How often the device says it was used; 0: it does not.")
    transports = models.JSONField(default=list)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    last_used_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.name


class Identity(models.Model):
    """A person as a single sign-on provider knows them: its address and its own name for the person, never an e-mail."""

    public_id = models.CharField(max_length=ids.MAX_LENGTH, unique=True, editable=False, default=ids.identity_id)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="identities")
    issuer = models.CharField(max_length=255)
    subject = models.CharField(max_length=255)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    last_used_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["issuer", "subject"], name="identity_once")]

    def __str__(self) -> str:
        return f"{self.subject} at {self.issuer}"


class Invitation(models.Model):
    """A place in a team, waiting for the owner of a mailbox. Only a hash of the link's secret is stored."""

    public_id = models.CharField(max_length=ids.MAX_LENGTH, unique=True, editable=False, default=ids.invitation_id)
    team = models.ForeignKey("accounts.Team", on_delete=models.CASCADE, related_name="invitations")
    email = models.EmailField(max_length=254)
    role = models.CharField(max_length=16, choices=Role.choices)
    digest = models.CharField(max_length=64, unique=True)
    invited_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    sent_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["team", "email"],
                condition=models.Q(accepted_at=None, revoked_at=None),
                name="invitation_open_once",
            ),
            models.CheckConstraint(condition=models.Q(role__in=Role.values), name="invitation_role_known"),
        ]

    def __str__(self) -> str:
        return f"{self.email} · {self.team} · {self.role}"


class Session(AbstractBaseSession):
    """A visitor's session; `session_key` holds a hash of the cookie, so that a copy of the table opens nothing."""

    public_id = models.CharField(max_length=ids.MAX_LENGTH, unique=True, editable=False, default=ids.session_id)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.CASCADE, related_name="sessions")
    agent = models.CharField(max_length=300, blank=True, help_text="What the browser called itself at sign-in.")
    address = models.CharField(max_length=64, blank=True, help_text="Where the sign-in came from.")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    last_seen_at = models.DateTimeField(default=timezone.now, help_text="Exact to five minutes.")


class Attempts(models.Model):
    """How often something was tried lately; accounts/throttle.py alone writes it. No name or address is in the key."""

    key = models.CharField(max_length=64, primary_key=True)
    count = models.PositiveIntegerField()
    ends_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"{self.count} until {self.ends_at:%Y-%m-%d %H:%M}"
