"""The accuracy page: what the engine predicts against what was measured, by source, accelerator, precision and scale."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from engine.inputs.assumptions import Assumptions
from lab.validation import accuracy_tried, goals, own_card, own_mixed
from lab.validation.accuracy_memory import memory_section, tuning_section
from lab.validation.first_contact import ledger
from lab.validation.nested import STACKS
from lab.validation.nested_page import section
from lab.validation.ordering import Ranking, ordering
from lab.validation.peers import Peer
from lab.validation.report import Line, Report, figures
from lab.validation.summary import NOT_KEPT, SLICES, WEAK, groups, tried
from lab.validation.withheld import sentences
from voice.speech import say

HEAD = "| {} | rows | median | p90 | bias | 80 % band covers | band width |\n|---|---:|---:|---:|---:|---:|---:|"


def page(
    reports: Mapping[str, Report],
    out: Report,
    assume: Assumptions,
    *,
    rankings: Sequence[Ranking],
    others: Sequence[Peer],
    withheld: Sequence[Mapping[str, Any]],
) -> str:
    """The page in Markdown."""
    blocks = [
        INTRODUCTION,
        *sentences(withheld),
        "",
        *ledger(),
        *section(),
        *goals.section(reports),
        "## Step time with its source left out",
        HEAD.format("rows"),
    ]
    blocks += [_line("all", out.lines)]
    blocks += ["", *_tables(out.lines), *_rankings(rankings)]
    if training := reports.get("training"):
        blocks += [
            "## Step time with the shipped coefficients",
            HEAD.format("rows"),
            _line("all", _counted(training.lines)),
            "",
        ]
        blocks += [*_apart(training.lines), ""]
        blocks += tuning_section(training)
    if "memory" in reports:
        blocks += memory_section(reports["memory"])
    blocks += [*own_card.section(), *own_mixed.section()]
    blocks += [
        "## Coefficients of the stack",
        *_coefficients(assume),
        "",
        *accuracy_tried.section(),
        *_closing(out, others),
    ]
    return "\n".join(blocks) + "\n"


def _counted(lines: Sequence[Line]) -> list[Line]:
    return [line for line in lines if line.error is not None and not line.apart]


def _tables(lines: Sequence[Line]) -> list[str]:
    """One table for each way to slice the rows."""
    blocks = []
    for title, key in SLICES.items():
        blocks += [HEAD.format(title), *_by(lines, key), ""]
    return blocks


def _by(lines: Sequence[Line], key: Callable[[Line], str]) -> list[str]:
    return [_line(name, some) for name, some in groups(lines, key).items()]


def _line(name: str, lines: Sequence[Line]) -> str:
    return _row(name, figures(lines))


def _row(name: str, block: Mapping[str, Any]) -> str:
    if "median_ape" not in block:
        return f"| {name} | 0 | | | | | |"
    cells = [f"{block[key]:.1%}" for key in ("median_ape", "p90_ape")] + [f"{block['bias']:+.1%}"]
    cells += [f"{block[key]:.0%}" for key in ("band80_coverage", "band80_median_width")]
    return f"| {name} | {block['predicted']} | " + " | ".join(cells) + " |"


def _rankings(found: Sequence[Ranking]) -> list[str]:
    """How well layouts of one model on one cluster are put in order."""
    block = ordering(found)
    rows = [f"| {one.name} | {one.layouts} | {one.tau:+.2f} |" for one in sorted(found, key=lambda one: one.tau)]
    return [
        "## Order of layouts",
        f"{block['groups']} groups of at least three layouts that one source measured of one model on one cluster: "
        f"Kendall's τ is {block['median_tau']} in the median, {block['mean_tau']} on average (sources left out).",
        "",
        "| group | layouts | τ |\n|---|---:|---:|",
        *rows,
        "",
    ]


def _closing(out: Report, others: Sequence[Peer]) -> list[str]:
    """What was tried, where we are weak, what others score."""
    peers = [f"| {one.tool} | {one.rows} | {one.median_ape:.1%} | {one.p90_ape:.1%} | {one.source} |" for one in others]
    return [
        "## What was tried, and what each gave (median / 90th percentile, source left out)",
        "",
        "| step | error |\n|---|---|",
        *(f"| {step} | {error} |" for step, error in tried(out)),
        "",
        "Not kept:",
        "",
        *(f"* {text}" for text in NOT_KEPT),
        "",
        CAUTION,
        "",
        "## Where we are weak",
        "",
        *(f"* {text}" for text in WEAK),
        "",
        "## What others score",
        "",
        "| tool | rows | median | p90 | source |\n|---|---:|---:|---:|---|",
        *peers,
        "",
        OTHERS,
    ]


def _apart(lines: Sequence[Line]) -> list[str]:
    """Rows that the headline leaves out, and rows that could not be predicted."""
    groups = sorted({line.apart for line in lines if line.apart})
    table = [HEAD.format("apart"), *(_line(group, [line for line in lines if line.apart == group]) for group in groups)]
    reasons: dict[str, int] = {}
    for line in lines:
        if line.refused:
            reasons[line.refused] = reasons.get(line.refused, 0) + 1
    return [
        *table,
        "",
        "Not predicted: " + ", ".join(f"{count} × {reason}" for reason, count in sorted(reasons.items())) + ".",
    ]


def _coefficients(assume: Assumptions) -> list[str]:
    rows = ["| coefficient | value | range | meaning |", "|---|---:|---|---|"]
    items = [assume.get(f"training.{name}") for name in STACKS]
    return rows + [
        f"| {item.id} | {item.value:.4g} {item.unit} | {item.low:g}–{item.high:g} | {say(item.told)} |"
        for item in items
    ]


INTRODUCTION = """# How accurate the training estimate is

Written by `python manage.py validate --docs docs/accuracy.md`. Errors are (predicted − measured) / measured of the step
time; "bias" is the median signed error. A *source* is one publisher; a prediction *with its source left out* uses
coefficients that nothing of that publisher took part in. The same configuration measured twice differs by 4.6–5.8 %:
no honest error is smaller.

The headline leaves out rows of doubtful origin, fine-tuning rows and older releases of a repeated configuration.
"""

CAUTION = """The formulas and the starting values were written with these rows in sight, so sources outside this table may do a
little worse than the left-out figures say. The band widths are set on the same left-out errors."""

OTHERS = """Each is good where it was tuned: calculon states 3.65 % on average over the eight points of its own `llm-validation`, SimuMax
5.6 % on its own B200 rows. None states a band."""
