"""Ways of having accelerators side by side, on the same work: rent, commit, lease, own, keep what is owned, or a hosted API.

Of each the best option stands for it. What is compared are dated nominal payments for this work, discounted to the day of the request
(actual/365, one effective annual rate): of what is bought or signed the part that this work carries, of what is owned the sale that
keeping it forgoes. No interest, depreciation, imputed or sunk cost is in them. Payback, break-even and the internal rate of return
are of one stated difference: instead of renting by the hour, or where nothing is rented so, instead of what is recommended.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal, get_args

from engine.answer import CostModel, Option
from engine.inputs.finding import Finding, Ref, Sum, finding
from engine.money.dated import Payment, dated
from engine.money.decision import DAYS
from engine.money.even_use import even_use
from engine.money.forgone import SALE
from engine.money.lines import amount_of
from engine.money.views import accounts_of

Way = Literal["rent", "commit", "lease", "buy", "hybrid", "keep", "api"]
"""By the hour, for a term, from a lessor, as a purchase, rented until what is bought comes, because it is there, or by the token."""
WAYS: tuple[Way, ...] = get_args(Way)
TOLERANCE = 0.005
"""Half a cent: what a sum of months may lie beside a rounded amount."""
_LEAST, _MOST, _STEPS = -0.95, 10.0, 400
"""Rates a year between which a rate of return is looked for, and in how many steps."""


@dataclass(frozen=True, kw_only=True)
class Considered:
    """One way at its best option, in the currency of the plan."""

    way: Way
    option: Option | None
    """None for a hosted API."""
    model: CostModel
    chosen: bool
    kept: bool
    """Does it keep what was asked?"""
    committed: float
    """Newly owed from the signature on."""
    cash: float
    """All that leaves the account, less what comes back."""
    npv: float
    """What it is worth on the day of the request that this work pays: not rounded by month."""
    ranked: float
    """The same at most, as surely as is asked: what options are ranked by."""
    saved: float
    """By how much less that is than of the recommended way: below zero where it is more."""
    payback: int | None
    """Calendar months, from that of the start on, after which it stays no dearer than what it is held against; None where it never
    does, and for that itself."""
    irr: float | None
    """Effective annual rate that what is paid first earns by what is saved later; None where nothing is paid first or nothing saved,
    or several rates do."""
    even_use: float | None
    """Share of its hours from which on they cost no more than rented ones; above 1 where none suffices, None where nothing is paid
    without use."""
    chance: float | None
    """Probability that it keeps all limits; None where none is set."""
    low: float
    high: float
    """P10 and P90 of the total."""


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """All ways that there are, what payback, break-even and rate of return are held against, and what follows."""

    ways: tuple[Considered, ...]
    against: Way
    rate: float
    as_of: date
    currency: str
    told: tuple[Finding, ...]
    """The verdict first."""


def way_of(option: Option) -> Way:
    """How that option has its accelerators."""
    if option.offer is None:
        bridged = any(line.name == "bridge" and line.amount for line in option.cost.model.lines)
        return "keep" if option.kind == "owned" else "hybrid" if bridged else "buy"
    if option.offer.option == "lease":
        return "lease"
    return "commit" if option.offer.term_months else "rent"


def keeps(option: Option) -> bool:
    """Does it keep what was asked, but for the budget?"""
    return option.meets_deadline and option.kept and option.too_long is None


def best_of_each(best: Option, others: Iterable[Option]) -> dict[Way, Option]:
    """Of each way the recommended option, else the first that keeps all limits, else the first."""
    found: dict[Way, Option] = {way_of(best): best}
    for option in sorted(others, key=lambda one: not keeps(one)):
        found.setdefault(way_of(option), option)
    return {way: found[way] for way in WAYS if way in found}


def compared(
    best: Option, others: Iterable[Option], *, start: date, as_of: date, rate: float, hosted: CostModel | None = None
) -> Comparison | None:
    """Those ways side by side; None where there is only one. `hosted`: what the same tokens cost on a hosted API."""
    options = best_of_each(best, others)
    models: dict[Way, CostModel] = {way: option.cost.model for way, option in options.items()}
    if hosted is not None:
        models["api"] = hosted
    if len(models) < 2:
        return None
    chosen = way_of(best)
    against: Way = "rent" if "rent" in models else chosen
    flows = {way: dated(model, start=start, as_of=as_of) for way, model in models.items()}
    worth = {way: worth_of(flow, on=as_of, rate=rate) for way, flow in flows.items()}
    found = []
    for way, model in models.items():
        option = options.get(way)
        apart = way != against
        alike = option is not None and against in options and option.accelerator == options[against].accelerator
        rents = apart and against == "rent"
        found.append(
            Considered(
                way=way,
                option=option,
                model=model,
                chosen=way == chosen,
                kept=option is None or keeps(option),
                committed=_committed(option, start=start, as_of=as_of, rate=rate),
                cash=sum(one.paid for one in flows[way]),
                npv=worth[way],
                ranked=(option.cost.npv_at_confidence if option else 0.0) or worth[way],
                saved=worth[chosen] - worth[way],
                payback=payback(flows[way], flows[against], start=start) if apart else None,
                irr=rate_of_return(flows[way], flows[against], on=as_of) if apart else None,
                even_use=even_use(way, model, models[against], alike=alike) if rents else None,
                chance=option.chance.all if option and option.chance else None,
                low=option.cost.total.low if option else amount_of(model, model.total),
                high=option.cost.total.high if option else amount_of(model, model.total),
            )
        )
    currency = best.cost.total.currency
    told = (*_verdict(found, chosen, currency), *_hosted(found, chosen, currency), *_kept(found, currency))
    return Comparison(ways=tuple(found), against=against, rate=rate, as_of=as_of, currency=currency, told=told)


def _committed(option: Option | None, *, start: date, as_of: date, rate: float) -> float:
    return accounts_of(option, start=start, as_of=as_of, rate=rate).views.committed if option else 0.0


def worth_of(payments: Sequence[Payment], *, on: date, rate: float) -> float:
    """What this work pays, worth on that day."""
    return math.fsum(one.carried / (1.0 + rate) ** ((one.day - on).days / DAYS) for one in payments)


def payback(mine: Sequence[Payment], other: Sequence[Payment], *, start: date) -> int | None:
    """Calendar months, from that of the start on, after which what `mine` has paid stays no more than what the other has."""
    months: dict[int, float] = defaultdict(float)
    for sign, payments in ((1.0, mine), (-1.0, other)):
        for one in payments:
            months[max((one.day.year - start.year) * 12 + one.day.month - start.month, 0)] += sign * one.carried
    paid, latest, last = 0.0, 0, max(months, default=0)
    for month in range(last + 1):
        paid += months.get(month, 0.0)
        latest = month + 1 if paid > TOLERANCE else latest
    return None if latest > last else latest


def rate_of_return(mine: Sequence[Payment], other: Sequence[Payment], *, on: date) -> float | None:
    """The effective annual rate that is earned by what `mine` pays first and the other later; None without such a rate from −95 to
    1,000 %, with several, or where the other pays first."""
    days: dict[int, float] = defaultdict(float)
    for sign, payments in ((1.0, other), (-1.0, mine)):
        for one in payments:
            days[(one.day - on).days] += sign * one.carried
    if not (max(days.values(), default=0.0) > TOLERANCE and min(days.values(), default=0.0) < -TOLERANCE):
        return None

    def worth(rate: float) -> float:
        return math.fsum(amount / (1.0 + rate) ** (day / DAYS) for day, amount in days.items())

    widest = math.log((1.0 + _MOST) / (1.0 + _LEAST))
    rates = [(1.0 + _LEAST) * math.exp(widest * step / _STEPS) - 1.0 for step in range(_STEPS + 1)]
    signs = [worth(rate) > 0 for rate in rates]
    turns = [index for index in range(_STEPS) if signs[index] != signs[index + 1]]
    if (
        len(turns) != 1 or not signs[turns[0]]
    ):  # what comes first and is paid back later is a loan, and its rate no return
        return None
    low, high = rates[turns[0]], rates[turns[0] + 1]
    for _ in range(100):
        middle = (low + high) / 2.0
        low, high = (middle, high) if (worth(middle) > 0) == signs[turns[0]] else (low, middle)
    return (low + high) / 2.0


def called(way: Way) -> Ref:
    return Ref("word", f"had.{way}")


def _verdict(found: Sequence[Considered], chosen: Way, currency: str) -> list[Finding]:
    """Which of the ways that keep what was asked has the least present value, as surely as is asked, and where it is not the recommended
    one, that: the sum by which options are ranked, so that choice and verdict are one."""
    mine = next(one for one in found if one.way == chosen)
    others = [one for one in found if one.way not in (chosen, "api") and one.kept]
    if not others:
        return [finding("ways.alone", way=called(chosen))]
    near = min(others, key=lambda one: one.ranked)
    apart = Sum(abs(near.ranked - mine.ranked), currency)
    code = "ways.least" if mine.ranked <= near.ranked else "ways.other"
    return [finding(code, way=called(chosen), other=called(near.way), cost=apart)]


def _hosted(found: Sequence[Considered], chosen: Way, currency: str) -> list[Finding]:
    """That a hosted API costs less than what is recommended, where it does; what its answers are worth no plan knows."""
    saved = [one.saved for one in found if one.way == "api" and one.saved > TOLERANCE]
    return [finding("ways.api", cost=Sum(saved[0], currency), way=called(chosen))] if saved else []


def _kept(found: Sequence[Considered], currency: str) -> list[Finding]:
    """What keeping forgoes; or that nobody says what it would sell for."""
    kept = next((one for one in found if one.way == "keep"), None)
    if kept is None:
        return []
    lines = {line.name: line.amount for line in kept.model.lines}
    if SALE not in lines:
        return [finding("ways.unsold")]
    return [finding("ways.forgone", cost=Sum(lines[SALE], currency), left=Sum(lines["sale_later"], currency))]
