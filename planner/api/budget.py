"""REST: what a budget reads from a plan — lines by month as JSON, as CSV, and under the names of FOCUS."""

from __future__ import annotations

from typing import Any, Literal

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.http import content_disposition_header
from ninja import Router
from ninja.params.functions import Query

from accounts import access, audit
from accounts.bearer import Bearer, caller_of
from planner.api.plans import workload_of
from planner.budgets.files import BudgetBody, FocusBody, budget_body, budget_csv, focus_body, focus_csv
from planner.models import PlanVersion, Workload
from planner.versions import decisive
from rest.answers import found
from rest.door import answers
from rest.problems import Problem, invalid_parameter

router = Router(tags=["Budget"])
GRANULARITY: Any = Query("month")
SHAPE: Any = Query(
    "json",
    alias="format",
    description="json; csv; focus-csv = CSV under FOCUS 1.2 column names (planned cost, not billed cost); focus-json. Their older names "
    "focus and focus_json stay.",
)
VERSION: Any = Query(
    None, max_length=10, description="A number, `approved` or `newest`; default: approved, else newest."
)


@router.get(
    "/plans/{plan_id}/budget-lines",
    auth=Bearer("plans:read"),
    response=answers(404, 409, ok=BudgetBody | FocusBody),
    summary="Lines for a budget",
    openapi_extra={"responses": {200: {"content": {"text/csv": {"schema": {"type": "string"}}}}}},
)
def list_budget_lines(
    request: HttpRequest,
    plan_id: str,
    granularity: Literal["month"] = GRANULARITY,
    shape: Literal["json", "csv", "focus-csv", "focus-json", "focus", "focus_json"] = SHAPE,
    version: str | None = VERSION,
) -> HttpResponse:
    """What the recommended option costs in each month."""
    workload = workload_of(request, plan_id)
    row = _version(request, workload, version)
    plan = row.plan
    body = budget_body(row, plan)
    if body is None:
        raise Problem(409, "Nothing is feasible in this version, so it has no budget: see its “nearest”.")
    if shape == "csv":
        return _csv(request, row, budget_csv(plan), "budget")
    if shape in ("focus-csv", "focus"):
        return _csv(request, row, focus_csv(row, plan), "focus")
    if shape in ("focus-json", "focus_json"):
        return found(request, focus_body(row, plan))
    return found(request, body)


def _version(request: HttpRequest, workload: Workload, wanted: str | None) -> PlanVersion:
    ours = access.within(caller_of(request).team, PlanVersion.objects.filter(workload=workload))
    rows = ours.select_related("workload").newest_first()
    if wanted is None:
        row = decisive(rows)
    elif wanted in ("approved", "newest"):
        row = (rows.approved() if wanted == "approved" else rows).first()
    elif wanted.isascii() and wanted.isdigit():
        row = rows.filter(number=int(wanted)).first()
    else:
        raise invalid_parameter("version", "“version” must be a number, approved or newest.")
    if row is None:
        raise Http404("This plan has no such version.")
    return row


def _csv(request: HttpRequest, row: PlanVersion, text: str, kind: str) -> HttpResponse:
    caller, data = caller_of(request), {"format": kind}
    audit.record(
        "budget.downloaded", row.public_id, team=caller.team, actor=caller.member.user, token=caller.token, data=data
    )
    headers = {
        "Content-Disposition": content_disposition_header(True, f"{kind}-{row.public_id}.csv") or "attachment",
        "Cache-Control": "private, no-cache",
        "X-Content-Type-Options": "nosniff",
    }
    return HttpResponse(text, content_type="text/csv; charset=utf-8; header=present", headers=headers)
