"""A receiver of webhooks with moods."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Receiver:
    """Listens on a port of its own; counts what it took, and whoever followed it where it must not lead."""

    def __init__(self) -> None:
        self.mood = "well"
        self.taken = 0
        self.followed = 0
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                receiver.answer(self)

            do_GET = do_POST

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port: int = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, name="receiver", daemon=True).start()

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        """What it says in its mood."""
        request.rfile.read(int(request.headers.get("Content-Length", "0")))
        if request.path == "/followed":
            self.followed += 1
        elif self.mood == "hang":
            threading.Event().wait(20)
        elif self.mood == "break off":
            request.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\nshort")
            return
        status = {"fail": 500, "redirect": 302}.get(self.mood, 200)
        self.taken += status == 200
        request.send_response(status)
        if status == 302:
            request.send_header("Location", f"http://127.0.0.1:{self.port}/followed")
        request.send_header("Content-Length", "0")
        request.end_headers()
