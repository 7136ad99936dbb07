"""How far an import is, told to whoever waits for it: a bar in a terminal, the percentage of a job.

What reads and writes says where it is; who waits says so around it (`told_to`). Nobody waits unless asked for, and then
saying it costs one look.
"""

from __future__ import annotations

import io
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from enum import StrEnum
from pathlib import Path
from typing import Final

EVERY: Final = 2_000
"""Lines or rows between two words about them."""


class Stage(StrEnum):
    """What an import does, in order."""

    FETCHING = "Fetching"
    READING = "Reading"
    COMPARING = "Comparing with known prices"
    WRITING = "Writing"


_SPANS: Final = {
    Stage.FETCHING: (0, 30),
    Stage.READING: (30, 65),
    Stage.COMPARING: (65, 75),
    Stage.WRITING: (75, 100),
}
"""Per cent of the whole at which each stage begins and ends, after what an import of 300,000 prices took."""
Tell = Callable[[Stage, int, int], None]
"""Stage, done, of; 0 when nobody knows of how much."""
_waiting: ContextVar[Tell | None] = ContextVar("import_progress", default=None)


@contextmanager
def told_to(tell: Tell) -> Iterator[None]:
    """In this block, whatever imports says to that how far it is."""
    mark = _waiting.set(tell)
    try:
        yield
    finally:
        _waiting.reset(mark)


@contextmanager
def one_of(number: int, of: int) -> Iterator[None]:
    """In this block, what is told counts as the part of that number, from 0, of so many equal ones."""
    outer = _waiting.get()
    if outer is None:
        yield
        return
    with told_to(
        lambda stage, done, whole: outer(stage, round(1000 * (number + (done / whole if whole else 0))), 1000 * of)
    ):
        yield


def tell(stage: Stage, done: int, of: int) -> None:
    """Say how far the import is, to whoever waits."""
    waits = _waiting.get()
    if waits is not None:
        waits(stage, done, of)


def tell_read(number: int, stream: io.TextIOBase, path: Path) -> None:
    """Say how much of that file was read, every so many lines."""
    if number % EVERY == 0 and _waiting.get() is not None:
        buffer = getattr(stream, "buffer", None)
        if buffer is not None:
            tell(Stage.READING, buffer.tell(), path.stat().st_size)


def percent(stage: Stage, done: int, of: int) -> int:
    """How much of the whole import that is, 0 to 100; where nobody knows of how much, the begin of the stage."""
    first, last = _SPANS[stage]
    return round(first + (last - first) * min(1.0, done / of if of else 0.0))


def seldom(write: Callable[[int, Stage], None], *, pause_s: float = 1.0) -> Tell:
    """Writes each new percentage, but no sooner than after the pause, except where a stage begins."""
    last: list[object] = [None, -1, 0.0]

    def said(stage: Stage, done: int, of: int) -> None:
        now, share = time.monotonic(), percent(stage, done, of)
        if stage == last[0] and (share == last[1] or now - float(str(last[2])) < pause_s):
            return
        last[:] = [stage, share, now]
        write(share, stage)

    return said
