"""The portfolio: a team's plans over time, against what it owns and what a year may cost. Trying a move stores nothing."""

from __future__ import annotations

import csv
from io import StringIO
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from accounts import access, audit
from accounts.models import Membership
from engine.inputs.currency import DIGITS
from engine.inputs.hardware import Market
from planner import team_market
from planner.body import decimal_text
from planner.models import TeamBudget, Workload
from planner.pages.chart_files import chart_file, safe
from planner.pages.portfolio import budgets, sums
from planner.pages.portfolio.data import Entry, Fleet, budgets_of, entries_of, fleet_of
from planner.pages.portfolio.page import ADDED, Move, all_charts, portfolio_of, works_of
from planner.presenters.currency import Currency, currency_for, exchanged
from planner.series.work import MAY_ASK, recent


class _Data:
    """What every answer about a team's portfolio is made of."""

    def __init__(self, member: Membership, wanted: QueryDict) -> None:
        self.market: Market = team_market.market_of(member.team)
        self.money: Currency = currency_for(member.team.currency, self.market)
        self.entries: list[Entry]
        self.without: list[Workload]
        self.entries, self.without, declared = entries_of(member.team, self.money)
        self.fleet: Fleet = fleet_of(self.market, declared)
        self.budgets = budgets_of(member.team, self.market, self.money)
        self.moves = _moves(wanted, self.entries)


@login_required
@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """The portfolio with what is tried in the query; the outcome alone for htmx."""
    member = access.current_membership(request)
    data = _Data(member, request.GET)
    tried = _query(data)
    context = {
        "shown": portfolio_of(data.entries, data.moves, data.fleet, data.budgets, data.money),
        "without": data.without,
        "added": ADDED,
        "money": data.money,
        "budget_rows": _budget_rows(member, data),
        "may_reprice": access.has_role(member, *MAY_ASK),
        "series": recent(member, None),
        "may_set": access.has_role(member, *budgets.MAY_SET),
        "charts_at": f"{request.path}/charts",
        "charts_with": tried,
        "section": "portfolio",
    }
    part = bool(getattr(request, "htmx", False))
    return render(request, "planner/_portfolio.html" if part else "planner/portfolio.html", context)


@login_required
@require_safe
def chart(request: HttpRequest, chart: str, format_: str) -> HttpResponse:
    """One chart of the portfolio as a file."""
    data = _Data(access.current_membership(request), request.GET)
    works = works_of(data.entries, data.moves)
    return chart_file(all_charts(works, data.fleet, data.budgets, data.money), chart, format_)


@login_required
@require_safe
def table(request: HttpRequest) -> HttpResponse:
    """What each plan pays in each month as CSV, with the months' sums and bands."""
    member = access.current_membership(request)
    data = _Data(member, request.GET)
    works = works_of(data.entries, data.moves)
    code = data.money.code
    out = StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(["month", "plan", "expected", "p10", "p90", "currency", "plan_currency", "converted_at"])
    own = {entry.work.ident: entry.currency for entry in data.entries}
    for work in works:
        said = [code, own[work.ident].code, exchanged(own[work.ident], data.money)]
        for month, band in sums.by_month([work]).items():
            writer.writerow([month, safe(work.name), *_amounts(band, code), *said])
    for month, band in sums.by_month(works).items():
        writer.writerow([month, "all plans", *_amounts(band, code), code, "", ""])
    headers = {"Content-Disposition": 'attachment; filename="portfolio.csv"'}
    if request.method == "GET":
        audit.record("portfolio.downloaded", member.team.public_id, team=member.team, actor=member.user)
    return HttpResponse(out.getvalue(), content_type="text/csv; charset=utf-8", headers=headers)


@login_required
@require_POST
def budget(request: HttpRequest) -> HttpResponse:
    """Sets, changes or removes the budget of one year."""
    member = access.current_membership(request)
    year = request.POST.get("year", "")
    try:
        number = int(year) if year.isascii() and year.isdigit() and len(year) == 4 else 0
        row = budgets.set_budget(member, year=number, amount=request.POST.get("amount", ""))
        messages.success(request, f"The budget of {number} is {'set' if row else 'removed'}.")
    except ValueError as error:
        messages.error(request, str(error))
    return redirect("planner:portfolio")


def _budget_rows(member: Membership, data: _Data) -> list[dict[str, object]]:
    """The budgets as they were set; one in another currency with the rate at which it is compared."""
    rows = access.rows_of(member.team, TeamBudget).order_by("year")
    return [
        {
            "year": row.year,
            "currency": row.currency,
            "amount": row.amount,
            "changed_at": row.changed_at,
            "rate": exchanged(currency_for(row.currency, data.market), data.money),
        }
        for row in rows
    ]


def _amounts(band: sums.Band, code: str) -> list[str]:
    return [decimal_text(value, DIGITS[code]) for value in (band.expected, band.low, band.high)]


def _moves(wanted: QueryDict, entries: list[Entry]) -> dict[str, Move]:
    """What is tried: `weeks-ID` later, and those of `in` once the form was sent (`tried`)."""
    inside = set(wanted.getlist("in"))
    return {
        ident: Move(
            included=ident in inside or "tried" not in wanted,
            weeks=_weeks(wanted.get(f"weeks-{ident}", "")),
        )
        for ident in (entry.work.ident for entry in entries)
    }


def _weeks(text: str) -> int:
    """Weeks from 0 to two years; anything else moves nothing."""
    number = int(text) if text.strip().isascii() and text.strip().isdigit() and len(text) < 6 else 0
    return min(number, sums.MOST_WEEKS)


def _query(data: _Data) -> str:
    """What is tried as the query of an address; empty when nothing is."""
    moved = [(f"weeks-{ident}", str(move.weeks)) for ident, move in data.moves.items() if move.weeks]
    if all(move.included for move in data.moves.values()):
        return urlencode(moved)
    inside = [("in", ident) for ident, move in data.moves.items() if move.included]
    return urlencode([("tried", "1"), *inside, *moved])
