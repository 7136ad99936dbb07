"""Which function does which kind of job. An app registers its own in ``AppConfig.ready()``."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jobs.running import RunningJob

Handler = Callable[["RunningJob"], dict[str, Any]]

HANDLERS: dict[str, Handler] = {}


def register(kind: str, handler: Handler) -> None:
    """Makes ``handler`` do the jobs of ``kind``; ValueError when another function does already."""
    if HANDLERS.setdefault(kind, handler) is not handler:
        raise ValueError(f"The kind of job {kind!r} has a handler already.")
