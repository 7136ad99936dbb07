"""Live fetching is off unless PRICE_FETCH names a feed; then the sweep asks for one job a day."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from catalog.work import KIND
from jobs import queue
from jobs.models import Job

ROOT = Path(__file__).resolve().parent.parent.parent


def test_the_sweep_asks_for_nothing_unless_told_and_then_once_a_day(db: None, settings: Any) -> None:
    queue.sweep()
    assert not Job.objects.filter(kind=KIND).exists()

    settings.PRICE_FETCH = ["spot-advisor", "skypilot:aws"]
    queue.sweep()
    queue.sweep()
    assert sorted(Job.objects.filter(kind=KIND).values_list("payload__feed", flat=True)) == [
        "skypilot:aws",
        "spot-advisor",
    ]


def test_an_unknown_feed_stops_the_start_with_a_sentence(tmp_path: Path) -> None:
    variables = {**os.environ, "SEXTANT_VAR": str(tmp_path), "PRICE_FETCH": "skypilot:nowhere"}
    command = [sys.executable, "manage.py", "check"]
    done = subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "PRICE_FETCH: “skypilot:nowhere” does not fit; write skypilot:NAME" in done.stderr
