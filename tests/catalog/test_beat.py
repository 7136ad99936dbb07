"""Live fetching is off unless PRICE_FETCH names a feed; then beat has one more entry, and its task exists."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from config.celery import app

ROOT = Path(__file__).resolve().parent.parent.parent
_SAY = "from config import settings; print(sorted(settings.CELERY_BEAT_SCHEDULE), settings.PRICE_FETCH)"


def _run(folder: Path, feeds: str, *words: str) -> subprocess.CompletedProcess[str]:
    variables = {**os.environ, "SEXTANT_VAR": str(folder), "PRICE_FETCH": feeds}
    return subprocess.run(
        [sys.executable, *words], cwd=ROOT, env=variables, capture_output=True, text=True, check=False
    )


def test_beat_fetches_nothing_unless_told(tmp_path: Path) -> None:
    assert _run(tmp_path, "", "-c", _SAY).stdout == "['sweep'] []\n"
    told = _run(tmp_path, "spot-advisor, skypilot:aws", "-c", _SAY)
    assert told.stdout == "['prices', 'sweep'] ['spot-advisor', 'skypilot:aws']\n"


def test_an_unknown_feed_stops_the_start_with_a_sentence(tmp_path: Path) -> None:
    done = _run(tmp_path, "skypilot:nowhere", "manage.py", "check")
    assert done.returncode != 0
    assert "PRICE_FETCH: “skypilot:nowhere” does not fit; write skypilot:NAME" in done.stderr


def test_the_task_that_beat_sends_is_there() -> None:
    app.loader.import_default_modules()
    assert "catalog.fetch_prices" in app.tasks
