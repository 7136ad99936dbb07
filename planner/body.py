"""The JSON of an estimate: what `POST /api/v1/estimates` answers and `manage.py plan --json` prints.

By default it is short (`planner.weight`): the recommended option whole, the others by what one compares, and of assumptions
those that are not the usual ones. Fields that are left out are asked for with `expand`; none has two meanings.

Uncertain numbers are {low, expected, high, unit}. Money is never a JSON number: an amount is {amount, currency}, a band
{low, expected, high, currency}, all decimal text, in the currency of the plan and to its smallest unit. A number whose
`unit` begins with a currency (EUR/h) is an amount in that; prices as their sellers ask them, in US dollars, stay so (offers,
assumptions, inputs of the cost model, which names the rate as `fx_rate`).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from decimal import Decimal
from typing import Any, cast

from engine.answer import (
    Backing,
    CashMonth,
    Certainty,
    Change,
    Cost,
    CostInput,
    CostLine,
    Driver,
    Flip,
    Gate,
    Lever,
    Levers,
    Money,
    Nearest,
    Option,
    Part,
    ServingResult,
)
from engine.choice.backing import shares_of
from engine.inputs.assumptions import Assumption
from engine.inputs.currency import DIGITS, DOLLARS
from engine.inputs.finding import Finding, Sum, Value
from engine.inputs.origin import ORIGIN
from planner.asked import Issue, approval_text, request_text, signs_of
from planner.asked.backing import backing_text, first_end
from planner.asked.kinds import WORK
from planner.frozen.snapshot import Plan
from planner.frozen.snapshot import plain as as_hashed
from planner.money import accounts, ledger_body, views_body
from planner.presenters.currency import currency_of
from planner.presenters.voice import page_voice
from planner.rent_or_own import comparison, comparison_body
from planner.telling import told
from planner.weight import (
    EVERYTHING,
    MOST_ADVICE,
    MOST_ALTERNATIVES,
    MOST_DRIVERS,
    MOST_REJECTED,
    front_of,
    is_changed,
    shortened,
)

Json = dict[str, Any]
_MONEY = re.compile(r"((?!FTE)[A-Z]{3})(/(?![A-Z]{3}$).+)?")
"""A currency by its code, or a price in one for something: USD, USD/h, EUR; not EUR/USD, not people (FTE)."""


def plain(value: Any) -> Any:
    """Plain JSON values, each finding as its code and values with its text beside them; whose a number is as a text, whoever wrote it:
    there are dozens, and no program decides by them."""
    return as_hashed(value, _found)


def _found(found: Finding) -> Json | str:
    return told(found) if found.code.startswith(ORIGIN) else finding_body(found)


def finding_body(found: Finding) -> Json:
    """“text” says it in English; amounts among the values are decimal text."""
    return {
        "code": found.code,
        "text": told(found),
        "values": {name: _value_body(value) for name, value in found.values.items()},
    }


def _value_body(value: Value) -> Any:
    if isinstance(value, tuple):
        return [_value_body(item) for item in value]
    if isinstance(value, Sum):
        return unit_price_body(value.amount, value.currency)
    return plain(value)


def estimate_body(plan: Plan, *, expand: Collection[str] = EVERYTHING) -> Json:
    """The answer as plain JSON values, with those of its long parts whole that `expand` names."""
    answer, voice = plan.recommendation, page_voice(currency_of(plan).amount)
    return {
        "name": plan.name,
        "plan_sha256": plan.sha256,
        "feasible": answer.feasible,
        "as_of": plan.as_of.isoformat(),
        "start": plan.start.isoformat(),
        "headline": finding_body(answer.headline),
        "request": request_text(plan, voice),
        "approval": approval_text(plan, voice),
        "signs": plain(signs_of(plan, voice, Issue())),
        "model": plain(answer.model),
        **_accounts(plan, expand),
        "recommended": _recommended(answer.recommended, expand) if answer.recommended else None,
        "alternatives": _alternatives(answer.alternatives, expand),
        **_context(plan, expand),
    }


def _recommended(option: Option, expand: Collection[str]) -> Json:
    """The option whole; of the patterns in which its replicas could stand by the planned one, all where alternatives are asked for."""
    body = option_body(option, months="ledger" in expand)
    if "evidence" not in expand:
        body["basis"] = [one | {"rows": []} for one in body["basis"]]
    if "alternatives" not in expand and body.get("standing"):
        body["standing"]["patterns"] = [one for one in body["standing"]["patterns"] if one["chosen"]]
    return body


def _accounts(plan: Plan, expand: Collection[str]) -> Json:
    """What is owed, paid, booked, carried and worth, and the entries behind it; nothing where nothing is feasible."""
    found = accounts(plan)
    return {
        "money": found and views_body(found.views),
        "ways": _ways(plan, expand),
        "ledger": ledger_body(found.ledger.entries, whole="ledger" in expand) if found else [],
    }


def _ways(plan: Plan, expand: Collection[str]) -> Json | None:
    """The ways of having accelerators side by side and what follows, where they are asked for; None where there is one only."""
    found = comparison(plan)
    if found is None:
        return None
    told = [finding_body(item) for item in found.told] if "ways" in expand else []
    return comparison_body(found, whole="ways" in expand) | {"told": told}


def _alternatives(options: Sequence[Option], expand: Collection[str]) -> list[Json]:
    """All of them whole where they were asked for, else what one compares the best of them by, under the same names."""
    if "alternatives" in expand:
        return [option_body(option, months=True) for option in options]
    return [shortened(option, _compared(option.cost)) for option in options[:MOST_ALTERNATIVES]]


def _compared(cost: Cost) -> Json:
    """Of a cost what one compares by."""
    return {
        "total": money_body(cost.total),
        "at_confidence": amount_body(cost.at_confidence, cost.total.currency),
        "npv_at_confidence": amount_body(cost.npv_at_confidence, cost.total.currency),
    }


def _context(plan: Plan, expand: Collection[str]) -> Json:
    """Everything beside the options: front, refusals, drivers, advice, assumptions, currency, versions."""
    answer = plan.recommendation
    code = answer.currency.code
    keys = (
        "rejected",
        "certificates",
        "advice",
        "warnings",
        "searched",
        "checked",
        "catalog_release",
        "catalog_date",
        "engine_version",
        "currency",
        "obtaining",
    )
    shown: Json = {key: plain(getattr(answer, key)) for key in keys}
    if "advice" not in expand:
        shown["advice"] = shown["advice"][:MOST_ADVICE]
    if "rejected" not in expand:
        shown["rejected"] = shown["rejected"][:MOST_REJECTED]
    shown["backing"] = backing_body(plan, whole="evidence" in expand)
    shown["nearest"] = [_nearest(near) for near in answer.nearest]
    front = answer.frontier if "frontier" in expand else front_of(answer.frontier)
    shown["frontier"] = [_point(plain(point), code) for point in front]
    drivers = answer.drivers if "drivers" in expand else answer.drivers[:MOST_DRIVERS]
    shown["drivers"] = [_driver(_labelled(driver), code) for driver in drivers]
    shown["flips"] = [_measured(_labelled(flip), "now", "threshold") for flip in answer.flips]
    steps = (one for one in answer.certainty if "certainty" in expand or not one.between)
    shown["certainty"] = [_certainty(one, code) for one in steps]
    shown["levers"] = [_lever(lever) for lever in answer.levers]
    shown["gate"] = answer.gate and _gate(answer.gate, code)
    kept = (item for item in answer.assumptions if "assumptions" in expand or is_changed(item, plan.spec))
    shown["assumptions"] = [_measured(_meant(item), "value", "low", "high") for item in kept]
    return shown


def _meant(item: Assumption) -> Json:
    """The same with what it means in words; its code is the id beside it."""
    return cast(Json, plain(item)) | {"meaning": told(item.told)}


def backing_body(plan: Plan, *, whole: bool = True) -> Json:
    """On which kind of price what is paid rests: shares of it, and, where it is asked for whole, each part with the reason."""
    parts, code = plan.recommendation.backing, plan.recommendation.currency.code
    until = first_end(parts)
    return {
        "text": backing_text(plan, page_voice(currency_of(plan).amount)),
        "paid": amount_body(sum(part.amount for part in parts), code),
        "shares": plain(shares_of(parts)),
        "valid_until": until.isoformat() if until else None,
        "parts": [_labelled(part) | {"amount": amount_body(part.amount, code)} for part in parts if whole],
    }


def _certainty(one: Certainty, code: str) -> Json:
    """What one degree of confidence costs."""
    body: Json = plain(one)
    sums = {"cost": one.cost, "authorised": one.authorised}
    return body | {key: None if value is None else amount_body(value, code) for key, value in sums.items()}


def _gate(gate: Gate, code: str) -> Json:
    """What is measured before the money, and what each result releases."""
    body: Json = plain(gate)
    body |= {
        name: amount_body(getattr(gate, name), code) for name in ("fee", "left_budget", "worth", "least", "ceiling")
    }
    outcomes = [{**plain(one), "authorised": amount_body(one.authorised, code)} for one in gate.outcomes]
    return body | {"pays": gate.pays, "outcomes": outcomes}


def _nearest(near: Nearest) -> Json:
    """What to change, field by field, and what comes of it."""
    changes = [_change(change) for change in near.changes]
    return {"changes": changes, "told": [finding_body(found) for found in near.told], "text": told(near.told)}


def _lever(lever: Lever) -> Json:
    """What to change, what that costs and saves, and what it needs first."""
    sums = {"cost": money_body(lever.cost), "saving": money_body(lever.saving)}
    return {**plain(lever), **sums, "changes": [_change(change) for change in lever.changes]}


def levers_body(found: Levers | None) -> Json:
    """Everything that was weighed on request; empty where nothing is recommended."""
    if found is None:
        return {"cost": None, "levers": [], "idle": [], "signed": None}
    return {
        "cost": money_body(found.cost),
        "levers": [_lever(lever) for lever in found.levers],
        "idle": [_change(change) for change in found.idle],
        "signed": _lever(found.signed) if found.signed else None,
    }


def _change(change: Change) -> Json:
    return {
        "field": change.field,
        "now": None if change.now is None else _value_body(change.now),
        "needed": None if change.needed is None else _value_body(change.needed),
    }


def _point(point: Json, code: str) -> Json:
    return {**point, **{key: amount_body(point[key], code) for key in ("cost", "at_confidence", "npv_at_confidence")}}


def _driver(driver: Json, code: str) -> Json:
    """The ends of the input, and how far each moves the total."""
    changes = {key: amount_body(driver[key], code) for key in ("low_change", "high_change")}
    return _measured(driver, "low_value", "high_value") | changes


def _measured(body: Json, *names: str) -> Json:
    """The same with those numbers as amounts, when the unit beside them is one of money."""
    return body | {name: measured(body[name], body["unit"]) for name in names}


def measured(value: float, unit: str) -> Json | float:
    """An amount when the unit is a currency or a price in one, else the number; a rate of exchange is a number."""
    money = _MONEY.fullmatch(unit)
    return unit_price_body(value, money[1]) if money else plain(value)


def option_body(option: Option, *, months: bool) -> Json:
    """One option; money as decimal strings, serving results beside the rest. The months of the recommended one's cost are the
    ledger's, and come with that."""
    code = option.cost.total.currency
    body: Json = _with_amounts(plain(option), code)
    body["on_prem"], body["sure"] = option.on_prem or None, option.kept
    body["memory"]["parts"] = {part.key: part.value for part in option.memory.parts}
    body["time"] = [_labelled(part) for part in option.time]
    body["cost"] = _cost(option) | _by_month(option.cost if months else None)
    del body["serving"]
    return body | WORK[option.work].result(option, _serving)


def _called(item: CostInput | CostLine) -> Json:
    """The same with its label in words; the code of that is the name beside it, or with its values in `told`, if it has one."""
    body: Json = plain(item)
    if item.told is None:
        del body["told"]
    return body | {"label": told(item.label)}


def _labelled(item: Part | Driver | Flip | Backing) -> Json:
    """The same with its label in words; its code is the key beside it."""
    return cast(Json, plain(item)) | {"label": told(item.label)}


def _cost(option: Option) -> Json:
    cost = option.cost
    moneys = {key: getattr(cost, key) for key in ("total", "final_run", "cloud", "on_prem")}
    shown: Json = {key: money_body(value) if value else None for key, value in moneys.items()}
    code = cost.total.currency
    shown["break_even"] = _with_amounts(plain(cost.break_even), code)
    signed = ("total", "share", "rest", "drawn")
    shown["signed"] = plain(cost.signed) | {key: amount_body(getattr(cost.signed, key), code) for key in signed}
    shown["cash_needed"] = amount_body(cost.cash_needed, code)
    shown |= {key: amount_body(getattr(cost, key), code) for key in ("at_confidence", "npv", "npv_at_confidence")}
    shown["expected_holds"] = plain(cost.expected_holds)
    shown["price_per_accelerator_hour"] = amount_body(cost.price_per_accelerator_hour, code, places=4)
    shown["lines"] = [_line(_called(line)) for line in cost.model.lines]
    shown["inputs"] = [_measured(_called(item), "value", "low", "high") for item in cost.model.inputs]
    return shown


def _by_month(cost: Cost | None) -> Json:
    return {"by_month": [_month(month, cost.total.currency) for month in cost.model.cash]} if cost else {}


def _line(line: Json) -> Json:
    # while the work runs, on servers that were bought for it: one word of the contract for both
    if line["schedule"] == "used":
        line = line | {"schedule": "run"}
    if line["unit"] in DIGITS:
        return line | {"amount": amount_body(line["amount"], line["unit"])}
    return _measured(line, "amount")


def _month(month: CashMonth, code: str) -> Json:
    return {"month": month.month, "opex": amount_body(month.opex, code), "capex": amount_body(month.capex, code)}


AMOUNTS = frozenset(
    {
        "lost_cost",
        "cost_per_month",
        "cash_needed",
        "pattern_cost",
        "keep_cost",
        "at_confidence",
        "npv",
        "npv_at_confidence",
    }
)
"""Names of amounts in the plan's currency that stand in an answer as numbers."""
UNIT_PRICES = frozenset({"cloud_per_accelerator_hour", "rented_per_accelerator_hour"})
"""The same for prices of one unit, which are not rounded."""


def _with_amounts(value: Any, code: str) -> Any:
    """The same with amounts for numbers: those of the plan in its currency, those whose name says `usd` in dollars."""
    if isinstance(value, list):
        return [_with_amounts(item, code) for item in value]
    if not isinstance(value, dict):
        return value
    return {key: _amount_named(key, item, code) for key, item in value.items()}


def _amount_named(key: str, value: Any, code: str) -> Any:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return _with_amounts(value, code)
    if key in AMOUNTS:
        return amount_body(value, code)
    if key in UNIT_PRICES:
        return unit_price_body(value, code)
    return unit_price_body(value, DOLLARS.code) if "usd" in key else value


def _serving(result: ServingResult) -> Json:
    body: Json = plain(result)
    code = result.price_per_million_output.currency
    body["standing"] = _with_amounts(body["standing"], code)
    for key in ("price_per_million_input", "price_per_million_output"):
        body[key] = money_body(getattr(result, key), places=4)
    body["monthly"] = money_body(result.monthly) if result.monthly else None
    return body


def money_body(money: Money, *, places: int | None = None) -> Json:
    """Low, expected and high as decimal strings, and the currency."""
    digits = DIGITS[money.currency] if places is None else places
    amounts = {key: decimal_text(getattr(money, key), digits) for key in ("low", "expected", "high")}
    return {**amounts, "currency": money.currency}


def amount_body(value: float, currency: str, *, places: int | None = None) -> Json:
    """An amount of money, rounded to the smallest unit of its currency unless told otherwise."""
    return {"amount": decimal_text(value, DIGITS[currency] if places is None else places), "currency": currency}


def unit_price_body(value: float, currency: str) -> Json:
    """A price for one unit, which is not rounded: at least two decimals, at most twelve digits."""
    text = format(Decimal(str(plain(value))), "f")
    whole, _, part = text.partition(".")
    return {"amount": f"{whole}.{part:0<2}", "currency": currency}


def decimal_text(value: float, places: int) -> str:
    """An amount as a decimal string, never in exponent form."""
    return f"{value:.{places}f}"
