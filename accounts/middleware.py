"""Small duties of every page: to lead on who lacks a second factor, to note that a session is in use, and to keep what
browser is known."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, resolve_url
from django.urls import reverse

from accounts import access, known, sessions
from rest.caps import CapReached


class SignedIn:
    """Turns SecondFactorNeeded into the way to the page that sets one up, and keeps `last_seen_at`."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = _back_to_the_page(request, self.get_response(request))
        sessions.touch(request)
        known.keep(request, response)
        if request.session.accessed and request.user.is_authenticated and not response.has_header("Cache-Control"):
            response.headers["Cache-Control"] = "private, no-store"  # pages of a team stay in no browser and no proxy
        return response

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """The way to the page for a person whose team asks for more, and back with a sentence where a cap is reached; None
        for all else."""
        if isinstance(exception, CapReached) and not request.path.startswith("/api/"):
            messages.error(request, str(exception))
            came_from = urlsplit(request.headers.get("Referer", ""))
            back = f"/{came_from.path.lstrip('/')}" if came_from.netloc == request.get_host() else "/"
            return _sent_to(request, back)
        if not isinstance(exception, access.SecondFactorNeeded):
            return None
        back = request.get_full_path() if request.method in ("GET", "HEAD") else "/"
        target = f"{reverse('accounts:needed')}?{urlencode({'next': back})}"
        return _sent_to(request, target)


def _sent_to(request: HttpRequest, target: str) -> HttpResponse:
    """The whole page goes there, where a part of it asked too."""
    if request.headers.get("HX-Request") == "true":
        return HttpResponse(headers={"HX-Redirect": target})
    return redirect(target)


def _back_to_the_page(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """The response; where it asks for a login that ended before something was sent, with the way back to the page that
    was sent from: most addresses that take a form cannot be opened."""
    login = resolve_url(settings.LOGIN_URL)
    if request.method in ("GET", "HEAD") or not response.headers.get("Location", "").startswith(f"{login}?"):
        return response
    came_from = urlsplit(request.headers.get("Referer", ""))
    if came_from.netloc == request.get_host():
        query = f"?{came_from.query}" if came_from.query else ""
        response.headers["Location"] = f"{login}?{urlencode({'next': came_from.path + query}, safe='/')}"
    return response
