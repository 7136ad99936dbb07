"""The pages of webhooks: the list, one with its log, and one delivery. For admins, as the API is."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlsplit

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import OuterRef, QuerySet, Subquery
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts import access, signin
from accounts.models import Membership
from webhooks import endpoints, outbox
from webhooks.message import body_of
from webhooks.models import Attempt, Delivery, Endpoint, State

DELIVERIES_A_PAGE = 30

View = Callable[..., HttpResponse]


def _for_admins(view: View) -> View:
    """The view with the admin's membership as its second argument."""

    @login_required
    @wraps(view)
    def guarded(request: HttpRequest, **names: str) -> HttpResponse:
        member = access.current_membership(request)
        access.require_role(member)
        return view(request, member, **names)

    return guarded


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@_for_admins
def index(request: HttpRequest, member: Membership) -> HttpResponse:
    """The team's webhooks and the form for another; a post makes it and shows its secret in this one answer."""
    if request.method != "POST":
        return _list(request, member, {"events": list(outbox.TYPES)})
    if asked := signin.proof_asked(request, back="webhooks:list"):
        return asked
    typed = _typed(request)
    try:
        row, secret = endpoints.create(member, **typed)
    except (endpoints.Refused, endpoints.Conflict) as error:
        return _list(request, member, typed, error)
    return _one(request, row, fresh=secret, fresh_is_new=True)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@_for_admins
def one(request: HttpRequest, member: Membership, public_id: str) -> HttpResponse:
    """One webhook with its log; a post changes it."""
    row = _endpoint(member, public_id)
    if request.method != "POST":
        return _one(request, row)
    if asked := signin.proof_asked(request, back="webhooks:list"):
        return asked
    typed = _typed(request)
    try:
        endpoints.change(member, row, **typed)
    except (endpoints.Refused, endpoints.Conflict) as error:
        return _one(request, row, typed=typed, error=error)
    messages.success(request, "Saved.")
    return redirect("webhooks:one", public_id)


@require_POST
@_for_admins
def step(request: HttpRequest, member: Membership, public_id: str, verb: str) -> HttpResponse:
    """Sends a test event, or turns the webhook on or off."""
    row = _endpoint(member, public_id)
    try:
        if verb == "test":
            sent = endpoints.send_test(member, row)
            messages.success(request, "A test event is on its way.")
            return redirect("webhooks:delivery", sent.public_id)
        if verb not in ("on", "off"):
            raise Http404("There is no such step.")
        endpoints.change(member, row, enabled=verb == "on")
    except (endpoints.Conflict, endpoints.TooMany) as error:
        messages.error(request, str(error))
    return redirect("webhooks:one", public_id)


@never_cache
@require_POST
@_for_admins
def rotate(request: HttpRequest, member: Membership, public_id: str) -> HttpResponse:
    """A new secret, shown in this one answer."""
    row = _endpoint(member, public_id)
    if asked := signin.proof_asked(request, back="webhooks:list"):
        return asked
    hours = request.POST.get("keep_hours", "")[:9]
    try:
        secret = endpoints.rotate(member, row, keep_hours=int(hours) if hours.isascii() and hours.isdigit() else -1)
    except endpoints.Refused as error:
        messages.error(request, str(error))
        return redirect("webhooks:one", public_id)
    return _one(request, row, fresh=secret)


@require_POST
@_for_admins
def delete(request: HttpRequest, member: Membership, public_id: str) -> HttpResponse:
    """Removes the webhook and its log."""
    row = _endpoint(member, public_id)
    endpoints.delete(member, row)
    messages.success(request, f"“{row.name}” is deleted.")
    return redirect("webhooks:list")


@never_cache
@require_safe
@_for_admins
def delivery(request: HttpRequest, member: Membership, public_id: str) -> HttpResponse:
    """One delivery: the message as it is sent, and every attempt."""
    row = _delivery(member, public_id)
    context = {
        "section": "team",
        "row": row,
        "endpoint": row.endpoint,
        "message": json.dumps(json.loads(body_of(row)), indent=2, ensure_ascii=False),
        "log": row.log.order_by("-number"),
        "now": timezone.now(),
    }
    return render(request, "webhooks/delivery.html", context)


@require_POST
@_for_admins
def redeliver(request: HttpRequest, member: Membership, public_id: str) -> HttpResponse:
    """Sends a delivery again."""
    row = _delivery(member, public_id)
    try:
        endpoints.redeliver(member, row)
        messages.success(request, "It is sent again, under the same id.")
    except (endpoints.Conflict, endpoints.TooMany) as error:
        messages.error(request, str(error))
    return redirect("webhooks:delivery", public_id)


def _list(
    request: HttpRequest, member: Membership, typed: dict[str, Any], error: Exception | None = None
) -> HttpResponse:
    rows = access.rows_of(member.team, Endpoint).order_by("name", "pk")
    last = Delivery.objects.filter(endpoint=OuterRef("pk")).order_by("-created_at", "-pk")
    rows = rows.annotate(last_state=Subquery(last.values("state")[:1]), last_at=Subquery(last.values("created_at")[:1]))
    listed = [{"row": row, "host": urlsplit(row.url).netloc} for row in rows]
    context = {
        "section": "team",
        "endpoints": listed,
        "full": len(listed) >= endpoints.MOST,
        "most": endpoints.MOST,
        **_form(typed, error),
    }
    return render(request, "webhooks/list.html", context, status=422 if error else 200)


def _one(
    request: HttpRequest,
    row: Endpoint,
    *,
    fresh: str = "",
    fresh_is_new: bool = False,
    typed: dict[str, Any] | None = None,
    error: Exception | None = None,
) -> HttpResponse:
    wanted = request.GET.get("state", "")
    page = Paginator(_log(row, wanted), DELIVERIES_A_PAGE).get_page(request.GET.get("page"))
    current = {"name": row.name, "url": row.url, "events": row.events, "figures": row.figures}
    context = {
        "section": "team",
        "endpoint": row,
        "events": [(type_, outbox.TYPES.get(type_, "")) for type_ in row.events],
        "two_secrets": row.has_two_secrets(timezone.now()),
        "keeps": endpoints.KEEPS_HOURS,
        "page": page,
        "states": State.choices,
        "wanted": wanted,
        "fresh": fresh,
        "fresh_is_new": fresh_is_new,
        **_form(typed or current, error),
    }
    return render(request, "webhooks/one.html", context, status=422 if error else 200)


def _log(row: Endpoint, state: str) -> QuerySet[Delivery]:
    """The deliveries of the webhook, the newest first, each with how its last attempt went."""
    rows = row.deliveries.select_related("event").order_by("-created_at", "-pk")
    last = Attempt.objects.filter(delivery=OuterRef("pk")).order_by("-number")
    if state in State.values:
        rows = rows.filter(state=state)
    return rows.annotate(
        last_status=Subquery(last.values("status")[:1]),
        last_note=Subquery(last.values("note")[:1]),
        last_ms=Subquery(last.values("duration_ms")[:1]),
    )


def _form(typed: dict[str, Any], error: Exception | None) -> dict[str, Any]:
    """The form of a webhook: what was typed, what may be chosen, and what is wrong with which field."""
    field = error.field if isinstance(error, endpoints.Refused) else ""
    return {
        "typed": typed,
        "types": [(type_, about, type_ in typed.get("events", ())) for type_, about in outbox.TYPES.items()],
        "fault": str(error) if error else "",
        "fault_field": field,
    }


def _typed(request: HttpRequest) -> dict[str, Any]:
    return {
        "name": request.POST.get("name", "").replace("\x00", "").strip()[:200],
        "url": request.POST.get("url", "").replace("\x00", "").strip()[:4000],
        "events": request.POST.getlist("events"),
        "figures": request.POST.get("figures") == "on",
    }


def _endpoint(member: Membership, public_id: str) -> Endpoint:
    return access.one_of(member.team, Endpoint, public_id)


def _delivery(member: Membership, public_id: str) -> Delivery:
    row = access.one_of(member.team, Delivery, public_id)
    return Delivery.objects.select_related("endpoint__team", "event").get(pk=row.pk)
