"""What journeys of generated clients share: commands of the tools' own, and what each of them must say."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from planner.models import PlanVersion
from planner.versions import State


def run(folder: Path, *command: str, limit_s: int = 120, warnings: bool = False, **env: str) -> str:
    """What that command prints, run in that folder; with what it warns of where that is asked for."""
    done = subprocess.run(
        command, cwd=folder, env=os.environ | env, capture_output=True, text=True, timeout=limit_s, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stderr + done.stdout if warnings else done.stdout


def assert_travelled(said: str) -> None:
    """The client estimated, froze, submitted, read the budget and heard of it."""
    version = PlanVersion.objects.get()
    assert version.state == State.SUBMITTED
    lines = said.splitlines()
    assert lines[0] == version.headline
    assert lines[1].startswith("P10 to P90: ")
    assert lines[1].endswith(f" {version.currency}")
    assert lines[2] == f"{version.workload.public_id} v1 is submitted"
    assert lines[3].endswith("in all")
    assert lines[4].endswith(" plan.submitted")
