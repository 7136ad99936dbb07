"""REST: workloads — what a team wants to train or serve, before anything of it is frozen.

A workload and its plan are one row with one id: here is the draft alone, `/plans` adds what was frozen of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from ninja import Router

from accounts import access
from accounts.bearer import Bearer, caller_of
from planner import plans
from planner.api.bodies import SpecBody
from planner.api.plans import ARCHIVED, IF_MATCH, workload_of
from planner.frozen.snapshot import plain
from planner.models import Workload
from rest.answers import answer, found, require_match
from rest.door import BODY, answers
from rest.once import keep, once
from rest.pages import CURSOR, LIMIT, Page, page_of_rows
from rest.parameters import Flag, Whole
from rest.problems import Problem

router = Router(tags=["Workloads"])


@dataclass(frozen=True, kw_only=True)
class WorkloadBody:
    """A request that may still change. `id` is also the id of its plan."""

    id: str
    name: str
    archived: bool
    revision: int
    draft: dict[str, Any]
    created_at: datetime
    updated_at: datetime


@router.get("/workloads", auth=Bearer("plans:read"), response=answers(ok=Page[WorkloadBody]), summary="List workloads")
def list_workloads(
    request: HttpRequest, limit: Whole = LIMIT, cursor: str | None = CURSOR, archived: Flag = ARCHIVED
) -> HttpResponse:
    """The team's workloads, newest first, those that nothing was frozen of included."""
    rows = access.rows_of(caller_of(request).team, Workload).filter(archived_at__isnull=not archived)
    return page_of_rows(request, rows, _body, limit=limit, cursor=cursor)


@router.post(
    "/workloads", auth=Bearer("plans:write"), response=answers(409, *BODY, created=WorkloadBody),
    summary="Store a workload",
)  # fmt: skip
@once
def create_workload(request: HttpRequest, spec: SpecBody) -> HttpResponse:
    """Stores the request without planning it; POST /plans/{id}/versions freezes the first version."""
    caller = caller_of(request)
    with transaction.atomic():
        row = plans.save_workload(caller.member, name=spec.name, draft=plain(spec), token=caller.token)
        headers = {"Location": f"/api/v1/workloads/{row.public_id}", "ETag": f'"{_tag(row)}"'}
        return keep(request, answer(_body(row), status=201, headers=headers))


@router.get(
    "/workloads/{plan_id}", auth=Bearer("plans:read"), response=answers(404, ok=WorkloadBody), summary="One workload"
)
def get_workload(request: HttpRequest, plan_id: str) -> HttpResponse:
    """The draft. Its ETag is what a change must send as If-Match."""
    row = workload_of(request, plan_id)
    return found(request, _body(row), etag=_tag(row))


@router.put(
    "/workloads/{plan_id}", auth=Bearer("plans:write"), response=answers(404, 412, 428, *BODY, ok=WorkloadBody),
    summary="Replace a workload",
)  # fmt: skip
def replace_workload(
    request: HttpRequest, plan_id: str, spec: SpecBody, if_match: str | None = IF_MATCH
) -> HttpResponse:
    """Puts another request in its place. Nothing is frozen: see POST versions."""
    caller, row = caller_of(request), workload_of(request, plan_id)
    require_match(request, _tag(row))
    try:
        row = plans.save_workload(
            caller.member,
            name=spec.name,
            draft=plain(spec),
            workload=row,
            revision=row.revision,
            token=caller.token,
        )
    except plans.Conflict as error:
        raise Problem(412, str(error)) from error
    return answer(_body(row), headers={"ETag": f'"{_tag(row)}"'})


def _tag(row: Workload) -> str:
    return f"r{row.revision}"


def _body(row: Workload) -> WorkloadBody:
    return WorkloadBody(
        id=row.public_id,
        name=row.name,
        archived=row.archived_at is not None,
        revision=row.revision,
        draft=row.draft,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )
