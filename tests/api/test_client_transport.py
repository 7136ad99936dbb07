"""What the client tries again, what it never sends twice or elsewhere, and downloads that broke off."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from sextant_client import ApiProblem, DownloadFailed, Sextant, SextantError, Unreachable

FILE = bytes(range(256)) * 4000
DIGEST = hashlib.sha256(FILE).hexdigest()
EXPORT: Any = {"id": "exp_x", "format": "pdf", "state": "succeeded", "sha256": DIGEST, "bytes": len(FILE)}
Reply = Callable[[BaseHTTPRequestHandler], None]


class Server:
    """Plays the server: answers the requests with the replies in turn, the last one for all others."""

    def __init__(self) -> None:
        self.replies: list[Reply] = []
        self.asked: list[BaseHTTPRequestHandler] = []
        played = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                played.asked.append(self)
                (played.replies.pop(0) if len(played.replies) > 1 else played.replies[0])(self)

            do_POST = do_GET

            def log_message(self, *_: object) -> None:
                """Says nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture
def server() -> Iterator[Server]:
    played = Server()
    yield played
    played.server.shutdown()
    played.server.server_close()


@pytest.fixture
def slept() -> list[float]:
    return []


@pytest.fixture
def api(server: Server, slept: list[float]) -> Sextant:
    return Sextant(server.url, "sxt_token", sleep=slept.append)


def reply(status: int, body: bytes = b"{}", **headers: str) -> Reply:
    """An answer with that status."""

    def send(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(body)), **headers}.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(body)

    return send


def test_it_works(server: Server, api: Sextant) -> None:
    server.replies = [reply(200, b'{"user": {}}')]
    assert api.get_me() == {"user": {}}
    assert server.asked[0].headers["Authorization"] == "Bearer sxt_token"


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_it_waits_as_it_is_told(server: Server, api: Sextant, slept: list[float], status: int) -> None:
    server.replies = [reply(status, Retry_After="7"), reply(200)]
    api.get_me()
    assert slept == [7.0]


def test_pauses_grow_where_nothing_is_said(server: Server, api: Sextant, slept: list[float]) -> None:
    server.replies = [reply(503)]
    with pytest.raises(ApiProblem):
        api.get_me()
    assert len(server.asked) == 5
    assert slept == sorted(slept)
    assert 0.2 < slept[0] < slept[-1] <= 4.0


def test_a_repeated_post_carries_the_same_key(server: Server, api: Sextant) -> None:
    server.replies = [reply(503), reply(409, Retry_After="1"), reply(201)]
    api.create_plan({})  # type: ignore[typeddict-item]
    keys = {request.headers["Idempotency-Key"] for request in server.asked}
    assert (len(server.asked), len(keys)) == (3, 1)
    api.create_plan({})  # type: ignore[typeddict-item]
    assert server.asked[-1].headers["Idempotency-Key"] not in keys


def test_a_post_without_a_key_is_sent_once(server: Server, api: Sextant) -> None:
    server.replies = [reply(503)]
    with pytest.raises(ApiProblem):
        api.create_token({"name": "x", "scopes": []})
    assert len(server.asked) == 1


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 422, 500])
def test_what_will_not_change_is_not_asked_again(server: Server, api: Sextant, status: int) -> None:
    server.replies = [reply(status, b'{"detail": "No.", "type": "/problems/x"}')]
    with pytest.raises(ApiProblem, match="No"):
        api.get_me()
    assert len(server.asked) == 1


def test_a_redirect_does_not_carry_the_token_away(server: Server, api: Sextant) -> None:
    server.replies = [reply(302, Location=f"{server.url}/elsewhere")]
    with pytest.raises(ApiProblem):
        api.get_me()
    assert len(server.asked) == 1


@pytest.mark.parametrize("url", ["http://sextant.example", "ftp://x", "sextant.example", "file:///etc/passwd"])
def test_addresses_that_are_not_used(url: str) -> None:
    with pytest.raises(SextantError):
        Sextant(url, "sxt_token")


def test_no_error_and_no_name_shows_the_token(free_port: int, slept: list[float]) -> None:
    api = Sextant(f"http://127.0.0.1:{free_port}", "sxt_secret", sleep=slept.append)
    with pytest.raises(Unreachable) as caught:
        api.get_me()
    assert "sxt_secret" not in f"{caught.value!r} {api!r}"
    assert len(slept) == 4


def broken_after(size: int) -> Reply:
    """The beginning of the file, then nothing."""

    def send(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(FILE)))
        handler.end_headers()
        handler.wfile.write(FILE[:size])
        handler.close_connection = True

    return send


def rest(handler: BaseHTTPRequestHandler) -> None:
    """What a range asks for."""
    first = int(handler.headers["Range"].removeprefix("bytes=").rstrip("-"))
    reply(206, FILE[first:], Content_Type="application/pdf")(handler)


def test_a_broken_download_goes_on(server: Server, api: Sextant, tmp_path: Path) -> None:
    server.replies = [broken_after(500_000), rest]
    seen: list[int] = []
    path = api.download_export(EXPORT, tmp_path / "plan.pdf", progress=lambda done, _: seen.append(done))
    assert path.read_bytes() == FILE
    assert server.asked[1].headers["Range"] == "bytes=500000-"
    assert server.asked[1].headers["If-Range"] == f'"{DIGEST}"'
    assert seen[-1] == len(FILE)
    assert [item.name for item in tmp_path.iterdir()] == ["plan.pdf"]


def test_another_file_is_never_taken_for_it(server: Server, api: Sextant, tmp_path: Path) -> None:
    server.replies = [reply(200, FILE[::-1], Content_Type="application/pdf")]
    with pytest.raises(DownloadFailed):
        api.download_export(EXPORT, tmp_path / "plan.pdf")
    assert list(tmp_path.iterdir()) == []
