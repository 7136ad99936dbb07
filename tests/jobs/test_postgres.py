"""The tests of accounts and jobs once more, on PostgreSQL: its transactions and clocks differ from SQLite's."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.mark.needs_postgres
def test_accounts_and_jobs_hold_on_postgresql(tmp_path: Path, postgres_url: str) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment |= {"DATABASE_URL": postgres_url, "SEXTANT_VAR": str(tmp_path / "var")}
    files = ["tests/accounts", "tests/jobs/test_queue.py", "tests/jobs/test_running.py"]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *files]

    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=180)
    assert done.returncode == 0, done.stdout[-4000:]
    assert " passed" in done.stdout
