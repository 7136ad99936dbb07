"""One middleware: every request has an id, in each of its log lines and in the answer."""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Callable

import structlog
from django.http import HttpRequest, HttpResponse

from config.logs import without_secret

log = structlog.get_logger("sextant.request")

_GIVEN = re.compile(r"[A-Za-z0-9._-]{8,64}")
_QUIET = frozenset({"/healthz", "/readyz"})


class RequestId:
    """Takes X-Request-ID from a caller when it is harmless, else makes one; sets request.id and the header."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        given = request.headers.get("X-Request-ID", "")
        request_id = given if _GIVEN.fullmatch(given) else f"req_{secrets.token_hex(12)}"
        request.id = request_id  # type: ignore[attr-defined]  # Django's way to pass a value along a request
        started = time.monotonic()
        with structlog.contextvars.bound_contextvars(request_id=request_id):
            response = self.get_response(request)
            if request.path not in _QUIET and not request.path.startswith("/static/"):
                milliseconds = round((time.monotonic() - started) * 1000)
                # The path only: a query may hold what a person typed.
                log.info(
                    "request",
                    method=request.method,
                    path=without_secret(request.path),
                    status=response.status_code,
                    ms=milliseconds,
                )
        response.headers["X-Request-ID"] = request_id
        return response
