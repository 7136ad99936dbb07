"""What is answered when something broke: 503 with Retry-After while the database is away, else 500."""

from __future__ import annotations

import sys

from django.http import HttpRequest, HttpResponse, HttpResponseServerError
from django.template.loader import render_to_string

from rest.faults import AWAY, RETRY_AFTER_S, is_passing
from rest.problems import Problem


def broken(request: HttpRequest) -> HttpResponse:
    """The page, or for a program the problem; Django calls this while it handles the exception. Asks no database."""
    passing = is_passing(sys.exc_info()[1])
    if request.path.startswith("/api/"):
        status, said = (503, AWAY) if passing else (500, "The request could not be answered; nothing was changed.")
        response = Problem(status, said).answer(request)
    elif passing:
        response = HttpResponse(render_to_string("503.html"), status=503)
    else:
        response = HttpResponseServerError(render_to_string("500.html"))
    if passing:
        response.headers["Retry-After"], response.headers["Cache-Control"] = str(RETRY_AFTER_S), "no-store"
    return response
