"""`manage.py lists`: lists and searches under very many plans."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from accounts.models import Role
from lab.bar import show
from lab.scale import filling, lists, own


class Command(BaseCommand):
    """Fills an installation of its own, asks for every list, prints how long each takes. Nothing is judged: machines differ."""

    help = "Measure lists and searches under very many plans, in an installation of its own in a temporary folder."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """How many plans, how often, on which database."""
        parser.add_argument(
            "--plans", type=int, default=100_000, help="plans of the team (default: 100000; 0.4 MB each on SQLite)"
        )
        parser.add_argument("--times", type=int, default=40, help="how often each list is asked for (default: 40)")
        own.add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        """Measures inside, or starts itself there."""
        if not options["inside"]:
            own.inside("lists", options, ["--plans", str(options["plans"]), "--times", str(options["times"])])
            return
        own.prepare()
        people = own.people()
        filling.fill(people, options["plans"], progress=lambda done: show(self.stderr, "plans", done, options["plans"]))
        found = lists.measured(
            people[Role.ADMIN], times=options["times"], progress=lambda done, of: show(self.stderr, "lists", done, of)
        )
        self.stdout.write(f"{options['plans']} plans, each list {options['times']} times")
        self.stdout.write("\n".join(lists.told(found)))
