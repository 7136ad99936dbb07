"""The installation under test: `manage.py up` in a folder of its own, and what its processes have used."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from tempfile import TemporaryDirectory

from django.conf import settings

from lab.scale.own import NO_LIMIT

_PATIENCE_S = 180.0
_LIMITS = ("API_READS", "API_ESTIMATES", "API_EXPORTS", "PAGE_ESTIMATES")


class NoServer(Exception):
    """The server did not come up; the message holds the end of what it printed."""


@dataclass(frozen=True, kw_only=True)
class Server:
    """A running installation."""

    port: int
    pid: int
    started_in_s: float
    """From the command until the first page was answered."""
    first_page_s: float
    """The first page that this installation ever served."""
    environment: tuple[str, ...]
    """NAME=value: with them another process works on the same installation."""
    said: Path
    """What its processes have printed."""

    def cpu_seconds(self) -> float:
        """Processor time that all its processes have used so far."""
        tick = os.sysconf("SC_CLK_TCK")
        return sum(sum(map(int, _stat(pid)[11:15])) for pid in _tree(self.pid)) / tick

    def core_wait_seconds(self) -> float:
        """Time in which its threads were ready to run and had no core, because others of this machine had them all."""
        tasks = (task for pid in _tree(self.pid) for task in Path(f"/proc/{pid}/task").glob("*/schedstat"))
        return sum(int(task.read_text().split()[1]) for task in tasks) / 1e9

    def memory_mib(self) -> float:
        """Proportional memory of all its processes: shared pages are counted once."""
        return sum(mib for _, mib in self.memory_of_each())

    def memory_of_each(self) -> Iterator[tuple[int, float]]:
        """Each of its processes with its proportional memory [MiB]; one that ends meanwhile is left out."""
        for pid in _tree(self.pid):
            with suppress(OSError, StopIteration):
                yield pid, _pss_kib(pid) / 1024.0


@contextmanager
def running(port: int, *, unlimited: bool = False) -> Iterator[Server]:
    """A fresh installation in a folder that is removed afterwards; `unlimited`: nobody is asked to come back later."""
    with TemporaryDirectory(prefix="sextant-load-") as folder:
        said = Path(folder) / "out"
        # An installation like a fresh clone, whatever this one is configured to be.
        where = (f"SEXTANT_VAR={folder}/var", "DATABASE_URL=", "REDIS_URL=", "DOCUMENTS_S3=", "LOG_LEVEL=WARNING")
        limits = tuple(f"{name}_PER_MINUTE={NO_LIMIT}" for name in _LIMITS) if unlimited else ()
        changed = (*where, *limits)
        up = [sys.executable, str(settings.BASE_DIR / "manage.py"), "up", "--port", str(port), "--workers", "1"]
        begun = time.monotonic()
        with said.open("wb") as out:
            process = subprocess.Popen(["env", *changed, *up], stdout=out, stderr=out)  # noqa: S603, S607
        try:
            first_page = _first_page(process, port, said)
            started = time.monotonic() - begun
            yield Server(
                port=port, pid=process.pid, started_in_s=started, first_page_s=first_page, environment=changed, said=said
            )  # fmt: skip
        finally:
            process.terminate()
            process.wait(90)


def _first_page(process: subprocess.Popen[bytes], port: int, said: Path) -> float:
    """Seconds that the first answered page took."""
    end = time.monotonic() + _PATIENCE_S
    while process.poll() is None and time.monotonic() < end:
        started = time.perf_counter()
        line = HTTPConnection("127.0.0.1", port, timeout=_PATIENCE_S)
        try:
            line.request("GET", "/accounts/login")
            if line.getresponse().read():
                return time.perf_counter() - started
        except (OSError, HTTPException):
            time.sleep(0.02)
        finally:
            line.close()
    raise NoServer(said.read_text(errors="replace")[-2000:])


def _tree(pid: int) -> Iterator[int]:
    """That process and all that it has started."""
    yield pid
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        children: list[str] = []
        with suppress(OSError):  # it has just ended
            children = task.read_text().split()
        for child in children:
            yield from _tree(int(child))


def _stat(pid: int) -> list[str]:
    """The fields of /proc/PID/stat behind the name, which may hold spaces."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def _pss_kib(pid: int) -> int:
    rows = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(int(row.split()[1]) for row in rows if row.startswith("Pss:"))
