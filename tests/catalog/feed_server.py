"""A server on this machine that plays price feeds: throttling, garbage, breaking off, redirects, silence."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What the server says: `declared` is the length it promises, when that is not the truth."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    declared: int | None = None


@dataclass(kw_only=True)
class Played:
    """A running server: its address, the answers still to come by path (the last one stays), and what was asked."""

    url: str
    answers: dict[str, list[Answer]]
    asked: list[str] = field(default_factory=list)


def _handler(played: Callable[[], Played]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            server = played()
            server.asked.append(self.path)
            waiting = server.answers.get(self.path.split("?")[0], [Answer(status=404)])
            answer = waiting.pop(0) if len(waiting) > 1 else waiting[0]
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(answer.body) if answer.declared is None else answer.declared))
            self.end_headers()
            self.wfile.write(answer.body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the library's
            return

    return Handler


@contextmanager
def serve(answers: dict[str, list[Answer]]) -> Iterator[Played]:
    """The server, as long as the block runs."""
    holder: list[Played] = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(lambda: holder[0]))
    holder.append(Played(url=f"http://127.0.0.1:{server.server_address[1]}", answers=answers))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield holder[0]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
