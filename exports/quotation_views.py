"""The letter of a request for quotation as a download of its page."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from accounts import access
from exports.quotation_api import letter_answer
from planner.quotation_tables import QuotationRequest


@login_required
@require_safe
def letter(request: HttpRequest, public_id: str, number: int, format_: str) -> HttpResponse:
    """The letter to the seller with that number as Word or PDF."""
    rows = access.rows_of(access.current_membership(request).team, QuotationRequest)
    made = access.one_in(rows.select_related("version__workload__team").defer("version__body"), public_id)
    return letter_answer(request, made, number, format_)
