"""REST: everything of a version in one zip, and the way back of a workbook that finance has edited."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any, Literal

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from ninja import Router
from ninja.params.functions import Header, Query

from accounts.bearer import Bearer, caller_of
from engine.inputs.spec import SpecError
from exports import files
from exports.brand import OURS
from exports.branding.store import current_look
from exports.bundle import bundle_of
from exports.download import bytes_answer, note
from exports.formats import FORMATS
from exports.healing import AGAIN, heal, is_lost, made
from exports.models import Export
from exports.round_trip.accept import accept, planned_again
from exports.round_trip.compare import Difference, RoundTrip, differences
from exports.text import file_name
from exports.work import key_of
from incoming.package import Refused
from incoming.workbook import MOST_BYTES
from planner.api.bodies import Amount, VersionSummary, amount_or_number, refused, version_summary
from planner.api.versions import version_of
from planner.frozen.snapshot import Plan
from planner.models import PlanVersion
from planner.plans import Conflict
from planner.presenters.changes import changes
from planner.telling import told
from rest.answers import answer
from rest.door import BODY, answers
from rest.once import keep, once
from rest.parameters import Flag
from rest.problems import Problem, ProblemItem, invalid
from rest.uploads import XLSX, file_body, read_file

router = Router(tags=["Exports"])
RANGE: Any = Header(None, alias="Range", description="One range of bytes.")
DRY_RUN: Any = Query(True, description="false: plan again with the edited values and freeze a new version.")
Place = Literal["request", "agreed", "assumption", "not_taken"]
_PLACES: dict[str, Place] = {
    "request": "request",
    "price": "agreed",
    "assumption": "assumption",
    "none": "not_taken",
}


@dataclass(frozen=True, kw_only=True)
class Edit:
    """One input that differs from the plan: where it stands in the workbook and where its value goes."""

    input: str
    label: str
    unit: str
    address: str
    """Sheet and cell."""
    before: Amount | float
    """An amount when `unit` is a currency or a price in one."""
    after: Amount | float
    goes_to: Place
    why_not: str


@dataclass(frozen=True, kw_only=True)
class AnswerLine:
    """One line of the answer that would change."""

    label: str
    before: str
    after: str


@dataclass(frozen=True, kw_only=True)
class Workbook:
    """What an edited workbook changes, and what the plan would then say."""

    plan_id: str
    version: int
    edits: tuple[Edit, ...]
    notes: tuple[str, ...]
    plan_sha256: str | None
    """Of the plan with those values; null when none of them is taken."""
    headline: str | None
    lines: tuple[AnswerLine, ...]
    accepted: VersionSummary | None
    """The new version, unless this was a dry run."""


_ZIP = {"application/zip": {"schema": {"type": "string", "format": "binary"}}}


@router.get(
    "/plans/{plan_id}/versions/{int:number}/bundle", auth=Bearer("plans:read"),
    response=answers(404, 409, 416, ok=None), summary="Everything in one zip",
    openapi_extra={"responses": {200: {"content": _ZIP}, 206: {"description": "Partial Content", "content": _ZIP},
                                 304: {"description": "Not Modified"}}},
)  # fmt: skip
def get_bundle(request: HttpRequest, plan_id: str, number: int, range_: str | None = RANGE) -> HttpResponse:
    """The four documents, the budget as JSON, CSV and FOCUS, the plan itself, and a manifest with the SHA-256 of each.
    409 until all four documents are there: ask for them with POST …/exports."""
    caller, version = caller_of(request), version_of(request, plan_id, number)
    documents = _documents(request, version)
    missing = [name for name in FORMATS if name not in documents]
    if missing:
        raise Problem(
            409,
            f"The zip holds all documents and {', '.join(missing)} is not there: send "
            f"POST /api/v1/plans/{plan_id}/versions/{number}/exports and wait for it.",
            headers={"Retry-After": "2"},
        )
    data = bundle_of(version, documents)
    name = f"{file_name(version.workload.name, f'v{version.number}')}.zip"
    digest = hashlib.sha256(data).hexdigest()
    file = bytes_answer(request, data, sha256=digest, name=name, media_type="application/zip")
    return note(request, file, version, member=caller.member, token=caller.token)


@router.post(
    "/plans/{plan_id}/versions/{int:number}/workbook", auth=Bearer("plans:write", bucket="estimate"),
    response=answers(404, 409, *BODY, ok=Workbook, created=Workbook), summary="Read an edited workbook",
    openapi_extra=file_body(XLSX),
)  # fmt: skip
@once
def import_workbook(request: HttpRequest, plan_id: str, number: int, dry_run: Flag = DRY_RUN) -> HttpResponse:
    """Compares an edited workbook of that version with its plan, input by input (200). With `dry_run=false` the plan is
    made again with the edited values and frozen as the next version (201). Other changes are refused by address."""
    caller, version = caller_of(request), version_of(request, plan_id, number)
    data, _ = read_file(request, XLSX, most=MOST_BYTES)
    try:
        found = differences(version, data)
        taken = any(item.taken for item in found.differences)
        again = planned_again(version, found.differences) if taken or not dry_run else None
        if dry_run:
            return answer(_workbook(version, found, again, None))
        with transaction.atomic():
            made = accept(caller.member, version, found.differences, token=caller.token)
            headers = {"Location": f"/api/v1/plans/{plan_id}/versions/{made.number}"}
            return keep(request, answer(_workbook(version, found, again, made), status=201, headers=headers))
    except Refused as error:
        raise invalid([ProblemItem(pointer="", code="workbook", detail=str(error))]) from error
    except SpecError as error:
        raise refused(error) from error
    except Conflict as error:
        raise Problem(409, str(error)) from error


def _workbook(version: PlanVersion, found: RoundTrip, again: Plan | None, made: PlanVersion | None) -> Workbook:
    lines = changes(version.head, again) if again else ()
    return Workbook(
        plan_id=version.workload.public_id,
        version=version.number,
        edits=tuple(_edit(item) for item in found.differences),
        notes=found.notes,
        plan_sha256=again.sha256 if again else None,
        headline=told(again.recommendation.headline) if again else None,
        lines=tuple(
            AnswerLine(label=line.label, before=line.before, after=line.after)
            for line in lines
            if line.part == "Answer"
        ),
        accepted=version_summary(made) if made else None,
    )


def _documents(request: HttpRequest, version: PlanVersion) -> dict[str, bytes]:
    """The finished documents of that version as they are asked for now, by format. Lost ones are made again: Problem 409."""
    look = current_look(version.workload.team)
    keys = {key_of(version, name, look.settings["paper"] if look else OURS.paper, look) for name in FORMATS}
    rows = Export.objects.select_related("job", "version__workload__team").filter(key__in=keys)
    caller, finished = caller_of(request), [row for row in rows if made(row)]
    lost = [row for row in finished if is_lost(row)]
    for row in lost:
        heal(row, caller.member, token=caller.token)
    if lost:
        raise Problem(409, AGAIN, headers={"Retry-After": "2"})
    return {row.format: files.load(row.sha256) for row in finished}


def _edit(item: Difference) -> Edit:
    return Edit(
        input=item.name,
        label=item.label,
        unit=item.unit,
        address=item.address,
        before=amount_or_number(item.before, item.unit),
        after=amount_or_number(item.after, item.unit),
        goes_to=_PLACES[item.target.kind],
        why_not=item.target.why,
    )
