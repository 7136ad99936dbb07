"""Keeps a few processes running: starts them, restarts what dies, and stops them cleanly."""

from __future__ import annotations

import ctypes
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

import structlog

log = structlog.get_logger("sextant.up")

_CALM_S: Final = 60.0  # a process that has lived so long starts with a fresh back-off
_LONGEST_WAIT_S: Final = 30.0


@dataclass(kw_only=True)
class Child:
    """One process to keep running. ``start_at`` is when it may start next (monotonic seconds)."""

    name: str
    command: Sequence[str]
    stop_within_s: float
    process: subprocess.Popen[bytes] | None = None
    started_at: float = 0.0
    start_at: float = 0.0
    failures: int = 0

    def tend(self, now: float) -> None:
        """Starts the process when it is down and its wait is over; each early death doubles the wait."""
        if self.process is not None and (code := self.process.poll()) is not None:
            self.failures = 0 if now - self.started_at > _CALM_S else self.failures + 1
            wait = min(_LONGEST_WAIT_S, 0.5 * 2**self.failures)
            log.warning("died", process=self.name, code=code, again_in_s=wait)
            self.process, self.start_at = None, now + wait
        if self.process is None and now >= self.start_at:
            # A session of its own: Ctrl-C reaches the supervisor alone, which then stops each in turn.
            self.process = subprocess.Popen(  # noqa: S603 - our own commands, no shell
                list(self.command), start_new_session=True, preexec_fn=_die_with_parent
            )
            self.started_at = now

    def stop(self) -> None:
        """Asks the process to end, waits, and ends it by force when it has not."""
        if self.process is None or self.process.poll() is not None:
            return
        self.process.terminate()
        try:
            self.process.wait(self.stop_within_s)
        except subprocess.TimeoutExpired:
            log.warning("killed", process=self.name)
            self.process.kill()
            self.process.wait()


@dataclass(kw_only=True)
class Supervisor:
    """Runs the children until it is told to stop; calls ``every`` at the start and then each ``period_s`` seconds."""

    children: Sequence[Child]
    every: Callable[[], None]
    period_s: float
    stopping: bool = field(default=False, init=False)

    def run(self) -> None:
        """Returns after SIGTERM or SIGINT, with all children stopped."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._told_to_stop)
        due = 0.0
        try:
            while not self.stopping:
                now = time.monotonic()
                for child in self.children:
                    child.tend(now)
                if now >= due:
                    self.every()
                    due = time.monotonic() + self.period_s
                time.sleep(0.2)
        finally:
            for child in self.children:
                child.stop()

    def _told_to_stop(self, number: int, frame: object) -> None:
        self.stopping = True


def _die_with_parent() -> None:
    """In a new child: asks Linux for a SIGTERM should the supervisor be killed, so that no port stays taken."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGTERM)
