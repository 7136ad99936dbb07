"""`manage.py inventory`: what a user has, by its stable names."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from lab.inventory import PAGE, inventory, listed, written


class Command(BaseCommand):
    """Prints what the kept list has and the product lacks; exit 1 when there is such a thing."""

    help = (
        "Compares pages, operations, commands, fields and parts of documents with docs/inventory.md; needs no database."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Whether the list is written anew."""
        parser.add_argument("--write", action="store_true", help="write docs/inventory.md from the product as it is")

    def handle(self, *args: Any, **options: Any) -> None:
        """What is lost, a line each."""
        found = inventory()
        if options["write"]:
            PAGE.write_text(written(found), encoding="utf-8")
            self.stdout.write(f"{sum(map(len, found.values()))} names written.")
            return
        lost = [f"{kind}: {name}" for kind, names in listed().items() for name in names if name not in found[kind]]
        self.stdout.write("\n".join(lost) or f"All {sum(map(len, listed().values()))} names are there.")
        raise SystemExit(1 if lost else 0)
