"""`manage.py validate`: predicts every measured row from its own configuration and prints the error.

Errors are fractions. Without arguments the project's own rows; no database is asked.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module, util
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from engine.inputs.assumptions import Assumptions
from engine.inputs.hardware import Device
from engine.physics.assumptions import TRAINING_ASSUMPTIONS
from lab.validation import accuracy, evidence, memory, peers, samples, summary, training, training_nearest, withheld
from lab.validation import runs as whole
from lab.validation.ordering import rankings
from lab.validation.report import Report, write_lines
from lab.validation.rows import Run, read_csv, runs
from planner.market import market_from_files

MEASURED = Path(__file__).resolve().parents[2] / "data" / "measured"
PARTS = ("training", "memory", "serving", "samples", "runs")
_FILES = {"runs": "whole_runs"}
"""Names of the project's own files where they differ from the part's."""


class Command(BaseCommand):
    """Prediction against measurement."""

    help = "Predict measured rows from their own configuration and print the error."
    requires_system_checks: list[str] | tuple[str, ...] = ()
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        for part in PARTS:
            parser.add_argument(f"--{part}", nargs="+", default=[], metavar="CSV", help=f"measured {part} rows")
        parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
        parser.add_argument("--rows", metavar="CSV", help="write one line for each row")
        parser.add_argument(
            "--left-out", action="store_true", help="training also with each source left out of the fit"
        )
        parser.add_argument("--evidence", action="store_true", help="write what the engine says of its own evidence")
        parser.add_argument("--docs", metavar="FILE", help="write the accuracy page, and its data")
        parser.add_argument(
            "--withheld", nargs="+", default=[], metavar="CSV", help="rows that --docs judges with and does not show"
        )
        parser.add_argument(
            "--llm-analysis",
            metavar="PYTHON",
            help="with --docs: a Python that has llm-analysis, to judge it on the same rows",
        )
        parser.add_argument("--data", metavar="JSON", default=str(summary.FILE), help="where --docs writes the data")

    def handle(self, *args: Any, **options: Any) -> None:
        devices = market_from_files().devices
        assume = Assumptions(TRAINING_ASSUMPTIONS)
        paths = _paths(options)
        reports = {part: _report(part, paths[part], devices, assume) for part in PARTS if paths[part]}
        body: dict[str, object] = {part: reports[part].summary if part in reports else {} for part in PARTS}
        if options["left_out"] or options["docs"] or options["evidence"]:
            good = runs(read_csv(paths["training"]), devices)[0]
            out = training.left_out(good, assume)
            body["training_left_out"] = out.summary
            if options["evidence"]:
                shipped = {part: reports[part].lines for part in ("training", "serving", "memory")}
                evidence.write(out.lines, shipped["training"], shipped["serving"], shipped["memory"], devices)
                training_nearest.write(good, out.lines, shipped["training"])
            if options["docs"]:
                data, files = Path(options["data"]), [Path(name) for name in options["withheld"]]
                kept = withheld.judged(files, devices, assume, day=timezone.localdate()) or withheld.last(data)
                if options["llm_analysis"]:
                    peers.keep(_side_by_side(good, out, options["llm_analysis"]))
                _write_docs(Path(options["docs"]), data, body, reports, out, good, assume, kept)
        if options["rows"]:
            write_lines(Path(options["rows"]), [line for part in reports.values() for line in part.lines])
        self.stdout.write(json.dumps(body, indent=2) if options["json"] else "\n".join(_text(body)))


def _write_docs(
    page: Path,
    data: Path,
    body: Mapping[str, object],
    reports: Mapping[str, Report],
    out: Report,
    good: Sequence[Run],
    assume: Assumptions,
    kept: Sequence[Mapping[str, Any]],
) -> None:
    """The accuracy page in Markdown, and the data of the page in the app."""
    found = rankings(good, out.lines)
    others = peers.peers([run for run in good if not run.group], peers.last())
    text = accuracy.page(reports, out, assume, rankings=found, others=others, withheld=kept)
    page.write_text(text, encoding="utf-8")
    summary.write(data, summary.accuracy_data(body, reports, out, found, others=others, withheld=kept))


def _side_by_side(good: Sequence[Run], out: Report, python: str) -> list[peers.Peer]:
    ours = {line.id: line.error for line in out.lines if line.error is not None}
    return peers.side_by_side([run for run in good if not run.group], ours, python, day=timezone.localdate())


def _paths(options: Mapping[str, Any]) -> dict[str, list[Path]]:
    """Files by part; the project's own where none is named. CommandError names a missing file."""
    named = {part: [Path(name) for name in options[part]] for part in PARTS}
    if not any(named.values()):
        named = {part: sorted(MEASURED.glob(f"{_FILES.get(part, part)}*.csv")) for part in PARTS}
    for files in named.values():
        for path in files:
            if not path.is_file():
                raise CommandError(f"{path}: there is no such file.")
    return named


def _report(part: str, paths: Sequence[Path], devices: Mapping[str, Device], assume: Assumptions) -> Report:
    """The report of one part; serving comes from its own module where that is installed."""
    try:
        return _REPORTS[part](paths, devices, assume)
    except KeyError as fault:
        raise CommandError(f"{paths[0]}: the column {fault} is missing.") from fault


def _of_serving(paths: Sequence[Path], devices: Mapping[str, Device], _assume: Assumptions) -> Report:
    if util.find_spec("lab.validation.serving") is None:
        return Report(summary={})
    found: Report = import_module("lab.validation.serving").report(paths, devices)
    return found


_REPORTS: Mapping[str, Callable[[Sequence[Path], Mapping[str, Device], Assumptions], Report]] = {
    "training": training.report,
    "memory": memory.report,
    "serving": _of_serving,
    "samples": lambda paths, devices, _assume: samples.report(paths, devices),
    "runs": lambda paths, _devices, _assume: whole.report(paths, market_from_files()),
}


def _text(body: Mapping[str, Any]) -> list[str]:
    """The figures for people."""
    lines = []
    for part, block in body.items():
        if "rows" not in block:
            parts = {
                f"{part}, {name}": one for name, one in block.items() if isinstance(one, Mapping) and "rows" in one
            }
            lines += _text(parts)
            continue
        refused = sum(block["refused"].values())
        lines.append(f"{part}: {block['rows']} rows, {block['predicted']} in the headline, {refused} refused")
        lines += [f"  refused {count}: {reason}" for reason, count in block["refused"].items()]
        lines.append("  " + _figures(block))
        lines += [f"  {name}: {_figures(one)}" for name, one in block["by_source"].items()]
        lines += [f"  apart, {name}: {_figures(one)}" for name, one in block["apart"].items()]
    return lines


def _figures(block: Mapping[str, Any]) -> str:
    if "median_ape" not in block:
        return "nothing predicted"
    text = f"n {block['predicted']}, median {block['median_ape']:.1%}, p90 {block['p90_ape']:.1%}, bias {block['bias']:+.1%}"
    if block["band80_coverage"] is None:
        return text
    return f"{text}, 80 % band covers {block['band80_coverage']:.0%}, width {block['band80_median_width']:.0%}"
