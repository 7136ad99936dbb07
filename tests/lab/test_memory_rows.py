"""Measured peaks of memory against the engine: what the project promises of them on its own rows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.inputs.assumptions import Assumptions
from engine.physics.assumptions import TRAINING_ASSUMPTIONS
from lab.management.commands.validate import MEASURED
from lab.validation import memory
from lab.validation.report import Line, Report, figures
from planner.market import market_from_files

ASSUME = Assumptions(TRAINING_ASSUMPTIONS)


@pytest.fixture(scope="module")
def peaks() -> Report:
    paths: list[Path] = sorted(MEASURED.glob("memory*.csv"))
    return memory.report(paths, market_from_files().devices, ASSUME)


def counted(report: Report) -> list[Line]:
    return [line for line in report.lines if line.error is not None and line.apart != "confidence C"]


def test_peaks_are_near_and_seldom_far_too_small(peaks: Report) -> None:
    lines = counted(peaks)
    sources = sorted({line.source for line in lines})
    medians = [figures([line for line in lines if line.source == source])["median_ape"] for source in sources]
    low = np.mean([line.error < -0.15 for line in lines if line.error is not None])
    assert len(lines) > 450
    assert float(np.median(np.array(medians, dtype=float))) < 0.10
    assert low < 0.09


def test_layouts_that_failed_are_judged_with_the_others(peaks: Report) -> None:
    fits = peaks.summary["fits"]
    assert isinstance(fits, dict)
    assert fits["failed"] > 50
    assert fits["sure"] > 300
    assert fits["fitted"] > 0.96
    failed = [line for line in peaks.lines if line.predicted is not None and line.measured is None]
    assert len(failed) == fits["failed"]
