"""What goes wrong, as RFC 9457 problem details: one exception, one shape of answer."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse

MEDIA_TYPE = "application/problem+json"
MOST_ITEMS = 100
MOST_CHARACTERS = 600
TITLES = {
    "malformed": "The request cannot be read",
    "parameter": "A query parameter is not valid",
    "unauthenticated": "A valid token is needed",
    "forbidden": "This token may not do that",
    "not-found": "There is nothing here",
    "method": "This address has no such method",
    "conflict": "This does not fit the current state",
    "gone": "This is no longer stored",
    "stale": "Somebody else has changed this",
    "too-large": "The body is too large",
    "media-type": "The body has the wrong media type",
    "range": "The file has no such range",
    "validation": "Some fields are not valid",
    "condition-missing": "Say which state you have read",
    "too-many": "Too many requests",
    "internal": "Something went wrong on our side",
    "away": "Not possible for the moment",
}
CODES = {
    400: "malformed", 401: "unauthenticated", 403: "forbidden", 404: "not-found", 405: "method", 409: "conflict",
    410: "gone", 412: "stale", 413: "too-large", 415: "media-type", 416: "range", 422: "validation",
    428: "condition-missing", 429: "too-many", 500: "internal", 503: "away",
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class ProblemItem:
    """One thing to change: where in the body (JSON Pointer) or which query parameter or header, and one sentence."""

    detail: str
    code: str
    pointer: str = ""
    parameter: str | None = None


@dataclass(frozen=True, kw_only=True)
class ProblemBody:
    """RFC 9457 problem details with the id of the request and one item for each fault."""

    type: str
    title: str
    status: int
    detail: str
    instance: str
    request_id: str
    errors: tuple[ProblemItem, ...] = field(default=())


class Problem(Exception):
    """Ends the request with that status; `code` names the kind of problem and defaults to the status's own."""

    def __init__(
        self,
        status: int,
        detail: str,
        *,
        code: str = "",
        errors: Iterable[ProblemItem] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status, self.detail, self.code = status, detail, code or CODES.get(status, "internal")
        self.errors, self.headers = tuple(errors), dict(headers or {})

    def body(self, request: HttpRequest) -> dict[str, Any]:
        """The problem as plain JSON."""
        title = TITLES.get(self.code) or HTTPStatus(self.status).phrase
        return {
            "type": f"/problems/{self.code}",
            "title": title,
            "status": self.status,
            "detail": self.detail,
            "instance": request.path,
            "request_id": getattr(request, "id", ""),
            "errors": [_item(item) for item in self.errors],
        }

    def answer(self, request: HttpRequest) -> HttpResponse:
        """The answer that says so."""
        # ensure_ascii: a path or a name may hold what UTF-8 cannot encode.
        text = json.dumps(self.body(request), ensure_ascii=True)
        headers = {"Cache-Control": "no-store", **self.headers}
        return HttpResponse(text, status=self.status, content_type=MEDIA_TYPE, headers=headers)


def _item(item: ProblemItem) -> dict[str, str]:
    place = {"pointer": item.pointer} if item.parameter is None else {"parameter": item.parameter}
    return {**place, "code": item.code, "detail": item.detail}


def pointer(*parts: object) -> str:
    """RFC 6901: each part after a slash, `~` and `/` escaped; "" is the whole body."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)


def invalid(items: Iterable[ProblemItem]) -> Problem:
    """422 with every fault at once, the first hundred of many: an answer is no larger than what was asked."""
    found = tuple(items)
    shown = tuple(_clipped(item) for item in found[:MOST_ITEMS])
    said = " ".join(item.detail for item in shown[:5])
    if len(found) > len(shown):
        said += f" There are {len(found):,} faults; the first {MOST_ITEMS} are listed."
    return Problem(422, said, errors=shown)


def _clipped(item: ProblemItem) -> ProblemItem:
    """The same, short where it repeats something long that was sent."""
    if max(len(item.detail), len(item.pointer)) <= MOST_CHARACTERS:
        return item
    detail = item.detail if len(item.detail) <= MOST_CHARACTERS else f"{item.detail[: MOST_CHARACTERS - 1]}…"
    return replace(item, detail=detail, pointer=item.pointer[:MOST_CHARACTERS])


def invalid_parameter(name: str, detail: str, *, code: str = "invalid") -> Problem:
    """400 that names the query parameter."""
    return Problem(400, detail, code="parameter", errors=[ProblemItem(parameter=name, code=code, detail=detail)])
