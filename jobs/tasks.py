"""The two messages of the queue. A message carries at most the key of a row; the row says what to do."""

from __future__ import annotations

from typing import Any

from celery import shared_task

from jobs import queue
from jobs.running import run_job


@shared_task(name="jobs.run", bind=True)
def run(self: Any, job_pk: int) -> None:
    """Runs the job, if it is still to be run: a message that comes twice finds nothing to claim."""
    worker = str(self.request.hostname or "")
    queue.note_worker(worker)
    run_job(job_pk, worker=worker)


@shared_task(name="jobs.sweep", bind=True)
def sweep(self: Any) -> None:
    """Sweeps the queue; also the sign of life of a worker that has nothing to do."""
    queue.note_worker(str(self.request.hostname or ""))
    queue.sweep()
