"""`manage.py foretell FOLDER`: writes down what the engine says of runs on a card of our own, before they are made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from lab.validation import own_predict
from planner.market import market_from_files


class Command(BaseCommand):
    """Predictions of a table of runs."""

    help = "Write predictions beside a table of own runs; no database is asked."
    requires_system_checks: list[str] | tuple[str, ...] = ()
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, help="holds runs.csv and decoders.csv")
        parser.add_argument("--accelerator", default="h200-sxm", help="slug of the card that they are made on")
        parser.add_argument("--before", default="h100-sxm5", help="slug of the card of the wave that some repeat")

    def handle(self, *args: Any, **options: Any) -> None:
        devices = market_from_files().devices
        count = own_predict.write(options["folder"], devices[options["accelerator"]], devices[options["before"]])
        self.stdout.write(f"{count} runs written down.\n")
