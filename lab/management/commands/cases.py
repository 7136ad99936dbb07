"""`manage.py cases CSV… [--json]`: worked cases of cost, failures and checkpoints, reproduced by the engine."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from lab.cases import CaseFileError, Outcome, own_case_files, read_cases, run_case


class Command(BaseCommand):
    """Prints each case with its verdict; needs no database."""

    help = "Reproduces worked cases of cost, failures and checkpoints; without files, those of the project."
    requires_system_checks: list[str] = []
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Files and form of the output."""
        parser.add_argument("files", nargs="*", type=Path, metavar="CSV", help="files of cases")
        parser.add_argument("--json", action="store_true", help="print JSON and nothing else")

    def handle(self, *args: Any, files: list[Path], **options: Any) -> None:
        """Run every case of every file; exit 2 with one sentence when a file cannot be read."""
        try:
            outcomes = [run_case(case) for path in files or own_case_files() for case in read_cases(path)]
        except CaseFileError as error:
            raise CommandError(str(error), returncode=2) from error
        if options["json"]:
            self.stdout.write(json.dumps({"cases": [asdict(outcome) for outcome in outcomes]}, indent=1))
            return
        for outcome in outcomes:
            self.stdout.write(_line(outcome))
        self.stdout.write(_summary(outcomes))


def _line(outcome: Outcome) -> str:
    verdict = {True: "ok", False: "NOT OK", None: "open"}[outcome.ok]
    far = "–" if outcome.distance is None else f"{outcome.distance:.3%}"
    allowed = "–" if outcome.tolerance is None else f"{outcome.tolerance:.3%}"
    left = f"; not determined: {', '.join(outcome.undetermined)}" if outcome.undetermined else ""
    reason = f"; {outcome.reason}" if outcome.reason else ""
    return f"{verdict:7} {outcome.case_id:28} distance {far:>9}  tolerance {allowed:>7}{left}{reason}"


def _summary(outcomes: list[Outcome]) -> str:
    counts = [sum(outcome.ok is verdict for outcome in outcomes) for verdict in (True, False, None)]
    return f"{len(outcomes)} cases: {counts[0]} ok, {counts[1]} not ok, {counts[2]} not determined by their inputs."
