"""A long series of scenarios over several workers, one of which is killed: is it what a single process answers, and how much faster?"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, Final

from django.conf import settings
from django.db import connections

from accounts.models import Membership
from catalog import clock
from jobs import queue
from jobs.lanes import Lane
from jobs.models import WorkerHeartbeat
from planner import plans, team_market
from planner.estimate import estimate
from planner.frozen.snapshot import plain
from planner.models import PlanVersion
from planner.request.parse import spec_from
from planner.searches import SEARCHES
from planner.series import work
from planner.series.grid import changes_of
from planner.tables import Kind, Series

REQUEST: Final = {
    "name": "Sweep",
    "workload": "training",
    "model": "llama-3.1-8b",
    "training": {"tokens": 15e9, "sequence_length": 8192},
    "constraints": {
        "deadline_days": 30,
        "max_accelerators": 64,
        "accelerators": ["h100-sxm5"],
        "providers": ["aws"],
    },
}
"""Narrow, so that a series of thousands is about the queue and not about the catalog."""
DEADLINES: Final = (10, 14, 21, 30, 45)
_LOOK_S: Final = 0.5
_SILENT_S: Final = 600.0
"""Without a finished piece for so long, something is wrong."""

Look = Callable[[int, int], None]


@dataclass(frozen=True, kw_only=True)
class Swept:
    """One series, worked once."""

    workers: int
    scenarios: int
    seconds: float
    """From the moment at which the workers were there."""
    killed_at: int | None
    """Scenarios that were answered when a worker was killed."""
    lost: int
    """Rows that are missing in the end."""
    different: int
    """Rows that a single process answers otherwise."""

    @property
    def per_s(self) -> float:
        """Scenarios a second."""
        return self.scenarios / self.seconds


class Stuck(Exception):
    """The workers answer no more."""


def asked_version(member: Membership) -> PlanVersion:
    """The plan whose scenarios are swept."""
    spec = spec_from(REQUEST)
    workload = plans.save_workload(member, name=spec.name, draft=plain(spec))
    return plans.freeze_version(member, workload, estimate(spec, team_market.market_of(member.team)))


def scenarios(count: int) -> list[dict[str, Any]]:
    """Exactly so many changes of that plan, no two alike: amounts of tokens by deadlines."""
    steps = -(-count // len(DEADLINES))
    tokens = [15e9 * (1.0 + step / steps) for step in range(steps)]
    return changes_of({"training.tokens": tokens, "constraints.deadline_days": list(DEADLINES)})[:count]


def alone(version: PlanVersion, count: int, *, progress: Look) -> tuple[list[work.Row], float]:
    """What a single process answers to all of them, without queue and worker; and its seconds."""
    team = version.workload.team
    series = Series(  # not stored: nobody else is to work it
        team=team, kind=Kind.SCENARIOS, version=version, items=scenarios(count), day=clock.today(),
        release=team_market.market_of(team).release, piece=work.PIECE,
    )  # fmt: skip
    SEARCHES.forget()
    began = time.perf_counter()
    rows = work.rows_of(series, series.items, progress=lambda done: progress(done, count))
    return rows, time.perf_counter() - began


def swept(
    member: Membership,
    version: PlanVersion,
    count: int,
    *,
    workers: int,
    kill: bool,
    same: Sequence[work.Row],
    progress: Look,
) -> Swept:
    """The series worked by so many workers; with `kill` one of them dies by kill -9 near the middle, and another takes its place.
    Stuck when nothing moves any more."""
    WorkerHeartbeat.objects.all().delete()  # of those that were killed before
    with ExitStack() as running:
        processes = [running.enter_context(worker(f"w{number}")) for number in range(workers)]
        running.enter_context(_process([sys.executable, "manage.py", "sweeper"]))
        _until_heard(workers)
        series = work.ask_scenarios(member, version, scenarios(count))
        began, killed_at = time.perf_counter(), None
        for done in _progress(series):
            progress(done, count)
            if kill and killed_at is None and done >= count // 2:
                os.killpg(processes[0].pid, signal.SIGKILL)
                killed_at = done
                running.enter_context(worker("another"))
        seconds = time.perf_counter() - began
    rows = work.results(series)
    return Swept(
        workers=workers,
        scenarios=count,
        seconds=seconds,
        killed_at=killed_at,
        lost=sum(row is None for row in rows),
        different=sum(row != other for row, other in zip(rows, same, strict=True)),
    )


def worker(name: str) -> AbstractContextManager[subprocess.Popen[bytes]]:
    """A worker with one process of work, for the lane of series alone."""
    command = [sys.executable, "-m", "celery", "--app", "config", "--quiet", "worker", "--concurrency", "1"]
    command += ["--queues", str(Lane.SWEEPS), "--hostname", f"{name}@%h", "--loglevel", "ERROR"]
    return _process([*command, "--without-gossip", "--without-mingle"])


@contextmanager
def _process(command: Sequence[str]) -> Iterator[subprocess.Popen[bytes]]:
    """In a group of its own, which is killed at the end whatever has become of it."""
    process = subprocess.Popen(command, cwd=settings.BASE_DIR, start_new_session=True)  # noqa: S603 - our own command
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(10)


def _until_heard(workers: int) -> None:
    until = time.monotonic() + 120
    while queue.heard(within_s=30).count() < workers:
        if time.monotonic() > until:
            raise Stuck("The workers did not come up.")
        time.sleep(_LOOK_S)


def _progress(series: Series) -> Iterator[int]:
    """Scenarios that are answered, until all pieces have ended."""
    moved, last = time.monotonic(), -1
    while True:
        now = work.progress_of(series)
        if now.done != last:
            moved, last = time.monotonic(), now.done
        yield now.done
        if now.ended:
            return
        if time.monotonic() - moved > _SILENT_S:
            raise Stuck(f"No scenario was answered for {_SILENT_S:.0f} s; {now.done} of {now.items} are.")
        connections.close_all()
        time.sleep(_LOOK_S)


def told(alone_s: float, found: Sequence[Swept]) -> Iterator[str]:
    """A line for the single process and one for each number of workers, with the ratio to the first of them."""
    first = found[0]
    yield f"{first.scenarios} scenarios, one process without a queue: {alone_s:.1f} s, {first.scenarios / alone_s:.2f} a second"
    for one in found:
        killed = f", one killed at {one.killed_at}" if one.killed_at is not None else ""
        same = "equal to it" if not (one.lost or one.different) else f"{one.lost} LOST, {one.different} DIFFERENT"
        yield (
            f"{one.workers} workers{killed}: {one.seconds:.1f} s, {one.per_s:.2f} a second, "
            f"{one.per_s / first.per_s:.2f} × the first; {same}"
        )
