"""``manage.py second_factor_off``: for a person who has lost phone, keys and recovery codes."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management import BaseCommand, CommandError
from django.db import transaction

from accounts import audit, letters, sessions
from accounts.models import Authenticator, Passkey, RecoveryCode, User


class Command(BaseCommand):
    """Removes every second factor of a person, ends the sessions, and tells the person by mail."""

    help = "Removes the authenticator app, the passkeys and the recovery codes of a person who has lost them."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Whose."""
        parser.add_argument("email")

    @transaction.atomic
    def handle(self, *args: Any, **options: Any) -> None:
        """Prints what was done."""
        user = User.objects.filter(email=options["email"].lower()).first()
        if user is None:
            raise CommandError(f"There is no account {options['email']!r}; check the address.")
        removed = sum(model.objects.filter(user=user).delete()[0] for model in (Authenticator, Passkey, RecoveryCode))
        sessions.end_all(user)
        audit.record("second_factor.removed_by_operator", user.public_id, team=None, actor=None)
        letters.changed(user, "The operator has removed the second factor of your account, and ended your sessions.")
        self.stdout.write(f"{user.email} signs in with the password alone now ({removed} rows removed).")
