"""The JSON of an estimate: what `POST /api/v1/estimates` answers and `manage.py plan --json` prints.

Uncertain numbers are {low, expected, high, unit}; money is decimal strings with a currency; nothing else is rounded.
"""

from __future__ import annotations

from typing import Any

from planner.engine.result import Money, Option, Recommendation, ServingResult
from planner.snapshot import Plan, plain

Json = dict[str, Any]


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
    keys = ("frontier", "rejected", "nearest", "drivers", "flips", "advice", "assumptions", "warnings")
    versions = ("searched", "catalog_release", "catalog_date", "engine_version")
    return {key: plain(getattr(answer, key)) for key in keys + versions}


def option_body(option: Option) -> Json:
    """One option; money as decimal strings, serving results beside the rest."""
    body: Json = plain(option)
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
    shown["break_even"] = plain(cost.break_even)
    shown["usd_per_accelerator_hour"] = decimal_text(cost.usd_per_accelerator_hour, 4)
    shown["lines"] = [
        {**plain(line), "amount": decimal_text(line.amount) if line.unit == "USD" else plain(line.amount)}
        for line in cost.model.lines
    ]
    shown["inputs"] = plain(cost.model.inputs)
    shown["by_month"] = [
        {"month": month.month, "opex": decimal_text(month.opex), "capex": decimal_text(month.capex), "currency": "USD"}
        for month in cost.model.cash
    ]
    return shown


def _serving(result: ServingResult) -> Json:
    body: Json = plain(result)
    for key in ("usd_per_million_input", "usd_per_million_output", "monthly"):
        body[key] = money_body(getattr(result, key), 4 if key.startswith("usd") else 2)
    return body


def money_body(money: Money, places: int = 2) -> Json:
    """Low, expected and high as decimal strings, and the currency."""
    amounts = {key: decimal_text(getattr(money, key), places) for key in ("low", "expected", "high")}
    return {**amounts, "currency": money.currency}


def decimal_text(value: float, places: int = 2) -> str:
    """An amount as a decimal string, never in exponent form."""
    return f"{value:.{places}f}"
