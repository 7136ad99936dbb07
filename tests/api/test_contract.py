"""What the description owes to readers by machine: names, words, closed lists, webhooks, and nothing that has gone stale."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from config.choices import CHOICES
from config.events import example
from config.meanings import MEANINGS, PARAMETERS
from rest import parts
from rest.meanings import undescribed
from tests.api.described import OPERATIONS, SCHEMA, breaks
from tests.api.support import SERVING, TRAINING, Api
from webhooks.message import body_of
from webhooks.models import Delivery
from webhooks.outbox import TEST, TYPES

SCHEMAS: dict[str, Any] = SCHEMA["components"]["schemas"]
PROPERTIES = [
    (name, key, field) for name, schema in SCHEMAS.items() for key, field in schema.get("properties", {}).items()
]
STATES = ("state", "status", "kind", "mode", "role", "way", "tier", "bound", "level", "format", "method", "confidence")
FREE = {
    ("ProblemBody", "status"),
    ("BatchItem", "status"),
    ("AttemptBody", "status"),
    ("Ssm", "state"),
    ("Ref", "kind"),
    ("Spec", "confidence"),
    ("Certainty", "confidence"),
    ("SsmPatch", "state"),
    ("SpecPatch", "confidence"),
    ("SpecAsTyped", "confidence"),
}
"""Numbers, widths, a kind of thing that grows with the catalog, and a chance; also where they are changed or typed."""
OPEN = {
    "SpecAsTyped": "what a person typed, which may not be readable yet",
    "EventBody.data": "the audit log: what belongs to a verb, and verbs are added",
    "Operation.value": "any JSON, by RFC 6902",
    "SpecText.config": "a config.json as the maker of a model wrote it",
    "parse_model": "a config.json as the maker of a model wrote it",
}
"""Where no shape can be told, and why."""


def faults(schema: Any, value: Any) -> list[str]:
    """What that value breaks of that schema, whose references lead into the description."""
    whole = {**schema, "components": SCHEMA["components"]} if isinstance(schema, dict) else schema
    return breaks(whole, value)


def test_every_schema_has_a_name_of_its_own() -> None:
    titles = Counter(schema["title"] for schema in SCHEMAS.values())
    assert [title for title, count in titles.items() if count > 1] == []
    assert all(schema["title"] == name and name.isidentifier() for name, schema in SCHEMAS.items())


def test_every_property_says_what_it_means() -> None:
    assert len(PROPERTIES) > 1_000
    assert undescribed(SCHEMAS) == []
    assert [f"{name}.{key}" for name, key, field in PROPERTIES if not field["description"].strip().endswith((".", "?", "]"))
            and not field["description"].endswith(")")] == []  # fmt: skip


def test_every_parameter_says_what_it_means() -> None:
    operations = [operation for methods in SCHEMA["paths"].values() for operation in methods.values()]
    silent = [f"{one['operationId']}.{parameter['name']}" for one in operations for parameter in one["parameters"]
              if not parameter.get("description")]  # fmt: skip
    assert silent == []
    meant = {key for one in operations for parameter in one["parameters"]
             for key in (parameter["name"], f"{one['operationId']}.{parameter['name']}")}  # fmt: skip
    assert PARAMETERS.keys() <= meant


def test_a_number_with_a_unit_says_it_in_words_too() -> None:
    silent = [f"{name}.{key}" for name, key, field in PROPERTIES
              if field.get("x-unit") and f"[{field['x-unit']}]" not in field["description"]]  # fmt: skip
    assert silent == []


def test_no_meaning_is_kept_for_what_has_gone() -> None:
    places = {f"{name}.{key}" for name, key, _ in PROPERTIES}
    names = {key for _, key, _ in PROPERTIES}
    assert [entry for entry in MEANINGS if entry not in (places if "." in entry else names)] == []
    assert [entry for entry in CHOICES if entry not in places] == []


def test_states_and_kinds_are_closed_lists() -> None:
    open_ = [
        (name, key)
        for name, key, field in PROPERTIES
        if key in STATES and (name, key) not in FREE and not _closed(field)
    ]
    assert open_ == []


def _closed(field: dict[str, Any]) -> bool:
    parts = field.get("anyOf", [field])
    return all("enum" in part or "const" in part or "$ref" in part or part.get("type") == "null" for part in parts)


def test_numbers_say_how_wide_they_are() -> None:
    numbers = [part for part in _parts(SCHEMA) if part.get("type") in ("number", "integer") and "example" not in part]
    assert len(numbers) > 300
    assert {(part["type"], part.get("format")) for part in numbers} == {("number", "double"), ("integer", "int64")}


def test_it_uses_no_keyword_that_json_schema_lacks() -> None:
    assert [word for word in ('"ge":', '"gt":', '"le":', '"lt":') if word in json.dumps(SCHEMA)] == []
    arrays = [
        part for part in _parts(SCHEMA) if part.get("type") == "array" and not {"items", "prefixItems"} & part.keys()
    ]
    assert arrays == []


def test_of_no_two_values_a_generator_makes_one_constant() -> None:
    lists = [part for part in _parts(SCHEMA) if isinstance(part.get("enum"), list)]
    assert len(lists) > 50
    for part in lists:
        names = part.get("x-enum-varnames", [re.sub(r"\W", "_", str(value)).upper() for value in part["enum"]])
        assert len(set(names)) == len(part["enum"]), part
    assert any("x-enum-varnames" in part for part in lists)  # the two names that one format has


def _parts(value: Any) -> Any:
    if isinstance(value, dict):
        yield value
        for item in value.values():
            yield from _parts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _parts(item)


def _shapeless(part: Any, path: str) -> list[str]:
    """Where any object, or anything at all, is described."""
    if isinstance(part, list):
        return [place for item in part for place in _shapeless(item, path)]
    if not isinstance(part, dict):
        return []
    kinds = part.get("type", ())
    told = {"properties", "$ref", "anyOf", "allOf", "oneOf", "enum", "const"} & part.keys()
    of_what = isinstance(part.get("additionalProperties"), dict) and part["additionalProperties"]
    anything = not told and not kinds
    found = [path] if anything or ("object" in kinds and not told and not of_what) else []
    for key in ("anyOf", "allOf", "oneOf", "items", "prefixItems"):
        found += _shapeless(part[key], path) if key in part else []
    for key, field in part.get("properties", {}).items():
        found += _shapeless(field, f"{path}.{key}")
    return found + (_shapeless(part["additionalProperties"], path) if of_what else [])


def test_every_body_and_answer_has_its_shape() -> None:
    """No bare object and no empty schema, but where nobody can know; each of those exceptions is still one.

    A part of an answer holds what was asked for, and is therefore described by the fields that can be.
    """
    bodies = [
        (name, content["schema"])
        for name, (_, _, operation) in OPERATIONS.items()
        for one in (operation.get("requestBody", {}), *operation["responses"].values())
        for media, content in one.get("content", {}).items()
        if media != parts.MEDIA
    ]
    open_ = {place for name, schema in (*SCHEMAS.items(), *bodies) for place in _shapeless(schema, name)}
    assert {
        next((one for one in OPEN if place == one or place.startswith(f"{one}.")), place) for place in open_
    } == set(OPEN)


@pytest.mark.parametrize("spec", [TRAINING, SERVING])
def test_a_patch_may_take_away_and_change_whatever_a_request_has(spec: Any) -> None:
    patch = {"$ref": "#/components/schemas/SpecPatch"}
    assert faults(patch, spec) == []
    assert faults(patch, {}) == []
    for place, value in _leaves(spec):
        assert faults(patch, _nested(place, None)) == [], place
        assert faults(patch, _nested(place, [value])) != [], place


def _leaves(value: Any, path: tuple[str, ...] = ()) -> Any:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _leaves(item, (*path, key))
    else:
        yield path, value


def _nested(path: tuple[str, ...], value: Any) -> Any:
    for key in reversed(path):
        value = {key: value}
    return value


@pytest.mark.parametrize("confidence", [0.9, {"all": 0.9}])
def test_how_sure_may_be_a_chance_or_one_for_each_limit(confidence: Any) -> None:
    assert faults({"$ref": "#/components/schemas/Spec"}, {**TRAINING, "confidence": confidence}) == []


def test_no_schema_has_the_name_of_what_makes_another_one() -> None:
    """Go and others call that `NewX`; and files of one name in upper and lower case are one file on many machines."""
    assert [name for name in SCHEMAS if name.startswith("New") and name[3:] in SCHEMAS] == []
    assert len({name.lower() for name in SCHEMAS}) == len(SCHEMAS)


def test_what_is_sent_has_groups_of_its_own() -> None:
    """Generators write a file for each group; one that both sides use would be written over."""
    sent = {tag for item in SCHEMA["webhooks"].values() for tag in item["post"]["tags"]}
    assert not sent & {tag for _, _, operation in OPERATIONS.values() for tag in operation["tags"]}


def test_groups_servers_and_headers_are_declared() -> None:
    declared = {tag["name"] for tag in SCHEMA["tags"]}
    told = [item["post"] for item in SCHEMA["webhooks"].values()]
    used = {tag for operation in (*(one[2] for one in OPERATIONS.values()), *told) for tag in operation["tags"]}
    assert used == declared
    assert SCHEMA["servers"]
    for name, (_, _, operation) in OPERATIONS.items():
        match = [item for item in operation["parameters"] if item["name"] == "If-Match"]
        if match and "201" not in operation["responses"]:
            assert match[0]["required"], name


@pytest.mark.parametrize("type_", [*TYPES, TEST])
def test_an_event_is_described_by_an_example_that_fits(type_: str) -> None:
    sent = SCHEMA["webhooks"][type_]["post"]["requestBody"]["content"]["application/json"]
    assert sent["example"] == example(type_)
    assert faults(sent["schema"], sent["example"]) == []


@pytest.mark.parametrize("figures", [False, True])
def test_what_is_really_sent_fits_too(quick_engine: None, alice: Api, petra: Api, paula: Api, figures: bool) -> None:
    hook = {"name": "All", "url": "https://hooks.example/all", "events": list(TYPES), "figures": figures}
    made = alice.post("/webhooks", hook)
    assert made.status_code == 201, made.content
    plan = petra.post("/plans", TRAINING).json()["id"]
    for caller, step in ((petra, "submit"), (petra, "withdraw"), (petra, "submit"), (paula, "approve")):
        assert caller.post(f"/plans/{plan}/versions/1/approvals", {"action": step}).status_code == 200
    tag = petra.get(f"/plans/{plan}")["ETag"]
    assert petra.delete(f"/plans/{plan}", If_Match=tag).status_code == 204
    messages = [json.loads(body_of(row)) for row in Delivery.objects.order_by("pk")]
    assert len({message["type"] for message in messages}) == 5
    for message in messages:
        schema = SCHEMA["webhooks"][message["type"]]["post"]["requestBody"]["content"]["application/json"]["schema"]
        assert faults(schema, message) == []
        assert ("figures" in message["data"]) is figures
        told = SCHEMAS[schema["properties"]["data"]["$ref"].rpartition("/")[2]]["properties"]
        assert set(message["data"]) == set(told) - (set() if figures else {"figures"})


def test_the_client_is_told_the_same_version() -> None:
    text = (Path(__file__).parents[2] / "client/pyproject.toml").read_text(encoding="utf-8")
    assert f'version = "{SCHEMA["info"]["version"]}"' in text
