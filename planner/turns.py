"""Live estimates take turns: one at a time in a process, and none for somebody who has typed on meanwhile.

An estimate keeps a core busy, so two at once would only make both late. A browser that asks anew breaks off its earlier
request; when such a request gets its turn its client has left, and it is dropped.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from django.http import HttpRequest

_LINES = {"first": Lock(), "settling": Lock()}
"""First numbers do not wait behind simulations."""
_LOOK_S = 0.1
"""So often who waits looks whether the client is still there: a thread that waits for nobody is one less for the others."""


class Superseded(Exception):
    """Nobody waits for this answer any more."""


@contextmanager
def turn(request: HttpRequest, line: str) -> Iterator[None]:
    """Waits for a turn in that line. Superseded when the client has left by then, or leaves while it waits."""
    lock = _LINES[line]
    while not lock.acquire(timeout=_LOOK_S):
        if client_left(request):
            raise Superseded
    try:
        if client_left(request):
            raise Superseded
        yield
    finally:
        lock.release()


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
