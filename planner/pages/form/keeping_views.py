"""The door of autosave: a form's window keeps what is typed, or forgets it."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from accounts import access
from accounts.models import Membership
from planner.models import Workload
from planner.pages.form import keeping, screens
from planner.pages.form.pickers import posted

_BESIDE = ("csrfmiddlewaretoken", "tab", "revision")


@never_cache
@login_required
@require_POST
def keep(request: HttpRequest, form: str) -> HttpResponse:
    """Keeps the posted form for its author. A redirect to the login tells the script that the login has ended."""
    member = access.current_membership(request)
    _check(member, form)
    typed = {key: value for key, value in posted(request.POST).items() if key not in _BESIDE}
    try:
        keeping.check_size(
            request.POST.dict()
        )  # as it was sent: what is cut on reading would be kept as if it were whole
        others = keeping.keep(member, form=form, tab=request.POST.get("tab", ""), typed=typed)
    except ValueError as error:
        return JsonResponse({"state": "refused", "message": str(error)}, status=422)
    return JsonResponse({"state": "kept", "at": f"{timezone.localtime():%H:%M}", "others": others})


@login_required
@require_POST
def drop(request: HttpRequest, form: str) -> HttpResponse:
    """Forgets one window of that form, and shows the form again."""
    member = access.current_membership(request)
    _check(member, form)
    keeping.drop(member, form=form, tab=request.POST.get("tab", ""))
    if form in screens.SCREENS:
        return redirect("planner:new", form)
    return redirect("planner:edit", form)


def _check(member: Membership, form: str) -> None:
    """Http404 for what is no form of that team."""
    if form not in screens.SCREENS:
        access.one_of(member.team, Workload, form)
