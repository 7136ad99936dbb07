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


class Superseded(Exception):
    """Nobody waits for this answer any more."""


@contextmanager
def turn(request: HttpRequest, line: str) -> Iterator[None]:
    """Waits for a turn in that line. Superseded when the client has left by then."""
    with _LINES[line]:
        if client_left(request):
            raise Superseded
        yield


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
