"""REST: the letter of a request for quotation as a file."""

from __future__ import annotations

import hashlib
from typing import Any, Literal

from django.http import Http404, HttpRequest, HttpResponse
from ninja import Router
from ninja.params.functions import Query

from accounts.bearer import Bearer
from exports.brand import OURS
from exports.branding.store import current_look
from exports.download import bytes_answer
from exports.formats import MEDIA_TYPES
from exports.quotation import FORMATS, letter_name, render_letter
from planner.api.quotations import quotation_of
from planner.quotation_steps import asked_of, terms_of
from planner.quotation_tables import QuotationRequest
from rest.door import answers

router = Router(tags=["Quotations"])
FORMAT: Any = Query("pdf", alias="format", description="docx or pdf.")
_CONTENT = {MEDIA_TYPES[name]: {"schema": {"type": "string", "format": "binary"}} for name in FORMATS}


@router.get(
    "/quotation-requests/{quotation_id}/letters/{int:letter}", auth=Bearer("plans:read"),
    response=answers(404, 416, ok=None), summary="A letter as a file",
    openapi_extra={"responses": {200: {"content": _CONTENT}, 206: {"description": "Partial Content", "content": _CONTENT},
                                 304: {"description": "Not Modified"}}},
)  # fmt: skip
def get_quotation_letter(
    request: HttpRequest, quotation_id: str, letter: int, format_: Literal["docx", "pdf"] = FORMAT
) -> HttpResponse:
    """The letter to the seller with that number, in the team's look; equal requests give equal bytes."""
    return letter_answer(request, quotation_of(request, quotation_id), letter, format_)


def letter_answer(request: HttpRequest, made: QuotationRequest, number: int, format_: str) -> HttpResponse:
    """That letter as an attachment; Http404 for a number or a format that it does not have."""
    plan = made.version.plan
    asks = asked_of(made, plan)
    if not 1 <= number <= len(asks) or format_ not in FORMATS:
        raise Http404("This request for quotation has no such letter.")
    ask, terms, look = asks[number - 1], terms_of(made), current_look(made.version.workload.team)
    data = render_letter(plan, ask, terms, format_, brand=look.brand if look else OURS)
    digest = hashlib.sha256(data).hexdigest()
    name = letter_name(ask, terms, format_)
    return bytes_answer(request, data, sha256=digest, name=name, media_type=MEDIA_TYPES[format_])
