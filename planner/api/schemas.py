"""Where the body of an estimate differs from the dataclasses it is made of (planner/body.py), its schema does too."""

from __future__ import annotations

from dataclasses import is_dataclass
from typing import Any

from engine import answer as result
from engine.inputs import hardware
from planner.body import AMOUNTS, UNIT_PRICES
from rest.openapi import adjusts

Json = dict[str, Any]
_DECIMAL: Json = {"type": "string", "pattern": r"^-?[0-9]+\.[0-9]+$", "description": "Decimal text."}
_AMOUNT: Json = {"$ref": "#/components/schemas/Amount"}
_MEASURED: Json = {
    "anyOf": [_AMOUNT, {"type": "number"}],
    "description": "An amount when `unit` is a currency or a price in one, else a number.",
}


@adjusts
def estimates(schemas: dict[str, Json]) -> None:
    """Decimal text for money, memory by part, cost lines beside the totals, serving results beside the rest."""
    _recommendation(schemas["Recommendation"])
    # Each item of a batch is answered on its own, also one that is no spec at all.
    schemas["Batch"]["properties"]["items"]["items"] = {"anyOf": [{"$ref": "#/components/schemas/Spec"}, {}]}
    schemas["Amount"]["properties"]["amount"] = _DECIMAL
    for name in ("low", "expected", "high"):
        schemas["Money"]["properties"][name] = _DECIMAL
    _chart_points(schemas["Point"], schemas["Driver"])
    for kind, names in _WITH_UNITS.items():
        schemas[kind]["properties"] |= dict.fromkeys(names, _MEASURED)
    for kind in _answered():
        _amounts(schemas.get(kind, {}).get("properties", {}))
    schemas["Signed"]["properties"] |= dict.fromkeys(("total", "share", "rest"), _AMOUNT)
    cash = schemas["CashMonth"]["properties"]
    schemas["CashMonth"]["properties"] = {"month": cash["month"], "opex": _AMOUNT, "capex": _AMOUNT}
    schemas["Memory"]["properties"]["parts"] = {
        "type": "object",
        "additionalProperties": {"type": "number"},
        "description": "GB = 10⁹ byte by part.",
    }
    _cost(schemas["Cost"], schemas.pop("CostModel"))
    _option(schemas["Option"], schemas["ServingResult"])


_WITH_UNITS = {
    "CostLine": ("amount",),
    "CostInput": ("value", "low", "high"),
    "Assumption": ("value", "low", "high"),
    "Driver": ("low_value", "high_value"),
    "Flip": ("now", "threshold"),
}


def _answered() -> list[str]:
    """The names of the dataclasses that answers are made of."""
    return [name for module in (result, hardware) for name, kind in vars(module).items() if is_dataclass(kind)]


def _amounts(properties: Json) -> None:
    """The numbers that planner/body.py writes as amounts; bands are objects already."""
    for name, schema in properties.items():
        kinds = {schema.get("type"), *(part.get("type") for part in schema.get("anyOf", ()))}
        if ("usd" in name or name in AMOUNTS | UNIT_PRICES) and "number" in kinds:
            properties[name] = {"anyOf": [_AMOUNT, {"type": "null"}]} if "null" in kinds else _AMOUNT


def _chart_points(point: Json, driver: Json) -> None:
    """The cost of an option and the change of a total are amounts."""
    point["properties"]["cost"] = _AMOUNT
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
        "plan_sha256": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
        "as_of": {"type": "string", "format": "date", "description": "The day of the request."},
        "start": {"type": "string", "format": "date", "description": "First day of the work."},
    }
    schema["required"] += ["name", "request", "approval", "plan_sha256", "as_of", "start"]


def _cost(schema: Json, model: Json) -> None:
    parts = model["properties"]
    del schema["properties"]["model"]
    schema["properties"] |= {"inputs": parts["inputs"], "lines": parts["lines"], "by_month": parts["cash"]}
    schema["properties"]["price_per_accelerator_hour"] = _AMOUNT
    del schema["properties"]["signed"]["default"]  # amounts are objects, and are always there
    always = ["inputs", "lines", "by_month", "signed", "cash_needed"]
    schema["required"] = [name for name in schema["required"] if name != "model"] + always


def _option(schema: Json, serving: Json) -> None:
    """A service has its results beside the rest; a training run has none of them."""
    del schema["properties"]["serving"]
    schema["required"].remove("serving")
    schema["properties"]["on_prem"] = {"type": ["string", "null"], "description": "System that is bought or owned."}
    schema["properties"]["mfu"] = {"anyOf": [schema["properties"]["mfu"], {"type": "null"}]}
    schema["properties"] |= serving["properties"]
