"""`manage.py reference`: the page of every input and coefficient, from their definitions."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from planner.reference import reference_markdown

PAGE = Path(settings.BASE_DIR) / "docs" / "reference.md"


class Command(BaseCommand):
    """Prints the page, or writes it to docs/reference.md."""

    help = "Print the reference of inputs and assumptions; --write puts it into docs/reference.md."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Where the page goes."""
        parser.add_argument("--write", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        """Prints or writes."""
        if options["write"]:
            PAGE.write_text(reference_markdown(), encoding="utf-8")
        else:
            self.stdout.write(reference_markdown())
