"""Every request has an id, in each of its log lines and in the answer, and is counted; forms that no person fills are not read."""

from __future__ import annotations

import re
import secrets
import time
from collections.abc import Callable

import structlog
from django.conf import settings
from django.http import HttpRequest, HttpResponse, UnreadablePostError
from django.template.loader import render_to_string

from config.logs import without_secret
from operations import traffic
from rest.traces import traced

log = structlog.get_logger("sextant.request")

_GIVEN = re.compile(r"[A-Za-z0-9._-]{8,64}")
_PROBES = frozenset({"/healthz", "/readyz"})
"""Neither logged, counted nor traced: they come every few seconds, and say themselves what is wrong."""


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
            if request.path in _PROBES:
                response = self.get_response(request)
            else:
                response = self._traced(request, request_id)
                _note(request, response.status_code, time.monotonic() - started)
        response.headers["X-Request-ID"] = request_id
        return response

    def _traced(self, request: HttpRequest, request_id: str) -> HttpResponse:
        method = request.method if request.method in traffic.METHODS else "_OTHER"
        attributes = {"http.request.method": method, "sextant.request": request_id}
        with traced(method, attributes, kind="server", caller=request.headers) as work:
            response = self.get_response(request)
            route, status = traffic.route_of(request), response.status_code
            work.name(f"{method} {route}")
            work.says({"http.route": route, "http.response.status_code": status})
            if status >= 500:
                work.failed(str(status))
            return response


def _note(request: HttpRequest, status: int, seconds: float) -> None:
    """Counts the request, and writes its line; static files are counted only."""
    route = traffic.route_of(request)
    traffic.count(route=route, method=request.method, status=status, seconds=seconds)
    if route != traffic.STATIC:
        # The path only: a query may hold what a person typed.
        path, milliseconds = without_secret(request.path), round(seconds * 1000)
        log.info("request", method=request.method, path=path, status=status, ms=milliseconds)


class BoundedForms:
    """Refuses a form that holds more text than a person types: what reads it may be slow for more, and decoding alone takes
    seventy times its bytes, also for visitors. Files beside the text, and bodies that are files, have limits of their own."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        length = request.META.get("CONTENT_LENGTH") or "0"
        if request.content_type == "application/x-www-form-urlencoded" and (
            not length.isdecimal() or int(length) > settings.FORM_MAX_BYTES
        ):
            return self._refusal()
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *_: object) -> HttpResponse | None:
        """The same for a form that comes in parts, whose length counts its files too."""
        if request.content_type != "multipart/form-data" or request.path.startswith("/api/"):
            return None
        try:
            text = sum(len(value) for values in request.POST.lists() for value in values[1])
        except UnreadablePostError:  # the sender has left: who reads on notices
            return None
        return self._refusal() if text > settings.FORM_MAX_BYTES else None

    def _refusal(self) -> HttpResponse:
        return HttpResponse(render_to_string("413.html"), status=413)
