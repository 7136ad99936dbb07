"""From a proof of who somebody is to a session.

::

    password, provider or demo ──begin──▶ has a second factor? ──no──▶ finish ──▶ session
                                            │ yes                        ▲
                                            ▼                            │
                                       pending (10 minutes) ──code or key┘

A passkey proves both at once. ``strong`` in the session says that two factors were shown; ``fresh_at`` and ``fresh_by`` say
when the person last proved anything, and how. Steps that change how one signs in, who may do what, or where data goes ask for
it, and so does signing a plan: whoever has a second factor shows that one.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, Final
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.http import url_has_allowed_host_and_scheme

from accounts import audit, known, sessions, throttle
from accounts.models import Authenticator, Passkey, User

PENDING_S: Final = 10 * 60
FRESH_S: Final = 15 * 60
SECOND_FACTOR: Final = "second factor"
_LONGEST_WAY: Final = 1_000  # characters: it travels in the cookie of somebody who is signing in
_BACKEND = "django.contrib.auth.backends.ModelBackend"


@dataclass(frozen=True, kw_only=True)
class Pending:
    """A person who has shown a first factor, by ``how``, and will go to ``goto`` after the second."""

    user: User
    how: str
    goto: str


def has_second_factor(user: User) -> bool:
    """Whether the person has an authenticator app or a passkey."""
    app = Authenticator.objects.filter(user=user).exclude(confirmed_at=None)
    return app.exists() or Passkey.objects.filter(user=user).exists()


def begin(request: HttpRequest, user: User, *, how: str, goto: str, strong: bool = False) -> HttpResponse:
    """After a first factor: the way to the second one, or into a session where the person has none.

    ``strong`` when ``how`` has shown two factors already.
    """
    if strong or not has_second_factor(user):
        return finish(request, user, how=how, goto=goto, strong=strong)
    request.session.cycle_key()
    request.session["pending"] = {
        "user": user.pk,
        "hash": user.get_session_auth_hash(),
        "how": how,
        "goto": goto,
        "at": time.time(),
    }
    return redirect("accounts:second")


def pending(request: HttpRequest) -> Pending | None:
    """Who waits for the second factor in this session; None when nobody does, or the ten minutes are over."""
    kept = request.session.get("pending")
    if not kept or not 0 <= time.time() - kept["at"] < PENDING_S:
        return None
    user = User.objects.filter(pk=kept["user"], is_active=True).first()
    # A password that was changed in between ends what it began.
    if user is None or not constant_time_compare(kept["hash"], user.get_session_auth_hash()):
        return None
    return Pending(user=user, how=kept["how"], goto=kept["goto"])


@transaction.atomic
def finish(request: HttpRequest, user: User, *, how: str, goto: str, strong: bool) -> HttpResponse:
    """Opens a session under a new key and records it."""
    request.session.pop("pending", None)
    sessions.drop_expired()
    if request.user == user:
        request.session.cycle_key()  # login() does it for everybody else
    login(request, user, backend=_BACKEND)
    # After login(), which empties a session that was another person's.
    request.session["agent"] = request.headers.get("User-Agent", "")[:300]
    request.session["address"] = throttle.address_of(request)
    request.session["strong"] = strong
    refresh(request, by=SECOND_FACTOR if strong else how)
    if how != "demo":  # everybody's account
        known.note(request, user)
    audit.record("user.logged_in", user.public_id, team=None, actor=user, data={"how": how, "second_factor": strong})
    return redirect(goto)


def refresh(request: HttpRequest, *, by: str) -> None:
    """Notes that the person has just proved who they are, and how."""
    request.session["fresh_at"] = time.time()
    request.session["fresh_by"] = by


def is_fresh(request: HttpRequest) -> bool:
    """Whether the last proof is younger than a quarter of an hour, and of the second factor where the person has one."""
    if not 0 <= time.time() - request.session.get("fresh_at", 0) < FRESH_S:
        return False
    return proof_of(request) == SECOND_FACTOR or not has_second_factor(user_of(request))


def proof_of(request: HttpRequest) -> str:
    """How the person last proved who they are: ``second factor``, ``password``, ``single sign-on``; empty when not known."""
    return str(request.session.get("fresh_by", ""))


def freshly(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Lets signed-in people in whose proof is fresh; others confirm first and come back."""

    @login_required
    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        return proof_asked(request, back="accounts:account") or view(request, *args, **kwargs)

    return guarded


def proof_asked(request: HttpRequest, *, back: str, of: str = "") -> HttpResponse | None:
    """The way to a fresh proof and from there on, for a form to the page named `back`, of that row; None when the proof is
    fresh."""
    if is_fresh(request):
        return None
    reads = request.method in ("GET", "HEAD")
    if not reads:
        messages.warning(request, "Nothing has been changed yet: say who you are, then do it again.")
    goto = request.get_full_path() if reads else reverse(back, args=[of] if of else None)
    return redirect(f"{reverse('accounts:confirm')}?{urlencode({'next': goto})}")


def key_for(request: HttpRequest, step: str) -> str:
    """What only a page of this very session can name, for a step that must be a link and yet be asked for by us."""
    return salted_hmac(f"accounts.{step}", request.session.session_key or "").hexdigest()


def way_on(request: HttpRequest) -> str:
    """Where to go afterwards: ``next`` when it is an address of this site, else the start page.

    A bare word is none: `redirect` would take it for the name of a view.
    """
    wanted = request.POST.get("next", "") or request.GET.get("next", "")
    safe = url_has_allowed_host_and_scheme(wanted, {request.get_host()}, require_https=request.is_secure())
    return wanted if safe and "/" in wanted and len(wanted) <= _LONGEST_WAY else settings.LOGIN_REDIRECT_URL


def user_of(request: HttpRequest) -> User:
    """The visitor, who is signed in by now."""
    assert isinstance(request.user, User)
    return request.user
