"""Long lists in pages: an opaque sealed cursor, `{data, next_cursor}` and a Link header; stable while rows are added.

A cursor holds the place of a row, its number in the table among it, which tells how much the whole installation holds:
so it is encrypted, for one list in one order.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

from cryptography.fernet import Fernet, InvalidToken
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import salted_hmac
from ninja.params.functions import Query

from rest.answers import found
from rest.problems import invalid_parameter

T = TypeVar("T")
M = TypeVar("M", bound=Model)
LIMIT: Any = Query(50, ge=1, le=200, description="Rows on one page.")
CURSOR: Any = Query(None, max_length=1000, description="Where to go on: `next_cursor` of the page before.")
"""Defaults of the two parameters of every list."""


@dataclass(frozen=True, kw_only=True)
class Page(Generic[T]):
    """One page of a list. `next_cursor` is null on the last one."""

    data: tuple[T, ...]
    next_cursor: str | None


def page_of_rows(
    request: HttpRequest,
    rows: QuerySet[M],
    body: Callable[[M], Any],
    *,
    limit: int,
    cursor: str | None,
    sort: str = "-created_at",
) -> HttpResponse:
    """One page of those rows in order of that field (`-` = downwards), ties by age; Problem 400 on a foreign cursor."""
    taken, following = slice_of_rows(request, rows, limit=limit, cursor=cursor, sort=sort)
    return _page(request, [body(row) for row in taken], following)


def slice_of_rows(
    request: HttpRequest, rows: QuerySet[M], *, limit: int, cursor: str | None, sort: str
) -> tuple[list[M], str | None]:
    """The rows of one page in that order, and the cursor of the next one."""
    field, down = sort.removeprefix("-"), sort.startswith("-")
    if cursor:
        rows = rows.filter(_beyond(field, down, _opened(request, cursor, sort)))
    sign = "-" if down else ""
    taken = list(rows.order_by(f"{sign}{field}", f"{sign}pk")[: limit + 1])
    following = _closed(request, taken[limit - 1], field, sort) if len(taken) > limit else None
    return taken[:limit], following


def page_of_list(
    request: HttpRequest, items: Sequence[T], key: Callable[[T], str], *, limit: int, cursor: str | None
) -> HttpResponse:
    """One page of a sequence that is sorted by that unique key."""
    start = 0
    if cursor:
        last = str(_opened(request, cursor, "key")[0])
        start = next((index for index, item in enumerate(items) if key(item) > last), len(items))
    part = items[start : start + limit]
    more = start + limit < len(items)
    return _page(request, part, _sealed(request, "key", [key(part[-1])]) if more else None)


def _page(request: HttpRequest, data: Iterable[Any], following: str | None) -> HttpResponse:
    return found(request, {"data": list(data), "next_cursor": following}, headers=link_to(request, following))


def link_to(request: HttpRequest, following: str | None) -> dict[str, str]:
    """The header that leads to the next page, where there is one."""
    if not following:
        return {}
    query = request.GET.copy()
    query["cursor"] = following
    return {"Link": f'<{request.path}?{query.urlencode()}>; rel="next"'}


def _beyond(field: str, down: bool, place: list[Any]) -> Q:
    value, pk = place
    step = "lt" if down else "gt"
    return Q(**{f"{field}__{step}": value}) | Q(**{field: value, f"pk__{step}": pk})


def _closed(request: HttpRequest, row: Model, field: str, sort: str) -> str:
    value = getattr(row, field)
    return _sealed(request, sort, [value.isoformat() if isinstance(value, datetime) else value, row.pk])


def _sealed(request: HttpRequest, sort: str, place: list[Any]) -> str:
    return _box(request, sort).encrypt(json.dumps(place, ensure_ascii=False).encode()).decode().rstrip("=")


def _opened(request: HttpRequest, cursor: str, sort: str) -> list[Any]:
    try:
        padded = cursor.encode("ascii") + b"=" * (-len(cursor) % 4)
        place: list[Any] = json.loads(_box(request, sort).decrypt(padded))
    except (InvalidToken, UnicodeEncodeError):
        raise invalid_parameter(
            "cursor", "“cursor” is not one of this list: take “next_cursor” as it was given, or leave it out."
        ) from None
    return place


def _box(request: HttpRequest, sort: str) -> Fernet:
    """Seals and opens the cursors of that list in that order."""
    key = salted_hmac("rest.cursor", f"{request.path}:{sort}", algorithm="sha256").digest()
    return Fernet(base64.urlsafe_b64encode(key))
