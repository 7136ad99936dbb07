"""The accuracy page: how far predictions lie from measurements, and where."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from planner.pages.accuracy import figures
from planner.pages.chart_files import chart_file
from planner.presenters.views import chart_view


@login_required
@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """Figures and charts of the last validation; a page that says how to get them while there are none."""
    found = [
        (part, chart_view(figures.thinned(part.chart)) if part.chart else None) for part in figures.parts(figures.FILE)
    ]
    notes = figures.notes(figures.FILE)
    return render(
        request,
        "planner/accuracy.html",
        {
            "parts": found,
            "tiles": figures.tiles(figures.FILE),
            "leading": [note for note in notes if note.id in figures.LEADING],
            "notes": [note for note in notes if note.id not in figures.LEADING],
            "section": "accuracy",
            "charts_at": f"{request.path}/charts",
        },
    )


@login_required
@require_safe
def chart(request: HttpRequest, chart: str, format_: str) -> HttpResponse:
    """One chart of the accuracy page as a file."""
    return chart_file((part.chart for part in figures.parts(figures.FILE) if part.chart), chart, format_)
