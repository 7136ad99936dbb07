"""``manage.py restore FILE``: a backup into an empty database, then forward to the tables of this version."""

from __future__ import annotations

import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management import BaseCommand, CommandError

from exports.healing import queue_all_lost
from operations import restore
from operations.archive import BrokenArchive, fingerprints


class Command(BaseCommand):
    """Restores a backup; the database must be empty, and may have no tables yet."""

    help = "Reads a backup into an empty database; --documents queues every document that is missing."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The name of the file, and ``--documents``."""
        parser.add_argument("file", type=Path)
        parser.add_argument("--documents", action="store_true", help="make missing documents now, not when asked for")

    def handle(self, *args: Any, **options: Any) -> None:
        """Prints what was restored. CommandError says in a sentence why nothing was."""
        begun = time.monotonic()
        try:
            manifest = restore.read(options["file"])
        except (BrokenArchive, restore.NotEmpty) as error:
            raise CommandError(str(error)) from error
        rows = sum(member.rows for member in manifest.members)
        took = time.monotonic() - begun
        self.stdout.write(f"Restored {len(manifest.members)} tables, {rows:,} rows, of {manifest.at}, in {took:.1f} s.")
        if manifest.keys != fingerprints():
            self.stderr.write(
                "The keys are not those of the backup: set its SECRET_KEY, SECRETS_KEY and TOKEN_PEPPER, or API tokens, "
                "webhooks and second factors will not work."
            )
        if options["documents"]:
            self.stdout.write(f"{queue_all_lost()} documents are being made again.")
