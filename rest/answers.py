"""Answers: JSON with its headers, conditional GET, and what was created."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any, Final

from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers

from rest.problems import Problem

REVALIDATE = "private, no-cache"
IMMUTABLE = "private, max-age=31536000, immutable"


def answer(body: Any, *, status: int = 200, headers: Mapping[str, str] | None = None) -> HttpResponse:
    """That value as JSON; dataclasses, dates, moments (RFC 3339, UTC) and decimals (as text) included."""
    response = HttpResponse(
        _text(body),
        status=status,
        content_type="application/json",
        headers={"Cache-Control": "no-store", **(headers or {})},
    )
    patch_vary_headers(response, ["Authorization"])
    return response


_TAG = re.compile(r'"[^"]*"|\*')
PIECES: Final = "\0pieces"
"""Stands in a body for the list whose entries come piece by piece."""


def found_in_pieces(
    request: HttpRequest, body: Any, pieces: Iterable[Any], *, etag: str, cache: str = REVALIDATE
) -> HttpResponseBase:
    """The same as `found` for a body with one long list: `PIECES` stands for it, and memory holds one entry at a time."""
    if (same := unchanged(request, etag, cache=cache)) is not None:
        return same
    before, after = _text(body).split(_text(PIECES))
    headers = {"Cache-Control": cache, "ETag": quoted(etag)}
    response = StreamingHttpResponse(_joined(before, pieces, after), content_type="application/json", headers=headers)
    patch_vary_headers(response, ["Authorization"])
    return response


def _joined(before: str, pieces: Iterable[Any], after: str) -> Iterator[str]:
    yield f"{before}["
    for index, piece in enumerate(pieces):
        yield f"{',' if index else ''}{_text(piece)}"
    yield f"]{after}"


def _text(body: Any) -> str:
    return json.dumps(body, ensure_ascii=True, allow_nan=False, separators=(",", ":"), default=_plain)


def found(
    request: HttpRequest,
    body: Any,
    *,
    etag: str = "",
    cache: str = REVALIDATE,
    headers: Mapping[str, str] | None = None,
) -> HttpResponse:
    """The answer to a GET, or 304 when the caller has it. Without a tag of its own, the hash of the content is one."""
    response = answer(body, headers={**(headers or {}), "Cache-Control": cache})
    tag = quoted(etag or hashlib.sha256(response.content).hexdigest()[:32])
    response.headers["ETag"] = tag
    if _matches(request.headers.get("If-None-Match", ""), tag, weak=True):
        kept = {name: response.headers[name] for name in ("ETag", "Cache-Control", "Vary")}
        return HttpResponse(status=304, headers=kept)
    return response


def unchanged(request: HttpRequest, etag: str, *, cache: str = REVALIDATE) -> HttpResponse | None:
    """304 when the caller has that state already, before any work is done for it; else None."""
    tag = quoted(etag)
    if not _matches(request.headers.get("If-None-Match", ""), tag, weak=True):
        return None
    response = HttpResponse(status=304, headers={"ETag": tag, "Cache-Control": cache})
    patch_vary_headers(response, ["Authorization"])
    return response


def require_match(request: HttpRequest, etag: str) -> None:
    """Does nothing when If-Match names that state; Problem 428 without the header, 412 for another state."""
    given = request.headers.get("If-Match")
    if given is None:
        raise Problem(428, "Send If-Match with the ETag that you have read, so that nobody's change is lost.")
    if not all(_TAG.fullmatch(part.strip()) for part in given.split(",")):
        example = quoted(etag) if etag in given else quoted("v4-2s")
        raise Problem(400, f"If-Match must be an ETag in double quotes as it was given, without W/: {example}, or *.")
    if not _matches(given, quoted(etag), weak=False):
        raise Problem(412, f"This has changed since you read it: its ETag is now {quoted(etag)}; read it again.")


def quoted(etag: str) -> str:
    """The entity tag as it stands in the header."""
    return f'"{etag}"'


def _matches(header: str, tag: str, *, weak: bool) -> bool:
    tags = {part.strip() for part in header.split(",")}
    if weak:  # RFC 9110 §13.1.2: If-None-Match compares weakly
        tags = {part.removeprefix("W/") for part in tags}
    return "*" in tags or tag in tags


def moment(value: datetime | None) -> str | None:
    """RFC 3339 in UTC with Z."""
    if value is None:
        return None
    return value.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return moment(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return format(value, "f")
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    raise TypeError(type(value).__name__)
