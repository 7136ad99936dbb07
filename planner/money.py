"""The money of a plan: the ledger of what it recommends, its five views, and both as JSON."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from engine.inputs.currency import DIGITS
from engine.money.cash import add_months as add_months  # a month later, as every date of a plan has it
from engine.money.ends import Ends as Ends
from engine.money.ends import ends_of
from engine.money.entries import Entry
from engine.money.formulas import HOURS_PER_YEAR as HOURS_PER_YEAR
from engine.money.ledger import booked_lines
from engine.money.lines import Schedule
from engine.money.own_around import STACK as STACK  # what a service pays wherever its accelerators stand
from engine.money.rented import COVER as COVER  # wages, which bear no tax
from engine.money.views import RATE_ASSUMPTION, Accounts, Pool, Views, accounts_of
from engine.money.worth import DAYS_PER_YEAR as DAYS_PER_YEAR  # the day count of every present value
from planner.frozen.snapshot import Plan

Json = dict[str, Any]
FEW_ENTRIES = 30
"""A ledger of more entries is told by calendar year, if these are more by line, and if these are more by contract, unless all of
it is asked for: months of years would be most of a body."""
_YEARS, _LINES, _CONTRACTS = range(3)
_AMOUNTS = ("committed", "expense", "allocated", "others", "idle", "economic", "npv")


def accounts(plan: Plan) -> Accounts | None:
    """The ledger and the views of the recommended option; None when nothing is feasible."""
    best = plan.recommendation.recommended
    if best is None:
        return None
    rate = next((item.value for item in plan.recommendation.assumptions if item.id == RATE_ASSUMPTION), 0.0)
    return accounts_of(best, start=plan.start, as_of=plan.as_of, rate=rate)


def ends(plan: Plan) -> Ends | None:
    """The inputs of the recommended option with which its total is its P10, and its P90; None where nothing is feasible, or something
    else than its inputs is uncertain."""
    best = plan.recommendation.recommended
    return ends_of(best.cost.model, best.cost.total) if best else None


def booked_over(plan: Plan) -> dict[str, Schedule]:
    """Over which schedule the books show each line of the recommended option that they show at all, as its ledger posts it."""
    best = plan.recommendation.recommended
    return dict(booked_lines(best.cost.model, best.offer)) if best else {}


def views_body(views: Views) -> Json:
    """The views as amounts; each is a sum over the entries of its view, and no two are added together."""
    code = views.currency
    return {
        **{name: amount_text(getattr(views, name), code) for name in _AMOUNTS},
        "cash": [{"month": item.month, **amount_text(item.amount, code)} for item in views.cash],
        "rate": views.rate,
        "as_of": views.as_of.isoformat(),
        "policy": views.policy,
        **({"pool": _pool_body(views.pool, code)} if views.pool else {}),
    }


def _pool_body(pool: Pool, code: str) -> Json:
    """The spend commitment that is drawn: its last day, and what becomes of what is left of it."""
    sums = {name: amount_text(getattr(pool, name), code) for name in ("left", "drawn", "others", "unused")}
    return {"until": pool.until.isoformat(), **sums}


def ledger_body(entries: tuple[Entry, ...], *, whole: bool = False) -> list[Json]:
    """The entries, each with its amount as decimal text; those of long plans by calendar year or by line unless `whole`."""
    told = entries
    for by in (_YEARS, _LINES, _CONTRACTS):
        if not whole and len(told) > FEW_ENTRIES:
            told = _together(entries, by=by)
    return [
        {
            "date": entry.date.isoformat(),
            "view": entry.view,
            **amount_text(entry.amount, entry.currency),
            "line": entry.line,
            "contract": entry.contract,
        }
        for entry in told
    ]


def _together(entries: Iterable[Entry], *, by: int) -> tuple[Entry, ...]:
    """One entry for each line and view, in each calendar year or at all, or for each contract and view, of no line then, on its
    last day; what is signed stays apart from what is paid, and by contract each year's cash from another's."""
    last: dict[tuple[Any, ...], Entry] = {}
    units: dict[tuple[Any, ...], int] = {}
    for one in entries:
        entry = replace(one, line="") if by == _CONTRACTS else one
        dated = by == _YEARS or (by == _CONTRACTS and entry.view == "cash")
        key = (dated and entry.date.year, entry.view, entry.line, entry.contract, entry.units > 0)
        last[key], units[key] = entry, units.get(key, 0) + entry.units
    return tuple(replace(entry, units=units[key]) for key, entry in last.items())


def amount_text(value: float, currency: str) -> Json:
    """Decimal text to the smallest unit of the currency."""
    return {"amount": f"{value:.{DIGITS[currency]}f}", "currency": currency}


def carried(before: Plan, after: Plan) -> float:
    """By how much amounts of the plan before are multiplied to stand beside those of the other: 1 where both have one
    currency, else by way of the dollar at the rate of each."""
    old, new = before.recommendation.currency, after.recommendation.currency
    return 1.0 if old.code == new.code else new.rate / old.rate
