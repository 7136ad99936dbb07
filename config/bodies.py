"""A slow sender holds no server: bodies are read before the application is asked, a few at a time and not for ever.

A proxy in front should hold bodies back until they are whole (docs/operations.md). Without one this is what keeps forty
trickling connections from taking every thread: so many bodies of a process are read at once, each has a time that
grows with its length, and whoever comes beyond that is told to come again.
"""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from io import BytesIO
from typing import IO, Any, Final

from operations import traffic

AT_ONCE: Final = 5
"""Of the eight threads of a process (config/gunicorn.py): pages are answered whatever is being sent."""
FIRST_S: Final = 10.0
LEAST_BYTES_PER_S: Final = 64 * 1024
MOST_BYTES: Final = 64 * 1024 * 1024
_IN_MEMORY: Final = 1024 * 1024
_PIECE: Final = 64 * 1024
_NO_MORE_READING: Final = 0  # SHUT_RD of POSIX; nothing here opens a connection, so nothing imports socket
_BUSY: Final = (
    "503 Service Unavailable",
    "Many files are being sent just now: send yours again in a few seconds.",
    "3",
)
_SLOW: Final = ("408 Request Timeout", "What was sent came too slowly and was not read.", "")
_LARGE: Final = ("413 Content Too Large", "The request is too large.", "")

Start = Callable[..., Any]
Application = Callable[[dict[str, Any], Start], Iterable[bytes]]


class ReadAhead:
    """Wraps an application: it is asked once the whole body is here, and only then takes its time."""

    def __init__(self, application: Application, *, first_s: float = FIRST_S, at_once: int = AT_ONCE) -> None:
        self._application = application
        self._first_s = first_s
        self._room = threading.BoundedSemaphore(at_once)

    def __call__(self, environ: dict[str, Any], start: Start) -> Iterable[bytes]:
        given = environ.get("CONTENT_LENGTH") or "0"
        length = int(given) if given.isdecimal() and len(given) < 20 else 0
        if not length:
            return self._application(environ, start)
        if length > MOST_BYTES:
            _closed(environ.get("gunicorn.socket"))
            return _refused(environ, start, *_LARGE)
        if not self._room.acquire(blocking=False):
            # Or the server would wait for the rest before it lets the thread go.
            _closed(environ.get("gunicorn.socket"))
            return _refused(environ, start, *_BUSY)
        body, began = _store(length), time.monotonic()
        try:
            whole = self._read(environ, length, body)
        finally:
            self._room.release()
        if not whole:
            body.close()
            return _refused(environ, start, *_SLOW, seconds=time.monotonic() - began)
        body.seek(0)
        environ["wsgi.input"] = body
        try:
            return _Closing(self._application(environ, start), body)
        except BaseException:
            body.close()
            raise

    def _read(self, environ: dict[str, Any], length: int, body: Any) -> bool:
        """Whether the whole body came in time. The time over, the connection is closed for reading, which ends the wait."""
        source = environ.get("gunicorn.socket")
        timer = threading.Timer(self._first_s + length / LEAST_BYTES_PER_S, _closed, [source])
        timer.daemon = True
        timer.start()
        left = length
        try:
            while left and (piece := environ["wsgi.input"].read(min(left, _PIECE))):
                body.write(piece)
                left -= len(piece)
        except OSError:
            return False
        finally:
            timer.cancel()
        return not left


class _Closing:
    """An answer that gives the body's file back when it has been sent."""

    def __init__(self, answer: Iterable[bytes], body: Any) -> None:
        self._answer, self._body = answer, body

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._answer)

    def close(self) -> None:
        """Called by the server at the end of each request, however it ends."""
        try:
            if close := getattr(self._answer, "close", None):
                close()
        finally:
            self._body.close()


def _store(length: int) -> IO[bytes]:
    """Where a body of that length is kept until the request ends: a small one in memory."""
    return BytesIO() if length <= _IN_MEMORY else tempfile.TemporaryFile()


def _closed(source: Any) -> None:
    """Ends the reading from a connection that the server has opened."""
    if source is not None:
        try:
            source.shutdown(_NO_MORE_READING)
        except OSError:  # the sender was faster
            return


def _refused(
    environ: dict[str, Any], start: Start, status: str, said: str, after: str, *, seconds: float = 0.0
) -> Iterable[bytes]:
    """Answers without the application, and counts it."""
    traffic.count(
        route=traffic.BODY, method=environ.get("REQUEST_METHOD"), status=int(status.split()[0]), seconds=seconds
    )
    headers = [("Content-Type", "text/plain; charset=utf-8"), ("Cache-Control", "no-store"), ("Connection", "close")]
    start(status, [*headers, *([("Retry-After", after)] if after else [])])
    return [said.encode()]
