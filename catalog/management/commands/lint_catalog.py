"""`manage.py lint_catalog`: every fault of the catalog's files, and how many facts lack a source."""

from __future__ import annotations

from argparse import ArgumentParser
from datetime import date
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from catalog.checks import flags_of
from catalog.facts import DATA, load_from
from catalog.lint import faults
from catalog.records import Record
from catalog.whole import Catalog
from catalog.yamlfile import CatalogError, Located


class Command(BaseCommand):
    """Judges the files without loading them; no database is asked."""

    help = "Refuse sparse rates as dense, GB as GiB, bits as bytes, both directions as one; count facts without source."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Where the files are."""
        parser.add_argument("folder", type=Path, nargs="?", default=DATA)

    def handle(self, *args: Any, **options: Any) -> None:
        """Prints the faults and the coverage. CommandError when there is a fault or a fact without source."""
        found: list[CatalogError] = []

        def judge(record: Record, entry: Located) -> None:
            found.extend(entry.fail(f"{record.slug}.{field}", sentence) for field, sentence in faults(record))

        try:
            catalog = load_from(options["folder"], judge)
        except CatalogError as error:
            raise CommandError(str(error)) from error
        for fault in found:
            self.stderr.write(str(fault))
        lacking = self._coverage(catalog)
        if found or lacking:
            raise CommandError(f"{len(found)} faults, {lacking} facts or prices without a source.")

    def _coverage(self, catalog: Catalog) -> int:
        """How many facts and prices lack a source or a date; printed."""
        known = {source.id for source in catalog.sources}
        values = [value for record in catalog.records for value in record.values.values()]
        bare = sum(value.source not in known or not value.date for value in values)
        unsold = sum(row.source not in known for row in catalog.prices)
        memory = sum(value.confidence == "memory" for value in values)
        self.stdout.write(f"{len(catalog.records)} entries, {len(values)} facts: {bare} facts lack a source or a date.")
        self.stdout.write(f"{len(catalog.prices)} prices: {unsold} prices lack a source.")
        self.stdout.write(f"{memory} facts are typed from memory and are marked so.")
        flags = flags_of(catalog.prices, (), today=date.fromisoformat(catalog.release_date))
        for reason in dict.fromkeys(flag.reason for flag in flags):
            count = sum(flag.reason == reason for flag in flags)
            self.stdout.write(f"To look at, {count} prices: {reason}")
        return bare + unsold
