"""`manage.py kept`: are plans kept as often as they say? In draws of another kind, on left-out errors, and of what was chosen."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from engine.inputs.hardware import Market
from lab.bar import show
from lab.kept import arithmetic, chosen, frequencies, left_out
from lab.management.commands.nested import WAVES
from lab.management.commands.validate import MEASURED
from planner.market import market_from_files

_PLANS = 20_000
"""Draws of each plan where errors of a step are drawn from measured ones."""


class Command(BaseCommand):
    """Prints three judgements; exit 1 when a recommendation is kept less often than was asked."""

    help = "Judge stated chances: by 100,000 draws of random requests, against left-out errors, and of chosen options; needs no database."
    requires_system_checks: list[str] | tuple[str, ...] = ()
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--requests", type=int, default=100, metavar="N", help="requests drawn at random (default: 100)"
        )
        parser.add_argument("--first", type=int, default=0, help="number of the first of them (default: 0)")
        parser.add_argument("--draws", type=int, default=arithmetic.DRAWS, help="draws of each recommendation")
        parser.add_argument("--left-out", action="store_true", help="work out the left-out errors anew first (minutes)")
        parser.add_argument("--json", action="store_true", help="print JSON and nothing else")

    def handle(self, *args: Any, **options: Any) -> None:
        market = market_from_files()
        good = left_out.measured([Path(MEASURED) / name for name in WAVES], market)
        if options["left_out"]:
            body = left_out.worked_out(good, lambda done, of: show(self.stderr, "sources left out", done, of))
            rows = ",\n".join(f" {json.dumps(key)}: {json.dumps(value)}" for key, value in body.items())
            left_out.FILE.write_text(f"{{\n{rows}\n}}\n", encoding="utf-8")
        numbers = range(options["first"], options["first"] + options["requests"])
        found = self._judged(market, numbers, left_out.read(good), options["draws"])
        self.stdout.write(json.dumps(found, indent=1) if options["json"] else "\n".join(_text(found)))
        if found["arithmetic"]["short"]:
            sys.exit(1)

    def _judged(self, market: Market, numbers: range, rows: left_out.LeftOut, draws: int) -> dict[str, Any]:
        kept, runs, names = [], [], set()
        for name, plan in arithmetic.plans(market, numbers):
            names.add(name.partition(",")[0])
            show(self.stderr, "requests", int(name.partition(",")[0].split("-")[1]) - numbers.start + 1, len(numbers))
            kept.append(arithmetic.kept_of(name, plan, draws=draws))
            best = plan.recommendation.recommended
            if best and best.step_time_s:
                runs.append(best)
        show(self.stderr, "requests", len(numbers), len(numbers))
        step = {
            stretch: frequencies.left_out(rows.scores, rows.sources, stretch=stretch)
            for stretch in (1.0, frequencies.HEAVIER)
        }
        return {
            "arithmetic": arithmetic.figures([one for one in kept if not one.tight]),
            "tight": arithmetic.figures([one for one in kept if one.tight]),
            "rows": [asdict(one) for one in frequencies.of_rows(rows.scores, rows.sources)],
            "rows_heavier": [
                asdict(one) for one in frequencies.of_rows(rows.scores, rows.sources, stretch=frequencies.HEAVIER)
            ],
            "plans": [asdict(one) for one in frequencies.of_plans(runs, step[1.0], draws=_PLANS)] if runs else [],
            "plans_heavier": [
                asdict(one) for one in frequencies.of_plans(runs, step[frequencies.HEAVIER], draws=_PLANS)
            ]
            if runs
            else [],
            "runs": len(runs),
            "layouts": _judgement(chosen.layouts(rows)),
            "sizes": {str(asked): _judgement(chosen.sizes(rows, asked)) for asked in chosen.ASKED},
            "luck": round(chosen.luck(rows), 3),
        }


def _judgement(found: list[chosen.Choice]) -> dict[str, Any]:
    bins = [{"bin": bounds, **asdict(one), "agrees": one.agrees} for bounds, one in chosen.binned(found)]
    whole = chosen.judged(found)
    return {**asdict(whole), "agrees": whole.agrees, "bins": bins}


def _text(found: dict[str, Any]) -> Iterator[str]:
    for key, words in (("arithmetic", "as asked"), ("tight", "with limits that they only just keep")):
        yield from _arithmetic(found[key], words)
    yield "Stated chance: frequency of rows, of a source in the mean (90 % interval of rows, sources drawn again);"
    yield "plans with errors drawn by source, and stretched by 1.5; rows stretched likewise"
    plans = found["plans"] or [None] * len(found["rows"])
    heavier = found["plans_heavier"] or [None] * len(found["rows"])
    for row, more, plan, worse in zip(found["rows"], found["rows_heavier"], plans, heavier, strict=True):
        low, high = row["interval"]
        told = f"; plans {plan['rows']:.1%}, {worse['rows']:.1%}" if plan and worse else ""
        rows = f"{row['rows']:.1%}, {row['sources']:.1%} ({low:.0%}–{high:.0%})"
        yield f"  {row['stated']:.0%}: {rows}{told}; rows stretched {more['rows']:.1%}"
    yield f"Luck of the layout that is predicted fastest: {found['luck']:+.2f} spreads"
    for name, group in (
        ("layouts", found["layouts"]),
        *((f"sizes at {asked}", one) for asked, one in found["sizes"].items()),
    ):
        yield f"{name}: {_line(group)}"
        for part in group["bins"]:
            yield f"  {part['bin'][0]:.0%}–{part['bin'][1]:.0%}: {_line(part)}"


def _arithmetic(one: dict[str, Any], words: str) -> Iterator[str]:
    yield f"{one['requests']} recommendations of random requests, {words}:"
    yield f"  kept less than asked by more than a point: {len(one['short'])} {', '.join(one['short'])}"
    yield f"  asked minus kept at most {one['largest_shortfall']:+.1%}; kept minus stated: median {one['median_difference']:+.2%}, "
    yield f"  at most {one['largest_difference']:.1%}"


def _line(one: dict[str, Any]) -> str:
    low, high = one["interval"]
    verdict = "holds it" if one["agrees"] else "does not hold it"
    return (
        f"{one['choices']} choices of {one['sources']} sources, stated {one['stated']:.1%}, kept {one['kept']:.1%}; "
        f"interval {low:.0%}–{high:.0%} {verdict}"
    )
