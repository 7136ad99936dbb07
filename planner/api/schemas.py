"""Where the body of an estimate differs from the dataclasses it is made of (planner/body.py), its schema does too."""

from __future__ import annotations

from typing import Any

from rest.openapi import adjusts

Json = dict[str, Any]
_AMOUNT: Json = {"type": "string", "pattern": r"^-?[0-9]+\.[0-9]+$", "description": "Decimal text."}


@adjusts
def estimates(schemas: dict[str, Json]) -> None:
    """Decimal text for money, memory by part, cost lines beside the totals, serving results beside the rest."""
    _recommendation(schemas["Recommendation"])
    # Each item of a batch is answered on its own, also one that is no spec at all.
    schemas["Batch"]["properties"]["items"]["items"] = {"anyOf": [{"$ref": "#/components/schemas/Spec"}, {}]}
    for name in ("low", "expected", "high"):
        schemas["Money"]["properties"][name] = _AMOUNT
    schemas["CashMonth"]["properties"] |= {"opex": _AMOUNT, "capex": _AMOUNT, "currency": {"type": "string"}}
    schemas["CostLine"]["properties"]["amount"] = {"anyOf": [_AMOUNT, {"type": "number"}]}
    schemas["Memory"]["properties"]["parts"] = {
        "type": "object",
        "additionalProperties": {"type": "number"},
        "description": "GB = 10⁹ byte by part.",
    }
    _cost(schemas["Cost"], schemas.pop("CostModel"))
    _option(schemas["Option"], schemas["ServingResult"])


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
