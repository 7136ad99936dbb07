"""`manage.py soak`: an hour at a steady share of the machine, and what each process holds meanwhile."""

from __future__ import annotations

import json
import signal
import sys
from argparse import ArgumentParser
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from lab.bar import show
from lab.crowd import soak
from lab.crowd.server import NoServer, running


class Command(BaseCommand):
    """Starts an installation of its own, loads it, watches it; exit 1 when an answer was a fault of the server's."""

    help = "Load an installation of its own in a temporary folder for an hour, and watch the memory of its processes."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """How long, how busy, who."""
        parser.add_argument("--minutes", type=float, default=60.0, help="(default: 60)")
        parser.add_argument("--load", type=float, default=0.7, help="share of the machine's cores (default: 0.7)")
        parser.add_argument("--typists", type=int, default=8, help="people at forms (default: 8)")
        parser.add_argument("--callers", type=int, default=4, help="callers of the API (default: 4)")
        parser.add_argument("--port", type=int, default=8767, help="port of the server under test (default: 8767)")
        parser.add_argument("--json", default="", metavar="FILE", help="also write every look at the processes there")

    def handle(self, *args: Any, **options: Any) -> None:
        """Loads, and says what was seen."""
        if options["minutes"] < 0.5:
            raise CommandError("--minutes: half a minute at least, for a few looks.")
        # In the background of a script an interrupt is ignored otherwise.
        signal.signal(signal.SIGINT, _interrupted)
        signal.signal(signal.SIGTERM, _interrupted)
        try:
            with running(options["port"], unlimited=True) as server:
                found = soak.soaked(
                    server, minutes=options["minutes"], load=options["load"], typists=options["typists"],
                    callers=options["callers"], progress=lambda done, of: show(self.stderr, "seconds", done, of),
                )  # fmt: skip
        except NoServer as error:
            raise CommandError(f"The server did not come up. It said: {error}") from error
        if not found.moments:
            raise CommandError("It was stopped before the first look.")
        if options["json"]:
            Path(options["json"]).write_text(json.dumps([asdict(one) for one in found.moments]) + "\n")
        self.stdout.write("\n".join(soak.told(found)))
        if any(one.is_broken for one in found.seen):
            sys.exit(1)


def _interrupted(*_: object) -> None:
    raise KeyboardInterrupt
