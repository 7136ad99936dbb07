"""`manage.py standard_prices [ONLY] [--json]`: sixty standard requests, their prices beside the lists of others, their facts counted."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from collections import Counter
from dataclasses import asdict
from datetime import date
from typing import Any

from django.core.management.base import BaseCommand

from lab.gallery.requests import DAY
from lab.standard.judge import VIOLATIONS, Judged, counted, judged


class Command(BaseCommand):
    """Prints a line for each request and the sums; exit 1 when a price is out of range and the plan says nothing of it."""

    help = "Plans sixty standard requests and holds their prices against other lists; needs no database."
    requires_system_checks: list[str] = []
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Which requests, on which day."""
        parser.add_argument("only", nargs="?", default="", help="requests whose name holds this; default: all")
        parser.add_argument(
            "--as-of", type=date.fromisoformat, default=DAY, help=f"day of the request (default: {DAY})"
        )
        parser.add_argument("--workers", type=int, default=0, help="processes (default: one for each core)")
        parser.add_argument("--json", action="store_true", help="print JSON and nothing else")

    def handle(self, *args: Any, **options: Any) -> None:
        """The table, then how many there are of each verdict and which facts are from memory."""
        found = judged(as_of=options["as_of"], only=options["only"], workers=options["workers"])
        broken = sum(one.verdict in VIOLATIONS for one in found)
        if options["json"]:
            self.stdout.write(json.dumps([asdict(one) for one in found], indent=1))
        else:
            for one in found:
                self.stdout.write(_line(one))
            self._sums(found, broken)
        if broken or not found:
            sys.exit(1)

    def _sums(self, found: list[Judged], broken: int) -> None:
        said = ", ".join(f"{count} {verdict}" for verdict, count in counted(found))
        self.stdout.write(f"{len(found)} requests: {said}; {broken} violations")
        typed = Counter(ident for one in found for ident in one.memory)
        resting = sum(bool(one.memory) for one in found)
        self.stdout.write(f"{len(typed)} facts from memory behind {resting} of {len(found)} recommendations")
        for ident, count in typed.most_common():
            self.stdout.write(f"  {count:3} {ident}")


def _line(one: Judged) -> str:
    span = f"{one.least:.2f}–{one.most:.2f} of {one.lists} others" if one.lists else "no other list"
    said = f"; {one.said}" if one.said else ""
    typed = f"{len(one.memory)} of {one.facts} facts from memory"
    return f"{one.verdict:10} {one.name:44} {one.price:7.2f}  {span:26} {one.choice}; {typed}{said}"
