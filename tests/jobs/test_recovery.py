"""Recovery waits behind no backlog and follows no machine's clock: a real sweeper beside real workers."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests import services
from tests.jobs.test_kill import _ENQUEUE, LEASE_S, ROOT, Installation, kill_group, wait_until

_BACKLOG = """
from jobs import queue
from jobs.models import Job
from datetime import timedelta
from django.db.models.functions import Now
for number in range(100):
    queue.enqueue("test.quick", team=None, payload={})
    # Nothing rings for them but the sweep, much later.
"""
_STATE = """
from jobs.models import Job
import json
print(json.dumps(Job.objects.filter(kind="test.slow").values_list("state", "attempts")[0]))
"""


def _state(installation: Installation) -> list[object]:
    """State and attempts of the job that was lost."""
    found: list[object] = json.loads(installation.ask(_STATE))
    return found


@pytest.mark.needs_faketime
@pytest.mark.needs_redis
@pytest.mark.needs_postgres
@pytest.mark.parametrize("clock", ["", "+90s", "-90s"])
def test_a_lost_job_comes_back_with_a_backlog_and_a_wrong_clock(
    tmp_path: Path, redis_url: str, postgres_url: str, clock: str
) -> None:
    """Worker and sweeper may be 90 seconds off: leases are compared on the database's clock, and no message expires."""
    wrong = services.wrong_clock(clock) if clock else []
    name = f"recovery{clock.strip('+s').replace('-', 'm')}"
    subprocess.run(["psql", postgres_url, "-qc", f"CREATE DATABASE {name}"], check=True)
    variables = {
        "DATABASE_URL": postgres_url.rsplit("/", 1)[0] + f"/{name}",
        "REDIS_URL": redis_url.rsplit("/", 1)[0] + f"/{1 + len(name) % 10}",
    }
    installation = Installation(folder=tmp_path, variables=variables)
    installation.migrate()
    installation.ask(_ENQUEUE, str(installation.effects), "one")
    with installation.worker() as process:
        wait_until(lambda: len(installation.noted("started")) == 1, seconds=90, what="the job starts")
        kill_group(process)
    installation.ask(_BACKLOG)

    command = [*wrong, sys.executable, "manage.py", "sweeper"]
    sweeper = subprocess.Popen(command, cwd=ROOT, env=installation.environment, start_new_session=True)
    try:
        with installation.worker(before=wrong):
            begun = time.monotonic()
            wait_until(lambda: len(installation.noted("ended")) == 1, seconds=LEASE_S + 90, what="the lost job ends")
            took = time.monotonic() - begun
            wait_until(lambda: _state(installation) == ["succeeded", 2], seconds=20, what="its row says so")
    finally:
        kill_group(sweeper)
    assert took < LEASE_S + 90  # the start of both processes on a busy machine included
