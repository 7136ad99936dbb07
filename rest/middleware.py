"""Every answer under /api/ keeps the manners, also those that Django gives by itself."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from rest.limits import Allowance
from rest.problems import MEDIA_TYPE, Problem

_DETAIL = {
    400: "The request cannot be read: look at its host, its headers and its length.",
    403: "This request is refused.",
    404: "There is nothing at this address: compare it with /api/v1/openapi.json.",
    405: "This address does not answer {method}: use {allow}.",
    413: "The request is too large.",
    500: "The request could not be answered; nothing was changed. Quote the request_id when you report it.",
}


class Manners:
    """Problems instead of error pages, HEAD wherever there is GET, and what is left of the caller's allowance."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not request.path.startswith("/api/"):
            return self.get_response(request)
        asked = request.method
        if asked == "HEAD":
            request.method = "GET"  # the server drops the body
        response = self.get_response(request)
        request.method = asked
        if response.status_code >= 400 and response.headers.get("Content-Type") != MEDIA_TYPE:
            response = _as_problem(request, response)
        allowance: Allowance | None = getattr(request, "allowance", None)
        for name, value in allowance.headers().items() if allowance else ():
            response.headers.setdefault(name, value)
        return response


def _as_problem(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    allow = response.headers.get("Allow", "")
    detail = _DETAIL.get(response.status_code, _DETAIL[500 if response.status_code >= 500 else 400])
    kept = {name: response.headers[name] for name in ("Allow", "Retry-After") if name in response.headers}
    return Problem(
        response.status_code, detail.format(method=request.method, allow=allow or "another method"), headers=kept
    ).answer(request)
