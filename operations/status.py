"""The status page, for people, and the same for programs. For everybody: it tells nothing of a team, and asks no login, which would
need the database that may be what is away. The request itself asks nothing; `looking` does, in threads of its own.
"""

from __future__ import annotations

from typing import Any, Final

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from jobs.lanes import Lane
from operations import parts
from operations.looking import WATCH
from operations.parts import Reading, State

NAMES: Final = {
    parts.WEB: _("Pages and API"),
    parts.DATABASE: _("Database"),
    parts.BROKER: _("Broker of the queue"),
    parts.LANES[Lane.INTERACTIVE]: _("Documents and searches"),
    parts.LANES[Lane.MAIL]: _("Letters and webhooks"),
    parts.LANES[Lane.IMPORTS]: _("Price lists"),
    parts.LANES[Lane.SWEEPS]: _("Series of plans"),
    parts.SWEEPER: _("Sweeper of the queue"),
    parts.DOCUMENTS: _("Store of documents"),
    parts.CATALOG: _("Catalog"),
}
HEADLINES: Final = {
    State.OK: _("All parts are in order"),
    State.LATE: _("Some parts keep people waiting"),
    State.AWAY: _("Some parts are away"),
}


@require_safe
@never_cache
def page(request: HttpRequest) -> HttpResponse:
    """Each part with its state and since when. Without the request: its person and team would be asked of the database."""
    look = WATCH.look()
    rows = [{"name": NAMES[one.part], "reading": one} for one in look.readings]
    said = {"headline": HEADLINES[look.worst], "rows": rows, "at": look.at}
    return HttpResponse(render_to_string("operations/status.html", said))


@require_safe
@never_cache
def as_json(request: HttpRequest) -> JsonResponse:
    """The same for programs: `state` of the whole, and each of the `parts` with its figures."""
    look = WATCH.look()
    return JsonResponse(
        {"state": look.worst, "at": look.at.isoformat(), "parts": {one.part: _plain(one) for one in look.readings}}
    )


def _plain(one: Reading) -> dict[str, Any]:
    return {"state": one.state, "since": one.since.isoformat() if one.since else None, **one.figures}
