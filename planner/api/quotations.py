"""REST: requests for quotation made from a version, and the answers, which become agreed prices of its plan."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Annotated, Any, Literal

from annotated_types import MaxLen, MinLen
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from ninja import Body, Router
from pydantic import PlainValidator, StringConstraints

from accounts import access
from accounts.bearer import Bearer, caller_of
from catalog import clock
from engine.inputs.currency import DIGITS
from planner import quotation_steps as steps
from planner import team_market
from planner.api.bodies import Amount
from planner.api.versions import version_of
from planner.body import decimal_text, unit_price_body
from planner.frozen.snapshot import Plan
from planner.presenters.currency import currency_of
from planner.presenters.voice import page_voice
from planner.quotation.asks import Ask, NothingToAsk
from planner.quotation.comparison import Compared, compared
from planner.quotation.letter import letter_of
from planner.quotation_tables import QuotationRequest, Quote
from rest.answers import answer, found
from rest.bodies import read_body
from rest.door import BODY, answers
from rest.once import keep, once
from rest.pages import CURSOR, LIMIT, Page, page_of_rows
from rest.parameters import Whole
from rest.problems import Problem, ProblemItem, invalid

router = Router(tags=["Quotations"])
Decimals = Annotated[str, StringConstraints(pattern=r"^[0-9]{1,10}(\.[0-9]{1,8})?$")]


@dataclass(frozen=True, kw_only=True)
class QuotationRequestBody:
    """What to ask for; all of it may be left out."""

    __pydantic_config__ = {"extra": "forbid"}

    options: Annotated[tuple[Annotated[str, MaxLen(300)], ...], MaxLen(4)] = ()
    """Ids of options, one for each seller; without any, the recommended one and its rivals."""
    reply_by: date | None = None
    valid_until: date | None = None
    contact: Annotated[str, MaxLen(200)] = ""
    place: Annotated[str, MaxLen(200)] = ""
    """Where servers are delivered to."""
    note: Annotated[str, MaxLen(1000)] = ""
    """Said to each seller as it stands."""


@dataclass(frozen=True, kw_only=True)
class QuoteRequest:
    """What one seller has answered."""

    __pydantic_config__ = {"extra": "forbid"}

    option_id: Annotated[str, MinLen(1), MaxLen(300)]
    unit: Literal["instance_hour", "accelerator_hour", "server", "storage_gb_month", "egress_gb"]
    amount: Decimals
    currency: Annotated[str, StringConstraints(pattern=r"^[A-Z]{3}$")] = "USD"
    quoted_on: date | None = None
    """Day of the answer; without it, today."""
    valid_until: date
    conditions: Annotated[str, MaxLen(2000)] = ""
    reference: Annotated[str, MaxLen(120)] = ""


@dataclass(frozen=True, kw_only=True)
class LetterBody:
    """The letter to one seller: the text of an e-mail, and the same as files."""

    option_id: str
    provider: str
    item: str
    recommended: bool
    subject: str
    text: str
    files: dict[str, str]
    """Format → address."""


@dataclass(frozen=True, kw_only=True)
class QuoteBody:
    """One seller's price, until a day."""

    id: str
    option_id: str
    item: str
    unit: str
    price: Amount
    in_dollars: Amount
    """For one instance-hour, server or GB, at the rate of the day it was recorded."""
    quoted_on: date
    valid_until: date
    conditions: str
    reference: str
    recorded_by: str | None
    created_at: datetime


@dataclass(frozen=True, kw_only=True)
class ComparedBody:
    """One seller's list price beside its newest quote."""

    option_id: str
    provider: str
    listed: Amount
    quoted: Amount | None
    change: float | None
    saved: Amount | None
    standing: str
    """open, valid, short or ended."""


@dataclass(frozen=True, kw_only=True)
class QuotationSummary:
    """A request for quotation."""

    id: str
    plan_id: str
    version: int
    reference: str
    reply_by: date
    valid_until: date
    quotes: int
    created_by: str | None
    created_at: datetime


@dataclass(frozen=True, kw_only=True)
class QuotationBody(QuotationSummary):
    """The same with its letters, its answers and what these change."""

    letters: tuple[LetterBody, ...]
    answers: tuple[QuoteBody, ...]
    comparison: tuple[ComparedBody, ...]


def _read_request(data: Any) -> QuotationRequestBody:
    return read_body(QuotationRequestBody, data)


def _read_quote(data: Any) -> QuoteRequest:
    return read_body(QuoteRequest, data)


RequestBody = Annotated[
    QuotationRequestBody, PlainValidator(_read_request, json_schema_input_type=QuotationRequestBody), Body()
]
AnswerBody = Annotated[QuoteRequest, PlainValidator(_read_quote, json_schema_input_type=QuoteRequest), Body()]


@router.post(
    "/plans/{plan_id}/versions/{int:number}/quotation-requests", auth=Bearer("plans:write"),
    response=answers(404, 409, *BODY, created=QuotationBody), summary="Ask for quotations",
)  # fmt: skip
@once
def create_quotation_request(request: HttpRequest, plan_id: str, number: int, wanted: RequestBody) -> HttpResponse:
    """Letters to the seller of the recommended option and to its rivals, as files and as text. Nothing is sent: that is
    for people to do. They hold neither the budget nor how sure the plan must be. 409 where nothing is bought or rented."""
    caller, version = caller_of(request), version_of(request, plan_id, number)
    said = steps.Wanted(**vars(wanted))
    try:
        with transaction.atomic():
            made = steps.request_quotes(caller.member, version, said, token=caller.token)
            headers = {"Location": f"/api/v1/quotation-requests/{made.public_id}"}
            return keep(request, answer(_body(made, version.plan), status=201, headers=headers))
    except NothingToAsk as error:
        raise Problem(409, str(error)) from error
    except steps.Refused as error:
        raise invalid([ProblemItem(pointer=f"/{error.field}", code="refused", detail=str(error))]) from error


@router.get(
    "/plans/{plan_id}/versions/{int:number}/quotation-requests", auth=Bearer("plans:read"),
    response=answers(404, ok=Page[QuotationSummary]), summary="List requests for quotation",
)  # fmt: skip
def list_quotation_requests(
    request: HttpRequest, plan_id: str, number: int, limit: Whole = LIMIT, cursor: str | None = CURSOR
) -> HttpResponse:
    """Those of a version, newest first."""
    version = version_of(request, plan_id, number)
    rows = access.rows_of(caller_of(request).team, QuotationRequest).filter(version=version)
    rows = rows.select_related("version__workload", "created_by").defer("version__body")
    return page_of_rows(request, rows, _listed, limit=limit, cursor=cursor)


@router.get(
    "/quotation-requests/{quotation_id}", auth=Bearer("plans:read"), response=answers(404, ok=QuotationBody),
    summary="One request for quotation",
)  # fmt: skip
def get_quotation_request(request: HttpRequest, quotation_id: str) -> HttpResponse:
    """Its letters, the answers so far, and each answer beside the list price."""
    made = quotation_of(request, quotation_id)
    return found(request, _body(made, made.version.plan))


@router.post(
    "/quotation-requests/{quotation_id}/quotes", auth=Bearer("plans:write"),
    response=answers(404, 409, *BODY, created=QuoteBody), summary="Record a quote",
)  # fmt: skip
@once
def create_quote(request: HttpRequest, quotation_id: str, wanted: AnswerBody) -> HttpResponse:
    """The answer of a seller. Its price becomes an agreed price of the plan's draft, with its validity: the next version
    is planned at it as long as it holds."""
    caller, made = caller_of(request), quotation_of(request, quotation_id)
    said = steps.Answered(
        option=wanted.option_id,
        unit=wanted.unit,
        amount=Decimal(wanted.amount),
        currency=wanted.currency,
        quoted_on=wanted.quoted_on or clock.today(),
        valid_until=wanted.valid_until,
        conditions=wanted.conditions,
        seller_reference=wanted.reference,
    )
    market = team_market.market_of(caller.team)
    try:
        with transaction.atomic():
            quote = steps.record_quote(caller.member, made, said, market=market, token=caller.token)
            headers = {"Location": f"/api/v1/quotation-requests/{made.public_id}"}
            return keep(request, answer(_quote(quote), status=201, headers=headers))
    except steps.Refused as error:
        place = _PLACES.get(error.field, error.field)
        raise invalid([ProblemItem(pointer=f"/{place}", code="refused", detail=str(error))]) from error


_PLACES = {"option": "option_id", "seller_reference": "reference"}
"""Where a field of a quote stands in the body."""


def quotation_of(request: HttpRequest, quotation_id: str) -> QuotationRequest:
    """The team's request for quotation with that id; Http404 for any other."""
    rows = access.rows_of(caller_of(request).team, QuotationRequest)
    rows = rows.select_related("version__workload__team", "created_by").defer("version__body")
    return access.one_in(rows, quotation_id)


def _summary(made: QuotationRequest) -> dict[str, Any]:
    return {
        "id": made.public_id,
        "plan_id": made.version.workload.public_id,
        "version": made.version.number,
        "reference": made.reference,
        "reply_by": made.reply_by,
        "valid_until": made.valid_until,
        "quotes": made.quotes.count(),
        "created_by": made.created_by.public_id if made.created_by else None,
        "created_at": made.created_at,
    }


def _listed(made: QuotationRequest) -> QuotationSummary:
    return QuotationSummary(**_summary(made))


def _body(made: QuotationRequest, plan: Plan) -> QuotationBody:
    asks = steps.asked_of(made, plan)
    quotes = list(made.quotes.select_related("recorded_by").order_by("created_at", "pk"))
    rows = compared(asks, quotes, start=plan.start, today=clock.today())
    return QuotationBody(
        **_summary(made),
        letters=tuple(_letter(made, plan, at, ask) for at, ask in enumerate(asks, 1)),
        answers=tuple(map(_quote, quotes)),
        comparison=tuple(_compared(row, plan) for row in rows),
    )


def _letter(made: QuotationRequest, plan: Plan, at: int, ask: Ask) -> LetterBody:
    letter = letter_of(plan, ask, steps.terms_of(made), page_voice(currency_of(plan).amount))
    address = f"/api/v1/quotation-requests/{made.public_id}/letters/{at}"
    return LetterBody(
        option_id=ask.ident,
        provider=ask.seller,
        item=ask.item,
        recommended=ask.recommended,
        subject=letter.subject,
        text=letter.text,
        files={format_: f"{address}?format={format_}" for format_ in ("docx", "pdf")},
    )


def _quote(quote: Quote) -> QuoteBody:
    return QuoteBody(
        id=quote.public_id,
        option_id=quote.option,
        item=quote.item,
        unit=quote.unit,
        price=Amount(**unit_price_body(float(quote.amount), quote.currency)),
        in_dollars=Amount(**unit_price_body(float(quote.usd), "USD")),
        quoted_on=quote.quoted_on,
        valid_until=quote.valid_until,
        conditions=quote.conditions,
        reference=quote.seller_reference,
        recorded_by=quote.recorded_by.public_id if quote.recorded_by else None,
        created_at=quote.created_at,
    )


def _compared(row: Compared, plan: Plan) -> ComparedBody:
    code = plan.recommendation.currency.code
    saved = None if row.saved is None else Amount(amount=decimal_text(row.saved, DIGITS[code]), currency=code)
    return ComparedBody(
        option_id=row.ask.ident,
        provider=row.ask.seller,
        listed=Amount(**unit_price_body(row.listed_usd, "USD")),
        quoted=Amount(**unit_price_body(float(row.quote.usd), "USD")) if row.quote else None,
        change=row.change,
        saved=saved,
        standing=row.standing,
    )
