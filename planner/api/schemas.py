"""Where the body of an estimate differs from the dataclasses it is made of (planner/body.py), its schema does too."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import is_dataclass
from typing import Any

from engine import answer as result
from engine.inputs import hardware
from engine.money.entries import VIEWS
from planner.body import AMOUNTS, UNIT_PRICES
from planner.rent_or_own import WAYS
from planner.weight import COMPARED, OFFERED
from rest.openapi import adjusts

Json = dict[str, Any]
_DECIMAL: Json = {"type": "string", "pattern": r"^-?[0-9]+(\.[0-9]+)?$", "description": "Decimal text."}
_AMOUNT: Json = {"$ref": "#/components/schemas/Amount"}
_MEASURED: Json = {
    "anyOf": [_AMOUNT, {"type": "number"}],
    "description": "An amount when `unit` is a currency or a price in one, else a number.",
}

_CODE: Json = {"type": "string", "description": "ISO 4217."}
_CASH: Json = {
    "type": "object",
    "properties": {
        "month": {"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}$", "description": "Calendar month."},
        "amount": _DECIMAL,
        "currency": _CODE,
    },
    "required": ["month", "amount", "currency"],
}
_SUMS = {
    "committed": "Newly owed from the signature on, whether it is used or not: a stock. What draws a spend commitment is owed already.",
    "expense": "What the books show, by `policy`.",
    "allocated": "The part of the expense that this work carries.",
    "others": "The part that other work uses, as the request states it.",
    "idle": "The part of it that nobody uses.",
    "economic": "What this work carries with the cost of capital: the headline.",
    "npv": "Dated cash discounted to `as_of`: actual/365, effective annual `rate`.",
}
_POOL = {
    "left": "What is left of it on the day of the request: drawn + others + unused.",
    "drawn": "By this work, of what nobody else would draw.",
    "others": "By other work, as the request states it.",
    "unused": "By nobody: paid all the same.",
}
_VIEWS: Json = {
    "type": "object",
    "properties": {
        **{name: {**_AMOUNT, "description": text} for name, text in _SUMS.items()},
        "cash": {"type": "array", "items": _CASH, "description": "What leaves the account, by calendar month."},
        "rate": {"type": "number", "description": "Cost of capital, effective a year: 0.1 is 10 %."},
        "as_of": {"type": "string", "format": "date", "description": "The day to which `npv` is discounted."},
        "policy": {"type": "string", "description": "Code of the accounting policy by which the books show it."},
        "pool": {
            "type": "object",
            "description": "The spend commitment that this work draws on, signed before it; absent where there is none.",
            "properties": {
                "until": {"type": "string", "format": "date", "description": "Its last day."},
                **{name: {**_AMOUNT, "description": text} for name, text in _POOL.items()},
            },
            "required": ["until", *_POOL],
        },
    },
    "required": [*_SUMS, "cash", "rate", "as_of", "policy"],
}
_BACKING: Json = {
    "type": "object",
    "description": "On which kind of price what is paid rests.",
    "properties": {
        "text": {"type": "string", "description": "The same in a sentence; empty in plans made before it was kept."},
        "paid": {**_AMOUNT, "description": "What is paid in all: of a purchase or a commitment all of it."},
        "shares": {
            "type": "object",
            "description": "Shares of what is paid, by what stands behind the price; together 1.",
            "properties": {
                "quoted": {"type": "number", "description": "Quotes to the team that hold on the day they are needed."},
                "public": {"type": "number", "description": "List prices that anybody can buy at."},
                "indicative": {"type": "number", "description": "Spot, ranges, comparisons, old prices, assumptions."},
            },
            "required": ["quoted", "public", "indicative"],
        },
        "valid_until": {
            "anyOf": [{"type": "string", "format": "date"}, {"type": "null"}],
            "description": "The first day on which a quote that counts ends.",
        },
        "parts": {
            "type": "array",
            "items": {"$ref": "#/components/schemas/Backing"},
            "description": "Each line that is paid with what stands behind its price; none unless `expand` names `evidence`.",
        },
    },
    "required": ["text", "paid", "shares", "valid_until", "parts"],
}
_MONEY: Json = {
    "anyOf": [_VIEWS, {"type": "null"}],
    "description": "Views of the recommended option’s money; no two are added together.",
}
_SIGN: Json = {
    "type": "object",
    "properties": {
        "key": {"type": "string", "description": "What the row is about, as a word that stays the same."},
        "label": {"type": "string", "description": "The same, for people."},
        "text": {"type": "string", "description": "What is signed, in words."},
    },
    "required": ["key", "label", "text"],
}
_WAY: Json = {
    "type": "object",
    "description": "One way of having accelerators, at its best option.",
    "properties": {
        "way": {
            "enum": list(WAYS),
            "description": "By the hour, for a term, leased, bought, rented until what is bought comes, there already, or by the token.",
        },
        "option_id": {
            "type": ["string", "null"],
            "description": "The option that stands for it; null for a hosted API.",
        },
        "chosen": {"type": "boolean", "description": "Is it what the plan recommends?"},
        "kept": {"type": "boolean", "description": "Does it keep what was asked, but for the budget?"},
        "committed": {**_AMOUNT, "description": "Newly owed from the signature on."},
        "cash": {**_AMOUNT, "description": "All that leaves the account, less what comes back."},
        "npv": {
            **_AMOUNT,
            "description": "Present value of what this work pays, with the sale that a kept asset forgoes.",
        },
        "saved": {
            **_AMOUNT,
            "description": "By how much that is less than of the recommended way; below zero where it is more.",
        },
        "payback_months": {
            "type": ["integer", "null"],
            "description": "Calendar months after which it stays no dearer than `against`; null where it never does, and for that.",
        },
        "irr": {
            "type": ["number", "null"],
            "description": "Effective annual rate that what it pays more first earns by what it saves later, instead of `against`.",
        },
        "break_even_use": {
            "type": ["number", "null"],
            "description": "Share of its hours from which on they cost no more than rented ones; above 1 where none suffices.",
        },
        "chance": {
            "type": ["number", "null"],
            "description": "Probability that it keeps all limits; null where none is set.",
        },
    },
}
_WAY["required"] = list(_WAY["properties"])
_WAYS: Json = {
    "anyOf": [
        {
            "type": "object",
            "properties": {
                "against": {
                    "enum": list(WAYS),
                    "description": "What payback, rate of return and break-even are held against.",
                },
                "rate": {"type": "number", "description": "Effective annual rate of the present values."},
                "as_of": {"type": "string", "format": "date", "description": "The day to which they are discounted."},
                "ways": {"type": "array", "items": _WAY, "description": "None unless `expand` names `ways`."},
                "told": {
                    "type": "array",
                    "items": {"$ref": "#/components/schemas/Finding"},
                    "description": "The verdict, and what keeping forgoes; likewise.",
                },
            },
            "required": ["against", "rate", "as_of", "ways", "told"],
        },
        {"type": "null"},
    ],
    "description": "Ways of having accelerators on the same work side by side; null where there is one only.",
}
_ENTRY: Json = {
    "type": "object",
    "properties": {
        "date": {"type": "string", "format": "date", "description": "The day of the entry; of a sum its last one."},
        "view": {"enum": list(VIEWS), "description": "Which of the views it is a part of."},
        "amount": _DECIMAL,
        "currency": _CODE,
        "line": {"type": "string", "description": "Name of the line of the cost model; empty in a sum by contract."},
        "contract": {"type": "string", "description": "By which contract it is owed."},
    },
    "required": ["date", "view", "amount", "currency", "line", "contract"],
}


_LEDGER: Json = {
    "type": "array",
    "items": _ENTRY,
    "description": "The dated entries that those views are sums of; those of a long plan by calendar year, by line, or by contract "
    "(`line` is empty then), unless `expand` names the ledger.",
}


@adjusts
def estimates(schemas: dict[str, Json]) -> None:
    """Decimal text for money, memory by part, cost lines beside the totals, serving results beside the rest."""
    _recommendation(schemas["Recommendation"])
    schemas["Amount"]["properties"]["amount"] = _DECIMAL
    for name in ("low", "expected", "high"):
        schemas["Money"]["properties"][name] = _DECIMAL
    del schemas["Money"]["properties"]["currency"]["default"]  # a band always says its own
    schemas["Money"]["required"].append("currency")
    _labels(schemas)
    _chart_points(schemas["Point"], schemas["Driver"])
    for kind, names in _WITH_UNITS.items():
        schemas[kind]["properties"] |= dict.fromkeys(names, _MEASURED)
    for kind in _answered():
        _amounts(schemas.get(kind, {}).get("properties", {}))
    schemas["Signed"]["properties"] |= dict.fromkeys(("total", "share", "rest", "drawn"), _AMOUNT)
    cash = schemas["CashMonth"]["properties"]
    schemas["CashMonth"]["properties"] = {"month": cash["month"], "opex": _AMOUNT, "capex": _AMOUNT}
    schemas["Memory"]["properties"]["parts"] = {
        "type": "object",
        "additionalProperties": {"type": "number"},
        "description": "GB = 10⁹ byte by part.",
    }
    _cost(schemas["Cost"], schemas.pop("CostModel"))
    _option(schemas["Option"], schemas["ServingResult"])
    _alternatives(schemas)
    _findings(schemas)
    _sources(schemas)
    _certain(schemas)
    _gates(schemas)
    schemas["Backing"]["properties"]["amount"] = _AMOUNT


def _labels(schemas: dict[str, Json]) -> None:
    """What is called something says it in words."""
    for kind in ("Part", "Driver", "Flip", "Backing", "CostLine", "CostInput"):
        schemas[kind]["properties"]["label"] = {"type": "string"}
    for kind in ("CostLine", "CostInput"):
        schemas[kind]["required"].append("label")
    # The words of today, where a plan has none of its own.
    schemas["Assumption"]["properties"]["meaning"] = {
        "type": "string",
        "description": "What it stands for, in English.",
    }
    schemas["Assumption"]["required"].append("meaning")


_WITH_UNITS = {
    "CostLine": ("amount",),
    "CostInput": ("value", "low", "high"),
    "Assumption": ("value", "low", "high"),
    "Driver": ("low_value", "high_value"),
    "Flip": ("now", "threshold"),
}


def _findings(schemas: dict[str, Json]) -> None:
    """A finding comes with its text; a sum among its values is an amount like any other."""
    finding, sum_ = schemas["Finding"], schemas.pop("Sum")
    del finding["properties"]["about"]
    finding["properties"]["text"] = {"type": "string", "description": "The finding in English."}
    finding["required"] = ["code", "text", "values"]
    assert set(sum_["properties"]) == set(schemas["Amount"]["properties"])
    for owner in (finding["properties"]["values"], *schemas["Change"]["properties"].values()):
        _with_amounts(owner)
    schemas["Lever"]["required"] = list(schemas["Lever"]["properties"])
    near = schemas["Nearest"]
    near["properties"]["text"] = {"type": "string", "description": "What to change and what comes of it, in English."}
    near["required"] = ["changes", "told", "text"]


def _sources(schemas: dict[str, Json]) -> None:
    """Whose a number is comes as a text, whether somebody else wrote it or it is a ground of our own."""
    for schema in schemas.values():
        said = schema.get("properties", {}).get("source", {})
        if "anyOf" in said:
            schema["properties"]["source"] = {"type": "string", "description": said.get("description", "Who says so.")}


def _with_amounts(schema: Any) -> None:
    """References to a sum as references to an amount, however deep."""
    if isinstance(schema, list):
        for item in schema:
            _with_amounts(item)
    elif isinstance(schema, dict):
        if schema.get("$ref") == "#/components/schemas/Sum":
            schema["$ref"] = "#/components/schemas/Amount"
        for item in schema.values():
            _with_amounts(item)


def _answered() -> list[str]:
    """The names of the dataclasses that answers are made of."""
    return [name for module in (result, hardware) for name, kind in vars(module).items() if is_dataclass(kind)]


def _amounts(properties: Json) -> None:
    """The numbers that planner/body.py writes as amounts; bands are objects already."""
    for name, schema in properties.items():
        kinds = {schema.get("type"), *(part.get("type") for part in schema.get("anyOf", ()))}
        if ("usd" in name or name in AMOUNTS | UNIT_PRICES) and "number" in kinds:
            properties[name] = {"anyOf": [_AMOUNT, {"type": "null"}]} if "null" in kinds else _AMOUNT


_CONFIDENCE = "#/components/schemas/Confidence"


def _certain(schemas: dict[str, Json]) -> None:
    """What a confidence costs is an amount, and a request may give one number for how sure it must be."""
    for name in ("cost", "authorised"):
        schemas["Certainty"]["properties"][name] = {"anyOf": [_AMOUNT, {"type": "null"}]}
    asked = schemas["Spec"]["properties"]["confidence"]
    one = {key: value for key, value in schemas["Confidence"]["properties"]["all"].items() if key != "default"}
    schemas["Spec"]["properties"]["confidence"] = {**asked, "anyOf": [one, {"$ref": asked.get("$ref", _CONFIDENCE)}]}
    for whole in ("$ref", "allOf"):  # else only an object could be given
        schemas["Spec"]["properties"]["confidence"].pop(whole, None)


def _gates(schemas: dict[str, Json]) -> None:
    """What a gate costs, releases and is worth are amounts; whether it pays is said with it."""
    gate = schemas["Gate"]["properties"]
    gate |= dict.fromkeys(("fee", "left_budget", "worth", "least", "ceiling"), _AMOUNT)
    gate["pays"] = {"type": "boolean", "description": "Is measuring first worth what it costs?"}
    schemas["Gate"]["required"] = list(gate)
    schemas["Outcome"]["properties"]["authorised"] = _AMOUNT


def _chart_points(point: Json, driver: Json) -> None:
    """What an option costs and the change of a total are amounts."""
    point["properties"] |= dict.fromkeys(("cost", "at_confidence", "npv_at_confidence"), _AMOUNT)
    point["required"] += ["at_confidence", "npv_at_confidence"]
    driver["properties"] |= {"low_change": _AMOUNT, "high_change": _AMOUNT}


def _recommendation(schema: Json) -> None:
    schema["title"] = "Estimate body"
    schema["properties"] |= {
        "name": {"type": "string"},
        "request": {"type": "string", "description": "What was asked for, in sentences."},
        "approval": {
            "type": "string",
            "description": "What is asked of whoever approves: what to sign, and this work’s share.",
        },
        "signs": {
            "type": "array",
            "items": _SIGN,
            "description": "What is signed, row by row: owed, paid when, carried, on leaving early, valid until.",
        },
        "plan_sha256": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
        "as_of": {"type": "string", "format": "date", "description": "The day of the request."},
        "start": {"type": "string", "format": "date", "description": "First day of the work."},
    }
    schema["properties"] |= {"money": _MONEY, "ways": _WAYS, "ledger": _LEDGER, "backing": _BACKING}
    schema["required"] += ["name", "request", "approval", "signs", "plan_sha256", "as_of", "start", "money", "ledger"]
    schema["required"] += ["backing", "obtaining", "ways"]


def _cost(schema: Json, model: Json) -> None:
    parts = model["properties"]
    del schema["properties"]["model"]
    schema["properties"] |= {"inputs": parts["inputs"], "lines": parts["lines"], "by_month": parts["cash"]}
    schema["properties"]["price_per_accelerator_hour"] = _AMOUNT
    del schema["properties"]["signed"]["default"]  # amounts are objects, and are always there
    always = ["inputs", "lines", "signed", "cash_needed", "at_confidence", "npv", "npv_at_confidence", "expected_holds"]
    schema["required"] = [name for name in schema["required"] if name != "model"] + always


def _alternatives(schemas: dict[str, Json]) -> None:
    """An alternative is an option of which some fields always come and the others when they are asked for."""
    for name, whole, always in (
        ("Alternative", "Option", (*COMPARED, "on_prem", "offer", "cost")),
        ("AlternativeCost", "Cost", ("total", "at_confidence", "npv_at_confidence")),
        ("AlternativeOffer", "Offer", OFFERED),
    ):
        schemas[name] = _part_of(schemas[whole], name, always)
    fields = schemas["Alternative"]["properties"]
    fields["cost"] = {"$ref": "#/components/schemas/AlternativeCost"}
    fields["offer"] = {"anyOf": [{"$ref": "#/components/schemas/AlternativeOffer"}, {"type": "null"}]}
    schemas["Recommendation"]["properties"]["alternatives"]["items"] = {"$ref": "#/components/schemas/Alternative"}


def _part_of(whole: Json, name: str, always: Iterable[str]) -> Json:
    """The same fields, of which only those are always there."""
    return {
        "title": name,
        "type": "object",
        "description": f"{whole['description'].split('.')[0]}: what one compares by, and with `expand` the rest.",
        "properties": {key: dict(value) for key, value in whole["properties"].items()},
        "required": [key for key in whole["properties"] if key in set(always)],
    }


def _option(schema: Json, serving: Json) -> None:
    """A service has its results beside the rest; a training run has none of them."""
    del schema["properties"]["serving"]
    schema["required"].remove("serving")
    schema["properties"]["on_prem"] = {"type": ["string", "null"], "description": "System that is bought or owned."}
    schema["properties"]["mfu"] = {"anyOf": [schema["properties"]["mfu"], {"type": "null"}]}
    schema["properties"] |= serving["properties"]
