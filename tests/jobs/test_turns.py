"""Lanes and turns: who waits behind whom."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import Team
from jobs import queue, sweeper, turns
from jobs.lanes import Lane
from jobs.models import Job, State, WorkerHeartbeat
from jobs.registry import HANDLERS, LANES, Running, lane_of, register
from jobs.running import answer_ring

KIND, OTHER = "test.turns", "test.other"


@pytest.fixture(autouse=True)
def _kinds() -> Iterator[None]:
    register(KIND, _done)
    register(OTHER, _other, lane=Lane.SWEEPS)
    yield
    for kind in (KIND, OTHER):
        HANDLERS.pop(kind)
        LANES.pop(kind)


def _done(job: Running) -> dict[str, Any]:
    return {}


def _other(job: Running) -> dict[str, Any]:
    return {}


@pytest.fixture
def teams(db: None) -> list[Team]:
    """Three teams."""
    return [Team.objects.create(slug=name, name=name) for name in ("north", "south", "west")]


def _ask(team: Team | None, kind: str = KIND) -> Job:
    return queue.enqueue(kind, team=team, payload={})


def test_every_kind_of_the_product_has_the_lane_of_its_haste() -> None:
    found = {kind: str(lane) for kind, lane in LANES.items() if not kind.startswith("test.")}
    assert found == {
        "exports.render": "interactive",
        "planner.backwards": "interactive",
        "planner.mail": "mail",
        "accounts.letter": "mail",
        "webhooks.deliver": "mail",
        "webhooks.mail": "mail",
        "catalog.fetch": "imports",
        "catalog.price_list": "imports",
        "planner.stale": "imports",
        "planner.series": "sweeps",
        "planner.outlook": "sweeps",
        "planner.outlook.piece": "sweeps",
    }


def test_a_message_goes_into_the_lane_of_its_job(teams: list[Team], monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[tuple[int, str]] = []
    monkeypatch.setattr(queue.current_app, "send_task", lambda _, args, queue, **__: sent.append((args[0], queue)))
    file, piece = _ask(teams[0]), _ask(teams[0], OTHER)
    queue.ring(file.pk)
    queue.ring(piece.pk)

    assert sent == [(file.pk, "interactive"), (piece.pk, "sweeps")]


def test_a_greedy_team_makes_another_wait_for_one_job_and_not_for_all(teams: list[Team]) -> None:
    greedy, modest, _ = teams
    for _n in range(20):
        _ask(greedy)
    small = _ask(modest)

    taken = [turns.take(Lane.INTERACTIVE, worker="w") for _n in range(2)]
    assert small.pk in [job.pk for job in taken if job]


def test_the_team_with_fewer_running_goes_first_and_equals_take_turns(teams: list[Team]) -> None:
    jobs = {team.pk: [_ask(team) for _ in range(4)] for team in teams}
    order: list[int | None] = []
    for _ in range(12):
        job = turns.take(Lane.INTERACTIVE, worker="w")
        assert job is not None
        order.append(job.team_id)

    assert sorted(order[:3], key=str) == sorted(order[3:6], key=str) == sorted(jobs, key=str)
    assert turns.take(Lane.INTERACTIVE, worker="w") is None


def test_what_a_dead_worker_left_goes_before_everything(teams: list[Team]) -> None:
    for _ in range(5):
        _ask(teams[0])
    lost = _ask(teams[0])
    Job.objects.filter(pk=lost.pk).update(state=State.RUNNING, attempts=1, lease_until=timezone.now() - timedelta(1))
    queue.sweep()

    job = turns.take(Lane.INTERACTIVE, worker="w")
    assert job is not None
    assert (job.pk, job.attempts) == (lost.pk, 2)


def test_a_job_given_back_is_held_for_its_pause(teams: list[Team]) -> None:
    job = _ask(teams[0])
    mine = queue.claim(job.pk, worker="w")
    assert mine is not None
    queue.release(mine.pk, mine.fence)

    assert turns.take(Lane.INTERACTIVE, worker="w") is None
    Job.objects.update(held_until=timezone.now() - timedelta(seconds=1))
    assert turns.take(Lane.INTERACTIVE, worker="w") is not None


def test_lanes_do_not_stand_behind_each_other(teams: list[Team]) -> None:
    for _ in range(3):
        _ask(teams[0], OTHER)
    file = _ask(teams[1])

    job = turns.take(Lane.INTERACTIVE, worker="w")
    assert job is not None
    assert job.pk == file.pk
    assert turns.take(Lane.INTERACTIVE, worker="w") is None


def test_a_bell_is_for_the_lane_and_every_job_gets_done(teams: list[Team]) -> None:
    jobs = [_ask(team) for team in (teams[0], teams[0], teams[1])]
    for job in reversed(jobs):
        answer_ring(job.pk, worker="w")

    assert set(Job.objects.values_list("state", flat=True)) == {State.SUCCEEDED}


def test_a_kind_of_a_newer_version_waits_for_its_worker_and_not_for_ever(teams: list[Team]) -> None:
    job = _ask(teams[0], "test.from_tomorrow")
    assert lane_of(job.kind) == Lane.INTERACTIVE
    answer_ring(job.pk, worker="older")
    assert Job.objects.get().state == State.QUEUED

    Job.objects.update(created_at=timezone.now() - timedelta(hours=25))
    queue.sweep()
    row = Job.objects.get()
    assert (row.state, row.error["code"]) == (State.FAILED, "unknown_kind")


def test_a_sweeper_is_heard_and_is_no_worker(db: None) -> None:
    assert sweeper.sweep_once() is True
    assert queue.heard(within_s=60, sweepers=True).count() == 1
    assert not queue.heard(within_s=60).exists()

    queue.note_worker("celery@one", lanes=["mail", "interactive"])
    queue.note_worker("celery@one")  # by a job: what it serves stays known
    assert queue.heard(within_s=60).get().lanes == "mail,interactive"


def test_workers_of_last_week_are_forgotten(db: None) -> None:
    WorkerHeartbeat.objects.create(worker="celery@gone", seen_at=timezone.now() - timedelta(days=7))
    queue.sweep()
    assert not WorkerHeartbeat.objects.exists()


def test_a_broker_that_hangs_is_asked_once_and_then_spared(teams: list[Team], monkeypatch: pytest.MonkeyPatch) -> None:
    now, asked = [1000.0], []

    def hang(*_: Any, **__: Any) -> None:
        asked.append(now[0])
        now[0] += 1.0
        raise TimeoutError

    monkeypatch.setattr(queue, "_spared_until", 0.0)
    monkeypatch.setattr(queue.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(queue.current_app, "send_task", hang)
    jobs = [_ask(teams[0]) for _ in range(4)]
    assert [queue.ring(job.pk) for job in jobs] == [False] * 4
    assert len(asked) == 1

    now[0] += 5.0
    queue.ring(jobs[0].pk)
    assert len(asked) == 2
