"""``manage.py openapi``: the API's description as it is served, to print, to commit or to compare."""

from __future__ import annotations

import json
import subprocess
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import BaseCommand, CommandError
from django.test import RequestFactory
from django.urls import resolve

ADDRESS = "/api/v1/openapi.json"
FILE = Path("docs/openapi.json")
CLIENT = Path("client/generate.py")
"""Writes the typed part of the client from that file."""


def served() -> str:
    """The description as it is committed: two spaces, a line end."""
    match = resolve(ADDRESS)
    response = match.func(RequestFactory().get(ADDRESS), *match.args, **match.kwargs)
    return json.dumps(json.loads(response.content), indent=2, ensure_ascii=False) + "\n"


class Command(BaseCommand):
    """Prints the description, writes the committed file, or says whether both agree."""

    help = "Prints the OpenAPI description; --write stores it in docs/openapi.json and renews the client, --check compares them."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """``--write`` or ``--check``."""
        group = parser.add_mutually_exclusive_group()
        group.add_argument("--write", action="store_true")
        group.add_argument("--check", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        """CommandError when the committed file is another."""
        path, text = Path(settings.BASE_DIR) / FILE, served()
        if options["write"]:
            path.write_text(text, encoding="utf-8")
            subprocess.run([sys.executable, Path(settings.BASE_DIR) / CLIENT], check=True)
        elif not options["check"]:
            self.stdout.write(text, ending="")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            raise CommandError(f"{FILE} is not what the API serves: run `manage.py openapi --write` and look at it.")
