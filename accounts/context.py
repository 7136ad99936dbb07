"""What every page knows about the visitor."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest

from accounts import access


def current_team(request: HttpRequest) -> dict[str, Any]:
    """``membership``, ``team`` (both None for a visitor) and ``demo_mode`` for templates."""
    membership = None
    if getattr(request, "user", None) is not None and request.user.is_authenticated:
        try:
            membership = access.membership_here(request)
        except (Http404, access.SecondFactorNeeded):
            membership = None
    return {
        "membership": membership,
        "team": membership.team if membership else None,
        "demo_mode": settings.DEMO_MODE,
    }
