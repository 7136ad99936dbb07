"""Throughput and latency of measured services, predicted from their own configuration by the engine."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from planner.engine.assumptions import Assumptions
from planner.engine.hardware import Device
from planner.engine.serving import SERVING_ASSUMPTIONS
from planner.engine.serving.bands import Z80, log_sigma
from planner.validation.report import Line, Report, figures, summary
from planner.validation.rows import Refusal, Row, family, read_csv
from planner.validation.serving_predict import Predicted, closed_form, simulated
from planner.validation.serving_rows import Case, cases

METRICS = ("output_tokens_per_s_per_gpu", "ttft_ms", "ttft_p99_ms", "tpot_ms", "tpot_p99_ms")
_SIMULATED = frozenset({"closed", "open", "promise", "users", "saturated"})
# kind of load: class of the error for throughput, first token, its tail, next tokens, their tail
_CLASSES: Mapping[str, tuple[str, str, str, str, str]] = {
    "static": ("static", "batch_first", "batch_first", "tpot", "tpot"),
    "saturated": ("saturated", "ttft", "ttft_tail", "tpot", "tail"),
    "closed": ("throughput", "ttft", "ttft_tail", "tpot", "tail"),
    "open": ("throughput", "near_limit", "near_limit", "tail", "tail"),
    "promise": ("promise", "near_limit", "near_limit", "tail", "tail"),
    "users": ("promise", "ttft", "ttft_tail", "tpot", "tail"),
    "first": ("static", "first", "first", "tpot", "tpot"),
    "local": ("local", "batch_first", "batch_first", "local", "local"),
}


def report(paths: Sequence[Path], devices: Mapping[str, Device], assume: Assumptions | None = None) -> Report:
    """Every row of the files, metric by metric. Summary: one block for each metric, throughput also by scenario."""
    rows = read_csv(paths)
    good, bad = cases(rows, devices)
    lines = [*_lines(good, assume or Assumptions(SERVING_ASSUMPTIONS)), *_refusals(rows, bad)]
    blocks: dict[str, object] = {}
    for metric in METRICS:
        own = [line for line in lines if line.part == f"serving.{metric}"]
        blocks[metric] = summary(own)
        if metric == METRICS[0]:
            blocks[metric] = {**summary(own), "by_scenario": _by_scenario(own)}
    return Report(summary=blocks, lines=tuple(lines))


def predictions(good: Sequence[Case], assume: Assumptions) -> list[Predicted]:
    """What the engine says of each case; queueing loads are simulated, the rest is closed form."""
    closed = closed_form(good, assume)
    return [
        {**found, **simulated(case, assume)} if case.kind in _SIMULATED else found
        for case, found in zip(good, closed, strict=True)
    ]


def _lines(good: Sequence[Case], assume: Assumptions) -> Iterator[Line]:
    for case, found in zip(good, predictions(good, assume), strict=True):
        for place, metric in enumerate(METRICS):
            if not case.row[metric] or metric not in found:
                continue
            value = found[metric]
            spread = math.exp(Z80 * log_sigma(case.device, _CLASSES[case.kind][place], moe=case.shape.moe))
            yield Line(
                part=f"serving.{metric}",
                id=case.id,
                source=case.source,
                measured=float(case.row[metric]),
                predicted=value,
                low=value / spread,
                high=value * spread,
                apart=case.apart or excluded(case.row, metric),
                facts=_facts(case),
            )


def _facts(case: Case) -> dict[str, str]:
    return {
        "accelerator": case.row["accelerator"],
        "precision": case.precision,
        "framework": case.engine,
        "kind": case.kind,
        "scenario": case.row["scenario"],
        "count": case.row["gpus"],
    }


def excluded(row: Row, metric: str) -> str:
    """Why a reviewed row's metric stands apart: the reviewer's words name the column."""
    note = row.get("row_note", "")
    if "exclude" not in note:
        return ""
    column = "ttft_ms" if metric.startswith("ttft") else "tpot_ms" if metric.startswith("tpot") else metric
    for clause in note.split("; "):
        if "exclude" not in clause:
            continue
        named, _, said = clause.partition(": ")
        if "exclude TTFT" in said and column != "ttft_ms":
            continue
        if column in named or named.startswith(("id", "scenario", "gpus;concurrency")):
            return "excluded by review"
    return ""


def _refusals(rows: Sequence[Row], bad: Sequence[Refusal]) -> Iterator[Line]:
    by_id = {row["id"]: row for row in rows}
    for one in bad:
        row = by_id[one.id]
        for metric in METRICS:
            if row[metric]:
                yield Line(part=f"serving.{metric}", id=one.id, source=family(row["source"]), refused=one.reason)


def _by_scenario(lines: Sequence[Line]) -> dict[str, object]:
    """Figures of each scenario, rows that stand apart left out."""
    counted = [line for line in lines if line.error is not None and not line.apart]
    names = sorted({line.facts["scenario"] for line in counted})
    return {name: figures([line for line in counted if line.facts["scenario"] == name]) for name in names}
