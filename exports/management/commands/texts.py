"""`manage.py texts`: all words of the documents as a template for translators."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from exports.texts import template


class Command(BaseCommand):
    """Prints or writes a .pot file; a translated one goes to voice/locale/LANGUAGE.po."""

    help = "Lists every message of the documents as a gettext template (.pot)."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--out", type=Path, help="file to write; without it the template is printed")

    def handle(self, *args: Any, out: Path | None, **options: Any) -> None:
        if out is None:
            self.stdout.write(template())
        else:
            out.write_text(template(), encoding="utf-8")
