"""The description: committed, valid, and of one shape with what is answered."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import call_command
from django.test import Client

from tests.api.described import breaks
from tests.api.support import SERVING, TRAINING, Api

FILE = Path(__file__).parents[2] / "docs/openapi.json"


@pytest.fixture(scope="module")
def schema() -> dict[str, Any]:
    """The committed description."""
    found: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


def test_it_works(client: Client, db: None, schema: dict[str, Any]) -> None:
    served: Any = client.get("/api/v1/openapi.json")
    assert served.status_code == 200
    assert served.json()["openapi"].startswith("3.1")


def test_the_committed_file_is_what_is_served() -> None:
    printed = StringIO()
    call_command("openapi", stdout=printed)
    assert printed.getvalue() == FILE.read_text(encoding="utf-8"), (
        "run `manage.py openapi --write` and look at the change"
    )


def test_it_can_be_had_as_yaml(client: Client, db: None, schema: dict[str, Any]) -> None:
    served: Any = client.get("/api/v1/openapi.yaml")
    assert served["Content-Type"] == "application/yaml"
    assert yaml.safe_load(served.content) == schema


def test_links_lead_to_operations_and_their_parameters(schema: dict[str, Any]) -> None:
    operations = {item["operationId"]: item for methods in schema["paths"].values() for item in methods.values()}
    links = [link for item in operations.values() for answer in item["responses"].values()
             for link in answer.get("links", {}).values()]  # fmt: skip
    assert len(links) > 40
    for link in links:
        parameters = {item["name"] for item in operations[link["operationId"]]["parameters"] if item["in"] == "path"}
        assert link["parameters"].keys() == parameters, link


def test_it_is_valid(schema: dict[str, Any]) -> None:
    from openapi_spec_validator import OpenAPIV31SpecValidator  # takes seconds to import (tests/api/described.py)

    assert [error.message for error in OpenAPIV31SpecValidator(schema).iter_errors()] == []


def test_every_operation_has_a_name_of_its_own_and_a_token(schema: dict[str, Any]) -> None:
    operations = [operation for methods in schema["paths"].values() for operation in methods.values()]
    names = [operation["operationId"] for operation in operations]
    assert len(names) == len(set(names))
    assert all(operation["security"] == [{"Bearer": operation["security"][0]["Bearer"]}] for operation in operations)
    assert all(operation["description"] for operation in operations)


def test_units_and_limits_come_from_the_fields(schema: dict[str, Any]) -> None:
    tokens = schema["components"]["schemas"]["Training"]["properties"]["tokens"]
    assert tokens["x-unit"] == "token"
    assert (tokens["minimum"], tokens["maximum"]) == (0, 1e17)
    assert schema["components"]["schemas"]["Spec"]["additionalProperties"] is False


@pytest.mark.parametrize("spec", [TRAINING, SERVING, {**TRAINING, "name": "infeasible"}])
def test_an_estimate_is_as_described(quick_engine: None, petra: Api, schema: dict[str, Any], spec: Any) -> None:
    described = {"$ref": "#/components/schemas/Recommendation", "components": schema["components"]}
    body = petra.post("/estimates", spec).json()
    assert breaks(described, body) == []
    assert set(body) <= set(schema["components"]["schemas"]["Recommendation"]["properties"])


def test_no_money_is_a_float(schema: dict[str, Any]) -> None:
    for name in ("Money", "Amount", "BudgetLine", "CashMonth", "PriceBody"):
        for key, field in schema["components"]["schemas"][name]["properties"].items():
            assert field.get("type") != "number", (name, key)
