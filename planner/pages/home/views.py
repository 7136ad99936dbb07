"""The start page: for whoever comes back their plans, for others three ways in; and the steps of its list."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from accounts import access
from accounts.models import Role
from planner import plans, team_market
from planner.models import Workload
from planner.pages.form import screens
from planner.pages.home import shelf, shelving
from planner.presenters.currency import Currency


@require_safe
def home(request: HttpRequest) -> HttpResponseBase:
    """The team's plans and what they need; three ways in for who has none yet."""
    if not request.user.is_authenticated and not settings.DEMO_MODE:
        return redirect_to_login(request.get_full_path())
    context: dict[str, Any] = {"screens": screens.SCREENS.values(), "money": Currency(), "section": "home"}
    if request.user.is_authenticated:
        member = access.current_membership(request)
        words, archived = request.GET.get("words", "").replace("\x00", "").strip()[:80], "archived" in request.GET
        waiting = shelf.waiting_for(member)
        found = shelf.shelf(
            member,
            words=words,
            archived=archived,
            waiting={version.pk for version in waiting},
            page=request.GET.get("page", ""),
        )
        context |= {
            "rows": found.rows,
            "page": found.page,
            "query": urlencode({**({"words": words} if words else {}), **({"archived": "1"} if archived else {})}),
            "returning": bool(found.rows or waiting) or shelf.is_known(member),
            "waiting": waiting,
            "words": words,
            "archived": archived,
            "money": team_market.team_money(member.team),
            "may_plan": access.has_role(member, Role.PLANNER),
        }
    return render(request, "planner/home.html", context)


@login_required
@require_POST
def step(request: HttpRequest, public_id: str, verb: str) -> HttpResponse:
    """One step of the list: rename, archive, restore or delete a plan."""
    member = access.current_membership(request)
    workload = access.one_of(member.team, Workload, public_id)
    access.require_role(member, Role.PLANNER)
    steps: dict[str, tuple[Callable[..., Any], dict[str, str], str]] = {
        "rename": (
            shelving.rename,
            {"name": request.POST.get("name", "")},
            "Renamed. Frozen versions keep their name.",
        ),
        "archive": (plans.archive_workload, {}, f"“{workload.name}” is archived: its versions and links stay."),
        "restore": (shelving.restore, {}, f"“{workload.name}” is back in the list."),
        "delete": (shelving.delete, {}, f"The draft “{workload.name}” is deleted."),
    }
    if verb not in steps:
        raise Http404("There is no such step.")
    function, given, done = steps[verb]
    try:
        function(member, workload, **given)
        messages.success(request, done)
    except (plans.Conflict, ValueError) as error:
        messages.error(request, str(error))
    return redirect("planner:home")
