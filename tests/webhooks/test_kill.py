"""``kill -9`` of the worker while a receiver is being told: it is told again, under the same id."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest
from standardwebhooks.webhooks import Webhook

from tests.jobs.test_kill import LEASE_S, Installation, kill_group, wait_until
from tests.outgoing.bad_server import answer, hang, serving
from tests.webhooks.support import parted

pytestmark = pytest.mark.slow  # kills a worker

_SET_UP = """
import sys
from accounts.models import Membership, Role, Team, User
from webhooks import endpoints, outbox
team = Team.objects.create(slug="north", name="North")
member = Membership.objects.create(team=team, user=User.objects.create_user("a@north.example"), role=Role.ADMIN)
_, secret = endpoints.create(member, name="x", url=sys.argv[1], events=["plan.approved"])
outbox.emit(team, "plan.approved", data={})
print(secret)
"""
_SWEEP = "from jobs import queue; queue.sweep()"


def test_it_is_told_again_under_the_same_id(tmp_path: Path) -> None:
    variables = {"DATABASE_URL": "", "REDIS_URL": "", "OUTGOING_LOOPBACK": "1"}
    installation = Installation(folder=tmp_path, variables=variables)
    installation.migrate()
    with serving(hang, answer(204)) as receiver:
        secret = installation.ask(_SET_UP, receiver.url()).strip()
        with installation.worker() as process:
            wait_until(lambda: len(receiver.asked) == 1, seconds=30, what="the first attempt")
            kill_group(process)
        time.sleep(LEASE_S)
        installation.ask(_SWEEP)
        with installation.worker():
            wait_until(lambda: len(receiver.asked) == 2, seconds=30, what="the second attempt")
            wait_until(lambda: _deliveries(tmp_path) == [("delivered", 2)], seconds=10, what="the row says so")
    assert _rows(tmp_path, "SELECT status, fault FROM webhooks_attempt ORDER BY number") == [
        (None, "worker_lost"),
        (204, ""),
    ]
    first, second = (parted(request) for request in receiver.asked)
    assert first[0]["webhook-id"] == second[0]["webhook-id"]
    assert first[1] == second[1]
    for headers, body in (first, second):
        Webhook(secret).verify(body, headers)


def _deliveries(folder: Path) -> list[tuple[object, ...]]:
    return _rows(folder, "SELECT state, attempts FROM webhooks_delivery")


def _rows(folder: Path, question: str) -> list[tuple[object, ...]]:
    """Read from the file itself: a process of the application takes seconds to start."""
    with closing(sqlite3.connect(folder / "var/sextant.sqlite3", timeout=20)) as database:
        return database.execute(question).fetchall()
