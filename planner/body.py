"""The JSON of an estimate: what `POST /api/v1/estimates` answers and `manage.py plan --json` prints.

Uncertain numbers are {low, expected, high, unit}. Money is never a JSON number: an amount is {amount, currency}, a band
{low, expected, high, currency}, all decimal text. A number whose `unit` begins with a currency (USD/h) is an amount.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

from planner.engine.result import CashMonth, Money, Option, Recommendation, ServingResult
from planner.snapshot import Plan, plain

Json = dict[str, Any]
CURRENCY = "USD"
_MONEY = re.compile(r"((?!FTE)[A-Z]{3})(/(?![A-Z]{3}$).+)?")
"""A currency by its code, or a price in one for something: USD, USD/h, EUR; not EUR/USD, not people (FTE)."""


def estimate_body(plan: Plan) -> Json:
    """The whole answer as plain JSON values."""
    answer = plan.recommendation
    return {
        "name": plan.name,
        "plan_sha256": plan.sha256,
        "feasible": answer.feasible,
        "headline": answer.headline,
        "model": plain(answer.model),
        "recommended": option_body(answer.recommended) if answer.recommended else None,
        "alternatives": [option_body(option) for option in answer.alternatives],
        **_context(answer),
    }


def _context(answer: Recommendation) -> Json:
    """Everything beside the options: front, refusals, drivers, advice, assumptions, versions."""
    keys = (
        "rejected",
        "nearest",
        "advice",
        "warnings",
        "searched",
        "catalog_release",
        "catalog_date",
        "engine_version",
    )
    shown: Json = {key: plain(getattr(answer, key)) for key in keys}
    shown["frontier"] = [_point(plain(point)) for point in answer.frontier]
    shown["drivers"] = [_driver(plain(driver)) for driver in answer.drivers]
    shown["flips"] = [_measured(plain(flip), "now", "threshold") for flip in answer.flips]
    shown["assumptions"] = [_measured(plain(item), "value", "low", "high") for item in answer.assumptions]
    return shown


def _point(point: Json) -> Json:
    return {**{key: value for key, value in point.items() if key != "cost_usd"}, "cost": amount_body(point["cost_usd"])}


def _driver(driver: Json) -> Json:
    """The ends of the input, and how far each moves the total."""
    changes = {f"{end}_change": amount_body(driver.pop(f"{end}_usd")) for end in ("low", "high")}
    return _measured(driver, "low_value", "high_value") | changes


def _measured(body: Json, *names: str) -> Json:
    """The same with those numbers as amounts, when the unit beside them is one of money."""
    return body | {name: measured(body[name], body["unit"]) for name in names}


def measured(value: float, unit: str) -> Json | float:
    """An amount when the unit is a currency or a price in one, else the number; a rate of exchange is a number."""
    money = _MONEY.fullmatch(unit)
    return unit_price_body(value, money[1]) if money else plain(value)


def option_body(option: Option) -> Json:
    """One option; money as decimal strings, serving results beside the rest."""
    body: Json = _with_amounts(plain(option))
    body["on_prem"] = option.on_prem or None
    body["memory"]["parts"] = {part.key: part.value for part in option.memory.parts}
    body["time"] = [plain(part) for part in option.time]
    body["cost"] = _cost(option)
    del body["serving"]
    if option.serving is None:
        return body
    return {**body, "mfu": None, **_serving(option.serving)}


def _cost(option: Option) -> Json:
    cost = option.cost
    moneys = {key: getattr(cost, key) for key in ("total", "final_run", "cloud", "on_prem")}
    shown: Json = {key: money_body(value) if value else None for key, value in moneys.items()}
    shown["break_even"] = _with_amounts(plain(cost.break_even))
    shown["usd_per_accelerator_hour"] = amount_body(cost.usd_per_accelerator_hour, 4)
    shown["lines"] = [_line(plain(line)) for line in cost.model.lines]
    shown["inputs"] = [_measured(plain(item), "value", "low", "high") for item in cost.model.inputs]
    shown["by_month"] = [_month(month) for month in cost.model.cash]
    return shown


def _line(line: Json) -> Json:
    if line["unit"] == CURRENCY:
        return line | {"amount": amount_body(line["amount"])}
    return _measured(line, "amount")


def _month(month: CashMonth) -> Json:
    return {"month": month.month, "opex": amount_body(month.opex), "capex": amount_body(month.capex)}


def _with_amounts(value: Any) -> Any:
    """The same with every number whose name says `usd` as an amount: a price for one unit as it is, a sum in cents."""
    if isinstance(value, list):
        return [_with_amounts(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {key: _amount_named(key, item) for key, item in value.items()}


def _amount_named(key: str, value: Any) -> Any:
    if "usd" in key and isinstance(value, int | float):
        return unit_price_body(value) if "_per_" in key else amount_body(value)
    return _with_amounts(value)


def _serving(result: ServingResult) -> Json:
    body: Json = plain(result)
    for key in ("usd_per_million_input", "usd_per_million_output", "monthly"):
        body[key] = money_body(getattr(result, key), 4 if key.startswith("usd") else 2)
    return body


def money_body(money: Money, places: int = 2) -> Json:
    """Low, expected and high as decimal strings, and the currency."""
    amounts = {key: decimal_text(getattr(money, key), places) for key in ("low", "expected", "high")}
    return {**amounts, "currency": money.currency}


def amount_body(value: float, places: int = 2) -> Json:
    """An amount of money, rounded to cents unless told otherwise."""
    return {"amount": decimal_text(value, places), "currency": CURRENCY}


def unit_price_body(value: float, currency: str = CURRENCY) -> Json:
    """A price for one unit, which is not rounded: at least two decimals, at most twelve digits."""
    text = format(Decimal(str(plain(value))), "f")
    whole, _, part = text.partition(".")
    return {"amount": f"{whole}.{part:0<2}", "currency": currency}


def decimal_text(value: float, places: int = 2) -> str:
    """An amount as a decimal string, never in exponent form."""
    return f"{value:.{places}f}"
