"""An answer in its own currency: each line of each cost model converted at one frozen rate, rounded, then summed.

Prices stay what their sellers ask, in US dollars, beside the rate as an input of the model, so that a workbook in which
the rate is changed recalculates every amount.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import cache

from engine.answer import (
    RATE,
    BreakEven,
    Cost,
    CostLine,
    CostModel,
    Flip,
    Gate,
    Glance,
    Lever,
    Levers,
    Money,
    Nearest,
    Option,
    Point,
    Recommendation,
    ServingResult,
    Standing,
)
from engine.inputs.currency import Currency, in_unit, is_dollars
from engine.inputs.finding import Finding, Item, Sum, Typed, Value, finding
from engine.money.cash import with_cash
from engine.money.draws import drivers
from engine.money.expressions import rounded_to
from engine.money.lines import amount_of, given, settled, total_of
from engine.money.signed import cash_needed, signed_of

_TOKEN_DIGITS = 4
"""Decimals of a price for a million tokens."""


def recommendation_in(answer: Recommendation, currency: Currency, start: date) -> Recommendation:
    """That answer in US dollars with every amount in this currency."""
    if currency.code == "USD":
        return answer
    best = option_in(answer.recommended, currency, start) if answer.recommended else None
    others = tuple(option_in(option, currency, start) for option in answer.alternatives)
    into = _Into(currency)
    exact = {option.id: option.cost.total.expected for option in (*others, *((best,) if best else ()))}
    return replace(
        answer,
        currency=currency,
        headline=into.one(answer.headline),
        rejected=tuple(replace(one, nearest=one.nearest and into.one(one.nearest)) for one in answer.rejected),
        nearest=tuple(into.way(one) for one in answer.nearest),
        advice=tuple(replace(one, choice=into.one(one.choice), reason=into.every(one.reason)) for one in answer.advice),
        warnings=into.every(answer.warnings),
        recommended=best,
        alternatives=others,
        frontier=tuple(_point(point, currency, exact) for point in answer.frontier),
        drivers=drivers(best.cost.model) if best else (),
        flips=tuple(_flip(item, currency) for item in answer.flips),
        backing=tuple(replace(part, amount=_exact(part.amount, currency)) for part in answer.backing),
        certainty=tuple(
            replace(
                one,
                cost=None if one.cost is None else _exact(one.cost, currency),
                authorised=None if one.authorised is None else _exact(one.authorised, currency),
                change=into.every(one.change),
            )
            for one in answer.certainty
        ),
        gate=answer.gate and _gate(answer.gate, currency),
        levers=tuple(_lever(one, currency) for one in answer.levers),
    )


def _lever(lever: Lever, currency: Currency) -> Lever:
    """That lever with what it costs and saves in this currency."""
    cost, saving = (_money(money, currency) for money in (lever.cost, lever.saving))
    return replace(lever, cost=cost, saving=saving, told=_Into(currency).one(lever.told))


def levers_in(found: Levers, currency: Currency) -> Levers:
    """The same of all that was weighed on request."""
    return replace(
        found,
        cost=_money(found.cost, currency),
        levers=tuple(_lever(one, currency) for one in found.levers),
        signed=_lever(found.signed, currency) if found.signed else None,
    )


def _gate(gate: Gate, currency: Currency) -> Gate:
    """That gate with every amount in this currency."""
    into = _Into(currency)
    outcomes = (
        replace(one, authorised=_exact(one.authorised, currency), told=into.one(one.told)) for one in gate.outcomes
    )
    return replace(
        gate,
        fee=_exact(gate.fee, currency),
        left_budget=_exact(gate.left_budget, currency),
        worth=_exact(gate.worth, currency),
        least=_exact(gate.least, currency),
        ceiling=_exact(gate.ceiling, currency),
        outcomes=tuple(outcomes),
        told=into.every(gate.told),
    )


def glance_in(look: Glance, currency: Currency, start: date) -> Glance:
    """The same for what a live panel shows."""
    if currency.code == "USD":
        return replace(look, currency=currency)
    into = _Into(currency)
    return replace(
        look,
        currency=currency,
        headline=into.one(look.headline),
        nearest=tuple(into.way(one) for one in look.nearest),
        best=option_in(look.best, currency, start) if look.best else None,
    )


@dataclass(frozen=True)
class _Into:
    """What is found, with its amounts of US dollars in that currency."""

    currency: Currency

    def one(self, found: Finding) -> Finding:
        """The same finding."""
        if not found.values:
            return found
        return replace(found, values={name: self.value(value) for name, value in found.values.items()})

    def every(self, found: tuple[Finding, ...]) -> tuple[Finding, ...]:
        """Each of them."""
        return tuple(self.one(item) for item in found)

    def way(self, near: Nearest) -> Nearest:
        """What would make a request feasible."""
        changes = tuple(
            replace(
                change,
                now=None if change.now is None else self.value(change.now),
                needed=None if change.needed is None else self.value(change.needed),
            )
            for change in near.changes
        )
        return replace(near, changes=changes, told=self.every(near.told))

    def value(self, value: Value) -> Value:
        """A value of a finding."""
        return tuple(self._item(item) for item in value) if isinstance(value, tuple) else self._item(value)

    def _item(self, item: Item) -> Item:
        if isinstance(item, Finding):
            return self.one(item)
        if isinstance(item, Sum) and item.currency == "USD":
            return Sum(self.currency.of(item.amount), self.currency.code)
        return item


def option_in(option: Option, currency: Currency, start: date) -> Option:
    """That option with every amount in this currency."""
    cost, into = _cost(option.cost, currency, start), _Into(currency)
    point, path = option.checkpoint, option.data_path
    return replace(
        option,
        cost=cost,
        checkpoint=point and replace(point, lost_cost=_exact(point.lost_cost, currency)),
        data_path=path and replace(path, cost_per_month=currency.of(path.cost_per_month)),
        serving=option.serving and _serving(option.serving, cost.model, currency),
        reasons=into.every(option.reasons),
        warnings=into.every(option.warnings),
        porting=option.porting and into.one(option.porting),
    )


def model_in(model: CostModel, currency: Currency, start: date) -> CostModel:
    """The model with the rate as an input, and each line that is money at that rate in this currency."""
    prices = frozenset(item.name for item in model.inputs if is_dollars(item.unit))
    told, unit = finding("cost.fx_rate", currency=Typed(currency.code)), f"{currency.code}/USD"
    rate = given(RATE, currency.rate, unit, currency.source, date=currency.date, told=told)
    found = settled((*model.inputs, rate), (_line(line, prices, currency) for line in model.lines), total=model.total)
    return with_cash(found, start) if model.cash else found


def _line(line: CostLine, prices: frozenset[str], currency: Currency) -> CostLine:
    unit = in_unit(line.unit, currency.code)
    paid = _at_rate(line.paid, prices) if line.paid else ""
    return replace(line, unit=unit, expression=_at_rate(line.expression, prices), paid=paid)


@cache
def _at_rate(expression: str, prices: frozenset[str]) -> str:
    """That formula with each of those prices at the rate; amounts of earlier lines are converted already."""

    def priced(found: re.Match[str]) -> str:
        if found[0] not in prices:
            return found[0]
        before, after = expression[: found.start()].rstrip(), expression[found.end() :].lstrip()
        text = f"{found[0]} * {RATE}"
        return f"({text})" if before.endswith(("/", "**")) or after.startswith("**") else text

    return re.sub(r"\b[a-z_]\w*\b", priced, expression)


def _cost(cost: Cost, currency: Currency, start: date) -> Cost:
    model = model_in(cost.model, currency, start)
    total = _money(cost.total, currency, total_of(model))

    def same(other: Money | None) -> Money | None:
        return total if other == cost.total else other and _money(other, currency)

    runs = any(line.name == "final_run" for line in model.lines)
    return Cost(
        total=total,
        final_run=_money(cost.final_run, currency, amount_of(model, "final_run")) if runs else total,
        cloud=same(cost.cloud),
        on_prem=same(cost.on_prem),
        break_even=cost.break_even and _break_even(cost.break_even, currency),
        model=model,
        signed=signed_of(model),
        cash_needed=cash_needed(model),
        expected_holds=cost.expected_holds,
        at_confidence=_exact(cost.at_confidence, currency),
        npv=_exact(cost.npv, currency),
        npv_at_confidence=_exact(cost.npv_at_confidence, currency),
        price_per_accelerator_hour=_rate(cost, total, currency),
    )


def _rate(cost: Cost, total: Money, currency: Currency) -> float:
    """The total over the hours, as rounded lines add up to it: in yen they differ from the converted rate."""
    dollars = cost.total.expected
    return cost.price_per_accelerator_hour * (total.expected / dollars if dollars else currency.of(1.0))


def _break_even(point: BreakEven, currency: Currency) -> BreakEven:
    switch = point.cloud_per_accelerator_hour
    return replace(
        point,
        told=_Into(currency).every(point.told),
        cloud_per_accelerator_hour=None if switch is None else currency.of(switch),
        rented_per_accelerator_hour=currency.of(point.rented_per_accelerator_hour),
    )


def _serving(result: ServingResult, model: CostModel, currency: Currency) -> ServingResult:
    month = next((line.amount for line in model.lines if line.name == "monthly"), None)
    return replace(
        result,
        price_per_million_input=_money(result.price_per_million_input, currency, digits=_TOKEN_DIGITS),
        price_per_million_output=_money(result.price_per_million_output, currency, digits=_TOKEN_DIGITS),
        monthly=result.monthly and _money(result.monthly, currency, month),
        api_break_even=result.api_break_even and _Into(currency).one(result.api_break_even),
        standing=result.standing and _standing(result.standing, model, currency),
    )


def _standing(standing: Standing, model: CostModel, currency: Currency) -> Standing:
    """With the cost of every pattern; that of the chosen one, and of what is the same hardware by another name, is the total of the
    model, whose lines are rounded one by one."""
    own = {one.pattern_cost for one in standing.patterns if one.chosen}
    patterns = tuple(
        replace(
            one,
            pattern_cost=None
            if one.pattern_cost is None
            else total_of(model)
            if one.pattern_cost in own
            else _exact(one.pattern_cost, currency),
        )
        for one in standing.patterns
    )
    return replace(
        standing,
        patterns=patterns,
        keep_cost=None if standing.keep_cost is None else _exact(standing.keep_cost, currency),
    )


def _point(point: Point, currency: Currency, exact: Mapping[str, float]) -> Point:
    return replace(
        point,
        cost=exact.get(point.option_id, _exact(point.cost, currency)),
        at_confidence=_exact(point.at_confidence, currency),
        npv_at_confidence=_exact(point.npv_at_confidence, currency),
        reason=point.reason and _Into(currency).one(point.reason),
    )


def _flip(item: Flip, currency: Currency) -> Flip:
    if not is_dollars(item.unit):
        return item
    now, threshold = (
        _exact(value, currency) if item.unit == "USD" else currency.of(value) for value in (item.now, item.threshold)
    )
    return replace(item, unit=in_unit(item.unit, currency.code), now=now, threshold=threshold)


def _money(money: Money, currency: Currency, expected: float | None = None, *, digits: int | None = None) -> Money:
    """That amount; `expected` where its model has it exactly."""
    places = currency.digits if digits is None else digits
    low, middle, high = (rounded_to(currency.of(v), places) for v in (money.low, money.expected, money.high))
    middle = middle if expected is None else expected
    return Money(low=min(low, middle), expected=middle, high=max(high, middle), currency=currency.code)


def _exact(usd: float, currency: Currency) -> float:
    return rounded_to(currency.of(usd), currency.digits)
