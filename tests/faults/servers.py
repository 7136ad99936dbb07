"""PostgreSQL, Redis and an object store that can be stopped, killed, held and started again, each on a disk of its own size."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

from tests import services

_WITHIN_S = 30.0


@contextmanager
def disk(folder: Path, *, megabytes: int | None) -> Iterator[Path]:
    """A file system in memory of that size, while the block runs, which needs root; None: a folder on this machine's disk."""
    folder.mkdir(parents=True)
    if megabytes is None:
        yield folder
        return
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", folder], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def fill(full: Path) -> None:
    """Leaves no byte free on that disk, with one file beside everything else."""
    with (full / "balloon").open("ab", buffering=0) as balloon, contextlib.suppress(OSError):
        while True:
            balloon.write(b"\0" * 65536)


def make_room(full: Path) -> None:
    """Takes away what `fill` left."""
    (full / "balloon").unlink(missing_ok=True)


class Server:
    """A process with a port. Subclasses say how it is started."""

    def __init__(self) -> None:
        self.port = services.free_port()
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Starts it, again too, and returns when it listens; tries anew when it ends at once, as on a full disk."""
        until = time.monotonic() + _WITHIN_S
        while True:
            if self.process is None or self.process.poll() is not None:
                self.process = self._started()
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            if time.monotonic() > until:
                raise TimeoutError(f"{type(self).__name__} did not start.")
            time.sleep(0.1)

    def signal(self, number: int, *, wait: bool = False) -> None:
        """Sends a signal to the server's process."""
        if self.process is not None and self.process.poll() is None:
            os.kill(self.process.pid, number)
            if wait:
                self.process.wait(60)

    def _started(self) -> subprocess.Popen[bytes]:
        raise NotImplementedError


class Redis(Server):
    """Without persistence: a restart loses everything."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.folder = folder
        self.url = f"redis://127.0.0.1:{self.port}/0"

    def flush(self) -> None:
        """Forgets every message and count."""
        with contextlib.suppress(subprocess.SubprocessError):
            subprocess.run(["redis-cli", "-p", str(self.port), "flushall"], capture_output=True, timeout=10, check=True)

    def _started(self) -> subprocess.Popen[bytes]:
        command = ["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--dir", self.folder]
        return subprocess.Popen(command, stdout=subprocess.DEVNULL)


class Store(Server):
    """An object store that speaks S3, with one bucket; it remembers everything until it ends."""

    BUCKET = "documents"
    KEYS: ClassVar[dict[str, str]] = {
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_DEFAULT_REGION": "us-east-1",
    }

    def start(self) -> None:
        """Starts it and makes the bucket."""
        super().start()
        self.client().create_bucket(Bucket=self.BUCKET)

    def client(self) -> Any:
        """A client that reaches it without any cable."""
        import boto3

        key, secret, region = self.KEYS.values()
        session = boto3.session.Session(key, secret, region_name=region)
        return session.client("s3", endpoint_url=f"http://127.0.0.1:{self.port}")

    def _started(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(self.port)]
        said = subprocess.DEVNULL
        return subprocess.Popen(command, env=os.environ | self.KEYS, stdout=said, stderr=said)


class Postgres(Server):
    """With durable writes, since it is killed."""

    CRASH, RESTART = signal.SIGQUIT, signal.SIGINT

    def __init__(self, on: Path) -> None:
        super().__init__()
        binaries, owner = services.postgres_binaries(), services.unprivileged()
        assert binaries is not None, "PostgreSQL is missing: apt install postgresql"
        assert owner is not None
        self.disk, self.user, self.binaries = on, owner if os.geteuid() == 0 else None, binaries
        self.url = f"postgresql://sextant@127.0.0.1:{self.port}/postgres"
        if self.user:
            shutil.chown(on, self.user)
        initdb = [binaries / "initdb", "-D", on / "data", "-U", "sextant", "-A", "trust", "-E", "UTF8", "--no-sync"]
        subprocess.run([*initdb, "--wal-segsize=1"], user=self.user, cwd=on, check=True, capture_output=True)

    def _started(self) -> subprocess.Popen[bytes]:
        command = [self.binaries / "postgres", "-D", self.disk / "data", "-p", str(self.port), "-k", self.disk]
        settings = ["listen_addresses=127.0.0.1", "max_wal_size=48MB", "min_wal_size=8MB", "max_connections=120"]
        command += [word for setting in settings for word in ("-c", setting)]
        return subprocess.Popen(command, user=self.user, cwd=self.disk, stderr=subprocess.DEVNULL)
