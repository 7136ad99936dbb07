"""What-if pages: the panel of a current answer or of a frozen plan. They only read."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from accounts import access
from engine.inputs.spec import SpecError
from planner import planned, scenarios
from planner.frozen.snapshot import Plan
from planner.models import PlanVersion, Workload
from planner.pages.chart_files import chart_file
from planner.presenters.what_if import charts_of_what_if, what_if


@login_required
@require_safe
def of_answer(request: HttpRequest, public_id: str) -> HttpResponse:
    """What-if on the current answer of a workload."""
    workload = access.one_of(access.current_team(request), Workload, public_id)
    try:
        plan = planned.plan_for(workload.draft, workload.team)
    except SpecError:
        return redirect("planner:answer", public_id)
    return _panel(request, plan, reverse("planner:answer", args=[public_id]), workload.name, unsaved=True)


@login_required
@require_safe
def of_plan(request: HttpRequest, public_id: str) -> HttpResponse:
    """What-if on a frozen version, which stays as it is."""
    member = access.current_membership(request)
    version = access.one_of(member.team, PlanVersion, public_id)
    may_keep = access.has_role(member, *scenarios.MAY_CHANGE)
    scenario_at = reverse("planner:scenario-new", args=[public_id]) if may_keep else ""
    return _panel(
        request, version.plan, reverse("planner:plan", args=[public_id]), str(version), scenario_at=scenario_at
    )


@login_required
@require_safe
def answer_chart(request: HttpRequest, public_id: str, chart: str, format_: str) -> HttpResponse:
    """One chart of the panel of a current answer as a file."""
    workload = access.one_of(access.current_team(request), Workload, public_id)
    try:
        plan = planned.plan_for(workload.draft, workload.team)
    except SpecError as error:
        raise Http404("This request cannot be planned yet.") from error
    return chart_file(charts_of_what_if(plan, _typed(request)), chart, format_)


@login_required
@require_safe
def plan_chart(request: HttpRequest, public_id: str, chart: str, format_: str) -> HttpResponse:
    """One chart of the panel of a frozen version as a file."""
    version = access.one_of(access.current_team(request), PlanVersion, public_id)
    return chart_file(charts_of_what_if(version.plan, _typed(request)), chart, format_)


def _typed(request: HttpRequest) -> dict[str, str]:
    return {key: value for key, value in request.GET.items() if isinstance(value, str)}


def _panel(
    request: HttpRequest, plan: Plan, back: str, name: str, *, scenario_at: str = "", unsaved: bool = False
) -> HttpResponse:
    """The outcome alone for htmx, else a page with the whole panel."""
    panel = what_if(plan, _typed(request))
    if panel is None:
        raise Http404("Nothing is recommended, so there is nothing to move.")
    part = bool(getattr(request, "htmx", False))
    context = {
        "panel": panel,
        "back": back,
        "name": name,
        "what_if_at": request.path,
        "panel_charts_at": f"{request.path}/charts",
        "scenario_at": scenario_at,
        "unsaved": unsaved,
        "section": "home",
    }
    return render(request, "planner/_what_if_outcome.html" if part else "planner/what_if.html", context)
