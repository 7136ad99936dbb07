"""The faults, each a function that breaks one thing for a while and mends it: F1–F22, and what else servers live through.

What an injection touches is held alone while it lasts; injections that touch different things overlap.
"""

from __future__ import annotations

import contextlib
import random
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests import services
from tests.faults import observed
from tests.faults.load import Client, Ledger
from tests.faults.receiver import Receiver
from tests.faults.servers import Postgres, fill, make_room
from tests.faults.site import LEASE_S, Site


@dataclass(kw_only=True)
class Scene:
    """What an injection finds: the installation, people at work, and the note of what was lost when."""

    site: Site
    clients: Sequence[Client]
    ledger: Ledger
    receiver: Receiver
    kills: list[observed.Kill] = field(default_factory=list)
    poisoned: set[int] = field(default_factory=set)
    """Jobs that must fail: their handler dies or takes too long."""
    longest_outage_s: float = 25.0

    @property
    def workers(self) -> tuple[str, ...]:
        """The names of the processes that do jobs."""
        return tuple(name for name in self.site.processes if name not in ("web", "sweeper"))

    def client_of(self, team: str) -> Client:
        """Somebody of that team."""
        return next(client for client in self.clients if client.team == team)


Inject = Callable[[Scene, random.Random], None]


@dataclass(frozen=True, kw_only=True)
class Injection:
    """One kind of fault."""

    code: str
    what: str
    run: Inject
    touches: frozenset[str]
    needs: frozenset[str] = frozenset()
    """Documents in a `folder`, or in a `store`; a `disk` of its own for each server."""


ALL: dict[str, Injection] = {}


def fault(code: str, what: str, *touches: str, needs: Iterable[str] = ()) -> Callable[[Inject], Inject]:
    """Makes a function one of the faults: its number or name, what it breaks, what it holds alone meanwhile, what it cannot do without."""

    def keep(run: Inject) -> Inject:
        ALL[run.__name__] = Injection(code=code, what=what, run=run, touches=frozenset(touches), needs=frozenset(needs))
        return run

    return keep


# --- Processes ---------------------------------------------------------------------------------------------------


@fault("F1", "kill -9 of a worker's child in the middle of its work", "workers")
def kill_child(scene: Scene, rng: random.Random) -> None:
    name = rng.choice(scene.workers)
    if children := scene.site.processes[name].children():
        scene.kills += observed.about_to_die(name)
        _signal(rng.choice(children), signal.SIGKILL)


@fault("F2", "kill -9 of a whole worker", "workers")
def kill_worker(scene: Scene, rng: random.Random) -> None:
    name = rng.choice(scene.workers)
    scene.kills += observed.about_to_die(name)
    scene.site.processes[name].kill()
    time.sleep(rng.uniform(1, 5))


@fault("F2b", "the same while 1,000 jobs wait", "workers", "postgres", "redis", "cable")
def kill_with_backlog(scene: Scene, rng: random.Random) -> None:
    observed.ask_for_backlog(1000)
    for _ in range(3):
        time.sleep(rng.uniform(0.5, 3))
        kill_worker(scene, rng)


@fault("F3", "SIGTERM to a worker, as at a deployment", "workers")
def deploy_worker(scene: Scene, rng: random.Random) -> None:
    scene.site.processes[rng.choice(scene.workers)].ask_to_stop()
    time.sleep(rng.uniform(1, 8))


@fault("zombie", "a worker's child is held for longer than its lease, then goes on", "workers")
def hold_child(scene: Scene, rng: random.Random) -> None:
    if not (children := scene.site.processes[rng.choice(scene.workers)].children()):
        return
    victim = rng.choice(children)
    _signal(victim, signal.SIGSTOP)
    time.sleep(LEASE_S + rng.uniform(2, 6))
    _signal(victim, signal.SIGCONT)


@fault("web", "kill -9 of the web server, or SIGTERM", "web")
def stop_web(scene: Scene, rng: random.Random) -> None:
    web = scene.site.processes["web"]
    web.kill() if rng.random() < 0.5 else web.ask_to_stop()
    time.sleep(rng.uniform(1, 3))
    until_true(lambda: scene.site.is_ready(only="catalog"), 60)


@fault("F21", "nobody sweeps for a while", "sweeper")
def stop_sweeper(scene: Scene, rng: random.Random) -> None:
    sweeper = scene.site.processes["sweeper"]
    sweeper.wanted = False
    sweeper.kill()
    time.sleep(rng.uniform(5, scene.longest_outage_s))
    sweeper.wanted = True


@fault("F15", "a worker or the sweeper with a clock 90 s ahead or behind", "workers", "sweeper")
def wrong_clock(scene: Scene, rng: random.Random) -> None:
    process = scene.site.processes[rng.choice((*scene.workers, "sweeper"))]
    process.before = services.wrong_clock(rng.choice(("+90s", "-90s")))
    process.kill()
    time.sleep(rng.uniform(10, 20))
    process.before = ()
    process.kill()


# --- Servers -----------------------------------------------------------------------------------------------------


@fault("F4", "Redis restarts, and comes back empty", "redis")
def restart_redis(scene: Scene, rng: random.Random) -> None:
    scene.site.redis.signal(signal.SIGTERM, wait=True)
    time.sleep(rng.uniform(0, 5))
    scene.site.redis.start()


@fault("F5", "Redis is emptied", "redis")
def flush_redis(scene: Scene, rng: random.Random) -> None:
    scene.site.redis.flush()


@fault("hang", "Redis hangs", "redis")
def hang_redis(scene: Scene, rng: random.Random) -> None:
    scene.site.redis.signal(signal.SIGSTOP)
    try:
        time.sleep(rng.uniform(3, 15))
    finally:
        scene.site.redis.signal(signal.SIGCONT)


@fault("F6", "PostgreSQL crashes and restarts", "postgres")
def crash_postgres(scene: Scene, rng: random.Random) -> None:
    scene.site.postgres.signal(rng.choice((Postgres.CRASH, Postgres.RESTART)), wait=True)
    scene.site.postgres.start()


@fault("F7", "PostgreSQL is away", "postgres")
def stop_postgres(scene: Scene, rng: random.Random) -> None:
    scene.site.postgres.signal(Postgres.CRASH, wait=True)
    time.sleep(rng.uniform(5, scene.longest_outage_s))
    scene.site.postgres.start()


@fault("F8", "the disk of the documents is full", "files", needs=("folder", "disk"))
def fill_files(scene: Scene, rng: random.Random) -> None:
    fill(scene.site.files)
    try:
        time.sleep(rng.uniform(4, 12))
    finally:
        make_room(scene.site.files)


@fault("store", "the object store is away, or answers nothing", "files", needs=("store",))
def lose_store(scene: Scene, rng: random.Random) -> None:
    cable = scene.site.store_cable
    assert cable is not None
    cable.cut() if rng.random() < 0.5 else cable.hush()
    time.sleep(rng.uniform(4, 15))
    cable.mend()


@fault("F9", "PostgreSQL's disk is full", "postgres", needs=("disk",))
def fill_postgres(scene: Scene, rng: random.Random) -> None:
    fill(scene.site.postgres.disk)
    try:
        time.sleep(rng.uniform(4, 12))
    finally:
        make_room(scene.site.postgres.disk)
        scene.site.postgres.start()


@fault("F17", "a column is added and dropped under load", "postgres")
def change_tables(scene: Scene, rng: random.Random) -> None:
    scene.site.manage("migrate", "--verbosity", "0")
    for change in ("ADD COLUMN newer text NULL", "DROP COLUMN newer"):
        observed.change_table(f"ALTER TABLE jobs_job {change}")
        time.sleep(rng.uniform(0.5, 3))


@fault("F18", "the cable between a worker and PostgreSQL is cut, or carries nothing", "cable")
def cut_cable(scene: Scene, rng: random.Random) -> None:
    cable = scene.site.cable
    cable.cut() if rng.random() < 0.5 else cable.hush()
    time.sleep(rng.uniform(2, LEASE_S + 8))
    cable.mend()


@fault("F22", "a backup is taken", "backup")
def back_up(scene: Scene, rng: random.Random) -> None:
    with contextlib.suppress(
        subprocess.CalledProcessError
    ):  # the database may be away just then; the last must succeed
        scene.site.manage("backup", str(scene.site.folder / f"{rng.getrandbits(32):x}.zip"))


def _signal(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        subprocess.run(["kill", f"-{number}", str(pid)], check=False, capture_output=True)


def until_true(true: Callable[[], Any], seconds: float) -> None:
    """Returns when it is true or the time is over: the oracle judges."""
    until = time.monotonic() + seconds
    while not true() and time.monotonic() < until:
        time.sleep(0.5)
