"""`manage.py gallery`: every request of `examples/gallery` planned, and what must hold for each answer."""

from __future__ import annotations

import json
import sys
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import asdict
from datetime import date
from typing import Any

from django.core.management.base import BaseCommand

from lab.gallery.requests import DAY
from lab.gallery.run import Verdict, judged

SHOWN = 3
"""Violations of one rule that are printed for one request; --json has all."""


class Command(BaseCommand):
    """Prints each answer's headline and every violation; exit 1 when there is one."""

    help = "Plans all requests of examples/gallery and checks what must hold for every answer; needs no database."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Which requests, on which day."""
        parser.add_argument("only", nargs="?", default="", help="requests whose name holds this; default: all")
        parser.add_argument(
            "--as-of", type=date.fromisoformat, default=DAY, help=f"day of the request (default: {DAY})"
        )
        parser.add_argument("--workers", type=int, default=0, help="processes (default: one for each core)")
        parser.add_argument(
            "--drawn", type=int, default=0, metavar="N", help="instead of examples/gallery, N requests drawn at random"
        )
        parser.add_argument("--first", type=int, default=0, help="number of the first of them (default: 0)")
        parser.add_argument(
            "--exact", action="store_true", help="of answers whose cost is nearly equal the least leads"
        )
        parser.add_argument("--json", action="store_true", help="print JSON and nothing else")

    def handle(self, *args: Any, **options: Any) -> None:
        """A line for each request as it is judged, then the sum."""
        start, verdicts = time.perf_counter(), []
        numbers = range(options["first"], options["first"] + options["drawn"])
        found = judged(
            as_of=options["as_of"],
            only=options["only"],
            workers=options["workers"],
            numbers=numbers,
            exact=options["exact"],
        )
        for verdict in found:
            verdicts.append(verdict)
            if not options["json"]:
                self._say(len(verdicts), verdict)
        broken = sum(len(verdict.violations) for verdict in verdicts)
        if options["json"]:
            self.stdout.write(json.dumps([asdict(verdict) for verdict in verdicts], indent=1))
        else:
            taken = time.perf_counter() - start
            for verdict in verdicts:  # once more where a long log is read first
                if verdict.violations:
                    self._say(0, verdict)
            self.stdout.write(f"{len(verdicts)} requests, {broken} violations, {taken:.0f} s")
        if broken or not verdicts:
            sys.exit(1)

    def _say(self, number: int, verdict: Verdict) -> None:
        self.stdout.write(f"{number or '--':>3} {verdict.name:32} {verdict.seconds:5.1f} s  {verdict.headline}")
        for said in _few_of_each(verdict.violations):
            self.stdout.write(self.style.ERROR(f"      {said}"))


def _few_of_each(violations: tuple[str, ...]) -> Iterator[str]:
    """The first violations of each rule, and how many more there are."""
    by_rule: dict[str, list[str]] = {}
    for said in violations:
        by_rule.setdefault(said.split(":")[0], []).append(said)
    for rule, sayings in by_rule.items():
        yield from sayings[:SHOWN]
        if len(sayings) > SHOWN:
            yield f"{rule}: and {len(sayings) - SHOWN} more"
