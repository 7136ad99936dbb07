"""A client with a token, and estimates that cost nothing: what every test of the API starts from."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from accounts import tokens
from accounts.models import Membership, Role
from tests.api import examples
from tests.api.described import DESCRIBED, operation_of
from tests.api.file import File
from tests.conftest import People, make_member
from tests.planner.page_support import quick_engine

__all__ = ["Api", "File", "alice", "bob", "charlie", "paula", "petra", "quick_engine"]

TRAINING: dict[str, Any] = {
    "name": "Support assistant",
    "workload": "training",
    "model": "llama-3.1-70b",
    "training": {"tokens": 15e9, "sequence_length": 8192},
    "constraints": {"deadline_days": 21},
}
SERVING: dict[str, Any] = {
    "name": "Chat",
    "workload": "serving",
    "model": "qwen3-32b",
    "serving": {"requests_per_s": 40, "input_tokens": 1500, "output_tokens": 400, "ttft_p95_ms": 800},
}


class Api:
    """One member's token and the calls that it can make; paths begin below /api/v1."""

    def __init__(self, member: Membership, scopes: tuple[str, ...] = tokens.SCOPES) -> None:
        self.member = member
        self.row, self.token = tokens.issue(member.team, member.user, name="Test", scopes=scopes)
        self.client = Client(raise_request_exception=False)

    def send(self, method: str, path: str, body: Any = None, **headers: str) -> HttpResponse:
        """The answer; `body` is sent as JSON unless it is bytes already. Every status of an operation is described."""
        data, media = (body.data, body.media) if isinstance(body, File) else (body, "application/json")
        if not isinstance(data, bytes):
            data = b"" if data is None else json.dumps(data).encode()
        given = {"Authorization": f"Bearer {self.token}"}
        given |= {name.replace("_", "-"): value for name, value in headers.items()}
        media = given.pop("Content-Type", media)
        sent: Any = self.client.generic(method, f"/api/v1{path}", data, content_type=media, headers=given)
        if sent.streaming and sent["Content-Type"] == "application/json":
            sent = _whole(sent)
        name, status = operation_of(sent), sent.status_code
        assert name is None or status >= 500 or (name, status) in DESCRIBED, f"{name} answers {status}: not described"
        examples.seen(name, method, body, sent)
        return sent  # type: ignore[no-any-return]

    def get(self, path: str, **headers: str) -> Any:
        """GET."""
        return self.send("GET", path, **headers)

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        """POST of a JSON body."""
        return self.send("POST", path, body, **headers)

    def patch(self, path: str, body: Any = None, **headers: str) -> Any:
        """PATCH of a JSON body."""
        return self.send("PATCH", path, body, **headers)

    def delete(self, path: str, **headers: str) -> Any:
        """DELETE."""
        return self.send("DELETE", path, **headers)


def _whole(sent: Any) -> Any:
    """An answer that comes in pieces, as somebody has it who has read it to its end."""
    read: Any = HttpResponse(sent.getvalue(), status=sent.status_code, headers=dict(sent.headers))
    read.resolver_match, read.wsgi_request = sent.resolver_match, sent.wsgi_request
    read.json = lambda: json.loads(read.content)
    return read


def problem(response: Any, status: int) -> dict[str, Any]:
    """The problem that the answer is, after a look at its shape."""
    assert response.status_code == status, response.content
    assert response["Content-Type"] == "application/problem+json"
    body: dict[str, Any] = response.json()
    assert body["status"] == status
    assert {"type", "title", "detail", "instance", "request_id", "errors"} <= body.keys()
    assert body["request_id"] == response["X-Request-ID"]
    assert "Traceback" not in body["detail"]
    return body


def pointers(response: Any) -> list[str]:
    """Where a 422 says the faults are."""
    return [item["pointer"] for item in problem(response, 422)["errors"]]


@pytest.fixture
def alice(people: People) -> Api:
    """Admin of the team."""
    return Api(people.memberships["alice"])


@pytest.fixture
def bob(people: People) -> Api:
    """Viewer in the same team."""
    return Api(people.memberships["bob"])


@pytest.fixture
def charlie(people: People) -> Api:
    """Admin of another team."""
    return Api(people.memberships["charlie"])


@pytest.fixture
def petra(people: People) -> Api:
    """Planner in the team."""
    return Api(make_member(people.team, "Petra", Role.PLANNER))


@pytest.fixture
def paula(people: People) -> Api:
    """Approver in the team."""
    return Api(make_member(people.team, "Paula", Role.APPROVER))
