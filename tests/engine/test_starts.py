"""How long a replica takes until it answers, against starts that others measured."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from statistics import median

import pytest

from engine.defaults import default_assumptions
from engine.kinds.service.starting import start_seconds
from tests.exports.real_plans import gallery_plan

ROWS = Path("lab/data/measured/cold_start.csv")
STARTS = ("vLLM start until", "cold start: fresh", "model switch without sleep")


def measured() -> list[tuple[float, float]]:
    """Weights [byte] and seconds of every start of an engine, the machine's own not among them."""
    with ROWS.open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["what"].startswith(STARTS)]
    return [(float(row["weights_gb"]) * 1e9, float(row["seconds"])) for row in rows]


def test_engine_starts_are_as_measured() -> None:
    assume, starts = default_assumptions(), measured()
    assert len(starts) == 12
    errors = [
        math.log((start_seconds(weights, assume) - assume["serving.boot_s"]) / seconds) for weights, seconds in starts
    ]
    assert abs(median(errors)) < 0.25
    assert median(abs(one) for one in errors) < math.log(1.5)
    assert max(abs(one) for one in errors) < math.log(2.2)


def test_all_tables_tell_one_start_and_one_share() -> None:
    """After 3.26 minutes all was served again, of replicas in FP8 that answer after 2.69; and four of seven served 57 % of the peak that
    the seven hold at 90.5 %."""
    best = gallery_plan("serve-savings-plan").recommendation.recommended
    assert best is not None
    assert best.serving is not None
    assert best.serving.standing is not None
    host = next(one for one in best.serving.standing.cases if one.case == "host")
    assert best.precision == "fp8"
    assert host.full_s == pytest.approx(best.serving.autoscale.warmup_s, abs=0.1)
    left = host.carries * best.serving.utilisation * best.serving.replicas
    assert left == pytest.approx(round(left)), "whole replicas are left"
    assert host.served > round(left) / best.serving.replicas
