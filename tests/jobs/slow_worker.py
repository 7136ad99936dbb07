"""A worker of the real application that also does one slow kind of job; started by test_kill.py as its own process.

The job writes a line to a file when it starts and when it ends, so that the test sees each effect.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from config.celery import app
from jobs.registry import register

if TYPE_CHECKING:
    from jobs.registry import Running

__all__ = ["app"]

STEPS, STEP_S = 10, 0.1


def slow(running: Running) -> dict[str, Any]:
    """Works for a second; the first attempt at a job with ``hang`` waits for its end instead."""
    effects = Path(running.payload["effects"])
    _note(effects, f"started {running.attempt} {os.getpid()}")
    for step in range(STEPS):
        running.progress(step * 100 // STEPS, f"step {step}")
        hangs = running.payload["hang"] and running.attempt == 1 and step == STEPS // 2
        time.sleep(600 if hangs else STEP_S)
    _note(effects, f"ended {running.attempt} {os.getpid()}")
    return {"attempt": running.attempt}


def _note(effects: Path, line: str) -> None:
    with effects.open("a") as file:
        file.write(line + "\n")


def quick(running: Running) -> dict[str, Any]:
    """A fifth of a second."""
    time.sleep(0.2)
    return {}


register("test.slow", slow)
register("test.quick", quick)
