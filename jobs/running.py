"""One attempt at a job: what a handler is given, and what happens around it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, Final

import structlog
from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.db import DatabaseError, InterfaceError, OperationalError, connection
from django.utils import timezone

from jobs import queue, silence, turns
from jobs.models import Job
from jobs.queue import LostLease
from jobs.registry import HANDLERS, lane_of
from rest.faults import Away, is_no_space
from rest.traces import Attributes, Traced, traced

log = structlog.get_logger("sextant.jobs")

# Faults of the surroundings, which may be gone in half a minute.
_PASSING: Final = (OperationalError, InterfaceError, ConnectionError, TimeoutError)
_AGAIN_S: Final = 60.0
_WITHIN: Final = timedelta(hours=6)
_NO_SPACE: Final = "The disk has been full for six hours: try again when whoever runs this installation has made room."
_NO_STORE: Final = "The store of documents has not answered for six hours: try again when whoever runs this installation has mended it."


class JobFailed(Exception):
    """A handler raises this to end its job with a sentence for the person who asked for it."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class RunningJob:
    """The job as its handler sees it. ``payload``, ``team_id``, ``attempt`` (1 to 3) and ``public_id`` are to read."""

    def __init__(self, job: Job, lost: threading.Event) -> None:
        self.payload: dict[str, Any] = job.payload
        self.team_id: int | None = job.team_id
        self.attempt: int = job.attempts
        self.public_id: str = job.public_id
        self._pk: int = job.pk
        self._fence: int = job.fence
        self._lost = lost

    def progress(self, percent: int, note: str = "") -> None:
        """Writes how far the work is (0 to 100) and extends the lease; LostLease when the job is ours no more."""
        if self._lost.is_set():
            raise LostLease
        queue.heartbeat(self._pk, self._fence, progress=percent, note=note)


def answer_ring(job_pk: int, *, worker: str) -> None:
    """Runs the job whose turn it is in the lane of the one that rang, or that one: what waits may have been taken."""
    kind = Job.objects.filter(pk=job_pk).values_list("kind", flat=True).first()
    if kind is None:
        return
    if kind not in HANDLERS:  # of a newer version: one of its workers takes it, when the sweep rings again
        log.warning("kind_unknown_here", job=job_pk, kind=kind)
        return
    lane = lane_of(kind)
    job = turns.take(lane, worker=worker)
    if job is None:
        run_job(job_pk, worker=worker)
        return
    if job.attempts > 1:
        # What has stopped a worker before may stop this one, and the bell with it: it is handed on first.
        silence.pass_on(lane)
    _run(job, worker)
    silence.pass_on(lane)


def run_job(job_pk: int, *, worker: str) -> None:
    """Claims the job and runs its handler; does nothing when there is nothing to claim."""
    job = queue.claim(job_pk, worker=worker)
    if job is None:
        log.info("nothing_to_claim", job=job_pk)
        return
    _run(job, worker)


def _run(job: Job, worker: str) -> None:
    """One attempt at a claimed job, with its lease kept."""
    with (
        structlog.contextvars.bound_contextvars(job=job.public_id, kind=job.kind, attempt=job.attempts),
        traced(f"job {job.kind}", _told(job), kind="consumer") as work,
    ):
        try:
            with _kept_alive(job, worker) as lost:
                _attempt(job, RunningJob(job, lost), work)
        except LostLease:
            log.warning("lease_lost")
            work.failed("LostLease")


def _told(job: Job) -> Attributes:
    """What a trace says of it: that of its log lines, and how long it has waited."""
    waited = timezone.now() - job.created_at
    return {
        "sextant.job": job.public_id,
        "sextant.job.kind": job.kind,
        "sextant.job.attempt": job.attempts,
        "sextant.job.age_ms": int(waited.total_seconds() * 1000),
    }


def _attempt(job: Job, running: RunningJob, work: Traced) -> None:
    """Runs the handler once and writes how it ended."""
    handler = HANDLERS.get(job.kind)
    if handler is None:
        work.failed("unknown_kind")
        queue.fail(job.pk, job.fence, code="unknown_kind", message=f"No part of this version does {job.kind!r} jobs.")
        return
    try:
        result = handler(running)
    except LostLease:
        raise
    except JobFailed as error:
        work.failed(error.code)
        queue.fail(job.pk, job.fence, code=error.code, message=error.message)
    except SoftTimeLimitExceeded:
        work.failed("too_long")
        limit = settings.JOB_SOFT_LIMIT_S
        queue.fail(job.pk, job.fence, code="too_long", message=f"The work took longer than {limit} s; ask for less.")
    except Away:
        work.failed("store_away")
        _await(job, "store_away", "Waiting for the store of documents", code="no_store", message=_NO_STORE)
    except _PASSING as error:
        work.failed(type(error).__name__)
        log.warning("passing_fault", error=type(error).__name__)
        queue.release(job.pk, job.fence)
    except Exception as error:
        work.failed(type(error).__name__)
        if is_no_space(error):
            _await(job, "disk_full", "Waiting for space on the disk", code="no_space", message=_NO_SPACE)
            return
        log.exception("handler_failed")
        message = (
            f"The work stopped on an unexpected fault ({type(error).__name__}); quote {job.public_id} to report it."
        )
        queue.fail(job.pk, job.fence, code="unexpected", message=message)
    else:
        queue.finish(job.pk, job.fence, result=result)
        log.info("done")


def _await(job: Job, fault: str, note: str, *, code: str, message: str) -> None:
    """Gives the job back until a person has mended what it needs, and says so; fails it when that took six hours."""
    log.error(fault)
    if timezone.now() - job.created_at < _WITHIN:
        queue.hold(job.pk, job.fence, seconds=_AGAIN_S, note=note)
    else:
        queue.fail(job.pk, job.fence, code=code, message=message)


@contextmanager
def _kept_alive(job: Job, worker: str) -> Iterator[threading.Event]:
    """Extends the lease from a thread while the block runs; the event is set once the lease is lost."""
    stop, lost = threading.Event(), threading.Event()
    thread = threading.Thread(target=_beat, args=(job, worker, stop, lost), name="heartbeat", daemon=True)
    thread.start()
    try:
        yield lost
    finally:
        stop.set()
        thread.join(timeout=5)


def _beat(job: Job, worker: str, stop: threading.Event, lost: threading.Event) -> None:
    try:
        while not stop.wait(settings.JOB_HEARTBEAT_S):
            try:
                queue.heartbeat(job.pk, job.fence)
                queue.note_worker(worker)
            except LostLease:
                lost.set()
                return
            except DatabaseError as error:  # the next beat may get through; the lease decides
                log.warning("heartbeat_failed", error=type(error).__name__)
                connection.close()
    finally:
        connection.close()  # each thread has its own
