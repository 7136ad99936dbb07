"""Sweeping beside the queue and not through it: recovery waits behind no backlog, and on no broker.

One process does it (`manage.py sweeper`; on one machine the supervisor of `make run`), or several: each repair is a
conditional UPDATE, so of two that see the same lost job one repairs it. Leases are compared on the database's clock; this
process only counts the seconds between two looks. While no sweeper is heard, the workers sweep (jobs/alive.py).
"""

from __future__ import annotations

import platform
import threading
from typing import Final

import structlog
from django.db import DatabaseError, connection

from jobs import queue

log = structlog.get_logger("sextant.jobs")

PERIOD_S: Final = 5.0


def sweep_once() -> bool:
    """One look, with a sign of life; False when the database did not answer. The next look gets a new connection then."""
    try:
        queue.note_worker(f"{queue.SWEEPER}{platform.node()}")
        queue.sweep()
    except DatabaseError as error:
        log.warning("sweep_failed", error=type(error).__name__)
        connection.close()
        return False
    return True


def sweep_until(stopped: threading.Event) -> None:
    """Sweeps every five seconds until it is told to stop."""
    while not stopped.is_set():
        sweep_once()
        stopped.wait(PERIOD_S)
    connection.close()
