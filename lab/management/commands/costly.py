"""`manage.py costly`: the costliest request of each role."""

from __future__ import annotations

from argparse import ArgumentParser
from functools import partial
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError

from accounts.models import Role
from lab.bar import show
from lab.scale import costly, filling, own
from planner.warm import warm

EVERYBODY: Final = (*Role.values, costly.VISITOR)


class Command(BaseCommand):
    """Asks for what is made of much, as everybody, each in a process of its own. Nothing is judged: machines differ."""

    help = "Measure processor time and memory of the costliest requests, in an installation of its own in a temporary folder."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """How many plans, on which database."""
        parser.add_argument("--plans", type=int, default=1_000, help="plans of the team (default: 1000)")
        parser.add_argument("--most", type=int, default=3, help="requests that are told of each role (default: 3)")
        parser.add_argument(
            "--roles", default=",".join(EVERYBODY), help=f"who asks, by commas (default: {','.join(EVERYBODY)})"
        )
        own.add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        """Measures inside, or starts itself there."""
        if not options["inside"]:
            given = ["--plans", str(options["plans"]), "--most", str(options["most"]), "--roles", options["roles"]]
            own.inside("costly", options, given)
            return
        roles = options["roles"].split(",")
        if unknown := sorted(set(roles) - set(EVERYBODY)):
            raise CommandError(f"There is no role “{unknown[0]}”: use {', '.join(EVERYBODY)}.")
        own.prepare()
        people = own.people()
        versions = filling.fill(
            people, options["plans"], progress=lambda done: show(self.stderr, "plans", done, options["plans"])
        )
        warm()
        asked = costly.asked_of(people, versions)
        for person in costly.everybody(people):
            if person.role in roles:  # each is told when it is known: all of them take long
                found = costly.measured([person], asked, progress=partial(show, self.stderr, person.role))
                self.stdout.write("\n".join(costly.told(found, most=options["most"])))
