"""`manage.py sweeps`: a long series over 1, 2 and 4 workers, with a worker that is killed."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accounts.models import Role
from lab.bar import show
from lab.scale import own, sweeps


class Command(BaseCommand):
    """Works the same series several times; exit 1 when a row is lost or is not what a single process answers."""

    help = "Measure a series of scenarios over several workers, one of them killed, in an installation of its own in a temporary folder."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """How many scenarios over how many workers, on which servers."""
        parser.add_argument("--scenarios", type=int, default=10_000, help="of each series (default: 10000)")
        parser.add_argument(
            "--workers", default="1,2,4", help="one series for each of these numbers of workers (default: 1,2,4)"
        )
        parser.add_argument(
            "--kill", action="store_true", help="kill -9 a worker in the middle of each series, and start another"
        )
        own.add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        """Measures inside, or starts itself there."""
        if not options["inside"]:
            given = ["--scenarios", str(options["scenarios"]), "--workers", options["workers"]]
            own.inside("sweeps", options, [*given, *(["--kill"] if options["kill"] else [])])
            return
        own.prepare()
        count, member = options["scenarios"], own.people()[Role.PLANNER]
        version = sweeps.asked_version(member)
        try:
            same, alone_s = sweeps.alone(version, count, progress=self._bar("one process"))
            found = [
                sweeps.swept(
                    member, version, count, workers=int(workers), kill=options["kill"], same=same,
                    progress=self._bar(f"{workers} workers"),
                )
                for workers in options["workers"].split(",")
            ]  # fmt: skip
        except (sweeps.Stuck, ValueError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write("\n".join(sweeps.told(alone_s, found)))
        if any(one.lost or one.different for one in found):
            sys.exit(1)

    def _bar(self, what: str) -> sweeps.Look:
        return lambda done, of: show(self.stderr, what, done, of)
