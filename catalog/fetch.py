"""Fetches a price feed through the guarded client: whole or not at all, and again after a pause when it is busy.

A feed that throttles (429, 503) or breaks off is asked again after the pause it names, else after a growing one.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from pathlib import Path
from urllib.parse import urlsplit

from outgoing import client
from outgoing.faults import OutgoingFault

_AGAIN = frozenset({429, 500, 502, 503, 504})


class FetchFault(ValueError):
    """The feed was not fetched: one sentence that says why."""


class _Passing(Exception):
    """A fault that may be gone at the next attempt, and after how many seconds to try."""

    def __init__(self, reason: str, wait_s: float | None = None) -> None:
        super().__init__(reason)
        self.wait_s = wait_s


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """How much a fetch may take."""

    most_bytes: int
    total_s: float = 480.0
    """For all attempts together; less than a job may take."""
    silence_s: float = 30.0
    """Longest pause between two pieces of an answer."""
    attempts: int = 5
    redirects: int = 3
    pause_s: float = 1.0
    """Before the second attempt; doubled each time."""
    longest_pause_s: float = 60.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Client:
    """Fetches files."""

    limits: Limits
    sleep: Callable[[float], None] = time.sleep

    def save(self, url: str, path: Path) -> None:
        """Put the answer at that address into the file. FetchFault says why it was not got; then no file is left."""
        deadline = time.monotonic() + self.limits.total_s
        part = path.with_name(path.name + ".part")
        try:
            for attempt in range(1, self.limits.attempts + 1):
                try:
                    self._get(url, part, deadline)
                    part.replace(path)
                    return
                except _Passing as fault:
                    if attempt == self.limits.attempts:
                        raise FetchFault(f"{_host(url)} {fault}, {attempt} times; it is tried again later.") from fault
                    self._pause(fault, attempt, deadline)
        finally:
            part.unlink(missing_ok=True)

    def _pause(self, fault: _Passing, attempt: int, deadline: float) -> None:
        usual = self.limits.pause_s * 2 ** (attempt - 1) * random.uniform(0.8, 1.2)  # noqa: S311 - spreads clients
        pause = min(usual if fault.wait_s is None else max(fault.wait_s, usual), self.limits.longest_pause_s)
        if time.monotonic() + pause > deadline:
            raise FetchFault(f"The feed {fault} and asks for more time than a fetch may take.") from fault
        self.sleep(pause)

    def _get(self, url: str, part: Path, deadline: float) -> None:
        """One attempt, with its redirects: the body is in the file afterwards."""
        bounds = client.Limits(
            total_s=deadline - time.monotonic(),
            connect_s=self.limits.silence_s,
            silence_s=self.limits.silence_s,
            most_bytes=self.limits.most_bytes,
            redirects=self.limits.redirects,
        )
        with part.open("wb") as file:
            try:
                answer = client.ask("GET", url, limits=bounds, into=file)
            except OutgoingFault as error:
                if error.passing:
                    raise _Passing(f"did not answer whole ({error.code})") from error
                raise FetchFault(str(error)) from error
        if answer.status in _AGAIN:
            raise _Passing(f"answered {answer.status}", _wait(answer.headers.get("retry-after")))
        if answer.status != 200:
            raise FetchFault(f"{_host(url)} answered {answer.status}; check the address of the feed.")
        if answer.headers.get("content-encoding", "identity").lower() not in ("", "identity"):
            raise FetchFault("The feed answers packed, though plain was asked for.")


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or "The feed"
    except ValueError:
        return "The feed"


def _wait(text: str | None) -> float | None:
    """Seconds that the feed asks to wait: a number, or a date."""
    if not text:
        return None
    if text.strip().isdigit():
        return float(text.strip()[:6])
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time.time())
    except (ValueError, TypeError):
        return None
