"""`manage.py bench`: how fast the search, a whole-catalog plan and each document are, on this machine."""

from __future__ import annotations

import json
import resource
from argparse import ArgumentParser
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from exports.formats import FORMATS
from exports.render import render
from planner.estimate import estimate
from planner.market import market_from_files
from planner.snapshot import Plan, body_of, thaw
from planner.timings import SERVING, TRAINING, Figures, best_of, plan_seconds, serving_search, timed, training_search


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
    first = timed(lambda: render(plan, name))
    warm = best_of(lambda: render(plan, name))
    return {
        "first_seconds": first,
        "seconds": warm,
        "bytes": len(render(plan, name)),
        "peak_mib": _peak_mib(),
        "peak_mib_before": before,
    }


def _peak_mib() -> float:
    """Peak resident memory of this process alone; getrusage would count the parent's before the start."""
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0
    peak = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
    return float(peak.split()[1]) / 1024.0
