"""Threads of one process share connections to PostgreSQL when a pool is asked for, and outlive the server's restart."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.jobs.test_kill import Installation

_MANY = """
import threading, time
from concurrent.futures import ThreadPoolExecutor
from django.db import connection, connections

def ask(_):
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()")
        seen = cursor.fetchone()[0]
        time.sleep(0.05)
    connections.close_all()  # as Django does at the end of a request
    return seen

with ThreadPoolExecutor(12) as threads:
    print(max(threads.map(ask, range(60))))
"""
_AFTER_A_CUT = """
from django.db import close_old_connections, connection
from django.db.utils import OperationalError

def ask():
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    close_old_connections()

ask()
from psycopg import connect
with connect(conninfo=sys.argv[1], autocommit=True) as other:
    other.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s AND pid <> pg_backend_pid()",
                  [connection.settings_dict["NAME"]])
ask()
print("answered")
"""


def _installation(folder: Path, postgres_url: str, name: str, **variables: str) -> Installation:
    subprocess.run(["psql", postgres_url, "-qc", f"CREATE DATABASE {name}"], check=True)
    url = postgres_url.rsplit("/", 1)[0] + f"/{name}"
    return Installation(folder=folder, variables={"DATABASE_URL": url, "REDIS_URL": "", **variables})


_PATIENCE = """
from celery.signals import celeryd_init
from django.db import connections

import jobs.alive

options = connections.settings["default"]["OPTIONS"]
before = options["tcp_user_timeout"]
celeryd_init.send(sender="worker@here", instance=None, conf=None, options={})
print(before, options["tcp_user_timeout"])
"""


@pytest.mark.parametrize(
    ("asked", "said"), [("", ["2000", "15000"]), ("?tcp_user_timeout=7000", ["7000", "7000"])], ids=["default", "named"]
)
def test_pages_give_a_silent_server_up_sooner_than_workers(tmp_path: Path, asked: str, said: list[str]) -> None:
    url = f"postgresql://sextant@127.0.0.1:1/nowhere{asked}"
    nobody = Installation(folder=tmp_path, variables={"DATABASE_URL": url, "REDIS_URL": ""})
    assert nobody.ask(_PATIENCE).split() == said


@pytest.mark.needs_postgres
def test_threads_share_as_many_connections_as_the_pool_holds(tmp_path: Path, postgres_url: str) -> None:
    pooled = _installation(tmp_path, postgres_url, "pooled", DATABASE_POOL="3")
    alone = _installation(tmp_path, postgres_url, "alone")

    assert int(pooled.ask(_MANY)) == 3
    assert int(alone.ask(_MANY)) > 3


@pytest.mark.needs_postgres
def test_a_pool_notices_connections_that_the_server_has_ended(tmp_path: Path, postgres_url: str) -> None:
    pooled = _installation(tmp_path, postgres_url, "pool_cut", DATABASE_POOL="2")

    assert pooled.ask("import sys\n" + _AFTER_A_CUT, postgres_url).strip() == "answered"
