"""REST: comments on the numbers of a version, and links that let somebody without an account read one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal

from annotated_types import Ge, MaxLen, MinLen
from django.conf import settings
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from ninja import Body, Router
from ninja.params.functions import Query
from pydantic import PlainValidator

from accounts import access
from accounts.bearer import Bearer, caller_of
from planner.api.plans import workload_of
from planner.api.versions import newest_of, version_of
from planner.models import PlanComment, PlanVersion, ShareLink
from planner.presenters import present
from planner.presenters.review import numbers_of
from planner.review import comments, sharing
from rest.answers import answer
from rest.bodies import WHOLE, read_body
from rest.door import BODY, answers
from rest.once import keep, once
from rest.pages import CURSOR, LIMIT, Page, page_of_rows
from rest.parameters import Whole
from rest.problems import ProblemItem, invalid

router = Router(tags=["Review"])
PLAN: Any = Query(None, max_length=40, description="Only links to the plan with this id.")
NUMBER: Any = Query(None, ge=1, description="Only of the version with this number.")


@dataclass(frozen=True, kw_only=True)
class CommentBody:
    """A remark on one number of a version (`pointer`, such as figure.cost), or on the whole of it."""

    id: str
    plan_id: str
    version: int
    pointer: str
    text: str
    author: str | None
    created_at: datetime
    resolved_at: datetime | None
    resolved_by: str | None


@dataclass(frozen=True, kw_only=True)
class CommentRequest:
    """A new comment."""

    __pydantic_config__ = {"extra": "forbid"}

    text: Annotated[str, MinLen(1), MaxLen(comments.LONGEST)]
    pointer: Annotated[str, MaxLen(80)] = ""
    """The number it is about: figure.cost, line.compute; empty = the whole plan."""
    version: Annotated[int, Ge(1)] | None = None
    """Number of the version; null = the newest."""


@dataclass(frozen=True, kw_only=True)
class ShareLinkBody:
    """A way to read one version until the link expires or is revoked. Its address was shown once."""

    id: str
    plan_id: str
    version: int
    created_by: str | None
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None
    opened: int
    has_password: bool


@dataclass(frozen=True, kw_only=True)
class ShareLinkWithAddress(ShareLinkBody):
    """A link that was just made: `address` is shown this once, and only a hash of its secret is stored."""

    address: str


@dataclass(frozen=True, kw_only=True)
class ShareLinkRequest:
    """Which version to share, and for how long."""

    __pydantic_config__ = {"extra": "forbid"}

    plan_id: Annotated[str, MinLen(1), MaxLen(40)]
    version: Annotated[int, Ge(1)] | None = None
    """Number of the version; null = the newest."""
    days: Annotated[Literal[1, 7, 30, 90], WHOLE] = 7
    password: Annotated[str, MinLen(sharing.SHORTEST), MaxLen(sharing.LONGEST)] | None = None
    """What the link asks for as well; it is stored as a hash and shown nowhere."""


def _read_comment(data: Any) -> CommentRequest:
    return read_body(CommentRequest, data)


def _read_link(data: Any) -> ShareLinkRequest:
    return read_body(ShareLinkRequest, data)


CommentRequestBody = Annotated[
    CommentRequest, PlainValidator(_read_comment, json_schema_input_type=CommentRequest), Body()
]
LinkRequestBody = Annotated[
    ShareLinkRequest, PlainValidator(_read_link, json_schema_input_type=ShareLinkRequest), Body()
]


@router.post(
    "/plans/{plan_id}/comments/{comment_id}:resolve", auth=Bearer("plans:write"),
    response=answers(404, ok=CommentBody), summary="Settle a comment",
)  # fmt: skip
def resolve_comment(request: HttpRequest, plan_id: str, comment_id: str) -> HttpResponse:
    """Marks it as settled: its author, a planner or an approver may. A second call changes nothing."""
    caller, workload = caller_of(request), workload_of(request, plan_id)
    found = access.one_of(caller.team, PlanComment, comment_id)
    if found.version.workload_id != workload.pk:
        raise Http404("This plan has no comment with this id.")
    comments.resolve(caller.member, found, token=caller.token)
    rows = PlanComment.objects.select_related(*_COMMENT_ROWS).defer("version__body")
    return answer(_comment(rows.get(pk=found.pk)))


@router.get(
    "/plans/{plan_id}/comments", auth=Bearer("plans:read"), response=answers(404, ok=Page[CommentBody]),
    summary="List comments",
)  # fmt: skip
def list_comments(
    request: HttpRequest,
    plan_id: str,
    limit: Whole = LIMIT,
    cursor: str | None = CURSOR,
    version: Whole | None = NUMBER,
) -> HttpResponse:
    """What was said about the plan's versions, newest first."""
    workload = workload_of(request, plan_id)
    rows = access.rows_of(caller_of(request).team, PlanComment).filter(version__workload=workload)
    rows = rows.select_related(*_COMMENT_ROWS).defer("version__body")
    if version is not None:
        rows = rows.filter(version__number=version)
    return page_of_rows(request, rows, _comment, limit=limit, cursor=cursor)


@router.post(
    "/plans/{plan_id}/comments", auth=Bearer("plans:write"), response=answers(404, 409, *BODY, created=CommentBody),
    summary="Comment on a plan",
)  # fmt: skip
@once
def create_comment(request: HttpRequest, plan_id: str, wanted: CommentRequestBody) -> HttpResponse:
    """A remark on a number of a version, or on the whole of it. Its text never changes; it can be settled."""
    caller = caller_of(request)
    version = _version(request, plan_id, wanted.version)
    known = numbers_of(present(version.plan)) if wanted.pointer else {}
    try:
        with transaction.atomic():
            made = comments.add(
                caller.member, version, text=wanted.text, pointer=wanted.pointer, known=known, token=caller.token
            )
            headers = {"Location": f"/api/v1/plans/{plan_id}/comments?version={version.number}"}
            return keep(request, answer(_comment(made), status=201, headers=headers))
    except ValueError as error:
        wrong = wanted.pointer and wanted.pointer not in known
        choices = f" Choose from {', '.join(known)}." if wrong else ""
        place = "/pointer" if wrong else "/text"
        raise invalid(
            [ProblemItem(pointer=place, code="unknown" if wrong else "length", detail=f"{error}{choices}")]
        ) from error


@router.get(
    "/share-links", auth=Bearer("plans:read"), response=answers(404, ok=Page[ShareLinkBody]), summary="List share links"
)
def list_share_links(
    request: HttpRequest, limit: Whole = LIMIT, cursor: str | None = CURSOR, plan: str | None = PLAN
) -> HttpResponse:
    """The team's links, newest first, the ended ones included."""
    rows = access.rows_of(caller_of(request).team, ShareLink)
    rows = rows.select_related("version__workload", "created_by").defer("version__body")
    if plan is not None:
        rows = rows.filter(version__workload=workload_of(request, plan))
    return page_of_rows(request, rows, lambda link: ShareLinkBody(**_link(link)), limit=limit, cursor=cursor)


@router.post(
    "/share-links", auth=Bearer("plans:write"), response=answers(404, 409, *BODY, created=ShareLinkWithAddress),
    summary="Share a version",
)  # fmt: skip
def create_share_link(request: HttpRequest, wanted: LinkRequestBody) -> HttpResponse:
    """A link to read one version without an account, its address shown this once. No Idempotency-Key: it is a secret."""
    caller = caller_of(request)
    version = _version(request, wanted.plan_id, wanted.version)
    link, secret = sharing.create(
        caller.member, version, days=wanted.days, password=wanted.password or "", token=caller.token
    )
    address = settings.SITE_URL + reverse("planner:shared", args=[secret])
    headers = {"Location": f"/api/v1/share-links/{link.public_id}"}
    return answer(ShareLinkWithAddress(**_link(link), address=address), status=201, headers=headers)


@router.delete(
    "/share-links/{link_id}", auth=Bearer("plans:write"), response=answers(404, nothing=None), summary="Revoke a link"
)
def delete_share_link(request: HttpRequest, link_id: str) -> HttpResponse:
    """Ends the link at once; a second call changes nothing."""
    caller = caller_of(request)
    sharing.revoke(caller.member, access.one_of(caller.team, ShareLink, link_id), token=caller.token)
    return HttpResponse(status=204)


_COMMENT_ROWS = ("version__workload", "author", "resolved_by")


def _version(request: HttpRequest, plan_id: str, number: int | None) -> PlanVersion:
    """That version, or the newest one. Http404, Problem 409 before the first."""
    return newest_of(request, plan_id) if number is None else version_of(request, plan_id, number)


def _comment(row: PlanComment) -> CommentBody:
    return CommentBody(
        id=row.public_id,
        plan_id=row.version.workload.public_id,
        version=row.version.number,
        pointer=row.pointer,
        text=row.text,
        author=row.author.public_id if row.author else None,
        created_at=row.created_at,
        resolved_at=row.resolved_at,
        resolved_by=row.resolved_by.public_id if row.resolved_by else None,
    )


def _link(row: ShareLink) -> dict[str, Any]:
    return {
        "id": row.public_id,
        "plan_id": row.version.workload.public_id,
        "version": row.version.number,
        "created_by": row.created_by.public_id if row.created_by else None,
        "created_at": row.created_at,
        "expires_at": row.expires_at,
        "revoked_at": row.revoked_at,
        "opened": row.opened,
        "has_password": bool(row.password),
    }
