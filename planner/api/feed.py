"""REST: the budget of all approved plans of a team as one feed, by change, with deltas and deletions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from django.db.models import F, QuerySet
from django.http import HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from ninja import Router
from ninja.params.functions import Query

from accounts import audit
from accounts.bearer import Bearer, caller_of
from engine.version import ENGINE_VERSION
from planner.budgets import feed, parquet
from planner.budgets.feed import OVERLAP, FeedLine, Granularity, Withdrawn
from planner.budgets.files import FOCUS_HEADER, filled, focus_part
from planner.budgets.focus import VERSION as FOCUS_VERSION
from planner.budgets.focus import Row
from planner.budgets.focus_days import by_day
from planner.budgets.sheets.kept import sheets
from planner.budgets.sheets.sheet import Sheet
from planner.models import PlanVersion
from rest import parts
from rest.answers import REVALIDATE, found, unchanged
from rest.door import answers
from rest.pages import CURSOR, link_to, slice_of_rows
from rest.parameters import Moment, Whole
from rest.problems import invalid_parameter

router = Router(tags=["Budget"])
LIMIT: Any = Query(20, ge=1, le=200, description="Versions on one page; their lines come whole.")
STATUS: Any = Query("approved", description="Which versions count; only approved ones do.")
SINCE: Any = Query(
    None,
    description="Only what changed from that moment on, `updated_until` of the last pull: new lines and deletions.",
)
GRANULARITY: Any = Query("month", description="Calendar months, or the days on which the work runs.")
SHAPE: Any = Query(
    "json",
    alias="format",
    description="json, or the column names of FOCUS 1.2: focus-json in pages, focus-csv and parquet all at once as one file.",
)
_CHUNK = 50


@dataclass(frozen=True, kw_only=True)
class Feed:
    """One page of the feed: lines to keep, in the place of any that were kept of the same plan before."""

    data: tuple[FeedLine, ...]
    deleted: tuple[Withdrawn, ...]
    """Versions to drop; always empty without `updated_since`."""
    updated_until: datetime
    """What to send as `updated_since` next time; lines of the last minute may come twice."""
    next_cursor: str | None


@dataclass(frozen=True, kw_only=True)
class FocusFeed:
    """The same under the column names of FOCUS; empty columns are left out."""

    focus_version: str
    data: tuple[dict[str, str], ...]
    deleted: tuple[Withdrawn, ...]
    """Versions to drop: those of `x_PlanId` and `x_PlanVersion`."""
    updated_until: datetime
    """What to send as `updated_since` next time; rows of the last minute may come twice."""
    next_cursor: str | None


@router.get(
    "/budget-lines",
    auth=Bearer("plans:read"),
    response=answers(ok=Feed | FocusFeed),
    summary="The budget of all approved plans",
    openapi_extra={
        "responses": {
            200: {
                "content": {
                    "text/csv": {"schema": {"type": "string"}},
                    parquet.MEDIA: {"schema": {"type": "string", "format": "binary"}},
                }
            }
        }
    },
)
def list_all_budget_lines(
    request: HttpRequest,
    limit: Whole = LIMIT,
    cursor: str | None = CURSOR,
    status: Literal["approved"] = STATUS,
    updated_since: Moment | None = SINCE,
    granularity: Granularity = GRANULARITY,
    shape: Literal["json", "focus-json", "focus-csv", "parquet"] = SHAPE,
) -> HttpResponseBase:
    """The lines of every approved version, oldest change first, and with `updated_since` what to drop.

    Keep lines by `plan_id`: those of a newer version take the place of the older one's.
    """
    _check(request, shape)
    if shape == "parquet" and not parquet.available():
        raise invalid_parameter(
            "format", "This server writes no Parquet: take focus-csv, or have its extra “parquet” installed."
        )
    rows = feed.changes(caller_of(request).team, updated_since)
    tag = feed.state_of(rows, cursor, limit, granularity, shape, updated_since, FOCUS_VERSION, ENGINE_VERSION)
    if (same := unchanged(request, tag)) is not None:
        return same
    if shape == "focus-csv" or shape == "parquet":
        return _file(request, rows, tag, shape, granularity)
    until = timezone.now() - OVERLAP
    places, following = slice_of_rows(
        request, rows.select_related(None).only("pk"), limit=limit, cursor=cursor, sort="changed_at"
    )
    whole = {row.pk: row for row in rows.filter(pk__in=[row.pk for row in places])}
    taken = [whole[row.pk] for row in places if row.pk in whole]
    kept = sheets([row for row in taken if row.counts])
    body = {
        "data": [filled(line) for _, sheet in kept for line in _focus(sheet, granularity)]
        if shape == "focus-json"
        else [line for row, sheet in kept for line in feed.lines_of(row, sheet, granularity)],
        "deleted": [feed.withdrawn(row) for row in taken if not row.counts],
        "updated_until": until.astimezone(UTC),
        "next_cursor": following,
    } | ({"focus_version": FOCUS_VERSION} if shape == "focus-json" else {})
    return found(request, body, etag=tag, headers=link_to(request, following))


def _check(request: HttpRequest, shape: str) -> None:
    """Does nothing where all parameters mean something; Problem 400 for one that would be ignored."""
    for name in ("limit", "cursor"):
        if shape in ("focus-csv", "parquet") and name in request.GET:
            raise invalid_parameter(name, f"“{name}” has no meaning for {shape}, which is one file: leave it out.")
    if shape != "json" and parts.NAME in request.GET:
        raise invalid_parameter(
            parts.NAME, "“fields” goes with the format json: leave it out, rows of FOCUS come whole."
        )


def _file(
    request: HttpRequest,
    rows: QuerySet[PlanVersion],
    tag: str,
    shape: Literal["focus-csv", "parquet"],
    granularity: Granularity,
) -> HttpResponseBase:
    """All of it, one version after the other, so that memory stays flat whatever there is."""
    caller = caller_of(request)
    audit.record(
        "budget.downloaded", caller.team.public_id, team=caller.team, actor=caller.member.user, token=caller.token,
        data={"format": shape, "plans": "all"},
    )  # fmt: skip
    kept = (sheet for some in _some(rows) for _, sheet in sheets([row for row in some if row.counts]))
    as_csv = shape == "focus-csv"
    pieces = (_focus(sheet, granularity) for sheet in kept)
    return StreamingHttpResponse(
        _csv(pieces) if as_csv else parquet.parquet(row for piece in pieces for row in piece),
        content_type="text/csv; charset=utf-8; header=present" if as_csv else parquet.MEDIA,
        headers={
            "Content-Disposition": f'attachment; filename="budget-lines.{"csv" if as_csv else "parquet"}"',
            "Cache-Control": REVALIDATE,
            "ETag": f'"{tag}"',
            "X-Content-Type-Options": "nosniff",
        },
    )


def _some(rows: QuerySet[PlanVersion]) -> Iterator[list[PlanVersion]]:
    """All of them in order, so many at a time, by keys that are read first: no cursor stays open while sheets are written."""
    keys = list(rows.select_related(None).order_by(F("changed_at").asc(), "pk").values_list("pk", flat=True))
    for start in range(0, len(keys), _CHUNK):
        part = keys[start : start + _CHUNK]
        found = rows.in_bulk(part)
        yield [found[key] for key in part if key in found]


def _focus(sheet: Sheet, granularity: Granularity) -> Iterable[Row]:
    return sheet.focus if granularity == "month" else by_day(sheet.focus, sheet.begins, sheet.ends)


def _csv(found: Iterable[Iterable[Row]]) -> Iterator[str]:
    yield FOCUS_HEADER
    for rows in found:
        yield focus_part(rows)
