"""The money of a plan: the ledger of what it recommends, its five views, and both as JSON."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from engine.inputs.currency import DIGITS
from engine.money.cash import month_end, month_of
from engine.money.entries import Entry
from engine.money.views import RATE_ASSUMPTION, Accounts, Views, accounts_of
from engine.money.worth import DAYS_PER_YEAR as DAYS_PER_YEAR  # the day count of every present value
from planner.snapshot import Plan

Json = dict[str, Any]
FEW_ENTRIES = 48
"""A ledger of more entries is told by calendar year, and if these are more by line, unless all of it is asked for: months of
years would be most of a body."""
_AMOUNTS = ("committed", "expense", "allocated", "others", "idle", "economic", "npv")


def accounts(plan: Plan) -> Accounts | None:
    """The ledger and the views of the recommended option; None when nothing is feasible."""
    best = plan.recommendation.recommended
    if best is None:
        return None
    rate = next((item.value for item in plan.recommendation.assumptions if item.id == RATE_ASSUMPTION), 0.0)
    return accounts_of(best, start=plan.start, as_of=plan.as_of, rate=rate)


def days_until_paid(plan: Plan) -> dict[tuple[str, str], int]:
    """Days from the request to the payment of each line in each month of the recommended option's cash, as its ledger dates it;
    the end of the month where nothing of that line is paid in it."""
    best, found = plan.recommendation.recommended, accounts(plan)
    if best is None or found is None:
        return {}
    days = {
        (line.name, entry.month): month_end(entry.month)
        for entry in best.cost.model.cash
        for line in best.cost.model.lines
    } | {(entry.line, month_of(entry.date)): entry.date for entry in found.ledger.entries if entry.view == "cash"}
    return {key: (day - plan.as_of).days for key, day in days.items()}


def views_body(views: Views) -> Json:
    """The views as amounts; each is a sum over the entries of its view, and no two are added together."""
    code = views.currency
    return {
        **{name: _amount(getattr(views, name), code) for name in _AMOUNTS},
        "cash": [{"month": item.month, **_amount(item.amount, code)} for item in views.cash],
        "rate": views.rate,
        "as_of": views.as_of.isoformat(),
        "policy": views.policy,
    }


def ledger_body(entries: tuple[Entry, ...], *, whole: bool = False) -> list[Json]:
    """The entries, each with its amount as decimal text; those of long plans by calendar year or by line unless `whole`."""
    told = entries
    for by_year in (True, False):
        if not whole and len(told) > FEW_ENTRIES:
            told = _together(entries, by_year=by_year)
    return [
        {
            "date": entry.date.isoformat(),
            "view": entry.view,
            **_amount(entry.amount, entry.currency),
            "line": entry.line,
            "contract": entry.contract,
        }
        for entry in told
    ]


def _together(entries: Iterable[Entry], *, by_year: bool) -> tuple[Entry, ...]:
    """One entry for each line and view, in each calendar year or at all, on its last day; what is signed stays apart from
    what is paid."""
    last: dict[tuple[Any, ...], Entry] = {}
    units: dict[tuple[Any, ...], int] = {}
    for entry in entries:
        key = (by_year and entry.date.year, entry.view, entry.line, entry.contract, entry.units > 0)
        last[key], units[key] = entry, units.get(key, 0) + entry.units
    return tuple(replace(entry, units=units[key]) for key, entry in last.items())


def _amount(value: float, currency: str) -> Json:
    """Decimal text to the smallest unit of the currency."""
    return {"amount": f"{value:.{DIGITS[currency]}f}", "currency": currency}
