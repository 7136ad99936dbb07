"""The addresses in `type` of a problem answer: what each kind of problem means and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from rest.problems import CODES, TITLES


@dataclass(frozen=True)
class Kind:
    """What a kind of problem means, what to do, and one sentence that such an answer may hold."""

    means: Any
    do: Any
    detail: str
    pointer: str | None = None
    parameter: str | None = None


KINDS: Final = {
    "malformed": Kind(
        _("The body or a header is not what HTTP and JSON ask for: cut off, not UTF-8, a key that stands twice, a NaN."),
        _("Send one JSON object, as a library writes it."),
        "The body is empty: send a JSON object.",
    ),
    "parameter": Kind(
        _("A query parameter is unknown, stands twice, or has a value that it cannot have. None is ignored."),
        _("Look at “errors”: each entry names the parameter and what it may be."),
        "There is no query parameter “colour” here: choose from cursor, limit.",
        parameter="colour",
    ),
    "unauthenticated": Kind(
        _("No token was sent, or one that is wrong, revoked or past its end."),
        _("Send “Authorization: Bearer sxt_…” with a token of your team; make one on the team's page."),
        "Send “Authorization: Bearer sxt_…” with a token of your team.",
    ),
    "forbidden": Kind(
        _("The token lacks the scope, or the person behind it the role; or they would decide on their own work."),
        _("Use a token with the scope that the operation names, or ask an admin of the team."),
        "This token has not the scope plans:write.",
    ),
    "not-found": Kind(
        _("There is no such address, or no row with this id in your team. Rows of other teams are not found either."),
        _("Compare the address with the reference, and the id with the list that it comes from."),
        "There is nothing here with this id.",
    ),
    "method": Kind(
        _("The address exists and does not answer this method."),
        _("Use one of those in the header “Allow”."),
        "This address does not answer PUT: use GET, POST.",
    ),
    "conflict": Kind(
        _("What was asked does not fit the state of the row: an approved version cannot be submitted again."),
        _("Read the row again; with a header “Retry-After”, wait so many seconds and send the same again."),
        "This version is approved already.",
    ),
    "gone": Kind(
        _("It was there, and is stored no more."),
        _("Have it made again."),
        "This file is no longer stored: ask for it again.",
    ),
    "stale": Kind(
        _("If-Match names a state that is no more: somebody has changed the row since you read it."),
        _("Read it again, look at what changed, and send your change with the new ETag."),
        "This has changed since you read it: its ETag is now \"v2\"; read it again.",
    ),
    "too-large": Kind(
        _("The body is larger than this address takes."),
        _("Send less at once: a JSON body has at most 1 MiB, a file what “detail” says."),
        "The body is too large: send at most 1,048,576 bytes.",
    ),
    "media-type": Kind(
        _("The body is of a kind that this address does not read."),
        _("Send the Content-Type that the reference names, mostly application/json."),
        "The body must be JSON in UTF-8: send “Content-Type: application/json”.",
    ),
    "range": Kind(
        _("The header “Range” asks for bytes that the file does not have."),
        _("Ask for bytes within its size, which Content-Range tells."),
        "The file has 71,204 bytes: ask for a range within them.",
    ),
    "validation": Kind(
        _("The body can be read, and some of its fields cannot be taken."),
        _("Look at “errors”: each entry has a JSON Pointer to the field, and says what is wrong and what to change."),
        "“training.tokens” must be at least 0.",
        pointer="/training/tokens",
    ),
    "condition-missing": Kind(
        _("A change without If-Match could undo what somebody else has done meanwhile."),
        _("Read the row and send its ETag as If-Match."),
        "Send If-Match with the ETag that you have read, so that nobody's change is lost.",
    ),
    "too-many": Kind(
        _("The token has used up what it may ask in a minute."),
        _("Wait as many seconds as “Retry-After” says; RateLimit tells before what is left."),
        "This token has asked too often: wait 12 seconds.",
    ),
    "internal": Kind(
        _("A fault of ours. Nothing was changed."),
        _("Try again; when it stays, report it with the request_id."),
        "The request could not be answered; nothing was changed. Quote the request_id when you report it.",
    ),
    "away": Kind(
        _("Something that the answer needs is away for the moment, such as the database."),
        _("Try again after as many seconds as “Retry-After” says."),
        "This is not possible for the moment: try again in a few seconds.",
    ),
}  # fmt: skip
_STATUS: Final = {**{code: status for status, code in CODES.items()}, "parameter": 400}


def problems() -> dict[str, dict[str, Any]]:
    """An answer of each kind, as an example."""
    return {code: _example(code, kind) for code, kind in KINDS.items()}


def _example(code: str, kind: Kind) -> dict[str, Any]:
    place = {"parameter": kind.parameter} if kind.parameter else {"pointer": kind.pointer}
    faults = [{**place, "code": "greater_than_equal" if kind.pointer else "unknown", "detail": kind.detail}]
    return {
        "type": f"/problems/{code}",
        "title": TITLES[code],
        "status": _STATUS[code],
        "detail": kind.detail,
        "instance": "/api/v1/plans",
        "request_id": "req_7Qm2vX9aKd41LbT8",
        "errors": faults if kind.pointer or kind.parameter else [],
    }


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """Every kind of problem."""
    return render(request, "rest/problems.html", {"kinds": [_row(code) for code in KINDS]})


@require_safe
def page(request: HttpRequest, code: str) -> HttpResponse:
    """One kind of problem; Http404 for a name that is none."""
    if code not in KINDS:
        raise Http404
    return render(request, "rest/problems.html", {"kinds": [_row(code)], "one": True})


def _row(code: str) -> dict[str, Any]:
    kind = KINDS[code]
    return {"code": code, "title": TITLES[code], "status": _STATUS[code], "means": kind.means, "do": kind.do}
