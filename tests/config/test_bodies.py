"""Slow senders: pages are answered while forty connections trickle, and each of them ends."""

from __future__ import annotations

import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterable
from io import BytesIO
from pathlib import Path
from typing import Any

from config.bodies import MOST_BYTES, ReadAhead
from tests.jobs.test_kill import ROOT, wait_until

_SERVED = """
from config.bodies import ReadAhead
def echo(environ, start):
    start("200 OK", [("Content-Type", "text/plain")])
    return [b"%d" % len(environ["wsgi.input"].read())]
application = ReadAhead(echo, first_s=3.0)
"""


def _app(environ: dict[str, Any], start: Any) -> Iterable[bytes]:
    start("200 OK", [])
    return [environ["wsgi.input"].read()]


def _ask(application: ReadAhead, body: Any, length: int) -> tuple[str, bytes]:
    said: list[str] = []
    answer = application({"CONTENT_LENGTH": str(length), "wsgi.input": body}, lambda status, _: said.append(status))
    data = b"".join(answer)
    getattr(answer, "close", lambda: None)()
    return said[0], data


def test_a_body_reaches_the_application_as_it_was_sent() -> None:
    data = bytes(range(256)) * 8000
    assert _ask(ReadAhead(_app), BytesIO(data), len(data)) == ("200 OK", data)


def test_a_body_that_stops_or_is_too_large_does_not_reach_it() -> None:
    assert _ask(ReadAhead(_app), BytesIO(b"half"), 8)[0].startswith("408")
    assert _ask(ReadAhead(_app), BytesIO(b""), MOST_BYTES + 1)[0].startswith("413")


def test_who_comes_when_every_place_is_taken_is_told_to_come_again() -> None:
    class Slow:
        def __init__(self) -> None:
            self.go_on = threading.Event()

        def read(self, _: int) -> bytes:
            self.go_on.wait(10)
            return b"x"

    application, slow = ReadAhead(_app, at_once=1), Slow()
    thread = threading.Thread(target=_ask, args=(application, slow, 1))
    thread.start()
    try:
        wait_until(lambda: _ask(application, BytesIO(b"y"), 1)[0].startswith("503"), seconds=5, what="it is full")
    finally:
        slow.go_on.set()
        thread.join()
    assert _ask(application, BytesIO(b"y"), 1)[0] == "200 OK"


def test_forty_trickling_senders_hold_nobody_up(tmp_path: Path, free_port: int) -> None:
    """Gunicorn as it is in production, one process of eight threads, with no proxy before it."""
    (tmp_path / "served.py").write_text(_SERVED)
    command = [sys.executable, "-m", "gunicorn", "--workers", "1", "--threads", "8", "--chdir", str(tmp_path)]
    command += ["--pythonpath", str(ROOT), "--bind", f"127.0.0.1:{free_port}", "served:application"]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.DEVNULL)
    slow: list[socket.socket] = []
    try:
        wait_until(lambda: _page(free_port)[0] == 200, seconds=30, what="it serves")
        for _ in range(40):
            sender = socket.create_connection(("127.0.0.1", free_port), timeout=20)
            sender.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\nx")
            slow.append(sender)
        time.sleep(0.5)
        waited = [_page(free_port)[1] for _ in range(5)]
        assert max(waited) < 2.0, waited
        answers = [sender.recv(100)[:12] for sender in slow]
        assert set(answers) <= {b"HTTP/1.1 503", b"HTTP/1.1 408"}
        assert answers.count(b"HTTP/1.1 408") >= 1
    finally:
        for sender in slow:
            sender.close()
        process.terminate()
        process.wait(30)


def _page(port: int) -> tuple[int, float]:
    """The status of a page, and how long it took in seconds."""
    begun = time.monotonic()
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
            connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            return int(connection.recv(100).split()[1]), time.monotonic() - begun
    except (OSError, IndexError, ValueError):
        return 0, time.monotonic() - begun
