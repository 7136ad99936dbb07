"""`manage.py nested`: what the whole procedure errs by on sources that took part in none of its choices.

`--ship` sets the coefficients and spreads that the engine carries by the same procedure on all rows.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from django.core.management.base import BaseCommand, CommandParser

from engine.inputs.assumptions import Assumptions
from engine.odds.normal import P90
from engine.physics.assumptions import COEFFICIENTS, TRAINING_ASSUMPTIONS
from lab.management.commands.validate import MEASURED
from lab.validation import canary, choices, nested, nested_page, spreads
from lab.validation.fit import fit, problem_of, with_priors
from lab.validation.rows import Run, read_csv, runs
from lab.validation.shipping import write_coefficients
from lab.validation.table import Table, table
from planner.market import market_from_files

WAVES = ("training.csv", "training_wave2.csv")


class Command(BaseCommand):
    """The left-out error of everything together."""

    help = "Predict every measured training row with its source left out of every choice, and judge the bands."
    requires_system_checks: list[str] | tuple[str, ...] = ()
    requires_migrations_checks = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--training", nargs="+", default=[], metavar="CSV", help="measured training rows")
        parser.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
        parser.add_argument("--write", action="store_true", help="write the figures that the accuracy page shows")
        parser.add_argument("--ship", action="store_true", help="write the engine's coefficients and spreads")

    def handle(self, *args: Any, **options: Any) -> None:
        paths = [Path(name) for name in options["training"]] or [MEASURED / name for name in WAVES]
        good = [run for run in runs(read_csv(paths), market_from_files().devices)[0] if not run.group]
        assume, rows = Assumptions(TRAINING_ASSUMPTIONS), table(good)
        if options["ship"]:
            write_coefficients(COEFFICIENTS, _shipped(rows, good, assume))
            return
        body = nested_body(good, rows, assume)
        if options["write"]:
            nested_page.FILE.write_text(json.dumps(body, indent=1) + "\n", encoding="utf-8")
        self.stdout.write(json.dumps(body, indent=2) if options["json"] else "\n".join(_text(body)))


def nested_body(
    good: list[Run],
    rows: Table,
    assume: Assumptions,
    *,
    variants: Mapping[str, Sequence[str]] = nested.VARIANTS,
) -> dict[str, Any]:
    """All figures, fractions."""
    result = nested.nested(rows, with_priors(assume), variants=variants)
    bands = spreads.judged(result, good, with_priors(assume))
    relative, names = np.expm1(result.errors), np.array(result.sources)
    covered = np.abs(result.errors) <= bands.log_half_width
    by_source = {name: _figures(relative[names == name], covered[names == name]) for name in np.unique(names).tolist()}
    predicted = np.exp(result.errors) * np.array([run.measured for run in good])
    return {
        "rows": len(good),
        "sources": len(by_source),
        "median_of_source_medians": _round(np.median([one["median_ape"] for one in by_source.values()])),
        **_figures(relative, covered),
        "band80_coverage_interval": [_round(end) for end in spreads.coverage_interval(covered, result.sources)],
        "band80_coverage_of_sources": _round(np.mean([one["band80_coverage"] for one in by_source.values()])),
        "interval_score": _round(np.mean(spreads.interval_score(result.errors, bands.log_half_width))),
        "interval_score_constant": _round(np.mean(spreads.interval_score(result.errors, bands.constant))),
        "chosen": dict(Counter(fold.variant for fold in result.folds)),
        "choosing": choices.figures_of(choices.choices(good, predicted)),
        "canary": _canary(result, bands, good, assume),
        "by_source": by_source,
    }


def _canary(
    result: nested.Nested, bands: spreads.Bands, good: list[Run], assume: Assumptions
) -> dict[str, float | int]:
    """Errors after one own measurement."""
    left = canary.after_one(result.errors, bands.log_half_width / P90, good, assume)
    told, names = ~np.isnan(left), np.array(result.sources)
    medians = [np.median(left[told & (names == name)]) for name in np.unique(names[told])]
    return {
        "rows": int(told.sum()),
        "median_of_source_medians": _round(np.median(medians)),
        "median_ape": _round(np.median(left[told])),
        "p90_ape": _round(np.quantile(left[told], 0.9)),
    }


def _figures(relative: np.ndarray[Any, Any], covered: np.ndarray[Any, Any]) -> dict[str, float | int]:
    return {
        "predicted": len(relative),
        "median_ape": _round(np.median(np.abs(relative))),
        "p90_ape": _round(np.quantile(np.abs(relative), 0.9)),
        "bias": _round(np.median(relative)),
        "band80_coverage": _round(np.mean(covered)),
    }


def _round(value: float | np.floating[Any]) -> float:
    return round(float(value), 4)


def _shipped(rows: Table, good: list[Run], assume: Assumptions) -> dict[str, float]:
    """What the same procedure comes to on all rows: the coefficients it lets move, and spreads on left-out errors."""
    prior = with_priors(assume)
    names = np.array([nested.publisher(run.source) for run in good])
    problem = problem_of(rows, prior, sorted({name for free in nested.VARIANTS.values() for name in free}))
    each = {name: nested.inner(problem, names, free) for name, free in nested.VARIANTS.items()}
    variant = min(each, key=lambda name: nested.score(each[name], names))
    found = spreads.shipped(each[variant], good, names.tolist(), prior)
    refined = {f"training.{name}": prior[f"training.{name}"] for name in nested.STACKS}
    return (
        refined
        | fit(rows, prior, free=nested.VARIANTS[variant])
        | {f"training.band.{name}": value for name, value in found.items()}
    )


def _text(body: dict[str, Any]) -> list[str]:
    """The figures for people."""
    low, high = body["band80_coverage_interval"]
    lines = [
        f"{body['rows']} rows of {body['sources']} sources, each left out of every choice",
        f"  median of source medians {body['median_of_source_medians']:.1%}; all rows: median {body['median_ape']:.1%}, "
        f"p90 {body['p90_ape']:.1%}, bias {body['bias']:+.1%}",
        f"  80 % band covers {body['band80_coverage']:.0%} of rows ({low:.0%} to {high:.0%} with sources drawn again), "
        f"{body['band80_coverage_of_sources']:.0%} of a source in the mean",
        f"  interval score {body['interval_score']:.3f}, of a constant band {body['interval_score_constant']:.3f}",
        f"  refined inside the folds: {', '.join(f'{name} {count}' for name, count in body['chosen'].items())}",
        f"  chosen layout over the best: median {body['choosing']['median']:.3f}, p90 {body['choosing']['p90']:.3f} "
        f"of {body['choosing']['groups']} ablations",
    ]
    own = body["canary"]
    lines.append(
        f"  after one own measurement: median {own['median_ape']:.1%}, p90 {own['p90_ape']:.1%} of {own['rows']} rows"
    )
    for name, one in body["by_source"].items():
        lines.append(
            f"  {name}: n {one['predicted']}, median {one['median_ape']:.1%}, p90 {one['p90_ape']:.1%}, "
            f"bias {one['bias']:+.1%}, covered {one['band80_coverage']:.0%}"
        )
    return lines
