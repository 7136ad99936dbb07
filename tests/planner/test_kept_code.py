"""Sheets are kept by the code that made them: every process must name that code alike."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_code_of_sheets_has_one_name_in_every_process() -> None:
    """The order of a set follows the seed of a process."""
    ask = "import django; django.setup(); from planner.budgets.sheets.kept import _code; print(_code())"
    names = {
        subprocess.run(
            [sys.executable, "-c", ask], cwd=ROOT, env=os.environ | {"PYTHONHASHSEED": seed}, check=True, capture_output=True, text=True
        ).stdout
        for seed in ("1", "2", "3")
    }  # fmt: skip
    assert len(names) == 1
