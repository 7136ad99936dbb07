"""A plan explained in a minute: one of the filled examples, really planned on the team's market, read from the request to the signature."""

from __future__ import annotations

from typing import Final

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from accounts import access
from planner import planned
from planner.pages.form import screens
from planner.presenters import present
from planner.request import drafts

EXAMPLE: Final = screens.TRAIN.examples[0]
_REASONS: Final = 3
"""So many of the reasons are read in a minute; the plan has all of them."""


@login_required
@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """The six things that a plan says, each shown on that example."""
    team, screen = access.current_team(request), screens.TRAIN
    typed = {**screen.defaults, **EXAMPLE.values}
    draft, _ = drafts.draft_from(typed, screens.fields_of(screen), workload=screen.workload)
    answer = present(planned.plan_for(draft, team))
    context = {
        "answer": answer,
        "example": EXAMPLE,
        "screen": screen,
        "reasons": answer.reasons[:_REASONS],
        "section": "home",
        "brief": True,
    }
    return render(request, "planner/tour.html", context)
