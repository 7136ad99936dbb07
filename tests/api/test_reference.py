"""The reference: every operation with its fields, an example, curl and Python, and nothing from elsewhere."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest
from sextant_client import Sextant

from rest.shown import BYTES, fields_of, limits_of, type_of
from tests.api.described import OPERATIONS, SCHEMA


@pytest.fixture
def page(client: Any, db: None) -> str:
    """The reference as a visitor reads it."""
    response = client.get("/api/v1/docs")
    assert response.status_code == 200
    return html.unescape(response.content.decode())


def test_every_operation_is_shown_with_both_ways_to_send_it(page: str) -> None:
    for name, (method, path, operation) in OPERATIONS.items():
        part = page.partition(f'id="{name}"')[2].partition("</details>")[0]
        assert f"{method} /api/v1{path}" in part, name
        assert "curl -s" in part, name
        assert BYTES.get(name, f"api.{name}(") in part, name
        if "requestBody" in operation and "application/json" in operation["requestBody"]["content"]:
            assert "-d '{" in part or "--data-binary" in part, name


def test_a_file_is_shown_with_its_columns_and_a_parameter_with_what_it_may_be(page: str) -> None:
    part = page.partition('id="import_prices"')[2].partition("</details>")[0]
    assert "provider,instance,region,accelerator,count,option" in part
    part = page.partition('id="list_all_budget_lines"')[2].partition("</details>")[0]
    assert "one of json, focus-json, focus-csv, parquet" in part


def test_python_calls_what_the_client_has(page: str) -> None:
    called = set(re.findall(r"answer = api\.(\w+)\(", page))
    assert called == {name for name in called if hasattr(Sextant, name)} == set(OPERATIONS) - set(BYTES)
    assert all(hasattr(Sextant, re.findall(r"api\.(\w+)", line)[0]) for line in BYTES.values())


def test_every_field_is_shown(client: Any, db: None) -> None:
    page = html.unescape(client.get("/api/v1/schemas").content.decode())
    for name, schema in SCHEMA["components"]["schemas"].items():
        part = page.partition(f'<section class="part" id="{name}"')[2].partition("</section>")[0]
        assert [key for key in schema.get("properties", {}) if f"<code>{key}</code>" not in part] == [], name
    leads = set(re.findall(r"/api/v1/schemas#(\w+)", page))
    assert leads <= set(SCHEMA["components"]["schemas"])


def test_nothing_comes_from_elsewhere(page: str) -> None:
    assert re.findall(r"<script[^>]+src=.https?:", page) == []
    assert re.findall(r"<link[^>]+href=.https?:", page) == []


@pytest.mark.parametrize(
    ("schema", "kind", "limits"),
    [
        ({"type": "array", "items": {"$ref": "#/components/schemas/Part"}}, "list of Part", ""),
        ({"anyOf": [{"type": "string", "enum": ["a", "b"]}, {"type": "null"}]}, "string or null", "one of a, b"),
        ({"type": "number", "exclusiveMinimum": 0, "maximum": 5, "default": 1}, "number", "> 0; ≤ 5; default 1"),
    ],
)
def test_types_and_limits_in_words(schema: dict[str, Any], kind: str, limits: str) -> None:
    assert (type_of(schema), limits_of(schema)) == (kind, limits)
    assert fields_of({"properties": {"one": schema}, "required": ["one"]})[0]["required"] is True
