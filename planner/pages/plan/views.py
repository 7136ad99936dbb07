"""Pages of frozen plans: one version with its documents, and the steps of its review."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from accounts import access, signin
from accounts.models import Membership, Role
from catalog import clock
from charts.chart import Chart
from planner import plans, scenarios, team_market
from planner.charting.changes import waterfall
from planner.frozen.snapshot import Plan
from planner.models import PlanVersion, ShareLink
from planner.pages import behind
from planner.pages.chart_files import chart_file
from planner.pages.plan.review_panel import review_panel
from planner.presenters import charts_of, currency_of, present
from planner.presenters.changes import changes
from planner.presenters.currency import exchanged
from planner.presenters.options import table_in
from planner.presenters.quotation import backing_rows, run_out_words
from planner.presenters.review import remarks
from planner.presenters.views import chart_view
from planner.presenters.what_if import what_if
from planner.review import approvals, comments, sharing
from planner.review.issue import issue_of
from planner.versions import State

_REASON: Final = "approval_reason"
"""Where a session keeps what was typed for an approval while its proof is asked for."""
_LONGEST_REASON: Final = 4000


@login_required
@require_safe
def plan(request: HttpRequest, public_id: str) -> HttpResponse:
    """One frozen version: its answer, its documents, its review and the versions beside it."""
    member = access.current_membership(request)
    version = _version(member, public_id)
    earlier = version.earlier
    before = earlier.head if earlier else None  # first, so that only one large plan at a time is read
    frozen = version.plan
    versions = list(version.workload.versions.select_related("created_by").newest_first())
    answer = present(
        frozen, **table_in(request.GET), facts=behind.facts_of(frozen, member.team), issue=issue_of(version)
    )
    may_keep = access.has_role(member, *scenarios.MAY_CHANGE)
    may_plan = access.has_role(member, Role.PLANNER)
    may_share = access.has_role(member, Role.PLANNER, Role.FINANCE, Role.APPROVER)
    context = {
        "version": version,
        "workload": version.workload,
        "versions": versions,
        "answer": answer,
        "remarks": remarks(answer, version.comments.select_related("author").order_by("created_at", "pk")),
        "about": request.GET.get("about", ""),
        "may_comment": access.has_role(member, *comments.MAY_COMMENT),
        "may_share": may_share,
        "share_lives": sharing.LIVES,
        "links": _links(version) if may_share else [],
        "earlier": earlier,
        **_since(earlier, before, version, frozen),
        "reason_typed": _reason_typed(request, version),
        "review": review_panel(member, version, versions),
        "section": "home",
        "charts_at": f"{request.path}/charts",
        "panel": what_if(frozen, {}),
        "what_if_at": f"{request.path}/what-if",
        "panel_charts_at": f"{request.path}/what-if/charts",
        "scenario_at": f"{request.path}/scenarios/new" if may_keep else "",
        "may_keep": may_keep,
        "began": frozen.start if frozen.start < clock.today() and version.state != State.APPROVED else None,
        "backing": backing_rows(frozen, currency_of(frozen)),
        "run_out": run_out_words(frozen, clock.today()),
        "prices_moved": team_market.market_of(member.team).release != frozen.recommendation.catalog_release,
        "may_plan": may_plan,
        "levers_at": reverse("planner:levers", args=[version.workload.public_id]) if may_plan else "",
        "scenarios": list(version.scenarios.defer("changes").order_by("created_at", "pk")),
    }
    return render(request, "planner/plan.html", context)


@login_required
@require_safe
def chart(request: HttpRequest, public_id: str, chart: str, format_: str) -> HttpResponse:
    """One chart of a frozen plan as a file."""
    version = _version(access.current_membership(request), public_id)
    frozen = version.plan
    if chart == "waterfall":
        earlier = version.earlier
        steps = _steps(earlier.head, frozen, (earlier.number, version.number)) if earlier else []
        return chart_file(steps, chart, format_)
    return chart_file(charts_of(frozen, currency_of(frozen)), chart, format_)


def _since(earlier: PlanVersion | None, before: Plan | None, version: PlanVersion, frozen: Plan) -> dict[str, Any]:
    """What has changed since the version before, as a table and as a waterfall of its cost."""
    if earlier is None or before is None:
        return {"changes": [], "waterfall": None}
    steps = _steps(before, frozen, (earlier.number, version.number))
    return {
        "changes": changes(before, frozen),
        "exchanged": exchanged(currency_of(before), currency_of(frozen)),
        "waterfall": chart_view(steps[0]) if steps else None,
    }


def _steps(before: Plan, frozen: Plan, numbers: tuple[int, int]) -> list[Chart]:
    chart = waterfall(before, frozen, (f"Version {numbers[0]}", f"Version {numbers[1]}"))
    return [chart] if chart else []


@login_required
@require_POST
def step(request: HttpRequest, public_id: str, verb: str) -> HttpResponse:
    """One step of the review: submit, withdraw, approve or return."""
    member = access.current_membership(request)
    version, reason = _version(member, public_id), request.POST.get("reason", "")
    steps: dict[str, tuple[Callable[..., Any], dict[str, str], str]] = {
        "submit": (plans.submit, {}, "Sent for approval."),
        "withdraw": (plans.withdraw, {}, "Withdrawn: nobody is asked to decide on this version any more."),
        "approve": (
            plans.approve,
            {"reason": reason, "proof": signin.proof_of(request)},
            "Approved. This version is signed.",
        ),
        "return": (plans.return_for_changes, {"reason": reason}, "Returned for changes."),
    }
    if verb not in steps:
        raise Http404("There is no such step.")
    if verb == "approve" and (asked := signin.proof_asked(request, back="planner:plan", of=public_id)):
        request.session[_REASON] = {"of": public_id, "text": reason[:_LONGEST_REASON]}
        return asked
    function, given, done = steps[verb]
    try:
        moved = function(member, version, **given)
        request.session.pop(_REASON, None)
        progress = approvals.progress(moved) if verb == "approve" else ""
        messages.success(
            request, f"Your approval counts, {progress}: somebody else must approve as well." if progress else done
        )
    except (plans.Conflict, PermissionDenied, ValueError) as error:
        messages.error(request, str(error))
    return redirect("planner:plan", public_id)


def _reason_typed(request: HttpRequest, version: PlanVersion) -> str:
    """What its approver had typed before a proof was asked for."""
    kept = request.session.get(_REASON, {})
    return str(kept["text"]) if kept.get("of") == version.public_id else ""


def _links(version: PlanVersion) -> list[ShareLink]:
    """The share links that still work."""
    alive = version.share_links.filter(revoked_at=None, expires_at__gt=timezone.now())
    return list(alive.select_related("created_by").order_by("-created_at"))


def _version(member: Membership, public_id: str) -> PlanVersion:
    return access.one_in(access.within(member.team, PlanVersion.objects.with_people()), public_id)
