"""The write steps of quotation: each is one function, one transaction, one audit row.

An answer becomes an agreed price of the plan's draft, with its validity: the next version is planned at it while it holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from django.db import transaction
from django.db.models import Max

from accounts import access, audit
from accounts.models import ApiToken, Membership, Role
from catalog import clock
from engine.inputs.hardware import Market
from planner.frozen.snapshot import Plan
from planner.models import PlanVersion, Workload
from planner.plans import save_workload
from planner.quotation.asks import Ask, asks_of
from planner.quotation.letter import Terms, usual_days
from planner.quotation_tables import QuotationRequest, Quote, Unit
from rest import caps

MAY_ASK = (Role.PLANNER, Role.FINANCE)
MOST_AGREED = 50
"""Agreed prices of one request, as its field allows."""
_TEXTS = {"contact": 200, "place": 200, "note": 1000, "conditions": 2000, "seller_reference": 120}


class Refused(ValueError):
    """A field cannot be taken; the message says which, why, and what to do."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What is said of a request beyond its version; None and empty = as usual."""

    options: tuple[str, ...] = ()
    reply_by: date | None = None
    valid_until: date | None = None
    contact: str = ""
    place: str = ""
    note: str = ""


@transaction.atomic
def request_quotes(
    member: Membership, version: PlanVersion, wanted: Wanted, *, token: ApiToken | None = None
) -> QuotationRequest:
    """The new request. Refused by field; NothingToAsk; CapReached."""
    access.require_role(member, *MAY_ASK)
    PlanVersion.objects.select_for_update().get(pk=version.pk)
    caps.check(
        "quotations_of_version", version.quotation_requests.count(), whose="This version",
        what="requests for quotation", instead="begin a new version",
    )  # fmt: skip
    plan = version.plan
    chosen = _chosen(asks_of(plan), wanted.options)
    reply_by, valid_until = days_of(plan, wanted)
    number = (version.quotation_requests.aggregate(top=Max("number"))["top"] or 0) + 1
    made = QuotationRequest.objects.create(
        version=version,
        number=number,
        options=[ask.ident for ask in chosen],
        reply_by=reply_by,
        valid_until=valid_until,
        created_by=member.user,
        **{name: _text(name, getattr(wanted, name)) for name in ("contact", "place", "note")},
    )
    data = {"request": made.public_id, "reference": made.reference, "sellers": [ask.seller for ask in chosen]}
    audit.record("quotation.requested", version.public_id, team=member.team, actor=member.user, token=token, data=data)
    return made


def days_of(plan: Plan, wanted: Wanted) -> tuple[date, date]:
    """Until when to answer, and until when the price is asked to hold. Refused for days that have passed or cross."""
    today = clock.today()
    usual_reply, usual_end = usual_days(plan, today)
    reply_by = wanted.reply_by or usual_reply
    if reply_by < today:
        raise Refused("reply_by", f"“reply_by” is {reply_by}, which has passed: give sellers a day from {today} on.")
    valid_until = wanted.valid_until or max(usual_end, reply_by)
    if valid_until < reply_by:
        raise Refused(
            "valid_until", f"“valid_until” is {valid_until}, before the answers on {reply_by}: take a later day."
        )
    return reply_by, valid_until


def _chosen(asks: Iterable[Ask], options: tuple[str, ...]) -> list[Ask]:
    """Those options, or all that can be asked; Refused for one that cannot."""
    known = {ask.ident: ask for ask in asks}
    for name in options:
        if name not in known:
            raise Refused("options", f"“{name[:120]}” is no option that can be asked for; take {', '.join(known)}.")
    return [known[name] for name in dict.fromkeys(options)] if options else list(known.values())


def asked_of(request: QuotationRequest, plan: Plan) -> tuple[Ask, ...]:
    """Whom that request asks, in its order."""
    known = {ask.ident: ask for ask in asks_of(plan)}
    return tuple(known[name] for name in request.options if name in known)


def terms_of(request: QuotationRequest) -> Terms:
    """What its letters say besides what the plan holds."""
    return Terms(
        reference=request.reference,
        sent=request.created_at.date(),
        reply_by=request.reply_by,
        valid_until=request.valid_until,
        contact=request.contact,
        place=request.place,
        note=request.note,
    )


@dataclass(frozen=True, kw_only=True)
class Answered:
    """What a seller has answered."""

    option: str
    unit: str
    amount: Decimal
    currency: str
    quoted_on: date
    valid_until: date
    conditions: str = ""
    seller_reference: str = ""


@transaction.atomic
def record_quote(
    member: Membership,
    request: QuotationRequest,
    said: Answered,
    *,
    market: Market,
    token: ApiToken | None = None,
) -> Quote:
    """The quote, and its price as an agreed one in the draft of the plan. `market` is the team's, for its rates of exchange
    and for what a price can be agreed of. Refused by field; CapReached."""
    access.require_role(member, *MAY_ASK)
    version = request.version
    ask = next((one for one in asked_of(request, version.plan) if one.ident == said.option), None)
    if ask is None:
        raise Refused("option", "“option” is none that this request asks for: take one of its letters.")
    caps.check(
        "quotes_of_request", request.quotes.count(), whose="This request", what="quotes", instead="send a new request"
    )
    _check(ask, said, market)
    usd, day = market.fx_usd.get(said.currency, (1.0, ""))
    each = Decimal(ask.offer.devices) if ask.offer and said.unit == Unit.ACCELERATOR_HOUR else Decimal(1)
    quote = Quote.objects.create(
        request=request,
        option=said.option,
        item=ask.item,
        unit=said.unit,
        amount=said.amount,
        currency=said.currency,
        usd=(said.amount * each * Decimal(str(usd))).quantize(Decimal("0.00000001")),
        rate_day=day,
        quoted_on=said.quoted_on,
        valid_until=said.valid_until,
        conditions=_text("conditions", said.conditions),
        seller_reference=_text("seller_reference", said.seller_reference),
        recorded_by=member.user,
    )
    data = {"quote": quote.public_id, "item": quote.item, "valid_until": quote.valid_until.isoformat()}
    audit.record("quote.recorded", request.public_id, team=member.team, actor=member.user, token=token, data=data)
    _agree(member, version.workload, quote, token)
    return quote


def _check(ask: Ask, said: Answered, market: Market) -> None:
    today = clock.today()
    spot = ask.offer is not None and ask.offer.id != ask.item
    if spot and ask.item not in {offer.id for offer in market.offers}:
        raise Refused(
            "option",
            f"“option”: the catalog lists no {ask.item} whose price could be agreed; add it to a price list of the team.",
        )
    units = _units(ask)
    if said.unit not in units:
        raise Refused("unit", f"“unit” must be {' or '.join(units)} for {ask.item}.")
    if not Decimal(0) < said.amount <= Decimal("1e9"):
        raise Refused("amount", "“amount” must be above 0 and at most 1,000,000,000.")
    if said.currency != "USD" and said.currency not in market.fx_usd:
        raise Refused(
            "currency", f"“currency”: the catalog has no rate for {said.currency[:3]}; take one of its currencies."
        )
    if said.quoted_on > today:
        raise Refused("quoted_on", "“quoted_on” lies in the future: write the day of the answer.")
    if said.valid_until < said.quoted_on:
        raise Refused(
            "valid_until", "“valid_until” lies before the day of the quote: write the last day on which it holds."
        )


def _units(ask: Ask) -> tuple[str, ...]:
    if ask.offer is None:
        return (Unit.SERVER.value,)
    return tuple(unit.value for unit in Unit if unit != Unit.SERVER)


def _text(name: str, text: str) -> str:
    """That text without what no database stores; Refused when it is too long."""
    words = text.replace("\x00", "").strip()
    if len(words) > _TEXTS[name]:
        raise Refused(name, f"“{name}” has {len(words):,} characters: write at most {_TEXTS[name]:,}.")
    return words


def _agree(member: Membership, workload: Workload, quote: Quote, token: ApiToken | None) -> None:
    """Puts the price into the draft, in the place of an older one of the same thing."""
    fresh = Workload.objects.select_for_update().get(pk=workload.pk)
    rows = [row for row in fresh.draft.get("agreed") or [] if not _same(row, quote)]
    if len(rows) >= MOST_AGREED:
        raise Refused(
            "option", f"The request has {MOST_AGREED} agreed prices already: take one out of its draft first."
        )
    draft = {**fresh.draft, "agreed": [*rows, agreed_row(quote)]}
    save_workload(member, name=fresh.name, draft=draft, workload=fresh, token=token, roles=MAY_ASK)


def _same(row: Any, quote: Quote) -> bool:
    return isinstance(row, Mapping) and (row.get("item"), row.get("what", "instance_hour")) == (quote.item, quote.what)


def agreed_row(quote: Quote) -> dict[str, Any]:
    """The quote as a request states an agreed price."""
    return {
        "item": quote.item,
        "what": quote.what,
        "usd": float(quote.usd),
        "quoted_on": quote.quoted_on.isoformat(),
        "valid_until": quote.valid_until.isoformat(),
        "reference": (quote.seller_reference or quote.request.reference)[:120],
    }
