"""Throughput and latency of measured services, predicted from their own configuration by the engine."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from engine.inputs.assumptions import Assumptions
from engine.inputs.hardware import Device
from engine.kinds.service import SERVING_ASSUMPTIONS
from engine.odds.normal import P90
from engine.odds.serving import first_sigma, log_sigma, prefill_sigma
from lab.validation.report import Line, Report, figures, summary
from lab.validation.row_model import text_of
from lab.validation.rows import Refusal, Row, read_csv
from lab.validation.serving_predict import Predicted, closed_form, simulated
from lab.validation.serving_rows import Case, cases, measured

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
    found = lines_of(good, assume or Assumptions(SERVING_ASSUMPTIONS))
    lines = [*(line for _, line in found), *_refusals(rows, bad)]
    blocks: dict[str, object] = {}
    for metric in METRICS:
        own = [line for line in lines if line.part == f"serving.{metric}"]
        blocks[metric] = summary(own)
        if metric == METRICS[0]:
            blocks[metric] = {**summary(own), "by_scenario": _by_scenario(own)}
            blocks["mlperf_rate"] = _mlperf_rate(own)
    return Report(summary=blocks, lines=tuple(lines))


def predictions(good: Sequence[Case], assume: Assumptions) -> list[Predicted]:
    """What the engine says of each case; queueing loads are simulated, the rest is closed form."""
    closed = closed_form(good, assume)
    return [
        {**found, **simulated(case, assume)} if case.kind in _SIMULATED else found
        for case, found in zip(good, closed, strict=True)
    ]


def lines_of(good: Sequence[Case], assume: Assumptions) -> Iterator[tuple[Case, Line]]:
    """Each measured figure of each case with its prediction and band."""
    for case, found in zip(good, predictions(good, assume), strict=True):
        for place, metric in enumerate(METRICS):
            stated = measured(case.row, metric)
            if stated is None or metric not in found:
                continue
            value = found[metric]
            spread = math.exp(P90 * _sigma(case, _CLASSES[case.kind][place], found["prompt_ms"] / value))
            yield (
                case,
                Line(
                    part=f"serving.{metric}",
                    id=case.id,
                    source=case.source,
                    measured=stated,
                    predicted=value,
                    low=value / spread,
                    high=value * spread,
                    apart=case.apart or excluded(case.row, metric),
                    facts=_facts(case),
                ),
            )


def _sigma(case: Case, metric: str, prompt: float) -> float:
    """Of ln(measured ÷ predicted); `prompt`: of a first token the share that the prompt alone is. Pools are judged as one part."""
    sigma = log_sigma(case.device, metric, moe=case.shape.moe)
    if metric not in ("ttft", "ttft_tail") or case.pools:
        return sigma
    return first_sigma(min(prefill_sigma(case.device, case.inputs, moe=case.shape.moe), sigma), sigma, prompt)


def _facts(case: Case) -> dict[str, str]:
    return {
        "accelerator": text_of(case.row, "accelerator"),
        "precision": case.precision,
        "framework": case.engine,
        "kind": case.kind,
        "scenario": text_of(case.row, "scenario"),
        "count": text_of(case.row, "gpus"),
        "accelerator_slug": case.device.slug,
    }


def excluded(row: Row, metric: str) -> str:
    """Why a reviewed row's metric stands apart: the reviewer's words name the column."""
    note = text_of(row, "row_note")
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
    by_id = {text_of(row, "id") or f"row {place}": row for place, row in enumerate(rows, start=1)}
    for one in bad:
        for metric in METRICS:
            if measured(by_id[one.id], metric) is not None:
                yield Line(part=f"serving.{metric}", id=one.id, source=one.source, refused=one.reason)


def _mlperf_rate(lines: Sequence[Line]) -> dict[str, object]:
    """Highest rate that holds the p99 rules against the published one; every such row counts, uncertain ones too.

    Both are at the same output length, so that the error of the rate is that of the tokens per second.
    """
    own = [replace(line, apart="") for line in lines if line.facts.get("kind") == "promise"]
    return {**figures([line for line in own if line.error is not None]), "by_scenario": _by_scenario(own)}


def _by_scenario(lines: Sequence[Line]) -> dict[str, object]:
    """Figures of each scenario, rows that stand apart left out."""
    counted = [line for line in lines if line.error is not None and not line.apart]
    names = sorted({line.facts["scenario"] for line in counted})
    return {name: figures([line for line in counted if line.facts["scenario"] == name]) for name in names}
