"""`manage.py plan SPEC.yaml`: one plan without the web and without a database."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from collections.abc import Collection
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from engine.inputs.finding import Typed
from engine.inputs.spec import Fault, Spec, SpecError
from exports.brand import OURS, Brand
from exports.composing.proportion import weighs_levers
from exports.formats import FORMATS
from exports.locales import LOCALES
from exports.render import render
from exports.text import file_name
from planner.body import estimate_body
from planner.budgets.files import focus_text
from planner.budgets.focus import Origin
from planner.estimate import estimate
from planner.frozen.snapshot import Plan, settled
from planner.levers.weighed import Weighed, body_of, opened, weigh
from planner.market import market_from_files
from planner.request.amounts import Rates
from planner.request.parse import spec_from
from planner.request.yaml_file import YamlError, load_yaml
from planner.searches import SEARCHES
from planner.summary import summary_lines
from planner.weight import EVERYTHING
from voice.speech import fault_text

_LANGUAGES = tuple(dict.fromkeys(code.partition("-")[0] for code in LOCALES))
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
        parser.add_argument(
            "--full", action="store_true", help="with --json: all of it, as ?expand=all; else the short body"
        )
        parser.add_argument("--as-of", metavar="DATE", help="day of the request, YYYY-MM-DD (default: today)")
        parser.add_argument("--focus", type=Path, metavar="FILE.csv", help="write the budget lines as FOCUS 1.2")
        parser.add_argument(
            "--levers",
            action="store_true",
            help="weigh what could be given up, signed or brought along for less money (takes seconds)",
        )
        parser.add_argument("--out", type=Path, help="folder to write documents into")
        parser.add_argument("--language", default="", help=f"of the documents: {', '.join(_LANGUAGES)} (default: en)")
        parser.add_argument("--formats", default=",".join(FORMATS), help="comma-separated: docx, xlsx, pdf, pptx")

    def handle(self, *args: Any, **options: Any) -> None:
        """Exit 0 with a plan, 2 with one sentence for each fault, 3 when nothing is feasible."""
        try:
            formats, brand = _formats(options["formats"]), brand_of(options["language"])
            market = market_from_files()
            spec = on_day(read_request(options["spec"], market.fx_usd), options["as_of"])
            plan = estimate(spec, market, known=SEARCHES)
            if options["focus"]:
                _write_focus(plan, options["focus"])
        except SpecError as error:
            self.stderr.write("\n".join(map(fault_text, error.faults)))
            sys.exit(BAD_INPUT)
        printed = options["out"] and weighs_levers(plan)
        asked = options["levers"] and not options["json"]
        weighed = opened(body_of(weigh(plan, market, known=SEARCHES))) if asked or printed else None
        self._print(
            plan,
            weighed if asked else None,
            as_json=options["json"],
            expand=EVERYTHING if options["full"] else (),
        )
        if options["out"]:
            self._write(plan, weighed if printed else None, options["out"], formats, brand)
        if not plan.recommendation.feasible:
            sys.exit(NOTHING_FEASIBLE)

    def _print(self, plan: Plan, weighed: Weighed | None, *, as_json: bool, expand: Collection[str]) -> None:
        if as_json:
            body = estimate_body(plan, expand=expand)
            self.stdout.write(
                json.dumps(body, ensure_ascii=False, sort_keys=True, allow_nan=False, separators=(",", ":"))
            )
        else:
            self.stdout.write("\n".join(summary_lines(plan, weighed)))

    def _write(self, plan: Plan, weighed: Weighed | None, folder: Path, formats: tuple[str, ...], brand: Brand) -> None:
        """All files, each whole or not at all; progress goes to standard error."""
        folder.mkdir(parents=True, exist_ok=True)
        stored = settled(plan)
        for number, format_ in enumerate(formats, 1):
            path = folder / f"{file_name(plan.name)}.{format_}"
            self.stderr.write(f"[{number}/{len(formats)}] {path}")
            partial = path.with_suffix(path.suffix + ".partial")
            partial.write_bytes(render(stored, format_, weighed=weighed, brand=brand))
            partial.replace(path)


def _write_focus(plan: Plan, path: Path) -> None:
    """The budget lines of the plan. SpecError where that file cannot be written."""
    try:
        path.write_text(focus_text(plan, Origin()), encoding="utf-8", newline="")
    except OSError as error:
        raise SpecError(
            Fault("--focus", "file.write", {"name": Typed(str(path)), "reason": Typed(str(error.strerror))})
        ) from error


def _formats(text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    unknown = [name for name in names if name not in FORMATS]
    if unknown or not names:
        wrong = unknown[0] if unknown else text
        raise SpecError(
            Fault("--formats", "unknown.choice", {"name": Typed(wrong), "choices": Typed(", ".join(FORMATS))})
        )
    return names


def brand_of(language: str) -> Brand:
    """Our look, with words, numbers and days as that language (“de”) or region (“de-DE”) writes them."""
    if not language:
        return OURS
    for code in LOCALES:
        if language in (code, code.partition("-")[0]):
            return replace(OURS, locale=code)
    choices = {"name": Typed(language), "choices": Typed(", ".join(_LANGUAGES))}
    raise SpecError(Fault("--language", "unknown.choice", choices))


def read_request(name: str, rates: Rates) -> Spec:
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


def on_day(spec: Spec, text: str | None) -> Spec:
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
