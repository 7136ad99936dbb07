"""Re-pricing a frozen plan: the same request on the current catalog, shown beside it, accepted only as a new version."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from accounts import access
from accounts.models import Role
from engine.inputs.spec import SpecError
from planner import planned, plans
from planner.models import PlanVersion
from planner.pages.chart_files import chart_file
from planner.presenters.currency import currency_of
from planner.presenters.reprice import columns_of, repriced, waterfall_of
from planner.presenters.scenarios import charts_of
from planner.request.day import asked_again
from voice.speech import error_text


@login_required
@require_safe
def chart(request: HttpRequest, public_id: str, chart: str, format_: str) -> HttpResponse:
    """One chart of the comparison as a file."""
    member = access.current_membership(request)
    version = access.one_of(member.team, PlanVersion, public_id)
    try:
        now = planned.plan_of(asked_again(version.plan.spec), member.team)
    except SpecError as error:
        raise Http404("The catalog of today cannot plan this request.") from error
    frozen, name = version.plan, _name(version)
    charts = charts_of(columns_of(frozen, now, name=name), currency_of(frozen))
    steps = waterfall_of(frozen, now, name=name)
    return chart_file([*charts, *([steps] if steps else [])], chart, format_)


def _name(version: PlanVersion) -> str:
    return f"Version {version.number}"


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def page(request: HttpRequest, public_id: str) -> HttpResponse:
    """What would differ; a post accepts exactly what was shown and freezes it as the next version."""
    member = access.current_membership(request)
    found = access.one_of(member.team, PlanVersion, public_id)
    version = PlanVersion.objects.select_related("workload").get(pk=found.pk)
    try:
        now = planned.plan_of(asked_again(version.plan.spec), member.team)
    except SpecError as error:
        messages.error(request, f"The catalog of today cannot plan this request: {error_text(error)}")
        return redirect("planner:plan", public_id)
    newest = version.workload.newest
    is_newest = newest is not None and newest.pk == version.pk
    if request.method == "POST":
        access.require_role(member, Role.PLANNER)
        if not is_newest:
            messages.error(request, "A newer version has been saved since: re-price that one.")
        elif request.POST.get("shown") != now.sha256:
            messages.error(request, "Prices have moved again while you were reading: this is the difference now.")
        else:
            made = plans.freeze_version(member, version.workload, now)
            messages.success(request, f"Accepted as version {made.number}.")
            return redirect("planner:plan", made.public_id)
    context = {
        "version": version,
        "workload": version.workload,
        "shown": repriced(version.plan, now, name=_name(version)),
        "sha256": now.sha256,
        "is_newest": is_newest,
        "charts_at": f"{request.path}/charts",
        "may_plan": access.has_role(member, Role.PLANNER),
        "section": "home",
    }
    return render(request, "planner/reprice.html", context)
