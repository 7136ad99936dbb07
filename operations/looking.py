"""Looks at all parts at once, and never longer than a second: what hangs, hangs in a thread of its own and is away.

A look is kept for some seconds, so that a page that many people open in a bad hour adds nothing to it. Who asks while somebody
looks waits for the same look. A thread that still hangs is not joined by a second one.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

import structlog
from django.db import connections
from django.utils import timezone

from operations import parts
from operations.parts import Reading, State

log = structlog.get_logger("sextant.status")

DEADLINE_S: Final = 1.0
FRESH_S: Final = 5.0

Ask = Callable[[], Sequence[Reading]]


@dataclass(frozen=True, kw_only=True)
class Look:
    """All parts at one moment, in the order of `parts.PARTS`; each says since when it is so."""

    at: datetime
    readings: Sequence[Reading]

    @property
    def worst(self) -> State:
        """The state of the whole: what is not known counts by what is away."""
        found = {one.state for one in self.readings}
        return next((state for state in (State.AWAY, State.LATE) if state in found), State.OK)


class _Asking:
    """One question in a thread of its own."""

    def __init__(self, ask: Ask) -> None:
        self.answer: Sequence[Reading] | None = None
        self.thread = threading.Thread(target=self._run, args=(ask,), name="status", daemon=True)
        self.thread.start()

    def _run(self, ask: Ask) -> None:
        try:
            self.answer = ask()
        except Exception as error:  # whatever a server does, the page says that it is away
            log.warning("status_without", asked=getattr(ask, "__name__", ""), error=type(error).__name__)
        finally:
            connections.close_all()  # the thread's own


class Watch:
    """What one process knows of the parts."""

    def __init__(self, questions: Sequence[tuple[Ask, Ask]]) -> None:
        """Pairs of a question and of what holds while it is not answered."""
        self._questions = questions
        self._asking: dict[Ask, _Asking] = {}
        self._noted: dict[str, tuple[State, datetime]] = {}
        self._lock = threading.Lock()
        self._look: Look | None = None
        self._looked = 0.0  # monotonic

    def look(self) -> Look:
        """The last look, or a new one when that is older than some seconds."""
        with self._lock:
            if self._look is None or time.monotonic() - self._looked >= FRESH_S:
                found = self._asked()
                now = timezone.now()
                self._look = Look(at=now, readings=[self._since(one, now) for one in found])
                self._looked = time.monotonic()
            return self._look

    def _asked(self) -> list[Reading]:
        until = time.monotonic() + DEADLINE_S
        for ask, _ in self._questions:
            before = self._asking.get(ask)
            if before is None or not before.thread.is_alive():
                self._asking[ask] = _Asking(ask)
        found = [Reading(part=parts.WEB)]
        for ask, unanswered in self._questions:
            asking = self._asking[ask]
            asking.thread.join(max(0.0, until - time.monotonic()))
            found += asking.answer or unanswered()
        return sorted(found, key=lambda one: parts.PARTS.index(one.part))

    def _since(self, one: Reading, now: datetime) -> Reading:
        state, noticed = self._noted.get(one.part, (None, now))
        if state != one.state:
            noticed = now
        self._noted[one.part] = (one.state, noticed)
        return replace(one, since=one.since or noticed)


WATCH: Final = Watch(
    (
        (parts.of_rows, parts.without_rows),
        (parts.of_broker, parts.without_broker),
        (parts.of_documents, parts.without_documents),
    )
)
"""That of this process. Since when a server is away is when this process noticed it; what rows know, all processes say alike."""
