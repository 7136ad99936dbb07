"""Amounts as pages write them, in the currency of the plan; nothing is converted here but what a seller asks in dollars."""

from __future__ import annotations

from dataclasses import dataclass

from catalog.days import dated
from engine.answer import Money
from engine.inputs import currency as engine
from engine.inputs.hardware import Market
from planner.frozen.snapshot import Plan
from planner.presenters.words import NBSP, percent, span
from planner.request.quantities import rounded, whole_units


@dataclass(frozen=True, kw_only=True)
class Currency:
    """How a page writes amounts of one currency; of prices in US dollars it knows the rate."""

    code: str = "USD"
    per_usd: float = 1.0
    date: str = ""

    def of(self, usd: float) -> float:
        """What a seller asks, or a request says, in US dollars in this currency."""
        return usd * self.per_usd

    def amount(self, value: float) -> str:
        """Whole units as in the documents, below ten with two decimals: “USD 23,719”."""
        sign = "−" if value < 0 else ""
        size = abs(value)
        return (
            f"{sign}{self.code}{NBSP}{size:,.2f}" if 0 < size < 9.995 else f"{sign}{self.code}{NBSP}{whole_units(size)}"
        )

    def range(self, money: Money) -> str:
        """The 80% band of an amount: “21,300–28,000”."""
        return span(money.low, money.high)

    def change(self, now: float, before: float) -> str:
        """How much more or less that is than before: “+EUR 957 (+20%)”, “the same” below half a cent."""
        change = now - before
        if abs(change) < 0.005:
            return "the same"
        sign = "+" if change > 0 else "−"
        share = f" ({sign}{percent(abs(change / before))})" if before else ""
        return f"{sign}{self.amount(abs(change))}{share}"

    @property
    def note(self) -> str:
        """How much one US dollar buys and since when; nothing for the dollar itself."""
        if self.code == "USD":
            return ""
        return f"1 USD = {rounded(self.per_usd, 5)} {self.code}, {since(self.date)}"


def shown(currency: engine.Currency) -> Currency:
    """That currency of an answer as pages write it."""
    return Currency(code=currency.code, per_usd=currency.rate, date=currency.date)


def currency_of(plan: Plan) -> Currency:
    """The currency of that plan, at the rate that it froze."""
    return shown(plan.recommendation.currency)


def exchanged(own: Currency, into: Currency) -> str:
    """At which rates amounts of the one were put into the other: “1 EUR = 1.1555 USD, rate of 10 Aug 2026”; by way of the
    dollar where neither is one. Nothing where both are one currency."""
    if own.code == into.code:
        return ""
    days = {money.code: since(money.date) for money in (own, into) if money.code != "USD"}
    told = set(days.values())
    behind = told.pop() if len(told) == 1 else " and ".join(f"{code} {day}" for code, day in days.items())
    return f"1 {own.code} = {rounded(into.per_usd / own.per_usd, 5)} {into.code}, {behind}"


def since(day: str) -> str:
    """What stands behind a rate of exchange: “rate of 10 Aug 2026”; one without a day is agreed in the request."""
    return dated(f"rate of {day}") if day else "as agreed"


def currency_for(code: str, market: Market) -> Currency:
    """That currency at the rate of the current catalog; the dollar where the catalog has none."""
    rate = market.fx_usd.get(code)
    return Currency(code=code, per_usd=1 / rate[0], date=rate[1]) if rate and code != "USD" else Currency()
