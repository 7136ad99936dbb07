"""Readers that take more than they may: what the limits of the reading process are tried with."""

from __future__ import annotations

import os
import signal
import tempfile
import time
from pathlib import Path


def memory(_data: bytes) -> int:
    """Asks for more than there is."""
    return len(bytearray(2**31))


def write(_data: bytes) -> None:
    """Writes a file."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "x").write_bytes(b"x")


def files(_data: bytes) -> None:
    """Keeps more files open than a reader needs."""
    kept = [os.open(os.devnull, os.O_RDONLY) for _ in range(100)]
    raise AssertionError(len(kept))


def die(_data: bytes) -> None:
    """Falls, as a parser written in C may."""
    os.kill(os.getpid(), signal.SIGSEGV)


def wait(_data: bytes) -> None:
    """Never comes back, without using the processor."""
    time.sleep(60)


def environment(_data: bytes) -> list[str]:
    """What the process was told."""
    return sorted(os.environ)
