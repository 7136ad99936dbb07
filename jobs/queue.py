"""The life of a job, each step one conditional UPDATE on its row.

Guarantee: whatever the broker loses or repeats, and whoever is killed, a job that was accepted ends as succeeded,
failed with a sentence, or cancelled, and only one claimant may write its end. A handler may be started again after a
crash, so its effects must be safe to repeat (a file under a content-addressed name).

Times are the database's own clock, so that several machines agree on when a lease is over.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import Any, Final, TypeVar

import structlog
from celery import current_app
from django.conf import settings
from django.db import transaction
from django.db.models import DateTimeField, ExpressionWrapper, F, Q, QuerySet
from django.db.models.expressions import Combinable
from django.db.models.functions import Now
from kombu.exceptions import ChannelError

from accounts import ids
from accounts.models import Team
from jobs.models import Job, State, WorkerHeartbeat
from jobs.registry import AT_EACH_SWEEP, ENDED, HANDLERS, lane_of
from rest.traces import note

T = TypeVar("T")
log = structlog.get_logger("sextant.jobs")

MAX_ATTEMPTS: Final = 3
RING_AGAIN_S: Final = 30
SWEEP_BATCH: Final = 200
SWEEPER: Final = "sweeper@"
"""How the names of those begin that sweep and do no work."""
_FORGOTTEN: Final = timedelta(days=1)
_SPARED_S: Final = 5.0
_spared_until = 0.0  # monotonic: a broker that hangs is not asked again before; what waits is rung by the sweep
_GAVE_UP = {
    "code": "worker_lost",
    "message": f"The work stopped {MAX_ATTEMPTS} times without an answer from the worker; "
    "try a smaller request, or try again.",
}

_UNKNOWN = {"code": "unknown_kind", "message": "No part of this version does this kind of work; ask for it again."}


class LostLease(Exception):
    """Another worker has taken over, or the job was cancelled: stop, and write nothing more."""


def enqueue(kind: str, *, team: Team | None, payload: dict[str, Any], key: str | None = None) -> Job:
    """The job with this ``key``: a new one, or the one that was asked for before, whatever its state.

    The message goes out when the surrounding transaction commits. Should the broker be down, the job stays queued
    and the sweep sends it later. A ``key`` names the work itself (kind, plan hash, options); without one, each call
    makes a new job. Keys are shared by all teams, so one that may meet another team's must hold the team's id.
    """
    job, new = Job.objects.get_or_create(
        key=key or ids.new_id("key"),
        defaults={"kind": kind, "team": team, "payload": payload, "ring_again_at": _in(RING_AGAIN_S)},
    )
    if new:
        job.refresh_from_db()
        note("job queued", {"sextant.job": job.public_id, "sextant.job.kind": kind})
        transaction.on_commit(lambda: ring(job.pk))
    elif (job.kind, job.team_id) != (kind, team.pk if team else None):
        raise ValueError("This key belongs to a job of another kind or team.")
    return job


def ring(job_pk: int) -> bool:
    """Sends the message of a queued job into its lane; False when the broker does not take it, or the job is gone."""
    row = Job.objects.filter(pk=job_pk).values_list("kind", "published").first()
    if row is None or not _sent(job_pk, lane_of(row[0])):
        return False
    rung = row[1]
    # Each unanswered ring doubles the wait, so that a long queue is not rung through every time.
    Job.objects.filter(pk=job_pk).update(
        published=F("published") + 1, ring_again_at=_in(RING_AGAIN_S * 2 ** min(rung, 5))
    )
    return True


def _sent(job_pk: int, lane: str) -> bool:
    """Sends one message; whether the broker took it."""

    def send() -> bool:
        current_app.send_task("jobs.run", args=[job_pk], queue=str(lane), retry=False, ignore_result=True)
        return True

    return bool(_asked(send, job=job_pk))


def bells_in(lane: str) -> int | None:
    """Messages of that lane that no worker has fetched yet; None when the broker does not say."""

    def count() -> int:
        with current_app.connection_for_write() as connection:
            try:
                found = connection.channel().queue_declare(queue=str(lane), passive=True)
            except ChannelError:  # where no message lies there is no queue
                return 0
            return int(found.message_count)

    return _asked(count, lane=lane)


def _asked(ask: Callable[[], T], **about: object) -> T | None:
    """The broker's answer, None without one. A broker that refuses says so at once; after one that hangs the next who
    ask are spared the wait."""
    global _spared_until
    if (began := time.monotonic()) < _spared_until:
        return None
    try:
        return ask()
    except Exception as error:  # each transport has its own errors, and none may fail the caller's step
        log.warning("broker_unreachable", **about, error=type(error).__name__)
        if time.monotonic() - began > 0.5:
            _spared_until = time.monotonic() + _SPARED_S
        return None


def claim(job_pk: int, *, worker: str) -> Job | None:
    """Takes the job for one lease and returns its row; None when there is nothing to take.

    Free to take: queued, or running with a lease that is over; never after the third attempt.
    """
    free = Q(state=State.QUEUED) | Q(state=State.RUNNING, lease_until__lt=Now())
    with transaction.atomic():
        taken = Job.objects.filter(free, pk=job_pk, attempts__lt=MAX_ATTEMPTS).update(
            state=State.RUNNING,
            attempts=F("attempts") + 1,
            fence=F("fence") + 1,
            lease_until=_in(settings.JOB_LEASE_S),
            heartbeat_at=Now(),
            started_at=Now(),
            worker=worker[:120],
            progress=0,
            note="",
            error=None,
        )
        # Still ours to read: the UPDATE holds the row (or the database, in SQLite) until this block ends.
        return Job.objects.get(pk=job_pk) if taken else None


def heartbeat(job_pk: int, fence: int, *, progress: int | None = None, note: str | None = None) -> None:
    """Extends the lease, and writes the progress when it is given; LostLease when the job is ours no more."""
    said: dict[str, Any] = {"lease_until": _in(settings.JOB_LEASE_S), "heartbeat_at": Now()}
    if progress is not None:
        said["progress"] = max(0, min(100, int(progress)))
    if note is not None:
        said["note"] = note[:200]
    _write(job_pk, fence, **said)


def finish(job_pk: int, fence: int, *, result: dict[str, Any]) -> None:
    """Ends the job as succeeded; LostLease when it is ours no more."""
    with transaction.atomic():
        _write(job_pk, fence, state=State.SUCCEEDED, result=result, progress=100, note="", **_ended())
        _tell(job_pk)


def fail(job_pk: int, fence: int, *, code: str, message: str) -> None:
    """Ends the job as failed, with one sentence; LostLease when it is ours no more."""
    with transaction.atomic():
        _write(job_pk, fence, state=State.FAILED, error={"code": code, "message": message}, **_ended())
        _tell(job_pk)


def release(job_pk: int, fence: int) -> None:
    """Gives a job back after a fault that may pass; it is tried again in 30 seconds, three times in all."""
    job = Job.objects.get(pk=job_pk)
    if job.attempts >= MAX_ATTEMPTS:
        fail(job_pk, fence, **_GAVE_UP)
    else:
        again = _in(RING_AGAIN_S)
        _write(job_pk, fence, state=State.QUEUED, lease_until=None, ring_again_at=again, held_until=again)


def hold(job_pk: int, fence: int, *, seconds: float, note: str) -> None:
    """Gives a job back until the surroundings are as they should be; such an attempt does not count."""
    again = _in(seconds)
    _write(
        job_pk,
        fence,
        state=State.QUEUED,
        attempts=F("attempts") - 1,
        lease_until=None,
        ring_again_at=again,
        held_until=again,
        note=note[:200],
    )


def cancel(job: Job) -> bool:
    """Ends a job that is queued or running; its worker notices at the next heartbeat. False when it had ended."""
    open_now = Job.objects.filter(pk=job.pk, state__in=(State.QUEUED, State.RUNNING))
    return bool(open_now.update(state=State.CANCELLED, fence=F("fence") + 1, **_ended()))


def retry(job: Job, *, ended: bool = False) -> bool:
    """Queues a failed or cancelled job again, with a new budget of attempts. False when it is in neither state.

    `ended`: also one that succeeded, when what it made was lost.
    """
    states = (State.FAILED, State.CANCELLED, *((State.SUCCEEDED,) if ended else ()))
    again = Job.objects.filter(pk=job.pk, state__in=states).update(
        state=State.QUEUED,
        attempts=0,
        held_until=None,
        progress=0,
        note="",
        error=None,
        finished_at=None,
        published=0,
        ring_again_at=_in(RING_AGAIN_S),
    )
    if again:
        transaction.on_commit(lambda: ring(job.pk))
    return bool(again)


def sweep() -> dict[str, int]:
    """Repairs what a crash or a lost message left behind; counts of ``failed``, ``requeued`` and ``rung``.

    Jobs whose lease is over go back to the queue and are rung at once, or fail after the third attempt. Queued jobs
    that nobody has taken are rung again, the oldest 200 at a time. Then follows what the rooms do at each sweep.
    """
    over = Job.objects.filter(state=State.RUNNING, lease_until__lt=Now())
    failed = _ended_as_failed(over.filter(attempts__gte=MAX_ATTEMPTS), _GAVE_UP)
    unknown = Job.objects.filter(state=State.QUEUED, created_at__lt=_in(-_FORGOTTEN.total_seconds()))
    failed += _ended_as_failed(unknown.exclude(kind__in=list(HANDLERS)), _UNKNOWN)
    requeued = over.filter(attempts__lt=MAX_ATTEMPTS).update(
        state=State.QUEUED, fence=F("fence") + 1, lease_until=None, ring_again_at=Now()
    )
    rung = _ring_waiting()
    WorkerHeartbeat.objects.filter(seen_at__lt=_in(-_FORGOTTEN.total_seconds())).delete()
    for step in AT_EACH_SWEEP:
        try:
            step()
        except Exception as error:  # one room's fault must not keep the queue from being repaired
            log.exception("sweep_step_failed", step=step.__qualname__, error=type(error).__name__)
    counts = {"failed": failed, "requeued": requeued, "rung": rung}
    if any(counts.values()):
        log.info("swept", **counts)
    return counts


def note_worker(worker: str, *, lanes: Iterable[str] = ()) -> None:
    """Notes that this worker lives, and which lanes it serves where that is known."""
    said = {"seen_at": Now(), **({"lanes": ",".join(lanes)[:200]} if lanes else {})}
    WorkerHeartbeat.objects.update_or_create(worker=worker[:120], defaults=said)


def heard(*, within_s: float, sweepers: bool = False) -> QuerySet[WorkerHeartbeat]:
    """The workers, or the sweepers, that were heard within so many seconds of the database's clock."""
    rows = WorkerHeartbeat.objects.filter(seen_at__gt=_in(-within_s))
    return rows.filter(worker__startswith=SWEEPER) if sweepers else rows.exclude(worker__startswith=SWEEPER)


def _ended_as_failed(lost: QuerySet[Job], error: dict[str, str]) -> int:
    """Ends those jobs with that error, one by one, so that each end is told once."""
    failed = 0
    for job_pk in list(lost.order_by("pk").values_list("pk", flat=True)[:SWEEP_BATCH]):
        with transaction.atomic():
            if lost.filter(pk=job_pk).update(state=State.FAILED, fence=F("fence") + 1, error=error, **_ended()):
                _tell(job_pk)
                failed += 1
    return failed


def _tell(job_pk: int) -> None:
    """Tells the room of that kind of job that it has ended."""
    job = Job.objects.get(pk=job_pk)
    if ended := ENDED.get(job.kind):
        ended(job)


def _ring_waiting() -> int:
    waiting = Job.objects.filter(state=State.QUEUED, ring_again_at__lte=Now()).order_by("ring_again_at", "pk")
    rung = 0
    for job_pk in list(waiting.values_list("pk", flat=True)[:SWEEP_BATCH]):
        # One sweeper of several wins the row; the others leave it alone.
        if not waiting.filter(pk=job_pk).order_by().update(ring_again_at=_in(RING_AGAIN_S)):
            continue
        if not ring(job_pk):
            break  # the broker is down: the rest would only wait for it, too
        rung += 1
    return rung


def _write(job_pk: int, fence: int, **values: Any) -> None:
    if not Job.objects.filter(pk=job_pk, fence=fence, state=State.RUNNING).update(**values):
        raise LostLease


def _ended() -> dict[str, Any]:
    return {"finished_at": Now(), "lease_until": None}


def _in(seconds: float) -> Combinable:
    """The database's time ``seconds`` from now."""
    return ExpressionWrapper(Now() + timedelta(seconds=seconds), output_field=DateTimeField())
