"""One attempt at a job, as the handler and the row see it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from celery.exceptions import SoftTimeLimitExceeded
from django.db import OperationalError
from django.utils import timezone

from jobs import queue, tasks
from jobs.models import Job, State, WorkerHeartbeat
from jobs.queue import LostLease
from jobs.registry import HANDLERS, Handler, Running, register
from jobs.running import JobFailed, run_job

KIND = "test.running"


@pytest.fixture
def handle() -> Iterator[Any]:
    """Registers the handler of this test's kind of job."""

    def put(handler: Handler) -> None:
        register(KIND, handler)

    yield put
    HANDLERS.pop(KIND, None)


@pytest.fixture
def job(db: None) -> Job:
    """A queued job."""
    return queue.enqueue(KIND, team=None, payload={"n": 7}, key="one")


def _raiser(error: BaseException) -> Handler:
    def handler(running: Running) -> dict[str, Any]:
        raise error

    return handler


def test_the_handler_sees_its_payload_and_its_answer_is_kept(job: Job, handle: Any) -> None:
    def handler(running: Running) -> dict[str, Any]:
        running.progress(250, "x" * 1000)
        row = Job.objects.get()
        assert (row.progress, len(row.note)) == (100, 200)
        return {"twice": running.payload["n"] * 2, "attempt": running.attempt, "team": running.team_id}

    handle(handler)
    run_job(job.pk, worker="w1")

    assert Job.objects.get().result == {"twice": 14, "attempt": 1, "team": None}


def test_a_message_that_comes_five_times_does_the_work_once(job: Job, handle: Any) -> None:
    done: list[int] = []

    def handler(running: Running) -> dict[str, Any]:
        done.append(running.attempt)
        tasks.run.apply(args=[job.pk])  # comes again while the job is running
        return {}

    handle(handler)
    for _ in range(4):
        tasks.run.apply(args=[job.pk])

    assert done == [1]
    assert Job.objects.get().state == State.SUCCEEDED


def test_a_refusal_ends_the_job_with_its_sentence(job: Job, handle: Any) -> None:
    handle(_raiser(JobFailed("too_many_pages", "The plan has 900 pages; leave out the appendix.")))
    run_job(job.pk, worker="w1")

    row = Job.objects.get()
    assert row.state == State.FAILED
    assert row.error == {"code": "too_many_pages", "message": "The plan has 900 pages; leave out the appendix."}


def test_a_bug_ends_the_job_with_a_sentence_without_its_text(job: Job, handle: Any) -> None:
    handle(_raiser(KeyError("a secret of another team")))
    run_job(job.pk, worker="w1")

    row = Job.objects.get()
    assert (row.state, row.error["code"]) == (State.FAILED, "unexpected")
    assert "KeyError" in row.error["message"]
    assert job.public_id in row.error["message"]
    assert "secret" not in row.error["message"]


@pytest.mark.parametrize("error", [OperationalError("gone"), ConnectionResetError(), TimeoutError()])
def test_a_passing_fault_is_tried_again(job: Job, handle: Any, error: Exception) -> None:
    handle(_raiser(error))
    run_job(job.pk, worker="w1")

    assert (Job.objects.get().state, Job.objects.get().attempts) == (State.QUEUED, 1)


def test_a_full_disk_costs_no_attempt_and_no_work(job: Job, handle: Any) -> None:
    handle(_raiser(OSError(28, "No space left on device")))
    for _ in range(5):
        Job.objects.update(held_until=None)
        run_job(job.pk, worker="w1")
    row = Job.objects.get()
    assert (row.state, row.attempts, row.note) == (State.QUEUED, 0, "Waiting for space on the disk")
    assert row.held_until is not None

    Job.objects.update(created_at=timezone.now() - timedelta(hours=7))
    run_job(job.pk, worker="w1")
    row = Job.objects.get()
    assert (row.state, row.error["code"]) == (State.FAILED, "no_space")


def test_work_without_end_is_stopped_with_a_sentence(job: Job, handle: Any) -> None:
    handle(_raiser(SoftTimeLimitExceeded()))
    run_job(job.pk, worker="w1")

    assert Job.objects.get().error["code"] == "too_long"


def test_a_kind_that_this_version_does_not_know_fails_with_a_sentence(job: Job) -> None:
    run_job(job.pk, worker="w1")

    assert Job.objects.get().error == {
        "code": "unknown_kind",
        "message": "No part of this version does 'test.running' jobs.",
    }


def test_a_handler_that_was_replaced_hears_it_and_writes_nothing(job: Job, handle: Any) -> None:
    heard: list[str] = []

    def handler(running: Running) -> dict[str, Any]:
        Job.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
        heir = queue.claim(job.pk, worker="w2")
        assert heir is not None
        try:
            running.progress(50, "still here")
        except LostLease:
            heard.append("lost")
            raise
        return {"who": "the zombie"}

    handle(handler)
    run_job(job.pk, worker="w1")

    row = Job.objects.get()
    assert heard == ["lost"]
    assert (row.state, row.worker, row.result) == (State.RUNNING, "w2", None)


def test_two_handlers_for_one_kind_are_refused(handle: Any) -> None:
    handle(_raiser(ValueError()))

    with pytest.raises(ValueError, match="has a handler already"):
        register(KIND, _raiser(ValueError()))


@pytest.mark.django_db(transaction=True)
def test_a_silent_handler_keeps_its_lease_and_its_worker_stays_known(handle: Any, settings: Any) -> None:
    settings.JOB_LEASE_S, settings.JOB_HEARTBEAT_S = 1.0, 0.2
    job = queue.enqueue(KIND, team=None, payload={})

    def handler(running: Running) -> dict[str, Any]:
        time.sleep(1.6)
        assert queue.sweep()["requeued"] == 0
        return {}

    handle(handler)
    run_job(job.pk, worker="celery@silent")

    assert Job.objects.get().state == State.SUCCEEDED
    assert WorkerHeartbeat.objects.filter(worker="celery@silent").exists()


@pytest.mark.django_db(transaction=True)
def test_a_cancelled_handler_hears_it_from_the_heartbeat(handle: Any, settings: Any) -> None:
    settings.JOB_HEARTBEAT_S = 0.1
    job = queue.enqueue(KIND, team=None, payload={})

    def handler(running: Running) -> dict[str, Any]:
        queue.cancel(job)
        time.sleep(0.6)
        assert running._lost.is_set()
        running.progress(10)
        return {}

    handle(handler)
    run_job(job.pk, worker="w1")

    assert Job.objects.get().state == State.CANCELLED
