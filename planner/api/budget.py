"""REST: what a budget reads from a plan — lines by month as JSON, as CSV, and under the names of FOCUS."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import Any, Literal

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.http import content_disposition_header
from ninja import Router
from ninja.params.functions import Query

from accounts import access
from accounts.bearer import Bearer, caller_of
from planner.api.plans import workload_of
from planner.budget import BudgetLine, budget_lines
from planner.focus import COLUMNS, focus_rows
from planner.models import PlanVersion, State, Workload
from rest.answers import found
from rest.door import answers
from rest.problems import Problem, invalid_parameter

router = Router(tags=["Budget"])
GRANULARITY: Any = Query("month")
SHAPE: Any = Query(
    "json",
    alias="format",
    description="json; csv; focus = CSV under FOCUS 1.2 column names (planned cost, not billed cost).",
)
VERSION: Any = Query(
    None, max_length=10, description="A number, `approved` or `newest`; default: approved, else newest."
)


@dataclass(frozen=True, kw_only=True)
class BudgetBody:
    """A plan's cost by calendar month and line; the amounts add up to `total` to the cent."""

    plan_id: str
    version: int
    state: str
    plan_sha256: str
    currency: str
    total: str
    data: tuple[BudgetLine, ...]


@router.get(
    "/plans/{plan_id}/budget-lines",
    auth=Bearer("plans:read"),
    response=answers(404, 409, ok=BudgetBody),
    summary="Lines for a budget",
    openapi_extra={"responses": {200: {"content": {"text/csv": {"schema": {"type": "string"}}}}}},
)
def list_budget_lines(
    request: HttpRequest,
    plan_id: str,
    granularity: Literal["month"] = GRANULARITY,
    shape: Literal["json", "csv", "focus"] = SHAPE,
    version: str | None = VERSION,
) -> HttpResponse:
    """What the recommended option costs in each month."""
    workload = workload_of(request, plan_id)
    row = _version(request, workload, version)
    plan = row.plan
    option = plan.recommendation.recommended
    if option is None:
        raise Problem(409, "Nothing is feasible in this version, so it has no budget: see its “nearest”.")
    lines = budget_lines(plan)
    if shape == "csv":
        names = tuple(BudgetLine.__dataclass_fields__)
        return _csv(row, names, [[str(getattr(line, name) or "") for name in names] for line in lines], "budget")
    if shape == "focus":
        rows = focus_rows(row, plan, option, lines)
        return _csv(row, COLUMNS, [[line.get(name, "") for name in COLUMNS] for line in rows], "focus")
    body = BudgetBody(
        plan_id=plan_id,
        version=row.number,
        state=row.state,
        plan_sha256=row.sha256,
        currency="USD",
        total=f"{option.cost.total.expected:.2f}",
        data=tuple(lines),
    )
    return found(request, body)


def _version(request: HttpRequest, workload: Workload, wanted: str | None) -> PlanVersion:
    rows = access.rows_of(caller_of(request).team, PlanVersion).filter(workload=workload).select_related("workload")
    rows = rows.order_by("-number")
    approved = rows.filter(state=State.APPROVED)
    if wanted is None:
        row = approved.first() or rows.first()
    elif wanted in ("approved", "newest"):
        row = (approved if wanted == "approved" else rows).first()
    elif wanted.isascii() and wanted.isdigit():
        row = rows.filter(number=int(wanted)).first()
    else:
        raise invalid_parameter("version", "“version” must be a number, approved or newest.")
    if row is None:
        raise Http404("This plan has no such version.")
    return row


def _csv(row: PlanVersion, names: tuple[str, ...], rows: list[list[str]], kind: str) -> HttpResponse:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(names)
    writer.writerows([[harmless(cell) for cell in cells] for cells in rows])
    headers = {
        "Content-Disposition": content_disposition_header(True, f"{kind}-{row.public_id}.csv") or "attachment",
        "Cache-Control": "private, no-cache",
        "X-Content-Type-Options": "nosniff",
    }
    return HttpResponse(text.getvalue(), content_type="text/csv; charset=utf-8; header=present", headers=headers)


def harmless(cell: str) -> str:
    """A spreadsheet runs what begins like a formula; numbers keep their sign."""
    if cell[:1] in ("=", "+", "-", "@", "\t", "\r") and not cell.lstrip("+-").replace(".", "", 1).isdigit():
        return f"'{cell}"
    return cell
