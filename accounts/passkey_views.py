"""Passkeys on the page: making and removing them, and showing one to sign in, as second step, or to confirm.

A script asks for options (JSON) and sends the browser's answer in a form, so that what follows is a page like any other.
"""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from accounts import ids, letters, passkeys, sessions, signin, throttle
from accounts.models import Passkey, User
from accounts.typed import one_line

_LONGEST = 20_000  # characters of a browser's answer


@never_cache
@require_POST
def options(request: HttpRequest, purpose: str) -> HttpResponse:
    """What the browser is to do, as JSON. Purposes: make, sign-in, second, confirm."""
    if purpose == "sign-in":
        return _json(passkeys.to_show(request, None))
    if purpose == "second":
        waiting = signin.pending(request)
        return _json(passkeys.to_show(request, waiting.user)) if waiting else _refused()
    if not isinstance(request.user, User):
        return _refused()
    if purpose == "confirm":
        return _json(passkeys.to_show(request, request.user))
    if purpose == "make":
        return _json(passkeys.to_make(request, request.user)) if signin.is_fresh(request) else _refused()
    raise Http404("There is nothing here with this name.")


@never_cache
@require_POST
def sign_in(request: HttpRequest) -> HttpResponse:
    """Lets in whoever shows a passkey, without a password."""
    limits = throttle.links(throttle.address_of(request))
    if not throttle.take(limits):
        return _back(request, "Too many attempts; wait 15 minutes and try again.", "accounts:login")
    try:
        user = passkeys.show(request, None, answer=_answer(request))
    except passkeys.Refused as error:
        return _back(request, str(error), "accounts:login")
    throttle.give_back(limits)
    return signin.finish(request, user, how="passkey", goto=signin.way_on(request), strong=True)


@never_cache
@require_POST
def second(request: HttpRequest) -> HttpResponse:
    """The second step, by passkey."""
    waiting = signin.pending(request)
    if waiting is None:
        return _back(request, "That took longer than ten minutes; begin again.", "accounts:login")
    try:
        passkeys.show(request, waiting.user, answer=_answer(request))
    except passkeys.Refused as error:
        return _back(request, str(error), "accounts:second")
    return signin.finish(request, waiting.user, how=f"{waiting.how} and passkey", goto=waiting.goto, strong=True)


@never_cache
@login_required
@require_POST
def confirm(request: HttpRequest) -> HttpResponse:
    """A fresh proof of who the visitor is, by passkey."""
    try:
        passkeys.show(request, signin.user_of(request), answer=_answer(request))
    except passkeys.Refused as error:
        return _back(request, str(error), "accounts:confirm")
    signin.refresh(request, by=signin.SECOND_FACTOR)
    request.session["strong"] = True
    return redirect(signin.way_on(request))


@never_cache
@require_POST
@signin.freshly
def make(request: HttpRequest) -> HttpResponse:
    """Keeps a new passkey of the visitor's."""
    user = signin.user_of(request)
    try:
        row = passkeys.make(request, user, answer=_answer(request), name=request.POST.get("name", ""))
    except passkeys.Refused as error:
        return _back(request, str(error), "accounts:account")
    request.session["strong"] = True
    signin.refresh(request, by=signin.SECOND_FACTOR)
    letters.changed(user, f"A passkey was added to your account: {row.name}.")
    messages.success(request, f"The passkey “{row.name}” can now be used to sign in.")
    return redirect("accounts:account")


@never_cache
@require_POST
@signin.freshly
def remove(request: HttpRequest, passkey_id: str) -> HttpResponse:
    """Forgets a passkey of the visitor's own; 404 for anybody else's."""
    user, row = signin.user_of(request), _own(request, passkey_id)
    others = Passkey.objects.filter(user=user).exclude(pk=row.pk).exists()
    if not (others or user.has_usable_password() or user.identities.exists()):
        return _back(request, "This is your only way in; set a password first.", "accounts:account")
    passkeys.remove(row, actor=user)
    request.session["strong"] = signin.has_second_factor(user)
    sessions.end_others(request, user)
    letters.changed(user, f"A passkey was removed from your account: {row.name}.")
    messages.success(request, f"The passkey “{row.name}” no longer works.")
    return redirect("accounts:account")


@login_required
@require_POST
def rename(request: HttpRequest, passkey_id: str) -> HttpResponse:
    """Gives a passkey another name."""
    row = _own(request, passkey_id)
    name = one_line(request.POST.get("name", ""))[:80]
    if name:
        Passkey.objects.filter(pk=row.pk).update(name=name)
    return redirect("accounts:account")


def _own(request: HttpRequest, passkey_id: str) -> Passkey:
    mine = Passkey.objects.filter(user=signin.user_of(request))
    row = mine.filter(public_id=passkey_id).first() if ids.is_id(passkey_id) else None
    if row is None:
        raise Http404("There is no such passkey.")
    return row


def _answer(request: HttpRequest) -> str:
    return request.POST.get("credential", "")[:_LONGEST]


def _json(options: str) -> HttpResponse:
    return HttpResponse(options, content_type="application/json")


def _refused() -> HttpResponse:
    return HttpResponse('{"error": "Sign in again first."}', status=403, content_type="application/json")


def _back(request: HttpRequest, sentence: str, to: str) -> HttpResponse:
    messages.error(request, sentence)
    return redirect(to)
