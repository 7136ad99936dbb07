"""The lanes of the queue: what somebody waits for never stands behind what may take its time.

Each lane is a queue of its own on the broker, so that an installation can give it workers of its own; a worker that is
told of no lane serves them all in turn. The kind of a job decides its lane (jobs/registry.py).
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class Lane(StrEnum):
    """Who waits, and how long the work is."""

    INTERACTIVE = "interactive"
    """Somebody looks at a progress bar: documents, searches that work backwards. Seconds."""
    MAIL = "mail"
    """Somebody waits for a letter or a webhook: short, and slow only where another server is."""
    IMPORTS = "imports"
    """Price lists and feeds. Minutes."""
    SWEEPS = "sweeps"
    """Thousands of scenarios, a whole portfolio: each piece takes seconds, together they take hours."""


BEFORE_LANES: Final = "celery"
"""Where versions without lanes send their messages, and read them: served beside every lane, so that none is lost."""
