"""Review of a frozen version: comments on its numbers, share links, and the page behind a link."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts import access
from planner import comments, live, sharing
from planner.chart_files import chart_file
from planner.models import PlanComment, PlanVersion, ShareLink
from planner.presenters import charts_of, currency_of, present
from planner.presenters.review import numbers_of


@login_required
@require_POST
def comment(request: HttpRequest, public_id: str) -> HttpResponse:
    """Adds a comment to a version; back to the list of comments."""
    member = access.current_membership(request)
    version = access.one_of(member.team, PlanVersion, public_id)
    text, pointer = request.POST.get("text", ""), request.POST.get("about", "")
    try:
        comments.add(member, version, text=text, pointer=pointer, known=numbers_of(present(version.plan)))
    except ValueError as error:
        messages.error(request, str(error))
    return redirect(f"{reverse('planner:plan', args=[public_id])}#comments")


@login_required
@require_POST
def resolve(request: HttpRequest, public_id: str) -> HttpResponse:
    """Marks a comment as settled."""
    member = access.current_membership(request)
    found = access.one_of(member.team, PlanComment, public_id)
    comments.resolve(member, found)
    return redirect(f"{reverse('planner:plan', args=[found.version.public_id])}#comments")


@login_required
@never_cache
@require_POST
def share(request: HttpRequest, public_id: str) -> HttpResponse:
    """Makes a share link and shows it in this one answer."""
    member = access.current_membership(request)
    version = access.one_of(member.team, PlanVersion, public_id)
    days = request.POST.get("days", "")
    try:
        link, secret = sharing.create(member, version, days=int(days) if days.isdecimal() and len(days) < 4 else 0)
    except ValueError as error:
        messages.error(request, str(error))
        return redirect(f"{reverse('planner:plan', args=[public_id])}#share")
    address = settings.SITE_URL + reverse("planner:shared", args=[secret])
    return render(request, "planner/shared_link.html", {"version": version, "link": link, "address": address})


@login_required
@require_POST
def unshare(request: HttpRequest, public_id: str) -> HttpResponse:
    """Ends a share link."""
    member = access.current_membership(request)
    link = access.one_of(member.team, ShareLink, public_id)
    sharing.revoke(member, link)
    messages.success(request, "The link no longer works.")
    return redirect(f"{reverse('planner:plan', args=[link.version.public_id])}#share")


@require_safe
def shared(request: HttpRequest, secret: str) -> HttpResponse:
    """The version behind a share link, to read; the same 404 for a wrong, expired and revoked one.

    `?file=memory.csv` is one of its charts as a file: an address from which the page need not repeat its own key.
    """
    file = request.GET.get("file", "")
    link = sharing.find_link(secret) if file else sharing.open_link(secret)
    if link is None:
        raise Http404("This link is wrong, has expired or was revoked.")
    version = link.version
    if file:
        chart, _, format_ = file.strip("/").rpartition(".")
        return _unlisted(chart_file(charts_of(version.plan, currency_of(version.plan)), chart, format_))
    answer = present(
        version.plan,
        pins=request.GET.getlist("pin"),
        every="all" in request.GET,
        facts=live.facts_of(version.plan, version.workload.team),
    )
    context = {"version": version, "link": link, "answer": answer, "charts_at": "?file="}
    return _unlisted(render(request, "planner/shared.html", context))


def _unlisted(response: HttpResponse) -> HttpResponse:
    """The answer, kept by no cache and no search engine, its address told to nobody."""
    response.headers["Cache-Control"] = "no-store, private"
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["X-Robots-Tag"] = "noindex, nofollow"
    return response
