"""REST: files of a plan version — asked for, watched, fetched."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal

from annotated_types import MaxLen, MinLen
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from ninja import Body, Router
from ninja.params.functions import Header, Query
from pydantic import PlainValidator

from accounts import access, audit
from accounts.bearer import Bearer, caller_of
from exports import files
from exports.download import file_answer, note
from exports.formats import MEDIA_TYPES
from exports.healing import AGAIN, heal, is_lost, made, seems_lost
from exports.models import Export
from exports.room import retried
from exports.work import request_export
from jobs import queue
from jobs.models import State as JobState
from jobs.waiting import LONGEST_S, wait_for_end
from planner.api.plans import workload_of
from planner.api.versions import newest_of, version_of
from planner.models import PlanVersion
from rest.answers import answer, found
from rest.bodies import read_body
from rest.door import BODY, answers
from rest.once import keep, once
from rest.pages import CURSOR, LIMIT, Page, page_of_rows
from rest.parameters import Whole
from rest.problems import Problem

router = Router(tags=["Exports"])
Format = Literal["docx", "xlsx", "pdf", "pptx"]
PLAN: Any = Query(None, max_length=40, description="Only files of the plan with this id.")
WAIT: Any = Query(0, ge=0, le=LONGEST_S, description="Seconds to wait for its end before answering.")
RANGE: Any = Header(None, alias="Range", description="One range of bytes.")


@dataclass(frozen=True, kw_only=True)
class ExportRequest:
    """The files to make; equal requests give the same ones."""

    __pydantic_config__ = {"extra": "forbid"}

    formats: Annotated[tuple[Format, ...], MinLen(1), MaxLen(4)] = ("docx", "xlsx", "pdf", "pptx")
    paper: Literal["A4", "Letter"] | None = None
    """Without it, the paper of the team's look."""


@dataclass(frozen=True, kw_only=True)
class ExportProblem:
    """Why a file was not made."""

    code: str
    detail: str


@dataclass(frozen=True, kw_only=True)
class ExportBody:
    """One file of one version: how far it is, and where it will be."""

    id: str
    plan_id: str
    version_id: str
    version: int
    format: str
    paper: str
    state: str
    """queued, running, succeeded, failed, cancelled, or expired: made, but lost or damaged since; ask for it again."""
    progress: int
    note: str
    attempts: int
    error: ExportProblem | None
    sha256: str | None
    bytes: int | None
    file: str | None
    """Address of the file, once it is there."""
    created_at: datetime
    finished_at: datetime | None


@dataclass(frozen=True, kw_only=True)
class Exports:
    """What was asked for, one for each format."""

    data: tuple[ExportBody, ...]


def _read_request(data: Any) -> ExportRequest:
    return read_body(ExportRequest, data)


ExportRequestBody = Annotated[
    ExportRequest, PlainValidator(_read_request, json_schema_input_type=ExportRequest), Body()
]
_MAKE = Bearer("exports:create", bucket="export")
_READ = Bearer("plans:read")


@router.post(
    "/plans/{plan_id}/exports", auth=_MAKE, response=answers(404, 409, *BODY, accepted=Exports, ok=Exports),
    summary="Make files of the newest version",
)  # fmt: skip
@once
def create_exports(request: HttpRequest, plan_id: str, wanted: ExportRequestBody) -> HttpResponse:
    """Asks for files: 202 with their state and Location, or 200 when all are there already."""
    return _requested(request, newest_of(request, plan_id), wanted)


@router.post(
    "/plans/{plan_id}/versions/{int:number}/exports", auth=_MAKE,
    response=answers(404, 409, *BODY, accepted=Exports, ok=Exports), summary="Make files of a version",
)  # fmt: skip
@once
def create_version_exports(request: HttpRequest, plan_id: str, number: int, wanted: ExportRequestBody) -> HttpResponse:
    """Asks for files of that version: 202 with their state and Location, or 200 when all are there already."""
    return _requested(request, version_of(request, plan_id, number), wanted)


@router.post(
    "/exports/{export_id}:cancel", auth=Bearer("exports:create"), response=answers(404, 409, ok=ExportBody),
    summary="Stop making a file",
)  # fmt: skip
def cancel_export(request: HttpRequest, export_id: str) -> HttpResponse:
    """Ends the work on a file that is queued or being made; 409 when it has ended already."""
    return _moved(request, export_id, _cancelled, "export.cancelled", "has ended already")


@router.post(
    "/exports/{export_id}:retry", auth=_MAKE, response=answers(404, 409, accepted=ExportBody), summary="Try again",
)  # fmt: skip
def retry_export(request: HttpRequest, export_id: str) -> HttpResponse:
    """Queues a file again that failed, was cancelled, or is lost or damaged; 409 when it is none of these."""
    again = _moved(request, export_id, retried, "export.retried", "is queued, being made or there", status=202)
    again.headers["Location"], again.headers["Retry-After"] = f"/api/v1/exports/{export_id}", "2"
    return again


@router.get("/exports", auth=_READ, response=answers(404, ok=Page[ExportBody]), summary="List exports")
def list_exports(
    request: HttpRequest,
    limit: Whole = LIMIT,
    cursor: str | None = CURSOR,
    plan: str | None = PLAN,
) -> HttpResponse:
    """The team's files, newest first."""
    rows = access.rows_of(caller_of(request).team, Export)
    rows = rows.select_related("job", "version__workload").defer("version__body")
    if plan is not None:
        rows = rows.filter(version__workload=workload_of(request, plan))
    return page_of_rows(request, rows, _listed, limit=limit, cursor=cursor)


@router.get("/exports/{export_id}", auth=_READ, response=answers(404, ok=ExportBody), summary="How far is it?")
def get_export(
    request: HttpRequest,
    export_id: str,
    wait: Whole = WAIT,
) -> HttpResponse:
    """The state of a file; with `wait`, as soon as it has ended."""
    export = _one(request, export_id)
    if wait and not export.job.is_done:
        wait_for_end(export.job, wait)
        export = _one(request, export_id)
    headers = {} if export.job.is_done else {"Retry-After": "2"}
    return found(request, export_body(export), headers=headers)


_CONTENT = {media: {"schema": {"type": "string", "format": "binary"}} for media in MEDIA_TYPES.values()}


@router.get(
    "/exports/{export_id}/file", auth=_READ, response=answers(404, 409, 416, ok=None), summary="The file",
    openapi_extra={"responses": {200: {"content": _CONTENT}, 206: {"description": "Partial Content", "content": _CONTENT},
                                 304: {"description": "Not Modified"}}},
)  # fmt: skip
def get_file(
    request: HttpRequest,
    export_id: str,
    range_: str | None = RANGE,
) -> HttpResponse:
    """The bytes, checked against their SHA-256, which is also the ETag. 409 with Retry-After while they are made, and
    when they were lost: asking has them made again."""
    export = _one(request, export_id)
    if not export.ready or export.job.state != JobState.SUCCEEDED:
        raise Problem(
            409,
            f"The file is not there: its export is {export.job.state}; see GET /api/v1/exports/{export_id}.",
            headers={"Retry-After": "2"},
        )
    caller = caller_of(request)
    try:
        data = files.load(export.sha256)
    except files.FileGone as error:
        heal(export, caller.member, token=caller.token)
        raise Problem(409, AGAIN, headers={"Retry-After": "2"}) from error
    return note(request, file_answer(request, export, data), export, member=caller.member, token=caller.token)


def _listed(export: Export) -> ExportBody:
    """The export in a list: a file of the right size is taken for whole, until somebody asks for it."""
    return export_body(export, gone=seems_lost(export))


def export_body(export: Export, *, gone: bool | None = None) -> ExportBody:
    """The export as the API shows it."""
    job, gone = export.job, is_lost(export) if gone is None else gone
    there = made(export) and not gone
    failure = ExportProblem(code=job.error["code"], detail=job.error["message"]) if job.error else None
    return ExportBody(
        id=export.public_id,
        plan_id=export.version.workload.public_id,
        version_id=export.version.public_id,
        version=export.version.number,
        format=export.format,
        paper=export.paper,
        state="expired" if gone else job.state,
        progress=job.progress,
        note=job.note,
        attempts=job.attempts,
        error=failure,
        sha256=export.sha256 if there else None,
        bytes=export.bytes if there else None,
        file=f"/api/v1/exports/{export.public_id}/file" if there else None,
        created_at=export.created_at,
        finished_at=job.finished_at,
    )


def _requested(request: HttpRequest, version: PlanVersion, wanted: ExportRequest) -> HttpResponse:
    caller = caller_of(request)
    with transaction.atomic():
        asked = [
            request_export(caller.member, version, name, paper=wanted.paper or "", token=caller.token)
            for name in dict.fromkeys(wanted.formats)
        ]
        bodies = tuple(export_body(_one(request, export.public_id)) for export in asked)
        address = f"/api/v1/exports/{bodies[0].id}"
        if len(bodies) > 1:
            address = f"/api/v1/exports?plan={version.workload.public_id}"
        ready = all(body.file for body in bodies)
        headers = {"Location": address} | ({} if ready else {"Retry-After": "2"})
        return keep(request, answer(Exports(data=bodies), status=200 if ready else 202, headers=headers))


def _cancelled(export: Export) -> bool:
    return queue.cancel(export.job)


def _one(request: HttpRequest, export_id: str) -> Export:
    row = access.one_of(caller_of(request).team, Export, export_id)
    return Export.objects.select_related("job", "version__workload__team").defer("version__body").get(pk=row.pk)


def _moved(
    request: HttpRequest, export_id: str, step: Any, verb: str, otherwise: str, *, status: int = 200
) -> HttpResponse:
    caller, export = caller_of(request), _one(request, export_id)
    with transaction.atomic():
        if step(export):
            audit.record(verb, export.public_id, team=caller.team, actor=caller.member.user, token=caller.token)
        elif step is not retried or not heal(export, caller.member, token=caller.token):
            raise Problem(409, f"This export {otherwise}: it is {export.job.state}.")
    return answer(export_body(_one(request, export_id)), status=status)
