"""Answers beside the list: what each seller lists, what it has quoted, and what that changes of the cost of its option."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from engine.choice.backing import HOURS, paid_by_line
from engine.money.second_site import SECOND
from planner.quotation.asks import Ask
from planner.quotation_tables import Quote


@dataclass(frozen=True, kw_only=True)
class Compared:
    """One seller's option: what it lists, and its newest quote."""

    ask: Ask
    quote: Quote | None
    listed_usd: float
    change: float | None
    """The quote over the listed price, less one: −0.2 = a fifth less; None without a quote."""
    saved: float | None
    """What is paid less than in the plan, in its currency, were that quote taken; below 0 it is more."""
    standing: str
    """open: not answered; valid; short: it ends before the first day of the work; ended: it holds no more."""


def compared(asks: Iterable[Ask], quotes: Iterable[Quote], *, start: date, today: date) -> tuple[Compared, ...]:
    """Each option that was asked for with the newest answer on its own price."""
    newest: dict[str, Quote] = {}
    for quote in sorted(quotes, key=lambda one: (one.created_at, one.pk)):
        if quote.what in ("instance_hour", "server"):
            newest[quote.option] = quote
    return tuple(_compared(ask, newest.get(ask.ident), start, today) for ask in asks)


def _compared(ask: Ask, quote: Quote | None, start: date, today: date) -> Compared:
    change = float(quote.usd) / ask.listed_usd - 1.0 if quote else None
    over = float(quote.usd) / ask.planned_usd - 1.0 if quote else 0.0
    return Compared(
        ask=ask,
        quote=quote,
        listed_usd=ask.listed_usd,
        change=change,
        saved=None if quote is None else -over * priced_part(ask),
        standing=standing_of(quote, start, today) if quote else "open",
    )


def standing_of(quote: Quote, start: date, today: date) -> str:
    """Whether it holds: on that day, and on the first day of the work, where that is still to come."""
    if quote.valid_until < today:
        return "ended"
    return "short" if quote.what != "server" and quote.valid_until < start else "valid"


def priced_part(ask: Ask) -> float:
    """What is paid to that seller for the instances or the servers themselves, in the currency of the plan."""
    model = ask.option.cost.model
    paid = paid_by_line(model)
    if ask.offer is None:
        return next(line.amount for line in model.lines if line.name == "server_cost")
    return sum(paid.get(name, 0.0) for name in ((SECOND,) if ask.site else HOURS))
