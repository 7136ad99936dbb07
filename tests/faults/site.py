"""A whole installation for the length of a run: its servers, its processes, and somebody who starts again what dies."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests import services
from tests.faults.cut import Cable
from tests.faults.servers import Postgres, Redis, Server, Store, disk
from tests.faults.shelf import Bucket, Folder, Shelf

ROOT = Path(__file__).resolve().parent.parent.parent
LEASE_S, LIMIT_S = 10, 40
AGAIN_S = 1.0
"""A dead process is started again after so long, as systemd or Kubernetes do."""


@dataclass(kw_only=True)
class Process:
    """One process that is kept running, with a session of its own, so that it can be killed with its children."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str]
    log: Path
    folder: Path = ROOT
    """Of its code."""
    wanted: bool = True
    before: Sequence[str] = ()
    starts: int = 0
    popen: subprocess.Popen[bytes] | None = None
    died_at: float = 0.0

    def tend(self) -> None:
        """Starts it when it is wanted and has been dead for a second."""
        if self.popen is not None and self.popen.poll() is not None:
            self.popen, self.died_at = None, time.monotonic()
        if self.wanted and self.popen is None and time.monotonic() - self.died_at >= AGAIN_S:
            with self.log.open("ab") as out:
                self.popen = subprocess.Popen(
                    [*self.before, *self.command],
                    cwd=self.folder,
                    env=self.environment,
                    stdout=out,
                    stderr=out,
                    start_new_session=True,
                )
            self.starts += 1

    def kill(self) -> None:
        """``kill -9`` of the process and all its children."""
        with contextlib.suppress(ProcessLookupError, AttributeError):
            os.killpg(self.popen.pid, signal.SIGKILL)  # type: ignore[union-attr]

    def ask_to_stop(self) -> None:
        """SIGTERM, as at a deployment."""
        if self.popen is not None and self.popen.poll() is None:
            self.popen.terminate()

    def children(self) -> list[int]:
        """The processes that it has forked, oldest first."""
        if self.popen is None:
            return []
        found = subprocess.run(["pgrep", "-P", str(self.popen.pid)], capture_output=True, text=True, check=False)
        return [int(line) for line in found.stdout.split()]


@dataclass(kw_only=True)
class Site:
    """What an injection gets to break."""

    folder: Path
    files: Path
    """The disk of documents."""
    postgres: Postgres
    redis: Redis
    cable: Cable
    """Between the first worker and PostgreSQL."""
    shelf: Shelf
    store_cable: Cable | None
    """Between everybody and the object store; None where documents lie in a folder."""
    port: int
    environment: dict[str, str]
    processes: dict[str, Process] = field(default_factory=dict)
    over: threading.Event = field(default_factory=threading.Event)

    @property
    def address(self) -> str:
        """Of the web, without a slash at its end."""
        return f"http://127.0.0.1:{self.port}"

    def manage(self, *arguments: str, **variables: str) -> str:
        """What a command of manage.py prints. CalledProcessError when it fails."""
        command = [sys.executable, "manage.py", *arguments]
        environment = {**self.environment, **variables}
        return subprocess.run(
            command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True, timeout=300
        ).stdout

    def ask(self, code: str, **variables: str) -> str:
        """What that code prints in a process of the installation."""
        command = [sys.executable, "-c", "import django; django.setup()\n" + code]
        environment = {**self.environment, **variables}
        return subprocess.run(
            command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True, timeout=300
        ).stdout

    def add(self, name: str, *command: str, code: Path = ROOT, **variables: str) -> None:
        """A process to keep running from now on."""
        self.processes[name] = Process(
            name=name, command=[sys.executable, *command], environment={**self.environment, **variables},
            log=self.folder / f"{name}.log", folder=code,
        )  # fmt: skip

    def tend(self) -> None:
        """Starts again what died, until the run is over."""
        while not self.over.wait(0.2):
            for process in self.processes.values():
                process.tend()

    def is_ready(self, *, only: str = "") -> bool:
        """Does the web say that all is well?"""
        try:
            asked = f"{self.address}/readyz{only and '?only=' + only}"
            with urllib.request.urlopen(asked, timeout=5) as answer:  # noqa: S310 - our own server
                return bool(answer.status == 200)
        except OSError:
            return False


@contextmanager
def running_site(
    folder: Path, *, hook_port: int, megabytes: int, beside: str = "", in_store: bool = False, own_disks: bool = True
) -> Iterator[Site]:
    """The installation while the block runs; all its processes and disks are gone after it.

    `megabytes`: of the disk of documents, and of that of PostgreSQL.
    `beside`: a commit whose worker works beside those of this version, as in the middle of an upgrade.
    `in_store`: documents lie in an object store. `own_disks`: small ones, which can be filled.
    """
    with ExitStack() as stack:
        room = megabytes if own_disks else None
        files = stack.enter_context(disk(folder / "var", megabytes=room))
        postgres = Postgres(stack.enter_context(disk(folder / "postgres", megabytes=room)))
        redis = Redis(folder)
        stack.callback(_end, postgres, redis)
        postgres.start()
        redis.start()
        store = _started_store(stack) if in_store else None
        store_cable = Cable(store.port) if store else None
        port = services.free_port()
        environment = _environment(files, postgres.url, redis.url, port, hook_port)
        if store_cable:
            where = {
                "DOCUMENTS_S3": f"s3://{Store.BUCKET}/",
                "DOCUMENTS_S3_ENDPOINT": f"http://127.0.0.1:{store_cable.port}",
            }
            environment |= where | Store.KEYS
        site = Site(
            folder=folder, files=files, postgres=postgres, redis=redis, cable=Cable(postgres.port), port=port,
            shelf=Bucket(store) if store else Folder(), store_cable=store_cable, environment=environment,
        )  # fmt: skip
        site.manage("migrate", "--verbosity", "0")
        site.manage("load_catalog", "--verbosity", "0")
        _add_processes(site)
        if beside:
            site.add(
                "older",
                *_WORKER,
                "config",
                *_ALONE,
                "--concurrency",
                "1",
                "--hostname",
                "older@%h",
                code=_checked_out(beside, folder),
            )
        tending = threading.Thread(target=site.tend, name="tend", daemon=True)
        tending.start()
        try:
            yield site
        finally:
            site.over.set()
            tending.join()
            for process in site.processes.values():
                process.kill()


def _started_store(stack: ExitStack) -> Store:
    store = Store()
    stack.callback(_end, store)
    store.start()
    return store


_WORKER = ("-m", "celery", "--quiet", "--app")
_ALONE = ("worker", "--loglevel", "WARNING", "--without-gossip", "--without-mingle")


def _checked_out(commit: str, folder: Path) -> Path:
    """The files of that commit in a folder of their own."""
    code = folder / "older"
    code.mkdir()
    packed = subprocess.run(["git", "archive", commit], cwd=ROOT, check=True, capture_output=True).stdout
    subprocess.run(["tar", "-x", "-C", code], input=packed, check=True)
    return code


def _add_processes(site: Site) -> None:
    site.add("web", "-m", "gunicorn", "--config", "python:config.gunicorn", "--bind", f"127.0.0.1:{site.port}")
    worker = [*_WORKER, "tests.faults.kinds", *_ALONE]
    through = site.postgres.url.replace(f":{site.postgres.port}/", f":{site.cable.port}/")
    site.add("one", *worker, "--concurrency", "2", "--hostname", "one@%h", DATABASE_URL=through)
    site.add("two", *worker, "--concurrency", "1", "--hostname", "two@%h")
    site.add("sweeper", "manage.py", "sweeper")


def _environment(files: Path, postgres: str, redis: str, port: int, hook_port: int) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("COV_", "PYTEST_"))}
    return {
        **kept,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "SEXTANT_VAR": str(files),
        "DATABASE_URL": postgres,
        "REDIS_URL": redis,
        "PORT": str(port),
        "JOB_LEASE_S": str(LEASE_S),
        "JOB_HEARTBEAT_S": "2",
        "JOB_SOFT_LIMIT_S": str(LIMIT_S),
        "DOCUMENTS_S3": "",
        "DOCUMENTS_S3_ENDPOINT": "",
        "OUTGOING_LOOPBACK": "true",
        "OUTGOING_PORTS": f"443,{hook_port}",
        **{f"API_{name}_PER_MINUTE": "100000" for name in ("READS", "ESTIMATES", "EXPORTS")},
        **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1"),
    }


def _end(*servers: Server) -> None:
    for server in servers:
        server.signal(signal.SIGCONT)
        server.signal(signal.SIGKILL, wait=True)
