"""`manage.py imports`: an import of very many prices."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.core.management.base import BaseCommand

from catalog import clock
from lab.bar import show
from lab.scale import importing, own

TIMES = 2
"""The second one must change nothing."""


class Command(BaseCommand):
    """Writes a price file, imports it twice, prints time and memory. Nothing is judged: machines differ."""

    help = "Measure the import of very many prices, in an installation of its own in a temporary folder."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """How many prices, on which database."""
        parser.add_argument("--prices", type=int, default=300_000, help="prices in the file (default: 300000)")
        own.add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        """Measures inside, or starts itself there."""
        if not options["inside"]:
            own.inside("imports", options, ["--prices", str(options["prices"])])
            return
        own.prepare()
        with TemporaryDirectory(prefix="sextant-imports-") as folder:
            path = Path(folder) / "vms.csv"
            importing.write(path, options["prices"])
            found = importing.measured(
                path, clock.today(), times=TIMES, progress=lambda done, of: show(self.stderr, "imports", done, of)
            )
        self.stdout.write(f"{options['prices']} prices")
        self.stdout.write("\n".join(importing.told(found)))
