"""A client of the release before works on this server: what it sends is taken, what it read is there and of the same kind."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest

from tests.api import recorded
from tests.api.described import OPERATIONS, SCHEMA, breaks
from tests.api.support import Api

RELEASES = sorted(path.name.removesuffix(".json.gz") for path in recorded.HERE.glob("*.json.gz"))
Json = dict[str, Any]


@pytest.fixture
def people(quick_engine: None, alice: Api, petra: Api, paula: Api) -> dict[str, Api]:
    return {"alice": alice, "petra": petra, "paula": paula}


def test_it_reads_what_it_read(people: dict[str, Api]) -> None:
    """Of the newest release; a new one is recorded first, and then read as the others are."""
    name = os.environ.get("SEXTANT_RECORD", "")
    if name:
        came = recorded.travelled(people)
        recorded.keep(name, came)
    record = recorded.recorded(name or RELEASES[-1])
    if not name:
        came = recorded.travelled(people, record["journey"])
    schemas = opened(record["description"]["components"])
    assert len(came) == len(record["answers"]) > 40
    for now, then in zip(came, record["answers"], strict=True):
        where = f"{then['operation']} {then['status']}"
        assert (now["operation"], now["status"]) == (then["operation"], then["status"]), now["body"]
        assert sorted(lost(then["shape"], now["body"])) == [], where
        promised = schema_of(record["description"], then["operation"], then["status"])
        if promised is not None:
            assert breaks({**promised, "components": schemas}, now["body"]) == [], where


def opened(part: Any) -> Any:
    """The same without the word that nothing else may be there: it holds of what is sent, and fields may be added to answers."""
    if isinstance(part, dict):
        return {key: opened(value) for key, value in part.items() if (key, value) != ("additionalProperties", False)}
    return [opened(item) for item in part] if isinstance(part, list) else part


def lost(then: dict[str, list[str]], body: Any) -> list[str]:
    """Fields that were read and are not there, or of another kind; what stood in an empty or absent object is not asked for."""
    now = recorded.shape(body)
    found = [place for place in then if place not in now and _is_there(place.rpartition("/")[0], now)]
    return found + [
        place
        for place in then.keys() & now.keys()
        if set(now[place]) - {"null"} and set(then[place]) - {"null"} and not set(now[place]) & set(then[place])
    ]


def _is_there(place: str, now: dict[str, list[str]]) -> bool:
    """Is there something below it, so that a field can be missed?"""
    return any(known.startswith(f"{place}/") for known in now) and not place.endswith("/values")


def schema_of(description: Json, operation: str, status: int) -> Json | None:
    """What that release promised of that answer, unless it is a file or a problem."""
    for methods in description["paths"].values():
        for one in methods.values():
            if one["operationId"] == operation:
                content = one["responses"][str(status)].get("content", {})
                found: Json | None = content.get("application/json", {}).get("schema")
                return found
    return None


@pytest.mark.parametrize("name", RELEASES)
def test_nothing_that_was_described_has_gone(name: str) -> None:
    """Operations, parameters and fields of answers of that release; nothing that may be sent has become something that must be."""
    then = recorded.recorded(name)["description"]
    gone = []
    for path, methods in then["paths"].items():
        for method, old in methods.items():
            new = SCHEMA["paths"].get(path, {}).get(method)
            if new is None or new["operationId"] != old["operationId"]:
                gone.append(f"{method} {path}")
                continue
            gone += [f"{old['operationId']}: {one}" for one in _changed(old, new)]
    assert gone == []
    assert len(OPERATIONS) >= sum(len(methods) for methods in then["paths"].values())


def _changed(old: Json, new: Json) -> list[str]:
    before = {(one["in"], one["name"]): one for one in old["parameters"]}
    after = {(one["in"], one["name"]): one for one in new["parameters"]}
    found = [f"parameter {name} has gone" for _, name in before.keys() - after.keys()]
    found += [f"parameter {key[1]} must be given now" for key, one in after.items()
              if one.get("required") and not before.get(key, {}).get("required")]  # fmt: skip
    return found + [f"status {status} has gone" for status in old["responses"].keys() - new["responses"].keys()]


@pytest.mark.parametrize("name", RELEASES)
def test_no_field_has_gone_or_must_be_given_now(name: str) -> None:
    then = recorded.recorded(name)["description"]
    renamed = {
        "NewHookBody": "HookWithSecret",
        "NewShareLinkBody": "ShareLinkWithAddress",
        "NewTokenBody": "TokenWithSecret",
    }
    after = SCHEMA["components"]["schemas"]
    found = []
    for schema, old in then["components"]["schemas"].items():
        new = after.get(renamed.get(schema, schema), {})
        found += [
            f"{schema}.{key} has gone" for key in old.get("properties", {}).keys() - new.get("properties", {}).keys()
        ]
        if old.get("additionalProperties") is False:  # what is sent
            more = set(new.get("required", ())) - set(old.get("required", ()))
        else:
            more = set(old.get("required", ())) - set(new.get("required", ()))
        found += [f"{schema}.{key}: whether it has to be there" for key in more]
    assert found == []


def test_a_field_that_has_gone_would_be_missed() -> None:
    then = recorded.shape({"data": [{"id": "pln_x", "cost": {"amount": "1"}}]})
    assert lost(then, {"data": [{"id": "pln_y", "cost": {"amount": "2"}, "new": 1}]}) == []
    assert lost(then, {"data": [{"id": "pln_y", "cost": {"sum": "2"}}]}) == ["/data/-/cost/amount"]
    assert lost(then, {"data": [{"id": 7, "cost": {"amount": "2"}}]}) == ["/data/-/id"]
    assert json.dumps(then)
