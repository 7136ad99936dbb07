"""Live estimates take turns: one at a time in a process, and none for somebody who has typed on meanwhile.

An estimate keeps a core busy, so two at once would only make both late. A browser that asks anew breaks off its earlier
request; when such a request gets its turn its client has left, and it is dropped.
"""

from __future__ import annotations

import socket
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Lock

from django.http import HttpRequest

_LOOK_S = 0.1
"""So often who waits looks whether the client is still there: a thread that waits for nobody is one less for the others."""


class Superseded(Exception):
    """Nobody waits for this answer any more."""


class Line:
    """Those who wait for a turn, served in the order in which they came: a lock alone lets whoever is quick go first."""

    def __init__(self) -> None:
        self._guard = Lock()
        self._waiting: deque[Event] = deque()
        self._busy = False

    def enter(self, gone: Callable[[], bool]) -> None:
        """Returns when the turn has come. Superseded when, before that, who asked has `gone`."""
        mine = Event()
        with self._guard:
            if not self._busy:
                self._busy = True
                return
            self._waiting.append(mine)
        while not mine.wait(_LOOK_S):
            if gone():
                with self._guard:
                    if not mine.is_set():
                        self._waiting.remove(mine)
                        raise Superseded

    def leave(self) -> None:
        """The turn goes to whoever has waited longest."""
        with self._guard:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._busy = False


_LINES = {"first": Line(), "settling": Line()}
"""First numbers do not wait behind simulations."""


@contextmanager
def turn(request: HttpRequest, line: str) -> Iterator[None]:
    """Waits for a turn in that line. Superseded when the client has left by then, or leaves while it waits."""
    waited = _LINES[line]
    waited.enter(lambda: client_left(request))
    try:
        if client_left(request):
            raise Superseded
        yield
    finally:
        waited.leave()


def client_left(request: HttpRequest) -> bool:
    """Has the browser closed the connection? False where the server does not show it."""
    line = request.META.get("gunicorn.socket")
    if not isinstance(line, socket.socket):
        return False
    try:
        return line.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
    except (BlockingIOError, ValueError):  # nothing sent, or a TLS socket, which cannot be looked into
        return False
    except OSError:
        return True
