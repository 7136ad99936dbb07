"""`manage.py feed`: the feed of budgets under thousands of approved plans, on a real server."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from lab.crowd import feed
from lab.crowd.server import NoServer, running


class Command(BaseCommand):
    """Starts an installation of its own, fills it, asks. Nothing is judged: machines differ."""

    help = "Measure the feed of budgets under many approved plans, on a server of its own in a temporary folder."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """How many plans, how often."""
        parser.add_argument("--plans", type=int, default=10_000, help="approved plans (default: 10000; 0.4 MB each)")
        parser.add_argument("--pages", type=int, default=60, help="how often the first page is asked for (default: 60)")
        parser.add_argument("--port", type=int, default=8766, help="port of the server under test (default: 8766)")
        parser.add_argument(
            "--fill", action="store_true", help="only add the plans to this installation; prints a token"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Fills, or measures on what another process of this command has filled."""
        if options["fill"]:
            self.stdout.write(feed.fill(options["plans"]))
            return
        try:
            with running(options["port"]) as server:
                token = feed.filled(server, options["plans"])
                found = feed.measured(server, token, options["plans"], pages=options["pages"])
        except NoServer as error:
            raise CommandError(f"The server did not come up. It said: {error}") from error
        self.stdout.write("\n".join(feed.told(found)))
