"""`manage.py import_prices FILE --provider aws --format skypilot`: one price file as a published batch."""

from __future__ import annotations

import hashlib
from argparse import ArgumentParser
from datetime import date
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from catalog.facts import load
from catalog.importers.karpenter import read_karpenter
from catalog.importers.outcome import ImportFault, Outcome, medians
from catalog.importers.skypilot import PROVIDERS, read_skypilot
from catalog.prices import publish_import

FORMATS = ("skypilot", "karpenter")


class Command(BaseCommand):
    """Imports prices; the same file twice changes nothing."""

    help = "Import a price file; every line is priced or refused with a reason."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The file, and how to read it."""
        parser.add_argument("file", type=Path)
        parser.add_argument("--provider", required=True, choices=PROVIDERS)
        parser.add_argument("--format", default="skypilot", choices=FORMATS)
        parser.add_argument("--date", help="Day of the observation, such as 2026-08-22; required for skypilot files.")
        parser.add_argument("--dry-run", action="store_true", help="Read and report, write nothing.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Prints rows in, rows out, and refusals by reason. CommandError says what to change."""
        path, provider = options["file"], options["provider"]
        outcome = self._read(path, provider, options)
        self._report(outcome)
        if options["dry_run"]:
            return
        how = f"{options['format']}:{provider}:{options['date']}"
        digest = hashlib.sha256(path.read_bytes() + how.encode()).hexdigest()
        try:
            batch, new = publish_import(f"{options['format']}/{provider}", digest, outcome)
        except ValueError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(
            f"Published {batch.prices} new prices." if new else "This file is published already; nothing changed."
        )

    def _read(self, path: Path, provider: str, options: dict[str, Any]) -> Outcome:
        reference = medians(load().prices)
        try:
            if options["format"] == "karpenter":
                return read_karpenter(path, provider, reference=reference)
            return read_skypilot(path, provider, day=_day(options["date"]), reference=reference)
        except OSError as error:
            raise CommandError(f"{path} cannot be read: {error.strerror}.") from error
        except ImportFault as error:
            raise CommandError(str(error)) from error

    def _report(self, outcome: Outcome) -> None:
        self.stdout.write(
            f"{outcome.lines} lines: {outcome.priced} priced, {outcome.parts} parts of others, {outcome.duplicates} duplicates, "
            f"{len(outcome.refused)} refused; {len(outcome.rows)} prices, {len(outcome.dropped)} left out."
        )
        for reason, count in outcome.reasons().items():
            self.stdout.write(f"  {count:6} {reason}")


def _day(text: str | None) -> date:
    try:
        return date.fromisoformat(text or "")
    except ValueError as error:
        raise CommandError("--date must be the day of the prices, such as 2026-08-22.") from error
