"""``manage.py backup FILE``: everything in one file, at one moment, while the installation goes on working."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management import BaseCommand, CommandError

from operations import backup


class Command(BaseCommand):
    """Writes a backup of the database; documents are not in it, since each is made again from its plan."""

    help = "Writes the whole database into one file (documents are made again from it)."
    requires_system_checks: list[str] = []  # the checks load the whole API, which no backup needs

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The name of the file."""
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        """Prints how much was written. CommandError when the file cannot be written."""
        path: Path = options["file"]
        try:
            manifest = backup.write(path.resolve())
        except OSError as error:
            raise CommandError(f"{path} cannot be written: {error.strerror}.") from error
        rows = sum(member.rows for member in manifest.members)
        self.stdout.write(f"{path}: {len(manifest.members)} tables, {rows:,} rows, as of {manifest.at}.")
        self.stdout.write(
            "Keep SECRET_KEY, SECRETS_KEY and TOKEN_PEPPER elsewhere: sealed secrets open with them only."
        )
