"""Servers for the tests that need one: the one the environment names, or a private one of the system's binaries."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_START_S = 20.0


def postgres_present() -> bool:
    """Whether ``postgres()`` can give an address."""
    return bool(os.environ.get("TEST_DATABASE_URL")) or (postgres_binaries() is not None and unprivileged() is not None)


def redis_present() -> bool:
    """Whether ``redis()`` can give an address."""
    return bool(os.environ.get("TEST_REDIS_URL") or shutil.which("redis-server"))


@contextmanager
def postgres() -> Iterator[str]:
    """The address of a PostgreSQL server; a private one ends, and its files go, with the block."""
    if url := os.environ.get("TEST_DATABASE_URL"):
        yield url
        return
    binaries, owner = postgres_binaries(), unprivileged()
    assert binaries is not None
    assert owner is not None
    user = owner if os.geteuid() == 0 else None  # PostgreSQL refuses to run as root
    folder = Path(tempfile.mkdtemp(prefix="pg"))
    try:
        if user:
            shutil.chown(folder, user)
        data = folder / "data"
        initdb = [binaries / "initdb", "-D", data, "-U", "sextant", "-A", "trust", "-E", "UTF8", "--no-sync"]
        subprocess.run(initdb, user=user, cwd=folder, check=True, capture_output=True)
        port = free_port()
        command = [binaries / "postgres", "-D", data, "-p", str(port), "-k", folder, "-c", "fsync=off"]
        process = subprocess.Popen(
            [*command, "-c", "listen_addresses=127.0.0.1"], user=user, cwd=folder, stderr=subprocess.DEVNULL
        )
        with _stopped_after(process, port):
            yield f"postgresql://sextant@127.0.0.1:{port}/postgres"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def redis(folder: Path) -> Iterator[str]:
    """The address of a Redis server; a private one ends with the block."""
    if url := os.environ.get("TEST_REDIS_URL"):
        yield url
        return
    port = free_port()
    command = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    with _stopped_after(process, port):
        yield f"redis://127.0.0.1:{port}/0"


def wrong_clock(offset: str) -> list[str]:
    """What goes before a command whose calendar is to be wrong by “+90s” or “-90s”.

    The clock that only counts seconds stays true, as on every machine that is set wrong: left to itself faketime moves that
    one too, and since waits count on the real one, those of the process never end, or end at once.
    """
    folder = Path(__file__).resolve().parent / "wrong_clock"
    return ["env", "FAKETIME_DONT_FAKE_MONOTONIC=1", f"PYTHONPATH={folder}", "faketime", "-f", offset]


@contextmanager
def _stopped_after(process: subprocess.Popen[bytes], port: int) -> Iterator[None]:
    """Waits until the server listens, and stops it after the block."""
    try:
        deadline = time.monotonic() + _START_S
        while not _listens(port):
            assert process.poll() is None, "The server ended at once."
            assert time.monotonic() < deadline, "The server did not start."
            time.sleep(0.05)
        yield
    finally:
        process.terminate()
        process.wait(20)


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def free_port() -> int:
    """A port of this machine that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def postgres_binaries() -> Path | None:
    """Where initdb and postgres lie."""
    found = shutil.which("initdb")
    places = [Path(found).resolve().parent] if found else []
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((place for place in places if (place / "initdb").exists() and (place / "postgres").exists()), None)


def unprivileged() -> str | None:
    """The name of the user to run PostgreSQL as: this one, or ``postgres`` when this is root."""
    if os.geteuid() != 0:
        return pwd.getpwuid(os.geteuid()).pw_name
    return "postgres" if any(entry.pw_name == "postgres" for entry in pwd.getpwall()) else None
