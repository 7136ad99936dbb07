"""`manage.py bench`: how fast the search, a whole-catalog plan and each document are, on this machine."""

from __future__ import annotations

import json
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import django
from django.core.management.base import BaseCommand

from exports.compose import compose
from exports.floors import floor_of
from exports.formats import FORMATS
from exports.render import render
from lab.memory import forget_peak, peak_mb
from lab.timings import SERVING, TRAINING, Figures, plan_seconds, serving_search, timed, training_search
from planner.estimate import estimate
from planner.frozen.snapshot import Plan, body_of, thaw
from planner.market import market_from_files

Result = TypeVar("Result")


class Command(BaseCommand):
    """Measures and prints; nothing is judged, since machines differ."""

    help = "Measure the engine and the document writers on this machine; needs no database."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Text or JSON."""
        parser.add_argument("--json", action="store_true", help="print JSON and nothing else")

    def handle(self, *args: Any, **options: Any) -> None:
        """Runs every measurement once after a warm-up."""
        market = market_from_files()
        plan, service = estimate(TRAINING, market), estimate(SERVING, market)
        report = {
            "training_search": training_search(market),
            "serving_search": serving_search(market),
            "plan": {"training": plan_seconds(TRAINING, market), "serving": plan_seconds(SERVING, market)},
            "documents": {name: document(plan, name) for name in FORMATS},
            "documents_together": together(plan),
            "documents_of_largest_plan": {name: document(largest(plan), name, times=1) for name in FORMATS},
            "documents_of_largest_service": {name: document(largest(service), name, times=1) for name in FORMATS},
        }
        text = json.dumps(report, indent=None if options["json"] else 2)
        self.stdout.write(text)


MOST_OPTIONS = 5000
"""Options of the largest plan that the product allows."""


def largest(plan: Plan) -> Plan:
    """That plan with as many options as a plan may hold."""
    answer = plan.recommendation
    rows = answer.alternatives or ((answer.recommended,) if answer.recommended else ())
    every = tuple(replace(rows[index % len(rows)], id=f"option-{index}") for index in range(MOST_OPTIONS))
    return replace(plan, recommendation=replace(answer, alternatives=every))


def document(plan: Plan, name: str, *, times: int = 3) -> Figures:
    """Time of one file, first and warm, and the peak memory of a process that reads the plan and writes nothing else.

    `floor_seconds` is the time in which the usual library writes the same content and nothing else; `ratio` compares the
    processor's time of both, which other work on the machine disturbs least.
    """
    with _stored(plan) as path:
        made, data = _apart(_write, path, (name,), times)
        return made | _apart(_floor, path, name, data, made["cpu_seconds"], times)


def together(plan: Plan) -> Figures:
    """All four files of one plan in one process."""
    with _stored(plan) as path:
        figures, _ = _apart(_write, path, FORMATS, 3)
    return figures


@contextmanager
def _stored(plan: Plan) -> Iterator[str]:
    """The plan in a file, from which another process reads the bytes that a worker reads from the database."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "plan.json"
        path.write_text(body_of(plan), encoding="utf-8")
        yield str(path)


def _apart(run: Callable[..., Result], *given: object) -> Result:
    """What that function answers in a fresh process of its own. Where that one dies, this fails: a pool of `multiprocessing` would
    start another and wait for ever for what the first had taken along.
    """
    with ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=django.setup) as pool:
        return pool.submit(run, *given).result()


def _write(path: str, names: tuple[str, ...], times: int) -> tuple[Figures, bytes]:
    """In a process of its own: seconds and bytes of the files, peak resident memory [MB = 10⁶ byte]; and the last file."""
    start = time.perf_counter()
    plan = thaw(Path(path).read_bytes())
    reading, before = time.perf_counter() - start, peak_mb()
    forget_peak()

    def write() -> list[bytes]:
        return [render(plan, name) for name in names]

    first = timed(write)
    cpu, warm = _best(write, times)
    made = write()
    figures = {
        "first_seconds": first,
        "seconds": warm,
        "cpu_seconds": cpu,
        "bytes": sum(map(len, made)),
        "peak_mb": peak_mb(),
        "reading_seconds": reading,
        "peak_mb_of_reading": before,
    }
    return figures, made[-1]


def _floor(path: str, name: str, data: bytes, ours: float, times: int) -> Figures:
    """The bare library's time for the same content; nothing where it is not installed."""
    bare = floor_of(name, compose(thaw(Path(path).read_bytes()), sheets=False), data)
    if bare is None:
        return {}
    bare()
    cpu, seconds = _best(bare, times)
    return {"floor_seconds": seconds, "floor_cpu_seconds": cpu, "ratio": ours / cpu if cpu else 0.0}


def _best(run: Callable[[], object], times: int) -> tuple[float, float]:
    """Least seconds of the processor, and of the clock, over some runs."""
    rows = []
    for _ in range(times):
        start = time.process_time()
        clock = timed(run)
        rows.append((time.process_time() - start, clock))
    return min(cpu for cpu, _ in rows), min(clock for _, clock in rows)
