"""A bar that is written over, on the way of errors and for a terminal only, so that what is piped or logged stays clean."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from django.core.management.base import OutputWrapper

from catalog.progress import Stage, seldom, told_to

PAUSE_S = 0.1
"""Between two drawings."""
_WIDTH: Final = 30
_NAMES: Final = max(len(stage) for stage in Stage)


@contextmanager
def bar(out: OutputWrapper) -> Iterator[None]:
    """Shows how far the import in this block is, and takes the bar away afterwards."""
    if not out.isatty():
        yield
        return

    def write(share: int, stage: Stage) -> None:
        filled = round(_WIDTH * share / 100)
        out.write(f"\r{stage:{_NAMES}} [{'#' * filled}{'.' * (_WIDTH - filled)}] {share:3} %", ending="")
        out.flush()

    try:
        with told_to(seldom(write, pause_s=PAUSE_S)):
            yield
    finally:
        out.write("\r\033[K", ending="")
        out.flush()
