"""Browsers and networks from which somebody has signed in before: their tries are counted apart from strangers'.

A stranger can use up what strangers may try, and no more: the owner of an account tries from a browser that keeps a
signed note of an earlier sign-in, or from a network where a session of theirs is open. The note proves nothing else: who
has it still needs the password. It ends with the password.
"""

from __future__ import annotations

import secrets
from typing import Final

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac

from accounts import throttle
from accounts.models import Session, User

COOKIE: Final = "__Host-known" if settings.PRODUCTION else "known"
LIFE_S: Final = 180 * 24 * 3600
_MOST: Final = 5
"""Accounts that one browser is known for, the latest."""
_SALT: Final = "accounts.known"


def note(request: HttpRequest, user: User) -> None:
    """From now on this browser is known for that account: `keep` writes the cookie into the answer."""
    others = {account: kept for account, kept in _notes(request).items() if account != user.public_id}
    latest = dict(list(others.items())[-(_MOST - 1) :])
    request.known_notes = latest | {user.public_id: [secrets.token_hex(8), _mark(user)]}  # type: ignore[attr-defined]


def keep(request: HttpRequest, response: HttpResponse) -> None:
    """Puts what `note` has noted into the answer's cookie."""
    notes = getattr(request, "known_notes", None)
    if notes is not None:
        response.set_cookie(
            COOKIE,
            signing.dumps(notes, salt=_SALT),
            max_age=LIFE_S,
            secure=settings.PRODUCTION,
            httponly=True,
            samesite="Lax",
        )


def place_of(request: HttpRequest | None, email: str) -> str:
    """Where a try for that account comes from, for `throttle`: a known browser, a known network, or empty for a stranger."""
    if request is None:
        return ""
    return _browser(request, email) or _network(request, email)


def _browser(request: HttpRequest, email: str) -> str:
    notes = _notes(request)
    user = User.objects.filter(email=email.lower(), public_id__in=notes).first() if notes else None
    if user is None:
        return ""
    name, mark = notes[user.public_id]
    return f"browser {name}" if constant_time_compare(mark, _mark(user)) else ""


def _network(request: HttpRequest, email: str) -> str:
    here = throttle.network_of(throttle.address_of(request))
    open_now = Session.objects.filter(user__email=email.lower(), expire_date__gt=timezone.now())
    known = {
        throttle.network_of(address) for address in open_now.values_list("address", flat=True).distinct() if address
    }
    return f"network {here}" if here in known else ""


def _notes(request: HttpRequest) -> dict[str, list[str]]:
    """Name and mark by account, as this browser keeps them; empty for a cookie that is changed or too old."""
    try:
        found = signing.loads(request.COOKIES.get(COOKIE, ""), salt=_SALT, max_age=LIFE_S)
    except signing.BadSignature:
        return {}
    return dict(found)


def _mark(user: User) -> str:
    """Changes with the password."""
    return salted_hmac(_SALT, user.get_session_auth_hash()).hexdigest()[:16]
