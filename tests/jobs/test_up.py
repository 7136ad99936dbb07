"""``manage.py up``: one command starts everything, restarts what dies and stops cleanly."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from jobs.supervisor import Child
from tests.jobs.test_kill import ROOT, Installation, wait_until

pytestmark = pytest.mark.slow  # starts and stops all that `make run` starts

_HOLD = """
import fcntl, sys, time
file = open(sys.argv[1], "a")
fcntl.flock(file, fcntl.LOCK_EX)
print("held", flush=True)
time.sleep(60)
"""
_STUBBORN = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"


def _answer(port: int, path: str) -> int:
    """The status of a page; 0 when nothing listens."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as response:
            return int(response.status)
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return 0


def _children(pid: int) -> dict[str, int]:
    """The process ids of web and worker, from the process table."""
    table = subprocess.run(["ps", "-o", "pid=,args=", "--ppid", str(pid)], capture_output=True, text=True, check=False)
    rows = [line.split(maxsplit=1) for line in table.stdout.splitlines()]
    return {"worker" if " celery " in args else "web": int(number) for number, args in rows}


def test_up_starts_restarts_and_stops(tmp_path: Path, free_port: int) -> None:
    installation = Installation(folder=tmp_path, variables={"DATABASE_URL": "", "REDIS_URL": ""})
    command = [sys.executable, "manage.py", "up", "--port", str(free_port)]
    with (tmp_path / "out").open("wb") as out:
        process = subprocess.Popen(command, cwd=ROOT, env=installation.environment, stdout=out, stderr=out)
        try:
            wait_until(lambda: _answer(free_port, "/readyz") == 200, seconds=40, what="everything is ready")
            first = _children(process.pid)
            os.kill(first["worker"], signal.SIGKILL)
            wait_until(
                lambda: _children(process.pid).get("worker", first["worker"]) != first["worker"],
                seconds=15,
                what="another worker is up",
            )
            assert _answer(free_port, "/healthz") == 200
        finally:
            process.terminate()
            code = process.wait(60)
    said = (tmp_path / "out").read_text()
    assert code == 0
    assert f"http://localhost:{free_port}/" in said
    assert "API token: sxt_" in said
    assert "approves what you submit: sxt_" in said
    assert "has stopped" in said
    assert _answer(free_port, "/healthz") == 0


def test_a_second_start_in_one_folder_is_refused(tmp_path: Path, free_port: int) -> None:
    installation = Installation(folder=tmp_path)
    (tmp_path / "var").mkdir()
    holder = subprocess.Popen([sys.executable, "-c", _HOLD, str(tmp_path / "var/up.lock")], stdout=subprocess.PIPE)
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        done = subprocess.run(
            [sys.executable, "manage.py", "up", "--port", str(free_port)],
            cwd=ROOT,
            env=installation.environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=30,
        )
    finally:
        holder.kill()
        holder.wait()
        holder.stdout.close()
    assert done.returncode == 1
    assert "already runs from this folder" in done.stderr


def test_what_dies_at_once_is_started_less_and_less_often() -> None:
    child = Child(name="poor", command=[sys.executable, "-c", "raise SystemExit(3)"], stop_within_s=1)
    now, waits = 0.0, []
    for _ in range(8):
        child.tend(now)
        assert child.process is not None
        child.process.wait(20)
        child.tend(now)
        assert child.process is None
        waits.append(child.start_at - now)
        child.tend(child.start_at - 0.01)
        assert child.process is None
        now = child.start_at

    assert waits == [1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0, 30.0]


def test_what_does_not_stop_is_ended_by_force() -> None:
    child = Child(name="stubborn", command=[sys.executable, "-c", _STUBBORN], stop_within_s=0.3)
    child.tend(0.0)
    assert child.process is not None
    time.sleep(0.5)  # until it ignores the signal

    child.stop()
    assert child.process.returncode == -signal.SIGKILL
