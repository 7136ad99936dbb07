"""The message of the queue. It carries at most the key of a row; the row says what to do."""

from __future__ import annotations

import time
from typing import Any, Final

import structlog
from celery import shared_task
from django.db import InterfaceError, OperationalError, connection

from jobs import alive
from jobs.running import answer_ring

__all__ = ["alive", "run"]

log = structlog.get_logger("sextant.jobs")

BACK_OFF_S: Final = 2.0


@shared_task(name="jobs.run", bind=True)
def run(self: Any, job_pk: int) -> None:
    """Runs the job whose turn it is: a message that comes twice finds nothing to claim.

    While the database is away, messages are let go one every two seconds and not all at once: the rows are there, and
    the sweep rings for them.
    """
    try:
        answer_ring(job_pk, worker=str(self.request.hostname or ""))
    except (OperationalError, InterfaceError) as error:
        log.warning("database_away", job=job_pk, error=type(error).__name__)
        connection.close()
        time.sleep(BACK_OFF_S)
