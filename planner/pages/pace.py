"""How often one person's pages may ask for a live estimate: an estimate keeps a core busy, and a script never rests."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest

from accounts import sessions, signin
from rest.limits import counted


def wait_s(request: HttpRequest) -> int:
    """0 when the person behind the request may have another estimate, else in how many seconds they may.

    In the demo, whose one account is everybody's, each browser counts for itself.
    """
    person = signin.user_of(request)
    who = sessions.stored_key(request.session.session_key or "") if settings.DEMO_MODE else person.public_id
    asked, next_s = counted(f"typing:{who}")
    return next_s if asked > settings.PAGE_ESTIMATES_PER_MINUTE else 0
