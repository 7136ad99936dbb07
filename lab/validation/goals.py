"""What was set out to be reached beside the step time of pre-training, and how far each figure is from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lab.validation.accuracy_memory import DOUBTFUL, UNDER
from lab.validation.report import Line, Report

_SERVING = (
    ("output_tokens_per_s_per_gpu", "serving: output tokens per second, median", 0.08),
    ("tpot_ms", "serving: time per output token, median", 0.085),
    ("ttft_ms", "serving: time to first token, median", 0.24),
    ("mlperf_rate", "serving: rate of MLPerf's servers, median", 0.20),
)
_TASK = 0.20
_WORDS = {True: "yes", False: "no", None: "not measured"}


@dataclass(frozen=True, kw_only=True)
class Goal:
    """One figure, what was set out, and whether it is reached; None = nothing was measured."""

    figure: str
    value: str
    goal: str
    reached: bool | None


def goals(reports: Mapping[str, Report]) -> list[Goal]:
    """Those of every part that was judged, in the order of the page."""
    parts: dict[str, Callable[[Report], Iterator[Goal]]] = {
        "training": _tuning,
        "memory": _memory,
        "samples": _samples,
        "serving": _serving,
        "runs": _runs,
    }
    return [goal for part, told in parts.items() if part in reports for goal in told(reports[part])]


def rows_of_page(reports: Mapping[str, Report]) -> list[dict[str, str]]:
    """Figure, value, goal and whether it is reached, as data for the page."""
    return [
        {"figure": one.figure, "value": one.value, "goal": one.goal, "reached": _WORDS[one.reached]}
        for one in goals(reports)
    ]


def section(reports: Mapping[str, Report]) -> list[str]:
    """The section in Markdown."""
    return [
        "## Goals beside step time, and how far each is",
        "",
        "With the shipped coefficients, most of which have seen these rows: on a source that nobody saw the errors are larger",
        "(first contact above).",
        "",
        "| figure | value | goal | reached |\n|---|---:|---:|---|",
        *(f"| {one.figure} | {one.value} | {one.goal} | {_WORDS[one.reached]} |" for one in goals(reports)),
        "",
    ]


def _tuning(report: Report) -> Iterator[Goal]:
    errors = _errors(line for line in report.lines if line.apart in ("lora", "sft"))
    yield _most(
        f"step of LoRA, QLoRA and full fine-tuning, median of {len(errors)} rows", np.median(np.abs(errors)), 0.15
    )


def _memory(report: Report) -> Iterator[Goal]:
    errors = _errors(line for line in report.lines if line.apart not in DOUBTFUL)
    fits: Mapping[str, Any] = report.summary["fits"]  # type: ignore[assignment]
    yield _most(f"peak memory, median of {len(errors)} rows", np.median(np.abs(errors)), 0.10)
    yield _most("peak memory, rows under by more than 15 %", np.mean(errors < -UNDER), 0.08)
    yield Goal(
        figure=f"of {fits['sure']} layouts that are given 97 % to fit, those that fitted",
        value=f"{fits['fitted']:.1%}",
        goal="97 %",
        reached=bool(fits["fitted"] >= 0.97),
    )


def _samples(report: Report) -> Iterator[Goal]:
    tasks: Mapping[str, Mapping[str, float]] = report.summary["by_task"]  # type: ignore[assignment]
    over = [f"{name} {one['median_ape']:.0%}" for name, one in tasks.items() if one["median_ape"] > _TASK]
    yield Goal(
        figure="samples per second: tasks whose median is at most 20 %"
        + (f" (not: {', '.join(over)})" if over else ""),
        value=f"{len(tasks) - len(over)} of {len(tasks)}",
        goal=f"{len(tasks)} of {len(tasks)}",
        reached=not over,
    )


def _serving(report: Report) -> Iterator[Goal]:
    for metric, figure, goal in _SERVING:
        block: Mapping[str, float] = report.summary[metric]  # type: ignore[assignment]
        yield _most(f"{figure} of {block['predicted']} rows", block["median_ape"], goal)


def _runs(report: Report) -> Iterator[Goal]:
    alike: Mapping[str, float] = report.summary["alike"]  # type: ignore[assignment]
    yield _most(f"whole programmes, median of {alike['organisations']} organisations", alike["median_ape"], 0.18)
    yield Goal(figure="elapsed time of a programme, its step given", value="", goal="12 %", reached=None)


def _most(figure: str, value: float | np.floating[Any], goal: float) -> Goal:
    return Goal(figure=figure, value=f"{value:.1%}", goal=f"{goal * 100:g} %", reached=bool(value <= goal))


def _errors(lines: Iterable[Line]) -> np.ndarray[Any, np.dtype[np.float64]]:
    found: Sequence[float] = [line.error for line in lines if line.error is not None]
    return np.array(found, dtype=np.float64)
