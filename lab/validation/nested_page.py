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


def rows_of_page() -> list[dict[str, str]]:
    """Figure, value and goal as data for the page."""
    return [{"figure": name, "value": value, "goal": goal} for name, value, goal in lines(measured())]


def lines(body: dict[str, Any]) -> list[tuple[str, str, str]]:
    """What the section and the page say of the whole procedure: figure, value, goal."""
    low, high = body["band80_coverage_interval"]
    choosing, own = body["choosing"], body["canary"]
    return [
        (f"median of source medians ({body['sources']} sources)", f"{body['median_of_source_medians']:.1%}", "9 %"),
        (f"90th percentile of all {body['rows']} rows", f"{body['p90_ape']:.1%}", "27 %"),
        ("bias", f"{body['bias']:+.1%}", "3 %"),
        ("80 % band covers, of rows", f"{body['band80_coverage']:.0%} ({low:.0%}–{high:.0%})", "80 %"),
        ("80 % band covers, of a source in the mean", f"{body['band80_coverage_of_sources']:.0%}", "80 %"),
        ("interval score", f"{body['interval_score']:.3f}", f"{0.75 * body['interval_score_constant']:.3f}"),
        ("interval score of one constant width", f"{body['interval_score_constant']:.3f}", ""),
        (f"chosen layout over the best, median of {choosing['groups']} ablations", f"{choosing['median']:.3f}", "1.05"),
        ("chosen layout over the best, 90th percentile", f"{choosing['p90']:.3f}", "1.15"),
        ("after one own measurement, median of sources", f"{own['median_of_source_medians']:.1%}", "4 %"),
        ("after one own measurement, 90th percentile of rows", f"{own['p90_ape']:.1%}", "10 %"),
    ]


def section() -> list[str]:
    """The section in Markdown."""
    body = measured()
    chosen = ", ".join(f"{name} in {count}" for name, count in body["chosen"].items())
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
        *(f"| {name} | {value} | {goal} |" for name, value, goal in lines(body)),
        "",
        "In brackets: 90 % interval with sources drawn again. The interval score (Gneiting and Raftery 2007) is width plus penalty",
        f"for what lies outside, in the log; smaller is better. What the folds refined: {chosen} folds. An own measurement is",
        "another row of the same source, model, accelerator and precision, whose layout is not the one predicted.",
        "",
        "| source | rows | median | p90 | bias | 80 % band covers |\n|---|---:|---:|---:|---:|---:|",
        *rows,
        "",
    ]
