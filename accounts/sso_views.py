"""To the single sign-on provider and back."""

from __future__ import annotations

import time

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from accounts import arrivals, refusals, signin, sso
from accounts.models import User
from accounts.second_views import check_password

_KEY = "sso_connect"


@never_cache
@require_safe
def start(request: HttpRequest) -> HttpResponse:
    """Sends the visitor to the provider; 404 where there is none."""
    return _away(request, link_to=None)


@never_cache
@require_safe
@login_required
def connect(request: HttpRequest) -> HttpResponse:
    """Sends a signed-in person to the provider, to connect the identity there with the account here."""
    # An address alone does not begin this: another site could send a person along who is somebody else over there.
    if not constant_time_compare(request.GET.get("key", ""), signin.key_for(request, "connect")):
        messages.error(request, "Begin on this page.")
        return redirect("accounts:account")
    if not signin.is_fresh(request):
        # Not straight on from the form there: our policy lets no form lead to another site, not by a redirect either.
        return redirect(f"{reverse('accounts:confirm')}?next={reverse('accounts:account')}")
    return _away(request, link_to=signin.user_of(request).pk)


@never_cache
@require_safe
def callback(request: HttpRequest) -> HttpResponse:
    """Where the provider sends the person back to."""
    if not sso.name():
        raise Http404("There is no single sign-on here.")
    try:
        claims = sso.arrive(request)
        if claims.link_to is not None:
            return _connected(request, claims)
        user = arrivals.person_of(claims)
    except arrivals.PasswordNeeded as needed:
        request.session[_KEY] = {"claims": vars(claims), "user": needed.user.pk, "at": time.time()}
        return redirect("accounts:sso-link")
    except sso.Refused as error:
        if error.email:
            refusals.note(error.email, how="single sign-on")
        messages.error(request, str(error))
        return redirect("accounts:login")
    return _in(request, user, claims)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def link(request: HttpRequest) -> HttpResponse:
    """Connects the identity with an account that has a password, for that password."""
    kept = request.session.get(_KEY)
    in_time = kept is not None and 0 <= time.time() - kept["at"] < sso.AWAY_S
    user = User.objects.filter(pk=kept["user"], is_active=True).first() if kept and in_time else None
    # A second factor that was added in between is not to be passed by.
    if kept is None or user is None or signin.has_second_factor(user):
        messages.error(request, "That took longer than ten minutes; begin again.")
        return redirect("accounts:login")
    fault = ""
    if request.method == "POST":
        claims = sso.Claims(**kept["claims"])
        try:
            check_password(request, user, request.POST.get("password", ""))
            del request.session[_KEY]
            arrivals.connect(user, claims)
            return _in(request, user, claims)
        except (ValidationError, sso.Refused) as error:
            fault = error.messages[0] if isinstance(error, ValidationError) else str(error)
    context = {"email": user.email, "sso_name": sso.name(), "fault": fault}
    return render(request, "accounts/sso_link.html", context, status=422 if fault else 200)


def _away(request: HttpRequest, *, link_to: int | None) -> HttpResponse:
    if not sso.name():
        raise Http404("There is no single sign-on here.")
    try:
        return redirect(sso.start(request, goto=signin.way_on(request), link_to=link_to))
    except sso.Refused as error:
        messages.error(request, str(error))
        return redirect("accounts:account" if link_to else "accounts:login")


def _connected(request: HttpRequest, claims: sso.Claims) -> HttpResponse:
    user = request.user
    if not isinstance(user, User) or user.pk != claims.link_to:
        raise sso.Refused("You are no longer signed in as the person who began this; begin again.")
    arrivals.connect(user, claims)
    messages.success(request, "Single sign-on is connected.")
    return redirect("accounts:account")


def _in(request: HttpRequest, user: User, claims: sso.Claims) -> HttpResponse:
    response = signin.begin(request, user, how="single sign-on", goto=claims.goto, strong=claims.strong)
    sso.remember_farewell(request, claims)
    return response
