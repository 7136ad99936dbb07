"""The page of one's own account: name, password, second factor, passkeys, single sign-on, sessions."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import SetPasswordForm
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts import (
    arrivals,
    audit,
    authenticator,
    devices,
    history,
    ids,
    letters,
    passkeys,
    sessions,
    signin,
    sso,
    teams,
)
from accounts.models import Authenticator, Identity, Membership, Passkey, PriceMail, User
from accounts.second_views import check_password
from accounts.typed import one_line


@login_required
@never_cache
@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """All that belongs to how the visitor signs in, and where they are signed in."""
    user = signin.user_of(request)
    here = [
        {"row": row, "device": devices.name_of(row.agent), "this": sessions.is_this(request, row)}
        for row in sessions.sessions_of(user)[:50]
    ]
    context: dict[str, Any] = {
        "section": "account",
        "app": Authenticator.objects.filter(user=user).exclude(confirmed_at=None).first(),
        "keys": list(Passkey.objects.filter(user=user).order_by("created_at")),
        "codes_left": authenticator.recovery_codes_left(user),
        "has_password": user.has_usable_password(),
        "identities": list(Identity.objects.filter(user=user).order_by("created_at")),
        "sso_name": sso.name(),
        "connect_key": signin.key_for(request, "connect"),
        "events": history.lately(user),
        "sessions": here,
        "memberships": list(Membership.objects.filter(user=user).select_related("team").order_by("team__name")),
        "price_mail": PriceMail.choices,
        **passkeys.page(request),
    }
    return render(request, "accounts/account.html", context)


@login_required
@require_POST
def rename(request: HttpRequest) -> HttpResponse:
    """Changes the visitor's own name."""
    user, name = signin.user_of(request), one_line(request.POST.get("name", ""))
    if not 0 < len(name) <= 120:
        messages.error(request, "A name has one to 120 characters.")
        return redirect("accounts:account")
    User.objects.filter(pk=user.pk).update(name=name)
    audit.record("user.renamed", user.public_id, team=None, actor=user, data={"name": name, "was": user.name})
    messages.success(request, f"You are now shown as {name}.")
    return redirect("accounts:account")


@login_required
@require_POST
def price_mail(request: HttpRequest, slug: str) -> HttpResponse:
    """Of which plans of one team the visitor is written to; 404 for a team of others."""
    rows = Membership.objects.filter(user=signin.user_of(request)).select_related("team", "user")
    member = rows.filter(team__slug=slug).first()
    if member is None:
        raise Http404("There is no such team.")
    try:
        teams.choose_price_mail(member, request.POST.get("choice", ""))
        messages.success(request, f"Mail about plans of {member.team} is set.")
    except ValidationError as error:
        messages.error(request, error.messages[0])
    return redirect(reverse("accounts:account") + "#mail")


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def password(request: HttpRequest) -> HttpResponseBase:
    """Sets a new password and ends all other sessions. Without an old one the proof of who one is must be fresh."""
    user = signin.user_of(request)
    if not user.has_usable_password():
        return _first_password(request)
    return _password(request, user)


@signin.freshly
def _first_password(request: HttpRequest) -> HttpResponse:
    return _password(request, signin.user_of(request))


def _password(request: HttpRequest, user: User) -> HttpResponse:
    had_one, fault = user.has_usable_password(), ""
    form = SetPasswordForm(user, request.POST or None)
    if request.method == "POST":
        try:
            if had_one:
                check_password(request, user, request.POST.get("old_password", ""))
            if form.is_valid():
                form.save()
                update_session_auth_hash(request, user)
                signin.refresh(request, by="password")
                ended = sessions.end_others(request, user)
                audit.record("password.changed", user.public_id, team=None, actor=user, data={"sessions_ended": ended})
                letters.changed(user, "Your password was changed, and your other sessions were ended.")
                messages.success(request, "Your password is changed; other sessions have ended.")
                return redirect("accounts:account")
        except ValidationError as error:
            fault = error.messages[0]
    context = {"form": form, "had_one": had_one, "fault": fault}
    return render(request, "accounts/password.html", context, status=422 if request.method == "POST" else 200)


@login_required
@require_POST
def end_session(request: HttpRequest, session_id: str) -> HttpResponse:
    """Ends one of the visitor's own sessions; 404 for anybody else's."""
    user = signin.user_of(request)
    row = sessions.sessions_of(user).filter(public_id=session_id).first() if ids.is_id(session_id) else None
    if row is None:
        raise Http404("There is no such session.")
    row.delete()
    audit.record("session.ended", row.public_id, team=None, actor=user)
    messages.success(request, f"{devices.name_of(row.agent)} is signed out.")
    return redirect("accounts:account")


@login_required
@require_POST
def end_sessions(request: HttpRequest) -> HttpResponse:
    """Ends all of the visitor's sessions but this one."""
    user = signin.user_of(request)
    ended = sessions.end_others(request, user)
    audit.record("session.others_ended", user.public_id, team=None, actor=user, data={"count": ended})
    messages.success(request, "All other sessions have ended.")
    return redirect("accounts:account")


@require_POST
@signin.freshly
def disconnect(request: HttpRequest, identity_id: str) -> HttpResponse:
    """Ends the link to a single sign-on identity of the visitor's own."""
    user = signin.user_of(request)
    row = Identity.objects.filter(user=user, public_id=identity_id).first() if ids.is_id(identity_id) else None
    if row is None:
        raise Http404("There is no such identity.")
    try:
        arrivals.disconnect(row, actor=user)
        messages.success(request, "Single sign-on is no longer connected.")
    except ValidationError as error:
        messages.error(request, error.messages[0])
    return redirect("accounts:account")
