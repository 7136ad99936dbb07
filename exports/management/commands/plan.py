"""`manage.py plan SPEC.yaml`: one plan without the web and without a database."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from engine.inputs.finding import Typed
from engine.inputs.spec import Fault, Spec, SpecError
from exports.formats import FORMATS
from exports.render import render
from exports.text import file_name
from planner.amounts import Rates
from planner.body import estimate_body
from planner.estimate import estimate
from planner.market import market_from_files
from planner.parse import spec_from
from planner.snapshot import Plan, settled
from planner.summary import summary_lines
from planner.yaml_file import YamlError, load_yaml
from voice.speech import fault_text

BAD_INPUT = 2
NOTHING_FEASIBLE = 3


class Command(BaseCommand):
    """Reads a spec, prints the recommendation, writes the documents that were asked for."""

    help = "Plan one workload from a YAML file ('-' reads standard input); needs no database."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The file and what to make of it."""
        parser.add_argument("spec", help="YAML file, or - for standard input")
        parser.add_argument(
            "--json", action="store_true", help="print the body of POST /api/v1/estimates and nothing else"
        )
        parser.add_argument("--as-of", metavar="DATE", help="day of the request, YYYY-MM-DD (default: today)")
        parser.add_argument("--out", type=Path, help="folder to write documents into")
        parser.add_argument("--formats", default=",".join(FORMATS), help="comma-separated: docx, xlsx, pdf, pptx")

    def handle(self, *args: Any, **options: Any) -> None:
        """Exit 0 with a plan, 2 with one sentence for each fault, 3 when nothing is feasible."""
        try:
            formats = _formats(options["formats"])
            market = market_from_files()
            plan = estimate(_on_day(_read(options["spec"], market.fx_usd), options["as_of"]), market)
        except SpecError as error:
            self.stderr.write("\n".join(map(fault_text, error.faults)))
            sys.exit(BAD_INPUT)
        self._print(plan, as_json=options["json"])
        if options["out"]:
            self._write(plan, options["out"], formats)
        if not plan.recommendation.feasible:
            sys.exit(NOTHING_FEASIBLE)

    def _print(self, plan: Plan, *, as_json: bool) -> None:
        if as_json:
            self.stdout.write(json.dumps(estimate_body(plan), ensure_ascii=False, sort_keys=True, allow_nan=False))
        else:
            self.stdout.write("\n".join(summary_lines(plan)))

    def _write(self, plan: Plan, folder: Path, formats: tuple[str, ...]) -> None:
        """All files, each whole or not at all; progress goes to standard error."""
        folder.mkdir(parents=True, exist_ok=True)
        stored = settled(plan)
        for number, format_ in enumerate(formats, 1):
            path = folder / f"{file_name(plan.name)}.{format_}"
            self.stderr.write(f"[{number}/{len(formats)}] {path}")
            partial = path.with_suffix(path.suffix + ".partial")
            partial.write_bytes(render(stored, format_))
            partial.replace(path)


def _formats(text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    unknown = [name for name in names if name not in FORMATS]
    if unknown or not names:
        wrong = unknown[0] if unknown else text
        raise SpecError(
            Fault("--formats", "unknown.format", {"name": Typed(wrong), "choices": Typed(", ".join(FORMATS))})
        )
    return names


def _read(name: str, rates: Rates) -> Spec:
    """The Spec in that file; a model given as {config: path} is read from beside the file."""
    try:
        text = sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
        data = load_yaml(text)
        folder = Path() if name == "-" else Path(name).parent
        return spec_from(_with_config(data, folder), text=True, rates=rates)
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise SpecError(Fault("", "file", {"name": Typed(name), "reason": Typed(reason)})) from error
    except YamlError as error:
        raise SpecError(Fault("", "yaml", {"name": Typed(name), "reason": Typed(str(error))})) from error


def _on_day(spec: Spec, text: str | None) -> Spec:
    """The request made on that day; as the file says, without one."""
    try:
        return replace(spec, as_of=date.fromisoformat(text)) if text else spec
    except ValueError as error:
        raise SpecError(Fault("--as-of", "date", {"text": Typed(text or "")})) from error


def _with_config(data: Any, folder: Path) -> Any:
    """The data with `model: {config: path}` replaced by the file's content."""
    model = data.get("model") if isinstance(data, dict) else None
    if not isinstance(model, dict) or set(model) != {"config"}:
        return data
    path = folder / str(model["config"])
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise SpecError(Fault("model.config", "file.json", {"name": Typed(str(path))})) from error
    if not isinstance(content, dict):
        raise SpecError(Fault("model.config", "type.json", {"name": Typed(str(path))}))
    return {**data, "model": content}
