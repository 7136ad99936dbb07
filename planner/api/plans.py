"""REST: plans as drafts that a team changes, and how they begin and end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal, cast

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest, HttpResponse
from ninja import Body, Router
from ninja.params.functions import Header, Query
from pydantic import PlainValidator

from accounts import access
from accounts.bearer import Bearer, caller_of
from engine.inputs.spec import Spec, SpecError
from planner import planned, plans
from planner.api.bodies import PlanBody, SpecBody, plan_body, read_spec, with_shown
from planner.api.estimates import estimated
from planner.frozen.snapshot import plain
from planner.models import PlanVersion, Workload
from planner.request.merging import merged
from planner.versions import State
from rest.answers import answer, found, require_match
from rest.door import BODY, answers
from rest.once import keep, once
from rest.pages import CURSOR, LIMIT, Page, page_of_rows
from rest.parameters import Flag, Moment, Whole
from rest.problems import Problem
from voice.speech import error_text

router = Router(tags=["Plans"])
IF_MATCH: Any = Header(None, alias="If-Match", description="The ETag that you have read.")
STATUS: Any = Query(None, description="Of the newest version; `approved`: plans that have an approved version.")
SINCE: Any = Query(
    None,
    description="Only plans that changed at or after that moment (RFC 3339): draft, versions, steps of the review. One that was "
    "archived since stands among the archived ones.",
)
ARCHIVED: Any = Query(False, description="The archived ones instead of the others.")
SORT: Any = Query("-created_at", description="Field; `-` = downwards.")
Status = Literal["draft", "submitted", "approved", "returned", "superseded"]
Sort = Literal["created_at", "-created_at", "updated_at", "-updated_at", "name", "-name"]


@dataclass(frozen=True)
class SpecPatch:
    """A merge patch of the request; the description derives its fields from those of Spec."""


Patch = Annotated[dict[str, Any], PlainValidator(lambda data: data, json_schema_input_type=SpecPatch), Body()]


@router.post(
    "/plans", auth=Bearer("plans:write", bucket="estimate"), response=answers(409, *BODY, created=PlanBody),
    summary="Make a plan",
)  # fmt: skip
@once
def create_plan(request: HttpRequest, spec: SpecBody) -> HttpResponse:
    """A new plan with that draft, frozen at once as version 1."""
    return _created(request, spec)


@router.post(
    "/plans/{plan_id}:duplicate", auth=Bearer("plans:write", bucket="estimate"),
    response=answers(404, 409, 422, created=PlanBody), summary="Copy a plan",
)  # fmt: skip
@once
def duplicate_plan(request: HttpRequest, plan_id: str) -> HttpResponse:
    """A new plan with the draft of this one, its name marked as a copy, frozen as version 1."""
    source = workload_of(request, plan_id)
    spec = draft_spec(source)
    return _created(request, read_spec({**plain(spec), "name": f"{spec.name[:110]} (copy)"}))


@router.get("/plans", auth=Bearer("plans:read"), response=answers(ok=Page[PlanBody]), summary="List plans")
def list_plans(
    request: HttpRequest,
    limit: Whole = LIMIT,
    cursor: str | None = CURSOR,
    status: Status | None = STATUS,
    updated_since: Moment | None = SINCE,
    archived: Flag = ARCHIVED,
    sort: Sort = SORT,
) -> HttpResponse:
    """The team's plans."""
    rows = access.rows_of(caller_of(request).team, Workload).filter(archived_at__isnull=not archived)
    rows = _in_state(rows, status)
    if updated_since:
        rows = rows.filter(updated_at__gte=updated_since)
    return page_of_rows(request, rows.prefetch_related(with_shown()), plan_body, limit=limit, cursor=cursor, sort=sort)


@router.get("/plans/{plan_id}", auth=Bearer("plans:read"), response=answers(404, ok=PlanBody), summary="One plan")
def get_plan(request: HttpRequest, plan_id: str) -> HttpResponse:
    """The draft, and what was frozen of it. Its ETag is what a change must send as If-Match."""
    workload = workload_of(request, plan_id)
    body = plan_body(workload)
    return found(request, body, etag=_tag(workload, body))


@router.patch(
    "/plans/{plan_id}", auth=Bearer("plans:write"), response=answers(404, 412, 428, *BODY, ok=PlanBody),
    summary="Change the draft",
)  # fmt: skip
def change_plan(request: HttpRequest, plan_id: str, patch: Patch, if_match: str | None = IF_MATCH) -> HttpResponse:
    """Merges the body into the draft (RFC 7396: null takes a field away). Nothing is frozen: see POST versions."""
    caller, workload = caller_of(request), workload_of(request, plan_id)
    require_match(request, _tag(workload, plan_body(workload)))
    spec = read_spec(merged(_base(workload), patch))
    try:
        changed = plans.save_workload(
            caller.member,
            name=spec.name,
            draft=plain(spec),
            workload=workload,
            revision=workload.revision,
            token=caller.token,
        )
    except plans.Conflict as error:
        raise Problem(412, str(error)) from error
    body = plan_body(changed)
    return answer(body, headers={"ETag": f'"{_tag(changed, body)}"'})


@router.delete(
    "/plans/{plan_id}", auth=Bearer("plans:write"), response=answers(404, 412, 428, nothing=None),
    summary="Archive a plan",
)  # fmt: skip
def archive_plan(request: HttpRequest, plan_id: str, if_match: str | None = IF_MATCH) -> HttpResponse:
    """Takes the plan out of the list; its versions and documents stay. Archiving twice changes nothing."""
    caller, workload = caller_of(request), workload_of(request, plan_id)
    require_match(request, _tag(workload, plan_body(workload)))
    plans.archive_workload(caller.member, workload, token=caller.token)
    return HttpResponse(status=204)


def workload_of(request: HttpRequest, plan_id: str) -> Workload:
    """The plan of the caller's team; Http404 for anything else."""
    return access.one_of(caller_of(request).team, Workload, plan_id)


def draft_spec(workload: Workload) -> Spec:
    """The draft as a Spec. Problem 422 when it is not whole yet: drafts from the page may be half filled."""
    try:
        return planned.read(workload.draft, workload.team)
    except SpecError as error:
        raise Problem(
            422,
            f"The draft of this plan is not whole yet: {error_text(error)} Change it with PATCH /api/v1/plans/{{id}} first.",
        ) from error


def _base(workload: Workload) -> dict[str, Any]:
    """The draft in numbers where it can be read, else as it was typed."""
    try:
        return cast(dict[str, Any], plain(planned.read(workload.draft, workload.team)))
    except SpecError:
        return dict(workload.draft)


def _created(request: HttpRequest, spec: Spec) -> HttpResponse:
    caller = caller_of(request)
    plan = estimated(caller, spec)
    with transaction.atomic():
        workload = plans.save_workload(caller.member, name=spec.name, draft=plain(spec), token=caller.token)
        plans.freeze_version(caller.member, workload, plan, token=caller.token)
        body = plan_body(Workload.objects.get(pk=workload.pk))
        headers = {"Location": f"/api/v1/plans/{workload.public_id}", "ETag": f'"{_tag(workload, body)}"'}
        return keep(request, answer(body, status=201, headers=headers))


def _tag(workload: Workload, body: PlanBody) -> str:
    """Changes with the draft, with each version and with each step of its review."""
    newest, approved = body.latest_version, body.approved_version
    given = len(newest.approvals) if newest and newest.state == State.SUBMITTED else 0
    seen = f"-{newest.number}{newest.state[0]}{given or ''}" if newest else ""
    return f"v{workload.revision}{seen}{f'-{approved.number}' if approved else ''}{'-x' if body.archived else ''}"


def _in_state(rows: QuerySet[Workload], status: str | None) -> QuerySet[Workload]:
    if status is None:
        return rows
    versions = PlanVersion.objects.filter(workload=OuterRef("pk"))
    if status == State.APPROVED:
        return rows.filter(Exists(versions.approved()))
    newest = versions.newest()
    if status == State.DRAFT:  # as is also a plan without a version
        return rows.exclude(Exists(newest.exclude(state=State.DRAFT)))
    return rows.filter(Exists(newest.filter(state=status)))
