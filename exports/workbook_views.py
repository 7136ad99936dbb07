"""The page on which an edited workbook comes back: what it changes, field by field, and the step that accepts it."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from accounts import access, pace
from catalog.uploads import TOO_LARGE
from engine.inputs.spec import SpecError
from exports.numbers import exact
from exports.round_trip.accept import MAY_ACCEPT, planned_again
from exports.round_trip.accept import accept as accept_edits
from exports.round_trip.compare import Difference, RoundTrip, difference_of, differences
from incoming.package import Refused
from incoming.workbook import MOST_BYTES
from planner.models import PlanVersion
from planner.plans import Conflict
from planner.presenters.changes import changes
from voice.speech import error_text

PREFIX = "in_"
"""Of the fields that carry an edited value from the review to the acceptance."""
_KINDS = {"price": "agreed price", "request": "request", "assumption": "assumption", "none": "not taken"}


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def upload(request: HttpRequest, public_id: str) -> HttpResponse:
    """The form; a post shows what the workbook changes, or why it is not taken."""
    version = access.one_of(access.current_team(request), PlanVersion, public_id)
    context: dict[str, Any] = {"version": version, "section": "home", "most_mib": MOST_BYTES // 2**20}
    if request.method != "POST":
        return render(request, "exports/workbook.html", context)
    try:
        found = differences(version, _sent(request))
        context |= {"found": found} | _outcome(request, version, found)
    except (Refused, SpecError) as error:
        context["fault"] = error_text(error)
    return render(request, "exports/workbook.html", context, status=422 if "fault" in context else 200)


@login_required
@require_POST
def accept(request: HttpRequest, public_id: str) -> HttpResponse:
    """Freezes the reviewed values as a new version and shows it."""
    member = access.current_membership(request)
    version = access.one_of(member.team, PlanVersion, public_id)
    try:
        made = accept_edits(member, version, _posted(request, version))
    except (Refused, SpecError, Conflict, PermissionDenied) as error:
        messages.error(request, error_text(error))
        return redirect("exports:workbook", public_id)
    messages.success(request, f"Accepted as version {made.number}, planned again with the new values.")
    return redirect("planner:plan", made.public_id)


def _sent(request: HttpRequest) -> bytes:
    if said := pace.too_many_uploads(request):
        raise Refused(said)
    file = request.FILES.get("file")
    if TOO_LARGE in request.META or (file is not None and (file.size or 0) > MOST_BYTES):
        raise Refused(f"The file is too large: upload a workbook of at most {MOST_BYTES // 2**20} MiB.")
    if file is None or not file.size:
        raise Refused("No file came: choose the workbook that you have edited.")
    return bytes(file.read())


def _outcome(request: HttpRequest, version: PlanVersion, found: RoundTrip) -> dict[str, Any]:
    """Rows of the review, and what the plan would then say."""
    rows = [
        {
            "edit": item,
            "before": exact(item.before),
            "after": exact(item.after),
            "kind": _KINDS[item.target.kind],
            "field": f"{PREFIX}{item.name}",
            "raw": repr(item.after),
        }
        for item in found.differences
    ]
    newest = version.workload.newest
    outcome: dict[str, Any] = {"rows": rows, "taken": any(item.taken for item in found.differences)}
    outcome["newer"] = newest.number if newest and newest.pk != version.pk else 0
    outcome["may_accept"] = access.has_role(access.current_membership(request), *MAY_ACCEPT)
    if outcome["taken"]:
        frozen, again = version.head, planned_again(version, found.differences)
        outcome["headline"] = again.recommendation.headline
        outcome["changes"] = [change for change in changes(frozen, again) if change.part == "Answer"]
    return outcome


def _posted(request: HttpRequest, version: PlanVersion) -> list[Difference]:
    """The reviewed values, checked again: they come from a page. Refused for one that is no number or no input."""
    plan, found = version.head, []
    for field, text in request.POST.items():
        if not field.startswith(PREFIX) or not isinstance(text, str):
            continue
        try:
            value = float(text)
        except ValueError as error:
            raise Refused(f"“{field[3:63]}” is no number: upload the workbook again.") from error
        found.append(difference_of(plan, field.removeprefix(PREFIX), value))
    return found
