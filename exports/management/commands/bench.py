"""`manage.py bench`: how fast the search, a whole-catalog plan and each document are, on this machine."""

from __future__ import annotations

import json
import resource
import time
from argparse import ArgumentParser
from collections.abc import Callable
from multiprocessing import get_context
from typing import Any

from django.core.management.base import BaseCommand

from exports.formats import FORMATS
from exports.render import render
from planner.engine.defaults import default_assumptions
from planner.engine.hardware import Market
from planner.engine.remember import forget
from planner.engine.serving import search as search_serving
from planner.engine.serving import work_from as serving_work
from planner.engine.spec import Constraints, Serving, Spec, Training
from planner.engine.supply import supplies_for
from planner.engine.training import search, work_from
from planner.estimate import estimate
from planner.market import market_from_files
from planner.parse import architecture_of
from planner.snapshot import Plan, body_of, thaw

MAX_ACCELERATORS = 16_384
TRAINING = Spec(
    name="Bench, training",
    workload="training",
    model="llama-3.1-70b",
    training=Training(method="continue", tokens=15e9, sequence_length=8192),
    constraints=Constraints(max_accelerators=MAX_ACCELERATORS),
)
SERVING = Spec(
    name="Bench, serving",
    workload="serving",
    model="qwen3-32b",
    serving=Serving(requests_per_s=40.0, input_tokens=1500, output_tokens=400, ttft_p95_ms=800),
)
Figures = dict[str, float]


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
        plan = estimate(TRAINING, market)
        estimate(SERVING, market)
        report = {
            "training_search": training_search(market),
            "serving_search": serving_search(market),
            "plan": {"training": plan_seconds(TRAINING, market), "serving": plan_seconds(SERVING, market)},
            "documents": {name: document(plan, name) for name in FORMATS},
        }
        text = json.dumps(report, indent=None if options["json"] else 2)
        self.stdout.write(text)


def best_of(run: Callable[[], object], times: int = 3) -> float:
    """Seconds of the fastest of some runs: the one that the machine disturbed least."""
    return min(_timed(run) for _ in range(times))


def _timed(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def plan_seconds(spec: Spec, market: Market) -> Figures:
    """A whole-catalog plan with nothing remembered, and again when only its limits change."""

    def first() -> None:
        forget()
        estimate(spec, market)

    return {"seconds": best_of(first), "again_seconds": best_of(lambda: estimate(spec, market))}


def training_search(market: Market) -> Figures:
    """Candidates whose memory and time were computed, per second, over every plannable accelerator."""
    work = work_from(TRAINING, architecture_of(TRAINING))
    clusters, assume = supplies_for(TRAINING, market).clusters, default_assumptions()
    seconds = best_of(lambda: search(work, clusters, max_count=MAX_ACCELERATORS, assume=assume))
    found = search(work, clusters, max_count=MAX_ACCELERATORS, assume=assume)
    return {
        "clusters": len(clusters),
        "searched": found.searched,
        "pruned": found.pruned,
        "seconds": seconds,
        "searched_per_s": found.searched / seconds,
        "covered_per_s": (found.searched + found.pruned) / seconds,
    }


def serving_search(market: Market) -> Figures:
    """Serving candidates per second, closed form and simulation of the finalists together."""
    work = serving_work(SERVING, architecture_of(SERVING))
    clusters, assume = supplies_for(SERVING, market).clusters, default_assumptions()
    seconds = best_of(lambda: search_serving(work, clusters, assume=assume))
    found = search_serving(work, clusters, assume=assume)
    return {"clusters": len(clusters), "searched": found.searched, "seconds": seconds}


def document(plan: Plan, name: str) -> Figures:
    """Time of one file, first and warm, and the peak memory of a process that writes nothing else."""
    with get_context("spawn").Pool(1) as pool:
        return pool.apply(_write, (body_of(plan), name))


def _write(body: str, name: str) -> Figures:
    """In a process of its own: seconds and bytes of the file, peak resident memory."""
    import django

    django.setup()
    plan = thaw(body)
    before = _peak_mib()
    first = _timed(lambda: render(plan, name))
    warm = best_of(lambda: render(plan, name))
    return {
        "first_seconds": first,
        "seconds": warm,
        "bytes": len(render(plan, name)),
        "peak_mib": _peak_mib(),
        "peak_mib_before": before,
    }


def _peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0
