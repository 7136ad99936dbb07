"""What of a request could cost less: a part of the page when somebody asks for it; one click takes a lever, one gives it back."""

from __future__ import annotations

from typing import Final, get_args

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts import access
from accounts.models import Membership, Role
from engine.inputs.finding import Ref
from engine.inputs.spec import ServingPrecision, SpecError
from planner import planned, plans
from planner.levers import steps
from planner.models import Workload
from planner.pages import pace
from planner.pages.plan.lever_texts import more_texts
from planner.request.merging import merged
from planner.telling import named

_OPEN: Final = "auto"


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def of_workload(request: HttpRequest, public_id: str) -> HttpResponse:
    """The levers of a workload's current request; a POST takes or gives back one of them, and shows the new answer."""
    member = access.current_membership(request)
    workload = access.one_of(member.team, Workload, public_id)
    if request.method == "POST":
        return _pulled(request, member, workload)
    part = bool(getattr(request, "htmx", False))
    page = "planner/_more_levers.html" if part else "planner/levers.html"
    # As many searches as a plan takes: a script that asks on and on waits as one that types.
    if seconds := pace.wait_s(request):
        paused = render(request, page, {"workload": workload, "paused_s": seconds}, status=429)
        paused.headers["Retry-After"] = str(seconds)
        return paused
    try:
        found = steps.levers_for(planned.read(workload.draft, workload.team), workload.team)
    except SpecError as error:
        raise Http404("This request cannot be planned yet.") from error
    shown = {"workload": workload, "more": more_texts(found), "may_plan": access.has_role(member, Role.PLANNER)}
    return render(request, page, shown)


def _pulled(request: HttpRequest, member: Membership, workload: Workload) -> HttpResponse:
    """The workload with what was posted: a format, a lever to take, or one to give back."""
    access.require_role(member, Role.PLANNER)
    if "precision" in request.POST:
        messages.success(request, _in_format(member, workload, request.POST["precision"]))
        return redirect("planner:answer", workload.public_id)
    take, back = request.POST.get("take", ""), request.POST.get("back", "")
    try:
        if take and steps.take(member, workload, take):
            messages.success(request, _("Planned with it. One click takes it back."))
        elif back and steps.give_back(member, workload, back):
            messages.success(request, _("Planned as before."))
        else:
            messages.error(request, _("The request has changed since: that is no lever of it any more."))
    except (SpecError, plans.Conflict):
        messages.error(request, _("The request has changed since: that is no lever of it any more."))
    return redirect("planner:answer", workload.public_id)


def _in_format(member: Membership, workload: Workload, precision: str) -> str:
    """Plans with the weights in that format, or in the publisher's again, and says so."""
    if precision not in get_args(ServingPrecision) or not workload.draft.get("serving"):
        raise Http404("There is no such format, or nothing that is served in it.")
    wanted = None if precision == _OPEN else precision
    draft = merged(workload.draft, {"serving": {"precision": wanted}})
    plans.save_workload(member, name=workload.name, draft=draft, workload=workload)
    if precision == _OPEN:
        return _("Planned with the publisher’s format again.")
    return _("Planned with weights in %(format)s.") % {"format": named(Ref("precision", precision))}
