"""The currency that a plan is shown in: amounts, bands, sentences and charts converted at the rate that the plan froze."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from catalog.days import dated
from planner.charts import Chart, in_currency
from planner.engine.hardware import Market
from planner.engine.result import CostModel, Money, Option
from planner.engine.spec import Spec
from planner.names import spelled
from planner.presenters.words import NBSP, span
from planner.quantities import rounded, whole_units
from planner.snapshot import Plan

_PAIR = re.compile(r"(\d[\d,]*(?:\.\d+)?) to (\d[\d,]*(?:\.\d+)?) USD\b")
_ABOUT = re.compile(r"about (\d[\d,]*) USD\b")
_ONE = re.compile(r"(\d[\d,]*(?:\.\d+)?) USD\b")


@dataclass(frozen=True, kw_only=True)
class Currency:
    """A currency, how much of it one US dollar buys, and the date of that rate."""

    code: str = "USD"
    per_usd: float = 1.0
    date: str = ""
    exact: tuple[float, ...] = field(default=(), compare=False)
    """US dollars that sentences tell rounded: each is converted before it is rounded, not after."""

    def amount(self, usd: float) -> str:
        """Whole units as in the documents, cents below ten: “USD 23,719”."""
        value = usd * self.per_usd
        sign = "−" if value < 0 else ""
        size = abs(value)
        return (
            f"{sign}{self.code}{NBSP}{size:,.2f}" if 0 < size < 9.995 else f"{sign}{self.code}{NBSP}{whole_units(size)}"
        )

    def range(self, money: Money) -> str:
        """The 80% band of an amount: “21,300–28,000”."""
        return span(money.low * self.per_usd, money.high * self.per_usd)

    def sentence(self, words: str) -> str:
        """The engine's sentence with providers' own names and its amounts of US dollars in this currency."""
        words = spelled(words)
        if self.code == "USD":
            return words
        words = _ABOUT.sub(lambda found: f"about {self._near(found[1])} {self.code}", words)
        paired = _PAIR.sub(lambda found: f"{self._like(found[1])} to {self._like(found[2])} {self.code}", words)
        return _ONE.sub(lambda found: f"{self._like(found[1])} {self.code}", paired)

    def told(self, words: str) -> str:
        """The engine's sentence as pages tell it: in this currency, its days in their style."""
        return dated(self.sentence(words).replace(".;", ";"))

    def change(self, now: float, before: float) -> str:
        """How US dollars now differ from those before: “+EUR 957 (+20%)”, “the same” below half a cent."""
        change = now - before
        if abs(change) < 0.005:
            return "the same"
        share = f" ({change / before:+.0%})".replace("-", "−") if before else ""
        return f"{'+' if change > 0 else ''}{self.amount(change)}{share}"

    def chart(self, chart: Chart) -> Chart:
        """The chart with its amounts in this currency."""
        return in_currency(chart, self.code, self.per_usd)

    @property
    def note(self) -> str:
        """How much one US dollar buys and since when; nothing for the dollar itself."""
        if self.code == "USD":
            return ""
        return f"1 USD = {rounded(self.per_usd, 5)} {self.code}, {since(self.date)}"

    def _near(self, number: str) -> str:
        """That rounded number of US dollars converted and rounded as far, so that it agrees with the exact amount."""
        told = float(number.replace(",", ""))
        usd = next((exact for exact in self.exact if rounded(exact) == rounded(told)), told)
        return rounded(usd * self.per_usd)

    def _like(self, number: str) -> str:
        """That number of US dollars converted, with as many decimals as it was written with."""
        value = float(number.replace(",", "")) * self.per_usd
        return f"{value:,.{len(number.partition('.')[2])}f}"


def currency_of(plan: Plan) -> Currency:
    """The currency of that plan; US dollars where its cost model holds no rate."""
    answer = plan.recommendation
    options = ((answer.recommended,) if answer.recommended else ()) + answer.alternatives[:1]
    found = next((found for option in options if (found := _frozen(option.cost.model, plan.spec.currency))), Currency())
    return replace(found, exact=amounts_told(options[0])) if options else found


def amounts_told(option: Option) -> tuple[float, ...]:
    """What a headline tells of an option's cost in US dollars: all of it, and of a service what a month costs."""
    total = option.cost.total.expected
    return (total, option.serving.monthly.expected) if option.serving else (total,)


def since(day: str) -> str:
    """What stands behind a rate of exchange: “rate of 10 Aug 2026”; one without a day is agreed in the request."""
    return dated(f"rate of {day}") if day else "as agreed"


def currency_asked(spec: Spec, market: Market) -> Currency:
    """The currency that a request is shown in, at the rate that its plan will use: its own agreed one before the catalog's."""
    agreed = [price.usd for price in spec.agreed if price.what == "currency" and price.item == spec.currency]
    return Currency(code=spec.currency, per_usd=1 / agreed[-1]) if agreed else currency_for(spec.currency, market)


def currency_for(code: str, market: Market) -> Currency:
    """That currency at the rate of the current catalog; the dollar where the catalog has none."""
    rate = market.fx_usd.get(code)
    return Currency(code=code, per_usd=1 / rate[0], date=rate[1]) if rate and code != "USD" else Currency()


def _frozen(model: CostModel, code: str) -> Currency | None:
    return next(
        (Currency(code=code, per_usd=item.value, date=item.date) for item in model.inputs if item.name == "fx_rate"),
        None,
    )
