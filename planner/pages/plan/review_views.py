"""Review of a frozen version: comments on its numbers, share links, and the page behind a link."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from accounts import access, throttle
from planner.models import PlanComment, PlanVersion, ShareLink
from planner.pages import behind
from planner.pages.chart_files import chart_file
from planner.presenters import charts_of, currency_of, present
from planner.presenters.options import table_in
from planner.presenters.review import numbers_of
from planner.review import comments, sharing
from planner.review.issue import issue_of

_PASS = "share"  # noqa: S105 - a name
"""The cookie in which a browser keeps the pass of a link."""


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


@sensitive_post_parameters("password")
@login_required
@never_cache
@require_POST
def share(request: HttpRequest, public_id: str) -> HttpResponse:
    """Makes a share link and shows it in this one answer."""
    member = access.current_membership(request)
    version = access.one_of(member.team, PlanVersion, public_id)
    days = request.POST.get("days", "")
    try:
        life = int(days) if days.isdecimal() and len(days) < 4 else 0
        link, secret = sharing.create(member, version, days=life, password=request.POST.get("password", ""))
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


@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
def shared(request: HttpRequest, secret: str) -> HttpResponse:
    """The version behind a share link, to read; the same 404 for a wrong, expired and revoked one.

    A link with a password asks for it first, by a form to its own address. `?file=memory.csv` is one of its charts as a
    file: an address from which the page need not repeat its own key.
    """
    link = sharing.find_link(secret)
    if link is None:
        raise Http404("This link is wrong, has expired or was revoked.")
    if not sharing.has_pass(link, request.COOKIES.get(_PASS, "")):
        return _password_asked(request, link)
    if request.method == "POST":  # sent twice, or by somebody who need not
        return _unlisted(redirect(request.path))
    version, file = link.version, request.GET.get("file", "")
    plan = version.plan  # read and taken apart once
    if file:
        chart, _, format_ = file.strip("/").rpartition(".")
        return _unlisted(chart_file(charts_of(plan, currency_of(plan)), chart, format_))
    sharing.count_opening(link)
    facts = behind.facts_of(plan, version.workload.team)
    answer = present(plan, **table_in(request.GET), facts=facts, issue=issue_of(version))
    context = {"version": version, "link": link, "answer": answer, "charts_at": "?file="}
    return _unlisted(render(request, "planner/shared.html", context))


def _password_asked(request: HttpRequest, link: ShareLink) -> HttpResponse:
    """The form that asks for the link's password; the way on, with a pass in a cookie of this very address, after it."""
    fault = ""
    if request.method == "POST":
        fault = sharing.unlock(link, request.POST.get("password", ""), address=throttle.address_of(request))
        if not fault:
            response = _unlisted(redirect(request.path))
            response.set_cookie(
                _PASS,
                sharing.pass_for(link),
                max_age=sharing.OPEN_FOR,
                path=request.path,
                secure=settings.SESSION_COOKIE_SECURE,
                httponly=True,
                samesite="Lax",
            )
            return response
    response = _unlisted(render(request, "planner/shared_locked.html", {"fault": fault}, status=422 if fault else 200))
    # A form sent under no-referrer says “Origin: null”, which no check of forged requests can let through.
    response.headers["Referrer-Policy"] = "same-origin"
    return response


def _unlisted(response: HttpResponse) -> HttpResponse:
    """The answer, kept by no cache and no search engine, its address told to nobody."""
    response.headers["Cache-Control"] = "no-store, private"
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["X-Robots-Tag"] = "noindex, nofollow"
    return response
