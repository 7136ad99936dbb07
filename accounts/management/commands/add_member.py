"""``manage.py add_member``: the first people of an installation, before anyone can log in."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management import BaseCommand, CommandError
from django.db import transaction

from accounts import teams
from accounts.models import Role, Team


class Command(BaseCommand):
    """Puts a person into a team, making both when they are new."""

    help = "Puts a person into a team with a role; makes the account, and with --new NAME the team, when missing."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Team, address, role."""
        parser.add_argument("team", help="slug of the team")
        parser.add_argument("email")
        parser.add_argument("--role", choices=Role.values, default=Role.PLANNER)
        parser.add_argument("--new", metavar="NAME", help="make the team with this name first")

    @transaction.atomic
    def handle(self, *args: Any, **options: Any) -> None:
        """Prints what was done, and how to set a password."""
        try:
            if options["new"]:
                team = teams.create_team(options["new"], slug=options["team"], actor=None)
            else:
                team = Team.objects.get(slug=options["team"])
            membership = teams.set_role(team, options["email"], role=options["role"], actor=None)
        except Team.DoesNotExist:
            raise CommandError(f"There is no team {options['team']!r}; add --new NAME to make it.") from None
        except ValidationError as error:
            raise CommandError(error.message) from error
        self.stdout.write(f"{membership.user.email} is {membership.role} of {team}.")
        if not membership.user.has_usable_password():
            self.stdout.write(f"Set a password: python manage.py changepassword {membership.user.email}")
