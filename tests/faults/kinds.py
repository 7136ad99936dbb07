"""A worker of the real application that also does jobs which go wrong in every way that a job can.

``celery --app tests.faults.kinds``; the process that injects faults imports it too, so that it can ask for such jobs.
"""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

from config.celery import app
from jobs.lanes import Lane
from jobs.registry import register

if TYPE_CHECKING:
    from jobs.registry import Running

__all__ = ["app"]

QUICK, STEADY, SLOW, POISON, HUNGRY = "faults.quick", "faults.steady", "faults.slow", "faults.poison", "faults.hungry"
FUTURE = "faults.future"
"""No version does this kind of work yet."""


def quick(running: Running) -> dict[str, Any]:
    """A backlog is made of these."""
    time.sleep(0.02)
    return {}


def steady(running: Running) -> dict[str, Any]:
    """Three seconds of work with a progress bar: long enough to be killed in the middle."""
    for step in range(15):
        running.progress(step * 100 // 15, f"Step {step + 1} of 15")
        time.sleep(0.2)
    return {"attempt": running.attempt}


def slow(running: Running) -> dict[str, Any]:
    """Longer than any job may take."""
    time.sleep(3600)
    return {}


def poison(running: Running) -> dict[str, Any]:
    """Takes its process with it, each time."""
    os.abort()


def hungry(running: Running) -> dict[str, Any]:
    """Takes half a gigabyte; its process is replaced after it, and works on until then."""
    return {"bytes": len(bytearray(os.urandom(1024)) * 512 * 1024)}


register(QUICK, quick)
register(STEADY, steady)
register(SLOW, slow)
register(POISON, poison)
register(HUNGRY, hungry, lane=Lane.SWEEPS)
