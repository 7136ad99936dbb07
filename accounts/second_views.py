"""The second step of a sign-in, the page that leads to having one, and proving anew who one is."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from accounts import access, authenticator, known, passkeys, refusals, signin, sso, throttle
from accounts.models import Authenticator, Passkey, User

_AGAIN = "That took longer than ten minutes; begin again."


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def second(request: HttpRequest) -> HttpResponse:
    """Asks for a code or a passkey of a person whose first factor was right."""
    waiting = signin.pending(request)
    if waiting is None:
        messages.error(request, _AGAIN)
        return redirect("accounts:login")
    fault = ""
    if request.method == "POST":
        try:
            shown = authenticator.check(
                waiting.user,
                request.POST.get("code", "")[:80],
                place=known.place_of(request, waiting.user.email),
            )
            if shown == "recovery code":
                left = authenticator.recovery_codes_left(waiting.user)
                messages.warning(request, f"That recovery code is used up; {left} are left.")
            return signin.finish(
                request, waiting.user, how=f"{waiting.how} and {shown}", goto=waiting.goto, strong=True
            )
        except authenticator.WrongCode as error:
            fault = str(error)
    context = {**_means(waiting.user), **passkeys.page(request), "fault": fault}
    return render(request, "accounts/second.html", context, status=422 if fault else 200)


@never_cache
@login_required
@require_safe
def needed(request: HttpRequest) -> HttpResponse:
    """Says that the team asks for a second factor, and where to set one up."""
    user = signin.user_of(request)
    context = {
        "teams": [row.team for row in access.memberships_here(request)],
        "next": signin.way_on(request),
        "has_one": signin.has_second_factor(user),
        **passkeys.page(request),
    }
    return render(request, "accounts/needed.html", context)


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def confirm(request: HttpRequest) -> HttpResponse:
    """Asks once more who the person is, before a step that a session alone does not do."""
    user, fault = signin.user_of(request), ""
    has_second = signin.has_second_factor(user)
    if request.method == "POST":
        try:
            _show_code(request, user) if has_second else _show_password(request, user)
            return redirect(signin.way_on(request))
        except ValidationError as error:
            fault = error.messages[0]
        except authenticator.WrongCode as error:
            fault = str(error)
    context = {
        **_means(user),
        **passkeys.page(request),
        "fault": fault,
        "next": signin.way_on(request),
        "sso_name": sso.name() if user.identities.exists() else "",
        "has_second": has_second,
        "has_password": user.has_usable_password(),
    }
    return render(request, "accounts/confirm.html", context, status=422 if fault else 200)


def _show_code(request: HttpRequest, user: User) -> None:
    """A fresh proof by a code of the app or a recovery code; WrongCode for another."""
    authenticator.check(user, request.POST.get("code", "")[:80], place=known.place_of(request, user.email))
    signin.refresh(request, by=signin.SECOND_FACTOR)


def _show_password(request: HttpRequest, user: User) -> None:
    """A fresh proof by the password; ValidationError for another."""
    check_password(request, user, request.POST.get("password", ""))
    signin.refresh(request, by="password")


def check_password(request: HttpRequest, user: User, password: str) -> None:
    """Does nothing for the right password of a signed-in person; ValidationError, counted like a sign-in, else."""
    limits = throttle.sign_in(user.email, throttle.address_of(request), place=known.place_of(request, user.email))
    if not throttle.take(limits):
        raise ValidationError("Too many attempts; wait 15 minutes and try again.")
    if not user.check_password(password):
        refusals.note(user.email, how="password")
        raise ValidationError("This is not your password; type it again.")
    throttle.forget(limits)


def _means(user: User) -> dict[str, bool]:
    return {
        "has_app": Authenticator.objects.filter(user=user).exclude(confirmed_at=None).exists(),
        "has_passkey": Passkey.objects.filter(user=user).exists(),
    }
