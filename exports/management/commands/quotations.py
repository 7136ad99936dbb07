"""`manage.py quotations SPEC.yaml --out DIR`: the requests for quotation of one plan, without the web and without a database."""

from __future__ import annotations

import hashlib
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from engine.inputs.spec import SpecError
from exports.brand import using
from exports.management.commands.plan import BAD_INPUT, NOTHING_FEASIBLE, brand_of, on_day, read_request
from exports.quotation import FORMATS, letter_name, letter_voice, render_letter
from planner.estimate import estimate
from planner.frozen.snapshot import settled
from planner.market import market_from_files
from planner.quotation.asks import NothingToAsk, asks_of
from planner.quotation.letter import Terms, letter_of, usual_days
from voice.speech import fault_text


class Command(BaseCommand):
    """Plans a spec and writes a letter to the recommended seller and to each rival, as Word, PDF and text."""

    help = (
        "Write requests for quotation of one workload from a YAML file ('-' reads standard input); needs no database."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The file, and what the letters say besides."""
        parser.add_argument("spec", help="YAML file, or - for standard input")
        parser.add_argument("--out", type=Path, required=True, help="folder to write the letters into")
        parser.add_argument("--as-of", metavar="DATE", help="day of the request, YYYY-MM-DD (default: today)")
        parser.add_argument("--contact", default="", help="who asks, as the letters close with it")
        parser.add_argument("--place", default="", help="where servers are delivered to")
        parser.add_argument("--note", default="", help="remarks to every seller")
        parser.add_argument("--language", default="", help="of the letters (default: en)")

    def handle(self, *args: Any, **options: Any) -> None:
        """Exit 0 with letters, 2 with one sentence for each fault, 3 when there is nobody to ask."""
        try:
            brand, market = brand_of(options["language"]), market_from_files()
            plan = settled(estimate(on_day(read_request(options["spec"], market.fx_usd), options["as_of"]), market))
            asks = asks_of(plan)
        except SpecError as error:
            self.stderr.write("\n".join(map(fault_text, error.faults)))
            sys.exit(BAD_INPUT)
        except NothingToAsk as error:
            self.stderr.write(str(error))
            sys.exit(NOTHING_FEASIBLE)
        reply_by, valid_until = usual_days(plan, plan.as_of)
        terms = Terms(
            reference=f"RFQ-{hashlib.sha256(plan.sha256.encode()).hexdigest()[:8].upper()}",
            sent=plan.as_of,
            reply_by=reply_by,
            valid_until=valid_until,
            **{name: options[name].strip() for name in ("contact", "place", "note")},
        )
        folder: Path = options["out"]
        folder.mkdir(parents=True, exist_ok=True)
        for ask in asks:
            for format_ in FORMATS:
                path = folder / letter_name(ask, terms, format_)
                path.write_bytes(render_letter(plan, ask, terms, format_, brand=brand))
                self.stdout.write(str(path))
            with using(brand):
                letter = letter_of(plan, ask, terms, letter_voice(plan))
            path = folder / letter_name(ask, terms, "txt")
            path.write_text(f"{letter.subject}\n\n{letter.text}", encoding="utf-8")
            self.stdout.write(str(path))
