"""What is answered when something broke: 503 with Retry-After for what passes by itself, as a database that is away; else 500."""

from __future__ import annotations

import sys

from django.http import HttpRequest, HttpResponse, HttpResponseServerError
from django.template.loader import render_to_string

from incoming.apart import Busy
from rest.faults import RETRY_AFTER_S, is_passing, sentence
from rest.problems import Problem


def broken(request: HttpRequest) -> HttpResponse:
    """The page, or for a program the problem; Django calls this while it handles the exception. Asks no database."""
    error = sys.exc_info()[1]
    passing = is_passing(error)
    if request.path.startswith("/api/"):
        status, said = (
            (503, sentence(error)) if passing else (500, "The request could not be answered; nothing was changed.")
        )
        response = Problem(status, said).answer(request)
    elif passing:
        response = HttpResponse(
            render_to_string("503.html", {"busy": str(error) if isinstance(error, Busy) else ""}), status=503
        )
    else:
        response = HttpResponseServerError(render_to_string("500.html"))
    if passing:
        response.headers["Retry-After"], response.headers["Cache-Control"] = str(RETRY_AFTER_S), "no-store"
    return response
