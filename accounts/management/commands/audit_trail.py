"""``manage.py audit_trail [--team SLUG]``: the sealed audit trail as JSON lines, its chain checked on the way."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management import BaseCommand, CommandError

from accounts.models import Team
from accounts.sealing import FIRST, BrokenChain, exported, seal_new


class Command(BaseCommand):
    """Prints each event with its hash; exit status 1 when one was changed, removed or put in between."""

    help = "Prints the audit trail of a team (or of no team) as JSON lines, and checks its chain of hashes."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """``--team`` and ``--check``."""
        parser.add_argument("--team", default="", help="slug of the team; without it the events of no team")
        parser.add_argument("--check", default="", help="a hash kept from before, which must still be in the chain")

    def handle(self, *args: Any, **options: Any) -> None:
        """CommandError when the chain is broken, or does not hold the hash that was kept."""
        team = Team.objects.filter(slug=options["team"]).first()
        if options["team"] and team is None:
            raise CommandError(f"There is no team {options['team']!r}.")
        while seal_new():
            pass
        hashes = {FIRST}
        try:
            for row in exported(team.pk if team else 0):
                hashes.add(row["sha256"])
                self.stdout.write(json.dumps(row, sort_keys=True, ensure_ascii=False))
        except BrokenChain as error:
            raise CommandError(f"The audit trail was tampered with: {error}") from error
        if options["check"] and options["check"] not in hashes:
            raise CommandError("The audit trail was tampered with: it does not hold the hash that was kept.")
