"""``kill -9`` in the middle of a job, with a real worker on a real broker: nothing lost, nothing done twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.tables import make_tables

pytestmark = pytest.mark.slow  # starts and kills servers and workers

ROOT = Path(__file__).resolve().parent.parent.parent
LEASE_S = 2

_ENQUEUE = """
import sys, json
from jobs import queue
for key in sys.argv[2:]:
    print(queue.enqueue("test.slow", team=None, payload={"effects": sys.argv[1], "hang": True}, key=key).pk)
"""
_SWEEP = "from jobs import queue; print(queue.sweep())"
_ROWS = """
import json
from jobs.models import Job
print(json.dumps(list(Job.objects.order_by("pk").values("state", "attempts", "result", "progress"))))
"""


@dataclass(kw_only=True)
class Installation:
    """The whole application on a folder of its own: database, broker folder, processes."""

    folder: Path
    variables: dict[str, str] = field(default_factory=dict)

    @property
    def environment(self) -> dict[str, str]:
        """What its processes see."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("COV_", "PYTEST_"))}
        return {
            **kept,
            "SEXTANT_VAR": str(self.folder / "var"),
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "JOB_LEASE_S": str(LEASE_S),
            "JOB_HEARTBEAT_S": "1",
            **self.variables,
        }

    @property
    def effects(self) -> Path:
        """Where the slow job notes what it did."""
        return self.folder / "effects"

    def ask(self, code: str, *arguments: str) -> str:
        """Runs code in a process of its own, as the web would, and returns what it prints."""
        setup = "import django; django.setup()\n"
        command = [sys.executable, "-c", setup + code, *arguments]
        return subprocess.run(
            command, cwd=ROOT, env=self.environment, check=True, capture_output=True, text=True, timeout=180
        ).stdout

    def manage(self, *arguments: str) -> None:
        """Runs a command of manage.py."""
        command = [sys.executable, "manage.py", *arguments]
        subprocess.run(command, cwd=ROOT, env=self.environment, check=True, capture_output=True, timeout=300)

    def migrate(self) -> None:
        """Makes the tables."""
        if self.environment.get("DATABASE_URL"):
            self._migrated()
        else:
            make_tables(self.folder / "var" / "sextant.sqlite3", self._migrated)

    def _migrated(self) -> None:
        """The checks before it would load the whole API; `make lint` runs them."""
        self.manage("migrate", "--verbosity", "0", "--skip-checks")

    def rows(self) -> list[dict[str, Any]]:
        """All jobs."""
        rows: list[dict[str, Any]] = json.loads(self.ask(_ROWS))
        return rows

    def noted(self, word: str) -> list[int]:
        """The process ids that noted ``word``."""
        lines = self.effects.read_text().splitlines() if self.effects.exists() else []
        return [int(line.split()[2]) for line in lines if line.startswith(word)]

    @contextmanager
    def worker(self, before: Sequence[str] = ()) -> Iterator[subprocess.Popen[bytes]]:
        """A real worker with two processes; killed with all its processes at the end of the block."""
        command = [*before, sys.executable, "-m", "celery", "--app", "tests.jobs.slow_worker", "--quiet", "worker"]
        command += ["--concurrency", "2", "--loglevel", "ERROR", "--without-gossip", "--without-mingle"]
        process = subprocess.Popen(command, cwd=ROOT, env=self.environment, start_new_session=True)
        try:
            yield process
        finally:
            kill_group(process)


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """``kill -9`` of the process and of all its children at once."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(10)


def wait_until(true: Callable[[], bool], *, seconds: float, what: str) -> None:
    """Returns as soon as ``true()``; fails the test after ``seconds``."""
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, f"Not within {seconds} s: {what}"
        time.sleep(0.1)


def _ends_after_a_killed_worker(installation: Installation) -> list[dict[str, Any]]:
    """The rows of two jobs that were killed in the middle, after a sweep and a new worker."""
    installation.migrate()
    installation.ask(_ENQUEUE, str(installation.effects), "one", "two")
    with installation.worker() as process:
        wait_until(lambda: len(installation.noted("started")) == 2, seconds=20, what="both jobs start")
        kill_group(process)
    assert installation.noted("ended") == []
    assert [row["state"] for row in installation.rows()] == ["running", "running"]

    time.sleep(LEASE_S)
    assert "'requeued': 2" in installation.ask(_SWEEP)
    with installation.worker():
        wait_until(lambda: len(installation.noted("ended")) == 2, seconds=20, what="both jobs end")
        wait_until(
            lambda: {row["state"] for row in installation.rows()} == {"succeeded"}, seconds=5, what="both rows say so"
        )
    return installation.rows()


ENDED_BY_THE_SECOND = {"state": "succeeded", "attempts": 2, "result": {"attempt": 2}, "progress": 100}


def test_a_killed_worker_loses_nothing_on_the_file_system_broker(tmp_path: Path) -> None:
    installation = Installation(folder=tmp_path, variables={"DATABASE_URL": "", "REDIS_URL": ""})

    assert _ends_after_a_killed_worker(installation) == [ENDED_BY_THE_SECOND] * 2
    assert (len(installation.noted("started")), len(installation.noted("ended"))) == (4, 2)


@pytest.mark.needs_redis
def test_a_killed_worker_loses_nothing_on_redis(tmp_path: Path, redis_url: str) -> None:
    installation = Installation(folder=tmp_path, variables={"DATABASE_URL": "", "REDIS_URL": redis_url})

    assert _ends_after_a_killed_worker(installation) == [ENDED_BY_THE_SECOND] * 2
    assert (len(installation.noted("started")), len(installation.noted("ended"))) == (4, 2)


def test_a_broker_that_is_down_fails_no_request(tmp_path: Path, free_port: int) -> None:
    installation = Installation(folder=tmp_path, variables={"REDIS_URL": f"redis://127.0.0.1:{free_port}/0"})
    installation.migrate()

    installation.ask(_ENQUEUE, str(installation.effects), "one")
    assert [row["state"] for row in installation.rows()] == ["queued"]
