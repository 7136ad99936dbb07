"""Where the body of an estimate differs from the dataclasses it is made of (planner/body.py), its schema does too."""

from __future__ import annotations

from typing import Any

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
    offer = schemas["Offer"]["properties"]
    offer |= dict.fromkeys([name for name in offer if "usd_per_" in name], _AMOUNT)
    schemas["DataPath"]["properties"]["usd_per_month"] = _AMOUNT
    schemas["BreakEven"]["properties"]["cloud_usd_per_accelerator_hour"] = {"anyOf": [_AMOUNT, {"type": "null"}]}
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


def _chart_points(point: Json, driver: Json) -> None:
    """The cost of an option and the change of a total are amounts, under names that need no currency."""
    del point["properties"]["cost_usd"]
    point["properties"]["cost"] = _AMOUNT
    point["required"] = ["cost" if name == "cost_usd" else name for name in point["required"]]
    for end in ("low", "high"):
        del driver["properties"][f"{end}_usd"]
        driver["properties"][f"{end}_change"] = _AMOUNT
    driver["required"] = [name.replace("_usd", "_change") for name in driver["required"]]


def _recommendation(schema: Json) -> None:
    schema["title"] = "Estimate body"
    schema["properties"] |= {
        "name": {"type": "string"},
        "plan_sha256": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
    }
    schema["required"] += ["name", "plan_sha256"]


def _cost(schema: Json, model: Json) -> None:
    parts = model["properties"]
    del schema["properties"]["model"]
    schema["properties"] |= {"inputs": parts["inputs"], "lines": parts["lines"], "by_month": parts["cash"]}
    schema["properties"]["usd_per_accelerator_hour"] = _AMOUNT
    schema["required"] = [name for name in schema["required"] if name != "model"] + ["inputs", "lines", "by_month"]


def _option(schema: Json, serving: Json) -> None:
    """A service has its results beside the rest; a training run has none of them."""
    del schema["properties"]["serving"]
    schema["required"].remove("serving")
    schema["properties"]["on_prem"] = {"type": ["string", "null"], "description": "System that is bought or owned."}
    schema["properties"]["mfu"] = {"anyOf": [schema["properties"]["mfu"], {"type": "null"}]}
    schema["properties"] |= serving["properties"]
