"""Schemas that follow from others: a merge patch of a request, a request as it was typed, a message about any event."""

from __future__ import annotations

import json
from typing import Any, Final

from config.events import DATA

Json = dict[str, Any]
_REFERENCE: Final = "#/components/schemas/"
_NULL: Final[Json] = {"type": "null"}
_TYPED: Final[Json] = {"type": ["string", "number", "boolean", "null"]}
PATCH: Final = "Patch"
AS_TYPED: Final = "SpecAsTyped"
_CHANGES: Final = ("ScenarioRequest", "ScenarioSummary", "ScenarioBody")
_DRAFTS: Final = ("PlanBody", "WorkloadBody")


def derive(schemas: Json) -> None:
    """Adds them, and names them where they are meant; asked when every property has its words and its closed list."""
    for name in _reached(schemas, "Spec"):
        schemas[f"{name}{PATCH}"] = _patch(name, schemas[name])
    schemas[AS_TYPED] = _as_typed(schemas["Spec"])
    for owner in _CHANGES:
        _becomes(schemas[owner], "changes", {"$ref": f"{_REFERENCE}Spec{PATCH}"})
    for owner in _DRAFTS:
        _becomes(schemas[owner], "draft", {"anyOf": [{"$ref": f"{_REFERENCE}{name}"} for name in ("Spec", AS_TYPED)]})
    _becomes(schemas["EventEnvelope"], "data", DATA)
    _becomes(schemas["DeliveryDetail"], "message", {"$ref": f"{_REFERENCE}EventMessage"})


def _becomes(owner: Json, name: str, kind: Json) -> None:
    owner["properties"][name] = {**kind, "description": owner["properties"][name]["description"]}


def _reached(schemas: Json, first: str) -> list[str]:
    """Schemas that objects of that one hold, it first; what only stands in lists is not among them, a list is replaced whole."""
    found = [first]
    for name in found:
        held = [field for field in schemas[name]["properties"].values() if field.get("type") != "array"]
        parts = json.dumps(held).split(_REFERENCE)[1:]
        found += [one for part in parts if (one := part.partition('"')[0]) not in found]
    return found


def _patch(name: str, schema: Json) -> Json:
    return {
        "title": f"{name}{PATCH}",
        "type": "object",
        "description": f"What to change of a {name}, by RFC 7396: fields that are left out stay, null takes one away, a list is "
        "replaced whole.",
        "properties": {key: _optional(field) for key, field in schema["properties"].items()},
    }


def _optional(field: Json) -> Json:
    """The same, or null; an object is a patch itself."""
    said: Json = {key: field[key] for key in ("title", "description", "x-unit") if key in field}
    core = {key: value for key, value in field.items() if key not in (*said, "default")}
    if "allOf" in core and "anyOf" not in core:
        core = {"$ref": core["allOf"][0]["$ref"]}
    parts = [_inside(part) for part in core.get("anyOf", [core])]
    return {**said, "anyOf": [*(part for part in parts if part != _NULL), _NULL]}


def _inside(part: Json) -> Json:
    if "$ref" in part:
        return {"$ref": f"{part['$ref']}{PATCH}"}
    if isinstance(part.get("additionalProperties"), dict):
        return {**part, "additionalProperties": _optional(part["additionalProperties"])}
    return part


def _as_typed(spec: Json) -> Json:
    return {
        "title": AS_TYPED,
        "type": "object",
        "description": "A request as a person typed it on a page: the fields of Spec, quantities as text (`70B`, `3 weeks`), "
        "perhaps not whole yet. A version has it in numbers.",
        "properties": {
            key: {**_written(field), "description": field["description"]} for key, field in spec["properties"].items()
        },
    }


def _written(field: Json) -> Json:
    """Text, a number or a list of such; of a group of fields an object of them."""
    if field.get("type") == "array":
        return {"type": "array", "items": {"type": "object", "additionalProperties": _TYPED}}
    if field.get("type") in ("string", "number", "boolean"):
        return dict(_TYPED)
    return {"anyOf": [_TYPED, {"type": "object", "additionalProperties": True}]}
