"""REST: frozen versions, what differs between two, what they would cost today, and their review."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Annotated, Any, Literal

from annotated_types import Ge, MaxLen
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from ninja import Body, Query, Router
from ninja.params import functions
from pydantic import PlainValidator

from accounts import access
from accounts.bearer import Bearer, caller_of
from engine.answer import Recommendation
from planner import plans
from planner.api.bodies import VersionBody, VersionSummary, for_summaries, version_summary
from planner.api.estimates import estimated
from planner.api.expansion import EXPAND, Expand
from planner.api.plans import draft_spec, workload_of
from planner.body import estimate_body, option_body
from planner.frozen.snapshot import Plan, plain
from planner.models import PlanVersion
from planner.presenters.changes import changes
from planner.request.day import asked_again
from planner.versions import VersionRows
from rest.answers import IMMUTABLE, PIECES, answer, found, found_in_pieces
from rest.bodies import read_body
from rest.door import BODY, answers
from rest.once import keep, once
from rest.pages import CURSOR, LIMIT, Page, page_of_rows
from rest.parameters import Flag, Whole
from rest.parts import asked, only_apart
from rest.problems import Problem, ProblemItem, invalid, invalid_parameter, pointer

router = Router(tags=["Versions"])
DRY_RUN: Any = functions.Query(True, description="false: freeze it as the next version.")
EXPECTED: Any = functions.Query(None, max_length=64, description="`plan_sha256` of the answer that you have read.")
Number = Annotated[int, Ge(1), Query(description="Number of a version.")]


@dataclass(frozen=True, kw_only=True)
class Line:
    """One thing that differs, for people."""

    part: str
    label: str
    before: str
    after: str


@dataclass(frozen=True, kw_only=True)
class Operation:
    """One operation of a JSON Patch (RFC 6902) over the spec."""

    op: Literal["add", "remove", "replace"]
    path: str
    value: Any = None


@dataclass(frozen=True, kw_only=True)
class Difference:
    """What differs between two snapshots: a JSON Patch of the request, and readable lines of request and answer."""

    plan_id: str
    before: int
    after: int | None
    patch: tuple[Operation, ...]
    lines: tuple[Line, ...]


@dataclass(frozen=True, kw_only=True)
class Repriced:
    """The newest version's request on today's catalog, and what changed."""

    plan_id: str
    version: int
    plan_sha256: str
    changed: bool
    difference: Difference
    estimate: Recommendation
    accepted: VersionSummary | None
    """The version that holds it, when it was asked to be kept."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """One step of the review."""

    __pydantic_config__ = {"extra": "forbid"}

    action: Literal["submit", "withdraw", "approve", "return"]
    reason: Annotated[str, MaxLen(4000)] = ""
    """Needed to return a plan."""


def _read_step(data: Any) -> Step:
    return read_body(Step, data)


StepBody = Annotated[Step, PlainValidator(_read_step, json_schema_input_type=Step), Body()]


@router.post(
    "/plans/{plan_id}:reprice", auth=Bearer("plans:read", bucket="estimate"),
    response=answers(404, 409, 422, ok=Repriced, created=Repriced), summary="Today's prices",
)  # fmt: skip
@once
def reprice_plan(
    request: HttpRequest,
    plan_id: str,
    dry_run: Flag = DRY_RUN,
    expected: str | None = EXPECTED,
    expand: Expand = EXPAND,
) -> HttpResponse:
    """The newest version's request on today's catalog and the difference. Nothing is kept, unless `dry_run=false`.

    Then it is frozen as the next version, a draft that goes through its own review: 201, or 200 when nothing has
    changed. It needs the scope plans:write. With `expected`, 409 when it is no more the answer that was shown.
    """
    caller, newest = caller_of(request), newest_of(request, plan_id)
    if not dry_run:
        access.require_scope(caller.token, "plans:write")
    before = newest.head
    after = estimated(caller, asked_again(before.spec))
    if expected is not None and expected != after.sha256:
        raise Problem(409, "Prices have moved since you read the difference: ask for it again.")
    difference = difference_of(plan_id, newest.number, before, None, after)
    body = {
        "plan_id": plan_id,
        "version": newest.number,
        "plan_sha256": after.sha256,
        "changed": after.sha256 != before.sha256,
        "difference": difference,
        "estimate": estimate_body(after, expand=expand),
        "accepted": None,
    }
    return answer(body) if dry_run else _accepted(request, newest, after, body)


def _accepted(request: HttpRequest, newest: PlanVersion, after: Plan, body: dict[str, Any]) -> HttpResponse:
    """The new prices as the next version; Problem 409 when somebody has frozen another one meanwhile."""
    caller = caller_of(request)
    with transaction.atomic():
        made = plans.freeze_version(caller.member, newest.workload, after, token=caller.token)
        if made.number > newest.number + 1:
            raise Problem(409, "A newer version has been frozen since: re-price that one.")
        headers = {"Location": f"/api/v1/plans/{body['plan_id']}/versions/{made.number}"}
        status = 200 if made.pk == newest.pk else 201
        return keep(request, answer({**body, "accepted": version_summary(made)}, status=status, headers=headers))


@router.get(
    "/plans/{plan_id}/versions", auth=Bearer("plans:read"), response=answers(404, ok=Page[VersionSummary]),
    summary="List versions",
)  # fmt: skip
def list_versions(
    request: HttpRequest, plan_id: str, limit: Whole = LIMIT, cursor: str | None = CURSOR
) -> HttpResponse:
    """The frozen versions with their review state, newest first."""
    rows = for_summaries(_versions(request, plan_id))
    return page_of_rows(request, rows, version_summary, limit=limit, cursor=cursor, sort="-number")


@router.post(
    "/plans/{plan_id}/versions", auth=Bearer("plans:write", bucket="estimate"),
    response=answers(404, 409, 422, created=VersionSummary, ok=VersionSummary), summary="Freeze the draft",
)  # fmt: skip
@once
def create_version(request: HttpRequest, plan_id: str) -> HttpResponse:
    """A new version of the draft on today's catalog: 201; the newest one again when nothing changed: 200."""
    caller, workload = caller_of(request), workload_of(request, plan_id)
    plan = estimated(caller, draft_spec(workload))
    with transaction.atomic():
        before = workload.newest
        version = plans.freeze_version(caller.member, workload, plan, token=caller.token)
        new = before is None or before.pk != version.pk
        headers = {"Location": f"/api/v1/plans/{plan_id}/versions/{version.number}"}
        return keep(request, answer(version_summary(version), status=201 if new else 200, headers=headers))


@router.get(
    "/plans/{plan_id}/versions/{int:number}", auth=Bearer("plans:read"), response=answers(404, ok=VersionBody),
    summary="One snapshot",
)  # fmt: skip
@only_apart("estimate", "estimate.alternatives")
def get_version(request: HttpRequest, plan_id: str, number: int) -> HttpResponseBase:
    """The whole snapshot, which never changes; its review state stands in the list of versions.

    It may hold thousands of alternatives, which come one after another.
    """
    version = version_of(request, plan_id, number)
    plan, alternatives = version.opened()
    estimate = estimate_body(plan)
    body = {
        "id": version.public_id,
        "plan_id": plan_id,
        "number": version.number,
        "plan_sha256": version.sha256,
        "created_at": version.created_at,
        "spec": plain(plan.spec),
        "estimate": estimate,
    }
    if asked(request):  # a part never holds the alternatives
        return found(request, body, etag=version.sha256, cache=IMMUTABLE)
    estimate["alternatives"] = PIECES
    every = chain(plan.recommendation.alternatives, alternatives)
    pieces = (option_body(option, months=True) for option in every)
    return found_in_pieces(request, body, pieces, etag=version.sha256, cache=IMMUTABLE)


@router.get("/plans/{plan_id}/diff", auth=Bearer("plans:read"), response=answers(404, ok=Difference), summary="Compare")
def get_difference(
    request: HttpRequest,
    plan_id: str,
    from_: Annotated[Whole, Ge(1), Query(alias="from", description="Number of the earlier version.")],
    to: Annotated[Whole, Ge(1), Query(description="Number of the later version.")],
) -> HttpResponse:
    """What changed between two versions."""
    workload_of(request, plan_id)
    before, after = (_asked(request, plan_id, name, number) for name, number in (("from", from_), ("to", to)))
    return found(request, difference_of(plan_id, from_, before.head, to, after.head))


@router.post(
    "/plans/{plan_id}/versions/{int:number}/approvals", auth=Bearer("approvals:write"),
    response=answers(404, 409, *BODY, ok=VersionSummary), summary="Submit, withdraw, approve or return",
)  # fmt: skip
@once
def create_approval(request: HttpRequest, plan_id: str, number: int, step: StepBody) -> HttpResponse:
    """One step of the review. Nobody approves what they made or submitted themselves (403), or twice (409).

    A team may refuse approvals by token (403, `approvals_by_token` of the team): then they are given on the page alone.

    Where the team demands two approvals, the first leaves the version submitted. A newer version that is submitted
    takes the place of an older one that waits, and one that is approved that of the approved one (`superseded`).
    """
    caller, version = caller_of(request), version_of(request, plan_id, number)
    try:
        with transaction.atomic():
            moved = _step(step)(caller.member, version, token=caller.token)
            return keep(request, answer(version_summary(moved)))
    except plans.Conflict as error:
        raise Problem(409, str(error)) from error
    except ValueError as error:
        raise invalid([ProblemItem(pointer="/reason", code="missing", detail=str(error))]) from error


def newest_of(request: HttpRequest, plan_id: str) -> PlanVersion:
    """The newest version of the team's plan; Http404 without the plan, Problem 409 before its first version."""
    newest = _with_people(request, plan_id).order_by("-number").first()
    if newest is None:
        raise Problem(409, "This plan has no version yet: freeze one with POST versions.")
    return newest


def version_of(request: HttpRequest, plan_id: str, number: int) -> PlanVersion:
    """That version of the team's plan; Http404 for anything else."""
    version = _with_people(request, plan_id).filter(number=number).first()
    if version is None:
        raise Http404("This plan has no version with this number.")
    return version


def _versions(request: HttpRequest, plan_id: str) -> VersionRows[PlanVersion]:
    rows = PlanVersion.objects.filter(workload=workload_of(request, plan_id))
    return access.within(caller_of(request).team, rows)


def _with_people(request: HttpRequest, plan_id: str) -> VersionRows[PlanVersion]:
    return _versions(request, plan_id).with_people()


def _asked(request: HttpRequest, plan_id: str, name: str, number: int) -> PlanVersion:
    try:
        return version_of(request, plan_id, number)
    except Http404 as error:
        raise invalid_parameter(name, f"“{name}”: this plan has no version {number}.", code="unknown") from error


def _step(step: Step) -> Any:
    if step.action in ("submit", "withdraw"):
        return plans.submit if step.action == "submit" else plans.withdraw
    function = plans.approve if step.action == "approve" else plans.return_for_changes
    return lambda member, version, token: function(member, version, reason=step.reason, token=token)


def difference_of(plan_id: str, number: int, before: Plan, other: int | None, after: Plan) -> Difference:
    """A JSON Patch of the request, and readable lines; `other` is None for a plan that is no version."""
    lines = (Line(part=item.part, label=item.label, before=item.before, after=item.after)
             for item in changes(before, after))  # fmt: skip
    patch = tuple(_patch(plain(before.spec), plain(after.spec)))
    return Difference(plan_id=plan_id, before=number, after=other, patch=patch, lines=tuple(lines))


def _patch(before: Any, after: Any, *path: object) -> Iterator[Operation]:
    """RFC 6902 operations that turn one value into the other; lists are replaced whole."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in sorted({*before, *after}):
            if key not in after:
                yield Operation(op="remove", path=pointer(*path, key))
            elif key not in before:
                yield Operation(op="add", path=pointer(*path, key), value=after[key])
            else:
                yield from _patch(before[key], after[key], *path, key)
    elif before != after:
        yield Operation(op="replace", path=pointer(*path), value=after)
