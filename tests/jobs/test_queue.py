"""The life of a job. Each promise of jobs/queue.py, with what can go wrong around it."""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from jobs import queue
from jobs.models import Job, State, WorkerHeartbeat
from jobs.queue import LostLease
from tests.conftest import People

PAST = timedelta(minutes=5)


@pytest.fixture
def rings(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The ids of the jobs whose message was sent."""
    sent: list[int] = []

    def send_task(name: str, args: list[int], **_: Any) -> None:
        assert name == "jobs.run"
        sent.append(args[0])

    monkeypatch.setattr(queue.current_app, "send_task", send_task)
    return sent


@pytest.fixture
def job(db: None) -> Job:
    """A queued job."""
    return queue.enqueue("test.kind", team=None, payload={"plan": "pln_1"}, key="one")


def _expire(job: Job) -> None:
    Job.objects.filter(pk=job.pk).update(lease_until=timezone.now() - PAST)


def _claimed(job: Job, worker: str = "w1") -> Job:
    claimed = queue.claim(job.pk, worker=worker)
    assert claimed is not None
    return claimed


def test_a_job_is_claimed_worked_and_finished(job: Job) -> None:
    mine = _claimed(job)
    queue.heartbeat(mine.pk, mine.fence, progress=40, note="drawing")
    half = Job.objects.get(pk=job.pk)
    queue.finish(mine.pk, mine.fence, result={"file": "a"})

    assert (half.state, half.progress, half.note, half.worker, half.attempts) == (State.RUNNING, 40, "drawing", "w1", 1)
    done = Job.objects.get(pk=job.pk)
    assert (done.state, done.result, done.progress, done.lease_until) == (State.SUCCEEDED, {"file": "a"}, 100, None)
    assert done.is_done
    assert done.finished_at is not None


def test_asking_twice_with_one_key_makes_one_job_and_one_message(
    db: None, rings: list[int], django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        first = queue.enqueue("test.kind", team=None, payload={"n": 1}, key="same")
        again = queue.enqueue("test.kind", team=None, payload={"n": 2}, key="same")

    assert first == again
    assert Job.objects.get().payload == {"n": 1}
    assert rings == [first.pk]


def test_a_key_never_hands_over_a_job_of_another_team(people: People) -> None:
    queue.enqueue("test.kind", team=people.team, payload={}, key="same")

    with pytest.raises(ValueError, match="another kind or team"):
        queue.enqueue("test.kind", team=people.other_team, payload={}, key="same")


def test_the_message_waits_for_the_commit(job: Job, rings: list[int]) -> None:
    assert rings == []  # the test's transaction never commits


def test_without_a_broker_the_job_stays_queued_and_the_sweep_sends_it(
    job: Job, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    def unreachable(*_: Any, **__: Any) -> None:
        raise ConnectionRefusedError

    monkeypatch.setattr(queue.current_app, "send_task", unreachable)
    assert queue.ring(job.pk) is False
    Job.objects.update(ring_again_at=timezone.now() - PAST)
    assert queue.sweep() == {"failed": 0, "requeued": 0, "rung": 0}
    assert Job.objects.get().state == State.QUEUED

    rings = request.getfixturevalue("rings")
    Job.objects.update(ring_again_at=timezone.now() - PAST)
    assert queue.sweep()["rung"] == 1
    assert rings == [job.pk]


def test_a_running_job_cannot_be_claimed_again(job: Job) -> None:
    _claimed(job)

    assert queue.claim(job.pk, worker="w2") is None


@pytest.mark.parametrize("state", [State.SUCCEEDED, State.FAILED, State.CANCELLED])
def test_a_job_that_ended_cannot_be_claimed(job: Job, state: str) -> None:
    Job.objects.update(state=state)

    assert queue.claim(job.pk, worker="w1") is None


def test_a_lease_that_is_over_is_free_to_take(job: Job) -> None:
    _claimed(job)
    _expire(job)

    second = _claimed(job, "w2")
    assert (second.attempts, second.fence, second.worker) == (2, 2, "w2")


@pytest.mark.parametrize(
    "write",
    [
        lambda job: queue.heartbeat(job.pk, job.fence, progress=50),
        lambda job: queue.finish(job.pk, job.fence, result={"who": "the zombie"}),
        lambda job: queue.fail(job.pk, job.fence, code="x", message="x"),
        lambda job: queue.release(job.pk, job.fence),
    ],
    ids=["heartbeat", "finish", "fail", "release"],
)
def test_a_worker_that_was_replaced_can_write_nothing(job: Job, write: Any) -> None:
    zombie = _claimed(job)
    _expire(job)
    heir = _claimed(job, "w2")

    with pytest.raises(LostLease):
        write(zombie)
    queue.finish(heir.pk, heir.fence, result={"who": "the heir"})
    with pytest.raises(LostLease):
        write(zombie)
    assert Job.objects.get().result == {"who": "the heir"}


def test_a_heartbeat_extends_the_lease(job: Job) -> None:
    mine = _claimed(job)
    Job.objects.update(lease_until=timezone.now() + timedelta(seconds=1))

    queue.heartbeat(mine.pk, mine.fence)
    lease = Job.objects.get().lease_until
    assert lease is not None
    assert lease > timezone.now() + timedelta(seconds=30)


def test_the_sweep_requeues_at_once_what_a_dead_worker_held(job: Job, rings: list[int]) -> None:
    _claimed(job)
    _expire(job)

    assert queue.sweep() == {"failed": 0, "requeued": 1, "rung": 1}
    assert rings == [job.pk]
    assert queue.sweep() == {"failed": 0, "requeued": 0, "rung": 0}


def test_the_sweep_leaves_alone_what_is_alive_or_fresh(job: Job, rings: list[int]) -> None:
    _claimed(job)
    queue.enqueue("test.kind", team=None, payload={}, key="fresh")

    assert queue.sweep() == {"failed": 0, "requeued": 0, "rung": 0}
    assert rings == []


def test_a_job_that_kills_its_worker_fails_after_three_attempts(job: Job, rings: list[int]) -> None:
    for attempt in (1, 2, 3):
        assert _claimed(job).attempts == attempt
        _expire(job)
        queue.sweep()

    dead = Job.objects.get()
    assert dead.state == State.FAILED
    assert dead.error["code"] == "worker_lost"
    assert "stopped 3 times" in dead.error["message"]
    assert queue.claim(job.pk, worker="w1") is None
    assert len(rings) == 2


def test_a_passing_fault_is_tried_three_times_in_all(job: Job) -> None:
    for _ in (1, 2):
        mine = _claimed(job)
        queue.release(mine.pk, mine.fence)
        assert Job.objects.get().state == State.QUEUED
    mine = _claimed(job)
    queue.release(mine.pk, mine.fence)

    assert Job.objects.get().state == State.FAILED


def test_a_long_queue_is_rung_in_batches_and_less_often_each_time(db: None, rings: list[int]) -> None:
    for number in range(queue.SWEEP_BATCH + 5):
        queue.enqueue("test.kind", team=None, payload={}, key=str(number))
    Job.objects.update(ring_again_at=timezone.now() - PAST)

    assert queue.sweep()["rung"] == queue.SWEEP_BATCH
    assert queue.sweep()["rung"] == 5
    assert queue.sweep()["rung"] == 0
    for wait in (60, 120, 240, 480, 960, 960):
        queue.ring(rings[0])
        again = Job.objects.get(pk=rings[0]).ring_again_at - timezone.now()
        assert wait - 5 < again.total_seconds() <= wait


def test_a_retry_gives_a_new_budget_and_a_finished_job_has_none(job: Job) -> None:
    Job.objects.update(state=State.FAILED, attempts=3, error={"code": "x", "message": "x"})
    assert queue.retry(job) is True
    again = Job.objects.get()
    assert (again.state, again.attempts, again.error) == (State.QUEUED, 0, None)

    mine = _claimed(job)
    queue.finish(mine.pk, mine.fence, result={})
    assert queue.retry(job) is False


def test_cancelling_stops_the_worker_at_its_next_word(job: Job) -> None:
    mine = _claimed(job)

    assert queue.cancel(job) is True
    with pytest.raises(LostLease):
        queue.heartbeat(mine.pk, mine.fence)
    assert queue.cancel(job) is False
    assert Job.objects.get().state == State.CANCELLED


def test_a_worker_has_one_row(db: None) -> None:
    queue.note_worker("celery@one")
    queue.note_worker("celery@one")

    assert abs(WorkerHeartbeat.objects.get().seen_at - timezone.now()) < timedelta(seconds=10)


def _at_once(count: int, act: Any) -> list[Any]:
    """What ``act`` returned in each of ``count`` threads that start together, each with its own connection."""
    barrier, results = threading.Barrier(count), []

    def run(number: int) -> None:
        try:
            barrier.wait(10)
            results.append(act(number))
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return results


@pytest.mark.django_db(transaction=True)
def test_of_twelve_workers_one_claims() -> None:
    job = queue.enqueue("test.kind", team=None, payload={})

    claims = _at_once(12, lambda number: queue.claim(job.pk, worker=f"w{number}"))
    winners = [claim for claim in claims if claim is not None]
    assert len(claims) == 12
    assert len(winners) == 1
    row = Job.objects.get()
    assert (row.attempts, row.fence, row.worker) == (1, 1, winners[0].worker)


@pytest.mark.django_db(transaction=True)
def test_twelve_clicks_make_one_job() -> None:
    jobs = _at_once(12, lambda _: queue.enqueue("test.kind", team=None, payload={}, key="click").pk)

    assert len(jobs) == 12
    assert len(set(jobs)) == 1
    assert Job.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_two_sweepers_ring_once(rings: list[int]) -> None:
    job = queue.enqueue("test.kind", team=None, payload={})
    rings.clear()
    Job.objects.update(ring_again_at=timezone.now() - PAST)

    _at_once(4, lambda _: queue.sweep())
    assert rings == [job.pk]
