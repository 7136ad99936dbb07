"""What the prices of a plan rest on, and quotes beside the list, as texts of pages."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from catalog.days import plain_date
from engine.answer import PriceStanding
from engine.choice.backing import shares_of
from planner.asked.backing import run_out
from planner.frozen.snapshot import Plan
from planner.presenters.currency import Currency
from planner.presenters.words import NBSP, hardware, many_of, percent, place, place_of
from planner.quotation.asks import Ask
from planner.quotation.comparison import Compared
from planner.telling import told

STANDINGS: dict[PriceStanding, str] = {
    "quoted": "Quoted and valid",
    "public": "Public list price",
    "indicative": "Indication",
}
_ANSWERS = {
    "open": "no answer yet",
    "valid": "valid",
    "short": "ends before the start",
    "ended": "has run out",
}


@dataclass(frozen=True, kw_only=True)
class BackingRow:
    """One part of what is paid."""

    label: str
    amount: str
    standing: PriceStanding
    standing_label: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class BackingView:
    """All of it: shares in words, and each part."""

    shares: list[tuple[PriceStanding, str, str]]
    """Standing, its label, its share."""
    rows: list[BackingRow]


def backing_rows(plan: Plan, money: Currency) -> BackingView:
    """What each part of what is paid rests on; nothing in plans made before that was kept."""
    parts = plan.recommendation.backing
    shares = shares_of(parts)
    return BackingView(
        shares=[(key, label, percent(shares[key])) for key, label in STANDINGS.items()] if parts else [],
        rows=[
            BackingRow(
                label=told(part.label),
                amount=money.amount(part.amount),
                standing=part.standing,
                standing_label=STANDINGS[part.standing],
                reason=told(part.told),
            )
            for part in parts
        ],
    )


def run_out_words(plan: Plan, today: date) -> list[str]:
    """“Instances: the quote ran out on 30 Nov 2026.” for each quote behind the plan that holds no more."""
    return [
        f"{told(part.label)}: the quote ran out on {plain_date(part.valid_until)}."
        for part in run_out(plan, today)
        if part.valid_until
    ]


def option_label(ask: Ask) -> str:
    """“16 × H100 SXM, Nebius, eu-north1”: of two sellers of one option what this one has of it."""
    option = ask.option
    theirs = [site for site in option.sites if site.offer.provider == ask.seller]
    if len(theirs) == len(option.sites) or not theirs:
        return f"{hardware(option)}, {place(option)}"
    return f"{many_of(option, sum(site.count for site in theirs))}, {place_of(theirs)}"


@dataclass(frozen=True, kw_only=True)
class AnswerRow:
    """One seller: list, quote, difference."""

    label: str
    listed: str
    quoted: str
    change: str
    saved: str
    standing: str
    state: str
    conditions: str


def answer_rows(rows: tuple[Compared, ...], plan: Plan, money: Currency) -> list[AnswerRow]:
    """Each seller that was asked."""
    return [_answer(row, money) for row in rows]


def _answer(row: Compared, money: Currency) -> AnswerRow:
    quote = row.quote
    unit = "h" if row.ask.offer else "server"
    state = _ANSWERS[row.standing]
    return AnswerRow(
        label=option_label(row.ask),
        listed=_price(row.listed_usd, unit),
        quoted=_price(float(quote.usd), unit) if quote else "–",
        change="–" if row.change is None else f"{row.change:+.0%}".replace("-", "−"),
        saved="–" if row.saved is None else _saved(row.saved, money),
        standing=row.standing,
        state=f"{state} until {plain_date(quote.valid_until)}" if quote and row.standing == "valid" else state,
        conditions=quote.conditions if quote else "",
    )


def _price(usd: float, unit: str) -> str:
    return f"USD{NBSP}{usd:,.2f}/{unit}"


def _saved(amount: float, money: Currency) -> str:
    return f"{money.amount(amount)} less" if amount >= 0 else f"{money.amount(-amount)} more"
