"""Pages of scenarios: a what-if under a name, several side by side, and the steps that keep, rename, drop or take one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts import access
from engine.inputs.spec import SpecError
from planner import planned, plans, scenarios
from planner.frozen.snapshot import Plan
from planner.models import PlanVersion, Scenario
from planner.pages.chart_files import chart_file
from planner.presenters.currency import currency_of
from planner.presenters.degrees import QUERY
from planner.presenters.scenarios import MOST, Column, charts_of, side_by_side
from planner.series.work import recent
from planner.what_if.changes import changes_of
from planner.what_if.knobs import knobs_of, read
from voice.speech import error_text


@login_required
@require_safe
def index(request: HttpRequest, public_id: str) -> HttpResponse:
    """The scenarios of a version, and up to three of them beside it."""
    member = access.current_membership(request)
    version = plans.version_of(member, public_id)
    rows = list(version.scenarios.select_related("created_by").order_by("created_at", "pk"))
    shown = _chosen(rows, request.GET)
    columns = _columns(version, shown)
    context = {
        "version": version,
        "workload": version.workload,
        "scenarios": [(row, row.pk in {item.pk for item in shown}) for row in rows],
        "money": currency_of(columns[0].plan),
        "beside": side_by_side(columns, request.GET.get(QUERY, "")) if shown else None,
        "most": MOST,
        "may_change": access.has_role(member, *scenarios.MAY_CHANGE),
        "charts_at": f"{request.path}/charts",
        "charts_with": urlencode([("with", row.public_id) for row in shown]),
        "series": recent(member, version),
        "section": "home",
    }
    return render(request, "planner/scenarios.html", context)


@login_required
@require_safe
def chart(request: HttpRequest, public_id: str, chart: str, format_: str) -> HttpResponse:
    """One chart of the scenarios side by side as a file."""
    version = plans.version_of(access.current_membership(request), public_id)
    rows = list(version.scenarios.order_by("created_at", "pk"))
    columns = _columns(version, _chosen(rows, request.GET))
    return chart_file(charts_of(columns, currency_of(columns[0].plan)), chart, format_)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest, public_id: str) -> HttpResponse:
    """The moved values of a what-if, planned again and shown; a post keeps them under a name."""
    member = access.current_membership(request)
    access.require_role(member, *scenarios.MAY_CHANGE)
    version = plans.version_of(member, public_id)
    base = version.plan
    typed = {key: value for key, value in request.GET.items() if isinstance(value, str)}
    changes, left = _changes(base, typed)
    try:
        plan = planned.plan_of(scenarios.spec_with(version, changes), member.team)
    except SpecError as error:
        messages.error(request, error_text(error))
        return redirect(f"{reverse('planner:plan-what-if', args=[public_id])}?{request.GET.urlencode()}")
    name, fault = request.POST.get("name", ""), ""
    if request.method == "POST":
        try:
            scenarios.save(member, version, name=name, changes=changes, plan=plan)
        except ValueError as error:
            fault = str(error)
        else:
            messages.success(request, f"Kept as “{name.strip()[:80]}”. The plan is as it was.")
            return redirect("planner:scenarios", public_id)
    context = {
        "version": version,
        "workload": version.workload,
        "left": left,
        "name": name,
        "fault": fault,
        "beside": side_by_side(_two(base, plan), request.GET.get(QUERY, "")),
        "query": request.GET.urlencode(),
        "charts_at": f"{request.path}/charts",
        "charts_with": request.GET.urlencode(),
        "section": "home",
    }
    return render(request, "planner/scenario_new.html", context, status=422 if fault else 200)


@login_required
@require_safe
def new_chart(request: HttpRequest, public_id: str, chart: str, format_: str) -> HttpResponse:
    """One chart of moved values that are not kept yet, beside the plan, as a file."""
    member = access.current_membership(request)
    version = plans.version_of(member, public_id)
    typed = {key: value for key, value in request.GET.items() if isinstance(value, str)}
    try:
        changes, _ = _changes(version.plan, typed)
        plan = planned.plan_of(scenarios.spec_with(version, changes), member.team)
    except SpecError as error:
        raise Http404("These values make no scenario.") from error
    return chart_file(charts_of(_two(version.plan, plan), currency_of(version.plan)), chart, format_)


def _two(base: Plan, plan: Plan) -> list[Column]:
    return [Column(name="The plan", plan=base), Column(name="This scenario", plan=plan)]


@login_required
@require_POST
def step(request: HttpRequest, public_id: str, verb: str) -> HttpResponse:
    """Renames, drops or takes a scenario."""
    member = access.current_membership(request)
    scenario = access.one_of(member.team, Scenario, public_id)
    back = reverse("planner:scenarios", args=[scenario.version.public_id])
    try:
        if verb == "promote":
            made = scenarios.promote(member, scenario)
            messages.success(request, f"“{scenario.name}” is version {made.number} now.")
            return redirect("planner:plan", made.public_id)
        if verb == "rename":
            scenarios.rename(member, scenario, name=request.POST.get("name", ""))
        elif verb == "delete":
            scenarios.delete(member, scenario)
            messages.success(request, f"“{scenario.name}” is deleted.")
        else:
            raise Http404("There is no such step.")
    except (plans.Conflict, ValueError) as error:
        messages.error(request, str(error))
    return redirect(back)


def _chosen(rows: list[Scenario], wanted: QueryDict) -> list[Scenario]:
    """The scenarios that were asked for; without a wish the newest ones. At most three."""
    idents = wanted.getlist("with")
    if idents or "chosen" in wanted:
        return [row for row in rows if row.public_id in idents][:MOST]
    return rows[-MOST:]


def _columns(version: PlanVersion, shown: list[Scenario]) -> list[Column]:
    """The plan and those scenarios."""
    name = f"The plan, version {version.number}"
    return [Column(name=name, plan=version.plan), *(Column(name=row.name, plan=row.plan) for row in shown)]


def _changes(base: Plan, typed: Mapping[str, str]) -> tuple[dict[str, Any], list[str]]:
    """The moved values as changes of the request, and what cannot be kept. SpecError is left to the caller."""
    best = base.recommendation.recommended
    knobs = knobs_of(best, base.spec) if best else ()
    if not knobs:
        raise Http404("Nothing is recommended, so there is nothing to move.")
    money = currency_of(base)
    values, errors = read(knobs, typed, code=money.code, per_usd=money.per_usd)
    changes, left = changes_of(base, knobs, values)
    return changes, [*errors.values(), *left]
