"""REST: scenarios of a version — what its request would change, the plan that comes of it, and the way to a version."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from annotated_types import Ge, MaxLen, MinLen
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from ninja import Body, Router
from ninja.params.functions import Query
from pydantic import PlainValidator

from accounts import access
from accounts.bearer import Bearer, caller_of
from engine.answer import Recommendation
from engine.inputs.spec import SpecError
from planner import plans, scenarios
from planner.api.bodies import Amount, VersionSummary, amount_in, refused, version_summary
from planner.api.estimates import estimated
from planner.api.expansion import EXPAND, Expand
from planner.api.plans import IF_MATCH, workload_of
from planner.api.versions import Difference, difference_of, newest_of, version_of
from planner.body import estimate_body
from planner.models import Scenario
from rest.answers import answer, found, require_match
from rest.bodies import read_body
from rest.door import BODY, answers
from rest.once import keep, once
from rest.pages import CURSOR, LIMIT, Page, page_of_rows
from rest.parameters import Whole
from rest.problems import Problem, ProblemItem, invalid

router = Router(tags=["Scenarios"])
NUMBER: Any = Query(None, ge=1, description="Only of the version with this number.")


@dataclass(frozen=True, kw_only=True)
class ScenarioSummary:
    """A named what-if of one version, without the plan that comes of it."""

    id: str
    plan_id: str
    version: int
    name: str
    changes: dict[str, Any]
    """A merge patch (RFC 7396) of the version's request."""
    plan_sha256: str
    feasible: bool
    headline: str
    cost: Amount | None
    catalog_release: str
    engine_version: str
    created_at: datetime
    created_by: str | None


@dataclass(frozen=True, kw_only=True)
class ScenarioBody(ScenarioSummary):
    """A scenario with its whole plan, and how it differs from its version."""

    difference: Difference
    estimate: Recommendation


@dataclass(frozen=True, kw_only=True)
class ScenarioRequest:
    """A new scenario: the plan with these changes of the request is made and kept."""

    __pydantic_config__ = {"extra": "forbid"}

    name: Annotated[str, MinLen(1), MaxLen(scenarios.LONGEST_NAME)]
    changes: dict[str, Any]
    """A merge patch (RFC 7396) of the version's request; its name and kind of workload stay."""
    version: Annotated[int, Ge(1)] | None = None
    """Number of the version; null = the newest."""


@dataclass(frozen=True, kw_only=True)
class ScenarioChange:
    """What of a scenario may change: its name."""

    __pydantic_config__ = {"extra": "forbid"}

    name: Annotated[str, MinLen(1), MaxLen(scenarios.LONGEST_NAME)]


def _read_request(data: Any) -> ScenarioRequest:
    return read_body(ScenarioRequest, data)


def _read_change(data: Any) -> ScenarioChange:
    return read_body(ScenarioChange, data)


RequestBody = Annotated[ScenarioRequest, PlainValidator(_read_request, json_schema_input_type=ScenarioRequest), Body()]
ChangeBody = Annotated[ScenarioChange, PlainValidator(_read_change, json_schema_input_type=ScenarioChange), Body()]


@router.post(
    "/plans/{plan_id}/scenarios/{scenario_id}:promote", auth=Bearer("plans:write"),
    response=answers(404, 409, 422, created=VersionSummary, ok=VersionSummary), summary="Make it a version",
)  # fmt: skip
@once
def promote_scenario(request: HttpRequest, plan_id: str, scenario_id: str) -> HttpResponse:
    """The scenario's plan as the plan's next version: 201; 200 when the newest version is that plan already. 409 while
    the draft has changes that no version has."""
    caller, scenario = caller_of(request), _one(request, plan_id, scenario_id)
    before = scenario.version.workload.newest
    try:
        with transaction.atomic():
            made = scenarios.promote(caller.member, scenario, token=caller.token)
            new = before is None or before.pk != made.pk
            headers = {"Location": f"/api/v1/plans/{plan_id}/versions/{made.number}"}
            return keep(request, answer(version_summary(made), status=201 if new else 200, headers=headers))
    except plans.Conflict as error:
        raise Problem(409, str(error)) from error


@router.get(
    "/plans/{plan_id}/scenarios", auth=Bearer("plans:read"), response=answers(404, ok=Page[ScenarioSummary]),
    summary="List scenarios",
)  # fmt: skip
def list_scenarios(
    request: HttpRequest,
    plan_id: str,
    limit: Whole = LIMIT,
    cursor: str | None = CURSOR,
    version: Whole | None = NUMBER,
) -> HttpResponse:
    """The scenarios of the plan's versions, newest first."""
    rows = access.rows_of(caller_of(request).team, Scenario).filter(version__workload=workload_of(request, plan_id))
    rows = rows.defer("version__body").select_related(*_ROWS)
    if version is not None:
        rows = rows.filter(version__number=version)
    return page_of_rows(request, rows, lambda row: ScenarioSummary(**_columns(row)), limit=limit, cursor=cursor)


@router.post(
    "/plans/{plan_id}/scenarios", auth=Bearer("plans:write", bucket="estimate"),
    response=answers(404, 409, *BODY, created=ScenarioSummary), summary="Make a scenario",
)  # fmt: skip
@once
def create_scenario(request: HttpRequest, plan_id: str, wanted: RequestBody) -> HttpResponse:
    """Plans the version's request with those changes on today's catalog and keeps the result. The version stays."""
    caller = caller_of(request)
    version = newest_of(request, plan_id) if wanted.version is None else version_of(request, plan_id, wanted.version)
    try:
        spec = scenarios.spec_with(version, wanted.changes)
    except SpecError as error:
        raise refused(error, "changes") from error
    plan = estimated(caller, spec, "changes")
    try:
        with transaction.atomic():
            made = scenarios.save(
                caller.member, version, name=wanted.name, changes=wanted.changes, plan=plan, token=caller.token
            )
            headers = {"Location": f"/api/v1/plans/{plan_id}/scenarios/{made.public_id}", "ETag": _quoted(made)}
            return keep(request, answer(ScenarioSummary(**_columns(made)), status=201, headers=headers))
    except ValueError as error:
        raise _name_refused(error) from error


@router.get(
    "/plans/{plan_id}/scenarios/{scenario_id}", auth=Bearer("plans:read"), response=answers(404, ok=ScenarioBody),
    summary="One scenario",
)  # fmt: skip
def get_scenario(request: HttpRequest, plan_id: str, scenario_id: str, expand: Expand = EXPAND) -> HttpResponse:
    """The scenario with its plan. Its ETag is what a change must send as If-Match."""
    row = _one(request, plan_id, scenario_id)
    plan = row.plan
    difference = difference_of(plan_id, row.version.number, row.version.plan, None, plan)
    body = {**_columns(row), "difference": difference, "estimate": estimate_body(plan, expand=expand)}
    return found(request, body, etag=_tag(row))


@router.patch(
    "/plans/{plan_id}/scenarios/{scenario_id}", auth=Bearer("plans:write"),
    response=answers(404, 412, 428, *BODY, ok=ScenarioSummary), summary="Rename a scenario",
)  # fmt: skip
def change_scenario(
    request: HttpRequest, plan_id: str, scenario_id: str, wanted: ChangeBody, if_match: str | None = IF_MATCH
) -> HttpResponse:
    """Gives it another name; for other changes make another scenario."""
    caller, row = caller_of(request), _one(request, plan_id, scenario_id)
    require_match(request, _tag(row))
    try:
        row = scenarios.rename(caller.member, row, name=wanted.name, token=caller.token)
    except ValueError as error:
        raise _name_refused(error) from error
    return answer(ScenarioSummary(**_columns(row)), headers={"ETag": _quoted(row)})


@router.delete(
    "/plans/{plan_id}/scenarios/{scenario_id}", auth=Bearer("plans:write"),
    response=answers(404, 412, 428, nothing=None), summary="Delete a scenario",
)  # fmt: skip
def delete_scenario(
    request: HttpRequest, plan_id: str, scenario_id: str, if_match: str | None = IF_MATCH
) -> HttpResponse:
    """Removes it; the audit log keeps its name, its changes and the hash of its plan."""
    caller, row = caller_of(request), _one(request, plan_id, scenario_id)
    require_match(request, _tag(row))
    scenarios.delete(caller.member, row, token=caller.token)
    return HttpResponse(status=204)


_ROWS = ("version__workload", "created_by")


def _one(request: HttpRequest, plan_id: str, scenario_id: str) -> Scenario:
    workload = workload_of(request, plan_id)
    row = access.one_of(caller_of(request).team, Scenario, scenario_id)
    if row.version.workload_id != workload.pk:
        raise Http404("This plan has no scenario with this id.")
    return row


def _tag(row: Scenario) -> str:
    """Only the name of a scenario can change."""
    return f"{row.sha256[:16]}-{row.name.encode().hex()[:64]}"


def _quoted(row: Scenario) -> str:
    return f'"{_tag(row)}"'


def _name_refused(error: ValueError) -> Problem:
    return invalid([ProblemItem(pointer="/name", code="name", detail=str(error))])


def _columns(row: Scenario) -> dict[str, Any]:
    return {
        "id": row.public_id,
        "plan_id": row.version.workload.public_id,
        "version": row.version.number,
        "name": row.name,
        "changes": row.changes,
        "plan_sha256": row.sha256,
        "feasible": row.feasible,
        "headline": row.headline,
        "cost": amount_in(row.cost, row.currency),
        "catalog_release": row.catalog_release,
        "engine_version": row.engine_version,
        "created_at": row.created_at,
        "created_by": row.created_by.public_id if row.created_by else None,
    }
