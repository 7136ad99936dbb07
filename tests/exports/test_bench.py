"""`manage.py bench` measures what a worker does, and the largest plan keeps its bar of memory. Nothing here is timed."""

from __future__ import annotations

import pytest

from lab.management.commands.bench import MOST_OPTIONS, document, largest
from lab.timings import SERVING
from planner.estimate import estimate
from planner.market import market_from_files
from tests.exports.samples import tiny_plan

MOST_MB = 400.0
"""What one document of the largest plan may take, its reading included."""


@pytest.mark.slow
def test_the_largest_plan_is_read_and_written_within_its_memory() -> None:
    """A service's options are the largest, and the workbook lists them all."""
    plan = largest(estimate(SERVING, market_from_files()))
    assert len({option.id for option in plan.recommendation.alternatives}) == MOST_OPTIONS
    figures = document(plan, "xlsx", times=1)
    assert max(figures["peak_mb"], figures["peak_mb_of_reading"]) < MOST_MB
    assert figures["bytes"] > 400_000, "all of them are in the file"


def test_a_small_plan_takes_less_and_is_compared_with_the_bare_library() -> None:
    figures = document(tiny_plan(), "docx", times=1)
    assert 50.0 < figures["peak_mb_of_reading"] <= figures["peak_mb"] < 200.0
    assert figures["ratio"] == figures["cpu_seconds"] / figures["floor_cpu_seconds"] > 0
