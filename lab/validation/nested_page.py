"""The section of the accuracy page on the whole procedure with sources left out; `manage.py nested --write` measures it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FILE = Path(__file__).resolve().parents[1] / "data" / "nested.json"


def measured() -> dict[str, Any]:
    """The figures as last written."""
    found: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


def section() -> list[str]:
    """The section in Markdown."""
    body = measured()
    low, high = body["band80_coverage_interval"]
    chosen = ", ".join(f"{name} in {count}" for name, count in body["chosen"].items())
    choosing = body["choosing"]
    rows = [
        f"| {name} | {one['predicted']} | {one['median_ape']:.1%} | {one['p90_ape']:.1%} | {one['bias']:+.1%} | "
        f"{one['band80_coverage']:.0%} |"
        for name, one in body["by_source"].items()
    ]
    return [
        "## The whole procedure with sources left out",
        "",
        "For each source the others alone decide which coefficients are refined, by how much, how wide the bands are and at",
        "which level. Releases of one publisher are one source. Written by `python manage.py nested --write`.",
        "",
        "| figure | value | goal |\n|---|---:|---:|",
        f"| median of source medians ({body['sources']} sources) | {body['median_of_source_medians']:.1%} | 9 % |",
        f"| 90th percentile of all {body['rows']} rows | {body['p90_ape']:.1%} | 27 % |",
        f"| bias | {body['bias']:+.1%} | 3 % |",
        f"| 80 % band covers, of rows | {body['band80_coverage']:.0%} ({low:.0%}–{high:.0%}) | 80 % |",
        f"| 80 % band covers, of a source in the mean | {body['band80_coverage_of_sources']:.0%} | 80 % |",
        f"| interval score | {body['interval_score']:.3f} | {0.75 * body['interval_score_constant']:.3f} |",
        f"| interval score of one constant width | {body['interval_score_constant']:.3f} | |",
        f"| chosen layout over the best, median of {choosing['groups']} ablations | {choosing['median']:.3f} | 1.05 |",
        f"| chosen layout over the best, 90th percentile | {choosing['p90']:.3f} | 1.15 |",
        f"| after one own measurement, median of sources | {body['canary']['median_of_source_medians']:.1%} | 4 % |",
        f"| after one own measurement, 90th percentile of rows | {body['canary']['p90_ape']:.1%} | 10 % |",
        "",
        "In brackets: 90 % interval with sources drawn again. The interval score (Gneiting and Raftery 2007) is width plus penalty",
        f"for what lies outside, in the log; smaller is better. What the folds refined: {chosen} folds. An own measurement is",
        "another row of the same source, model, accelerator and precision, whose layout is not the one predicted.",
        "",
        "| source | rows | median | p90 | bias | 80 % band covers |\n|---|---:|---:|---:|---:|---:|",
        *rows,
        "",
    ]
