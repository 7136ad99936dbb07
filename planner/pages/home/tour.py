"""A plan explained in a minute: one of the filled examples, really planned on the team's market, read from the request to the signature."""

from __future__ import annotations

from typing import Final

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from accounts import access
from engine.inputs.spec import SpecError
from planner import planned
from planner.pages.form import screens
from planner.presenters import present
from planner.request import drafts
from voice.speech import error_text

EXAMPLE: Final = screens.TRAIN.examples[0]
_REASONS: Final = 3
"""So many of the reasons are read in a minute; the plan has all of them."""


@login_required
@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """The six things that a plan says, each shown on that example."""
    team, screen = access.current_team(request), screens.TRAIN
    typed = {"currency": team.currency, **screen.defaults, **EXAMPLE.values}  # as the form fills it for that team
    draft, _ = drafts.draft_from(typed, screens.fields_of(screen), workload=screen.workload)
    try:
        answer = present(planned.plan_for(draft, team))
    except SpecError as error:  # what a team's own market may lack
        messages.info(request, f"The example cannot be planned here: {error_text(error)}")
        return redirect(f"{reverse('planner:new', args=[screen.kind])}?example={EXAMPLE.slug}")
    context = {
        "answer": answer,
        "example": EXAMPLE,
        "screen": screen,
        "reasons": answer.reasons[:_REASONS],
        "section": "home",
        "brief": True,
    }
    return render(request, "planner/tour.html", context)
