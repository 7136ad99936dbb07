"""``manage.py sweeper``: repairs what a crash or a lost message left behind, every five seconds, until it is stopped."""

from __future__ import annotations

import signal
import threading
from argparse import ArgumentParser
from typing import Any

from django.core.management import BaseCommand, CommandError

from jobs import queue
from jobs.sweeper import sweep_until


class Command(BaseCommand):
    """The process that sweeps. Two may run at once, so that one may die."""

    help = "Gives lost jobs back to the queue, rings for those that wait, and begins what begins at a time."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """``--heard``."""
        parser.add_argument("--heard", action="store_true", help="only ask whether one was heard within 30 seconds")

    def handle(self, *args: Any, **options: Any) -> None:
        """Returns after SIGTERM or SIGINT; with ``--heard`` at once, as an error when no sweeper is heard."""
        if options["heard"]:
            if not queue.heard(within_s=30, sweepers=True).exists():
                raise CommandError("No sweeper was heard for 30 seconds.")
            return
        stopped = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stopped.set())
        sweep_until(stopped)
