"""The page of quotations of a version: what its prices rest on, letters to sellers, their answers beside the list."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from accounts import access
from accounts.models import Membership
from catalog import clock
from planner import quotation_steps as steps
from planner import team_market
from planner.frozen.snapshot import Plan
from planner.models import PlanVersion
from planner.plans import Conflict
from planner.presenters.currency import Currency, currency_of
from planner.presenters.quotation import answer_rows, backing_rows, option_label, run_out_words
from planner.presenters.voice import page_voice
from planner.quotation.asks import Ask, NothingToAsk, asks_of
from planner.quotation.comparison import compared
from planner.quotation.letter import Letter, letter_of, usual_days
from planner.quotation_tables import QuotationRequest, Unit
from planner.telling import told
from rest.caps import CapReached

_FAULTS = (steps.Refused, NothingToAsk, CapReached, Conflict)


@dataclass(frozen=True, kw_only=True)
class Sent:
    """One request as the page shows it."""

    row: QuotationRequest
    letters: list[tuple[int, str, Letter]]
    """Number, what is asked for, and the words."""
    answers: list[Any]
    options: list[tuple[str, str]]
    """Id and label of each option that can be answered."""


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def page(request: HttpRequest, public_id: str) -> HttpResponse:
    """All requests of the version; a post makes a new one."""
    member = access.current_membership(request)
    version = _version(member, public_id)
    typed: dict[str, str] = {}
    if request.method == "POST":
        typed = {key: value for key, value in request.POST.items() if isinstance(value, str)}
        try:
            steps.request_quotes(member, version, _wanted(request))
            messages.success(request, "The letters are ready below: copy the text or download a file, and send them.")
            return redirect("planner:quotations", public_id)
        except _FAULTS as error:
            messages.error(request, str(error))
    return render(request, "planner/quotations.html", _context(member, version, typed))


@login_required
@require_POST
def answer(request: HttpRequest, public_id: str) -> HttpResponse:
    """Records the answer of a seller; its price becomes an agreed one of the draft."""
    member = access.current_membership(request)
    made = access.one_in(
        access.rows_of(member.team, QuotationRequest).select_related("version__workload").defer("version__body"),
        public_id,
    )
    try:
        steps.record_quote(member, made, _answered(request), market=team_market.market_of(member.team))
        messages.success(
            request, "Recorded: the draft holds it as an agreed price until that day. Plan again to use it."
        )
    except _FAULTS as error:
        messages.error(request, str(error))
    return redirect("planner:quotations", made.version.public_id)


def _wanted(request: HttpRequest) -> steps.Wanted:
    post = request.POST
    return steps.Wanted(
        options=tuple(post.getlist("options")),
        reply_by=_day(post.get("reply_by", ""), "reply_by"),
        valid_until=_day(post.get("valid_until", ""), "valid_until"),
        contact=post.get("contact", ""),
        place=post.get("place", ""),
        note=post.get("note", ""),
    )


def _answered(request: HttpRequest) -> steps.Answered:
    post = request.POST
    until = _day(post.get("valid_until", ""), "valid_until")
    if until is None:
        raise steps.Refused(
            "valid_until", "“Valid until” is empty: write the last day on which the seller holds the price."
        )
    try:
        amount = Decimal(post.get("amount", "").replace(",", "").strip())
    except InvalidOperation as error:
        raise steps.Refused("amount", "“Price” must be a plain number such as 19.80.") from error
    if not amount.is_finite():
        raise steps.Refused("amount", "“Price” must be a plain number such as 19.80.")
    return steps.Answered(
        option=post.get("option", ""),
        unit=post.get("unit", ""),
        amount=amount,
        currency=post.get("currency", "USD").strip().upper()[:3],
        quoted_on=_day(post.get("quoted_on", ""), "quoted_on") or clock.today(),
        valid_until=until,
        conditions=post.get("conditions", ""),
        seller_reference=post.get("reference", ""),
    )


def _day(text: str, field: str) -> date | None:
    """That day; None where nothing was typed. Refused for what is no day."""
    try:
        return date.fromisoformat(text) if text else None
    except ValueError as error:
        raise steps.Refused(field, f"“{field}” must be a day such as 2026-12-31.") from error


def _context(member: Membership, version: PlanVersion, typed: dict[str, str]) -> dict[str, Any]:
    plan = version.plan
    money = currency_of(plan)
    asks, nothing = _asks(plan)
    reply_by, valid_until = usual_days(plan, clock.today())
    rows = version.quotation_requests.select_related("created_by").prefetch_related("quotes").order_by("-number")
    return {
        "version": version,
        "workload": version.workload,
        "section": "home",
        "money": money,
        "backing": backing_rows(plan, money),
        "run_out": run_out_words(plan, clock.today()),
        "obtaining": [told(step) for step in plan.recommendation.obtaining],
        "asks": [(ask.ident, option_label(ask)) for ask in asks],
        "buys": any(ask.offer is None for ask in asks),
        "nothing": nothing,
        "sent": list(_sent(rows, plan, asks, money)),
        "may_ask": access.has_role(member, *steps.MAY_ASK),
        "typed": {"reply_by": reply_by.isoformat(), "valid_until": valid_until.isoformat()} | typed,
        "units": Unit.choices,
        "today": clock.today(),
    }


def _asks(plan: Plan) -> tuple[tuple[Ask, ...], str]:
    """Who can be asked, or why nobody can."""
    try:
        return asks_of(plan), ""
    except NothingToAsk as error:
        return (), str(error)


def _sent(rows: Any, plan: Plan, asks: tuple[Ask, ...], money: Currency) -> Iterator[Sent]:
    known = {ask.ident: ask for ask in asks}
    for row in rows:
        asked = tuple(known[name] for name in row.options if name in known)
        terms, voice = steps.terms_of(row), page_voice(money.amount)
        yield Sent(
            row=row,
            letters=[(at, option_label(ask), letter_of(plan, ask, terms, voice)) for at, ask in enumerate(asked, 1)],
            answers=answer_rows(compared(asked, row.quotes.all(), start=plan.start, today=clock.today()), plan, money),
            options=[(ask.ident, option_label(ask)) for ask in asked],
        )


def _version(member: Membership, public_id: str) -> PlanVersion:
    return access.one_in(access.rows_of(member.team, PlanVersion).select_related("workload"), public_id)
