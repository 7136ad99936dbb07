"""Waiting for the end of a job while somebody holds the line, without holding up everybody else."""

from __future__ import annotations

import threading
import time
from typing import Final

from jobs.models import Job

LONGEST_S: Final = 25
_LOOK_EVERY_S = 0.25
_waiting = threading.BoundedSemaphore(4)
"""Requests that may wait at once in this process: the others are answered at once, so that no page waits for them."""


def wait_for_end(job: Job, seconds: int) -> None:
    """Returns when the job has ended, when the time is over, or at once when too many wait already."""
    if not _waiting.acquire(blocking=False):
        return
    try:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            time.sleep(_LOOK_EVERY_S)
            job.refresh_from_db(fields=["state"])
            if job.is_done:
                return
    finally:
        _waiting.release()
