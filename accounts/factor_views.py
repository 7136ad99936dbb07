"""Setting up and turning off the authenticator app, and recovery codes."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from accounts import authenticator, known, letters, sessions, signin, throttle
from accounts.second_views import check_password


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@signin.freshly
def set_up(request: HttpRequest) -> HttpResponse:
    """Shows the secret as a picture and as text, and takes the first code."""
    user, fault = signin.user_of(request), ""
    try:
        secret = authenticator.offer(user)
    except ValueError as error:
        messages.error(request, str(error))
        return redirect("accounts:account")
    if request.method == "POST":
        limits = throttle.new_app(user.pk)
        try:
            if not throttle.take(limits):
                raise authenticator.WrongCode("Too many codes were tried; wait 15 minutes and try again.")
            authenticator.confirm(user, request.POST.get("code", "")[:80])
            throttle.forget(limits)
            request.session["strong"] = True
            signin.refresh(request, by=signin.SECOND_FACTOR)
            sessions.end_others(request, user)
            letters.changed(user, "An authenticator app is now asked for when you sign in.")
            messages.success(request, "The authenticator app is set up; it is asked for from your next sign-in on.")
            return redirect(_way_on(request)) if authenticator.recovery_codes_left(user) else _codes(request)
        except authenticator.WrongCode as error:
            fault = str(error)
    context = {
        "secret": " ".join(secret[at : at + 4] for at in range(0, len(secret), 4)),
        "picture": authenticator.picture(user, secret),
        "fault": fault,
        "next": request.POST.get("next") or request.GET.get("next", ""),
    }
    return render(request, "accounts/app.html", context, status=422 if fault else 200)


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def turn_off(request: HttpRequest) -> HttpResponse:
    """Turns the authenticator app off, for the password and a code."""
    user, fault = signin.user_of(request), ""
    if request.method == "POST":
        try:
            if user.has_usable_password():
                check_password(request, user, request.POST.get("password", ""))
            elif not signin.is_fresh(request):
                raise ValidationError("Sign out and in again first; then turn it off within 15 minutes.")
            authenticator.check(user, request.POST.get("code", "")[:80], place=known.place_of(request, user.email))
            authenticator.remove(user)
            request.session["strong"] = signin.has_second_factor(user)
            sessions.end_others(request, user)
            letters.changed(user, "The authenticator app of your account was turned off.")
            messages.success(request, "The authenticator app is no longer asked for.")
            return redirect("accounts:account")
        except (ValidationError, authenticator.WrongCode) as error:
            fault = error.messages[0] if isinstance(error, ValidationError) else str(error)
    context = {"fault": fault, "has_password": user.has_usable_password()}
    return render(request, "accounts/app_off.html", context, status=422 if fault else 200)


@never_cache
@require_POST
@signin.freshly
def recovery_codes(request: HttpRequest) -> HttpResponse:
    """Ten new recovery codes, shown in this one answer; those of before end."""
    letters.changed(signin.user_of(request), "New recovery codes were made for your account; the old ones have ended.")
    return _codes(request)


def _codes(request: HttpRequest) -> HttpResponse:
    codes = authenticator.new_recovery_codes(signin.user_of(request))
    return render(request, "accounts/recovery.html", {"codes": codes, "next": _way_on(request)})


def _way_on(request: HttpRequest) -> str:
    """Where the person wanted to go when the team asked for more; else the account page."""
    asked = request.POST.get("next") or request.GET.get("next")
    return signin.way_on(request) if asked else reverse("accounts:account")
