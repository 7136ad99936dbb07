"""A server on this machine that behaves as badly as one can: it hangs, drips, breaks off, sends without end."""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

Behaviour = Callable[[socket.socket, threading.Event], None]


@dataclass(kw_only=True)
class Bad:
    """A running server: its port, and the requests that it has read so far."""

    port: int
    stop: threading.Event
    asked: list[bytes] = field(default_factory=list)

    def url(self, path: str = "/hook") -> str:
        return f"http://127.0.0.1:{self.port}{path}"


def answer(status: int = 200, body: bytes = b"", **headers: str) -> Behaviour:
    """An ordinary answer."""
    lines = [f"HTTP/1.1 {status} Said", f"Content-Length: {len(body)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return lambda sock, _stop: sock.sendall("\r\n".join([*lines, "", ""]).encode() + body)


def hang(sock: socket.socket, stop: threading.Event) -> None:
    """Reads the request and says nothing."""
    stop.wait(30)


def drip(start: bytes) -> Behaviour:
    """Says this at once, then one byte at a time, without end."""

    def behave(sock: socket.socket, stop: threading.Event) -> None:
        sock.sendall(start)
        while not stop.wait(0.05):
            sock.sendall(b"x")

    return behave


def flood(start: bytes, piece: bytes) -> Behaviour:
    """Says this, then the piece again and again as fast as it is taken."""

    def behave(sock: socket.socket, stop: threading.Event) -> None:
        sock.sendall(start)
        while not stop.is_set():
            sock.sendall(piece)

    return behave


def close_early(sock: socket.socket, stop: threading.Event) -> None:
    """Promises more than it sends."""
    sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\nshort")


@contextmanager
def serving(*behaviours: Behaviour, context: ssl.SSLContext | None = None) -> Iterator[Bad]:
    """The server while the block runs; the first request meets the first behaviour, the last one stays."""
    waiting = list(behaviours)
    listener = socket.create_server(("127.0.0.1", 0))
    bad = Bad(port=listener.getsockname()[1], stop=threading.Event())
    threads: list[threading.Thread] = []

    def serve(sock: socket.socket) -> None:
        with contextlib.suppress(OSError):
            sock.settimeout(10)
            if context is not None:
                sock = context.wrap_socket(sock, server_side=True)
            bad.asked.append(_request(sock))
            behave = waiting.pop(0) if len(waiting) > 1 else waiting[0]
            behave(sock, bad.stop)
        with contextlib.suppress(OSError):
            sock.close()

    def accept() -> None:
        while not bad.stop.is_set():
            try:
                sock, _ = listener.accept()
            except OSError:
                return
            threads.append(threading.Thread(target=serve, args=(sock,), daemon=True))
            threads[-1].start()

    accepting = threading.Thread(target=accept, daemon=True)
    accepting.start()
    try:
        yield bad
    finally:
        bad.stop.set()
        with contextlib.suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        until = time.monotonic() + 5
        for thread in [accepting, *threads]:
            thread.join(max(0.01, until - time.monotonic()))


def _request(sock: socket.socket) -> bytes:
    """The request with its body."""
    read = b""
    while b"\r\n\r\n" not in read:
        piece = sock.recv(65536)
        if not piece:
            return read
        read += piece
    head, _, body = read.partition(b"\r\n\r\n")
    lengths = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    length = int(lengths[0].split(b":")[1]) if lengths else 0
    while len(body) < length:
        body += sock.recv(65536)
    return head + b"\r\n\r\n" + body
