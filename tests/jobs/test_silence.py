"""When the broker loses its messages, what waits at the end of a long queue begins with the rest."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from celery import Celery
from django.utils import timezone

from jobs import queue, silence, turns
from jobs.lanes import Lane
from jobs.models import Job
from jobs.registry import HANDLERS
from jobs.running import answer_ring

pytestmark = pytest.mark.django_db
LATER = timedelta(minutes=10)


@pytest.fixture
def rings(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, str]]:
    """Job and lane of each message that was sent."""
    sent: list[tuple[int, str]] = []

    def send_task(_name: str, args: list[int], queue: str, **_: Any) -> None:
        sent.append((args[0], queue))

    monkeypatch.setattr(queue.current_app, "send_task", send_task)
    monkeypatch.setattr(queue, "bells_in", lambda lane: sum(place == lane for _, place in sent))
    return sent


@pytest.fixture
def jobs(rings: list[tuple[int, str]]) -> list[Job]:
    """Three documents that wait for a minute, were rung long ago and will not be rung again for ten."""
    made = [queue.enqueue("exports.render", team=None, payload={}, key=f"one-{number}") for number in range(3)]
    Job.objects.update(created_at=timezone.now() - timedelta(minutes=1), ring_again_at=timezone.now() + LATER)
    queue.note_worker("celery@one", lanes=["interactive", "mail"])
    rings.clear()
    return made


def test_a_silent_lane_with_a_worker_is_rung_for(jobs: list[Job], rings: list[tuple[int, str]]) -> None:
    assert silence.break_silence() == 3
    assert rings == [(job.pk, "interactive") for job in jobs]


def test_while_bells_lie_at_the_broker_none_is_added(jobs: list[Job], rings: list[tuple[int, str]]) -> None:
    silence.break_silence()

    assert silence.break_silence() == 0
    rings.pop()
    assert silence.break_silence() == 0
    rings.clear()
    assert silence.break_silence() == 3


def test_that_work_begins_there_is_no_sign_that_bells_are_left(jobs: list[Job], rings: list[tuple[int, str]]) -> None:
    assert turns.take(Lane.INTERACTIVE, worker="celery@one")

    assert silence.break_silence() == 2


def test_a_broker_that_does_not_say_what_it_holds_is_not_rung_at(
    jobs: list[Job], rings: list[tuple[int, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queue, "bells_in", lambda _: None)

    assert silence.break_silence() == 0


def test_what_kills_its_worker_each_time_does_not_keep_its_lane_from_being_rung_for(
    jobs: list[Job], rings: list[tuple[int, str]]
) -> None:
    """In half an hour of faults three such jobs were all that began in a lane: it counted as served, and 19 others waited on."""
    Job.objects.filter(pk=jobs[0].pk).update(attempts=1)

    assert turns.take(Lane.INTERACTIVE, worker="celery@one") == jobs[0]
    assert silence.break_silence() == 2
    assert [pk for pk, _ in rings] == [job.pk for job in jobs[1:]]


def test_the_bell_is_handed_on_before_a_job_that_stopped_a_worker_is_tried_again(
    jobs: list[Job], rings: list[tuple[int, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(_job: object) -> None:
        raise SystemExit

    monkeypatch.setitem(HANDLERS, "exports.render", die)
    Job.objects.filter(pk=jobs[0].pk).update(attempts=1)

    with pytest.raises(SystemExit):
        answer_ring(jobs[0].pk, worker="celery@one")
    assert [pk for pk, _ in rings] == [jobs[1].pk]


def test_where_no_worker_serves_the_lane_nothing_is_piled_up(jobs: list[Job], rings: list[tuple[int, str]]) -> None:
    queue.note_worker("celery@one", lanes=["imports"])

    assert silence.break_silence() == 0
    assert rings == []


def test_what_has_only_just_come_is_left_to_its_own_message(jobs: list[Job], rings: list[tuple[int, str]]) -> None:
    Job.objects.update(created_at=timezone.now())

    assert silence.break_silence() == 0


def test_what_waits_for_its_time_is_not_rung_for(jobs: list[Job], rings: list[tuple[int, str]]) -> None:
    Job.objects.update(held_until=timezone.now() + LATER)

    assert silence.break_silence() == 0


def test_a_broker_that_is_away_is_asked_again_at_the_next_look(
    jobs: list[Job], rings: list[tuple[int, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    send = queue.current_app.send_task

    def refuse(*_: Any, **__: Any) -> None:
        raise ConnectionRefusedError

    monkeypatch.setattr(queue.current_app, "send_task", refuse)
    assert silence.break_silence() == 0
    monkeypatch.setattr(queue.current_app, "send_task", send)
    assert silence.break_silence() == 3


def test_each_sweep_looks(jobs: list[Job], rings: list[tuple[int, str]]) -> None:
    queue.sweep()

    assert len(rings) == 3


def test_who_has_done_a_job_rings_for_the_next_that_has_waited(
    jobs: list[Job], rings: list[tuple[int, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """All messages but one are lost: that one has the whole lane worked off, and then no bell is left."""
    done: list[int] = []
    monkeypatch.setitem(HANDLERS, "exports.render", lambda job: done.append(job._pk) or {})
    pending = [jobs[2].pk]
    while pending:
        answer_ring(pending.pop(), worker="celery@one")
        pending += [pk for pk, _ in rings]
        rings.clear()
    assert done == [job.pk for job in jobs]


def test_who_has_done_a_job_leaves_what_has_only_just_come_to_its_own_message(
    jobs: list[Job], rings: list[tuple[int, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(HANDLERS, "exports.render", lambda _: {})
    Job.objects.update(created_at=timezone.now())
    answer_ring(jobs[0].pk, worker="celery@one")
    assert rings == []


def _counted(app: Celery, monkeypatch: pytest.MonkeyPatch) -> list[int | None]:
    """Bells in a lane before, with two of them, and of another lane."""
    monkeypatch.setattr(queue, "current_app", app)
    before = queue.bells_in(Lane.INTERACTIVE)
    for job_pk in (1, 2):
        app.send_task("jobs.run", args=[job_pk], queue=str(Lane.INTERACTIVE))
    return [before, queue.bells_in(Lane.INTERACTIVE), queue.bells_in(Lane.MAIL)]


def _app(broker: str) -> Celery:
    """An application beside the project's, which stays the current one for the tests that follow in this process."""
    return Celery(broker=broker, set_as_current=False)


@pytest.mark.needs_redis
def test_bells_are_counted_at_redis(redis_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _counted(_app(redis_url.rsplit("/", 1)[0] + "/14"), monkeypatch) == [0, 2, 0]


def test_bells_are_counted_in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is no Redis messages are files, as on the reader's machine."""
    app = _app("filesystem://localhost/")
    folders = {name: str(tmp_path) for name in ("data_folder_in", "data_folder_out", "control_folder")}
    app.conf.broker_transport_options = folders
    assert _counted(app, monkeypatch) == [0, 2, 0]


def test_a_broker_that_is_away_says_nothing_of_its_bells(monkeypatch: pytest.MonkeyPatch, free_port: int) -> None:
    monkeypatch.setattr(queue, "_spared_until", 0.0)
    monkeypatch.setattr(queue, "current_app", _app(f"redis://127.0.0.1:{free_port}/0"))
    assert queue.bells_in(Lane.INTERACTIVE) is None
