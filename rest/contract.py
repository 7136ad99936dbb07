"""What a description owes to those who read it by machine: names of its own for everything, words for every property, closed
lists of states, and no keyword that JSON Schema does not know."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ninja import NinjaAPI

from rest.meanings import describe
from rest.problem_pages import problems
from rest.problems import CODES, MEDIA_TYPE, TITLES

Json = dict[str, Any]
_KEYWORDS = {"ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum"}
"""Limits that stand behind a reader of text, which pydantic leaves as they are typed."""
_WIDTHS = {"number": "double", "integer": "int64"}
"""Without it, many generators take 32 bits: a sum of tokens or bytes does not fit."""
_PAGE = "Page_"
JSON_MEDIA = {"application/json", "application/merge-patch+json"}


@dataclass(frozen=True, kw_only=True)
class About:
    """What the rooms together say of the API."""

    tags: Mapping[str, str] = field(default_factory=dict)
    """Group → what it is about, in the order of the reference."""
    meanings: Mapping[str, str] = field(default_factory=dict)
    parameters: Mapping[str, str] = field(default_factory=dict)
    alike: Mapping[str, Sequence[str]] = field(default_factory=dict)
    choices: Mapping[str, Sequence[str]] = field(default_factory=dict)
    schemas: Mapping[str, Json] = field(default_factory=dict)
    """Schemas beside those of operations."""
    derive: Callable[[Json], None] = lambda _: None
    """Adds schemas that follow from the finished ones."""
    webhooks: Callable[[], Json] = dict
    examples: Mapping[str, Json] = field(default_factory=dict)
    """operation → `request` and, by status, `responses` and the first lines of `files`."""


def finish(schema: Json, api: NinjaAPI, about: About) -> Json:
    """The same description with all of that."""
    schema["components"]["schemas"] |= about.schemas
    schema["tags"] = [{"name": name, "description": text} for name, text in about.tags.items()]
    schema["servers"] = [{"url": "/", "description": "The installation that serves this description."}]
    schema["info"] |= {
        "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        "contact": {"name": "Whoever runs this installation"},
    }
    schema["webhooks"] = about.webhooks()
    schema["components"]["examples"] = {
        code: {"summary": TITLES[code], "value": value} for code, value in problems().items()
    }
    for methods in schema["paths"].values():
        for operation in methods.values():
            _exemplify(operation, about.examples.get(operation["operationId"], {}))
            _explain(operation, about.parameters)
    schemas = schema["components"]["schemas"]
    _tidy(schema)
    describe(schemas, api, about.meanings, about.alike)
    _choose(schemas, about.choices)
    about.derive(schemas)
    _prune(schema)
    return _renamed(schema)


def _prune(schema: Json) -> None:
    """Leaves out what nothing refers to, as long as there is any: parts that were merged into others."""
    for kind in ("schemas", "examples"):
        while True:
            text = json.dumps(schema)
            unused = [name for name in schema["components"][kind] if f'"#/components/{kind}/{name}"' not in text]
            for name in unused:
                del schema["components"][kind][name]
            if not unused:
                break


def _tidy(part: Any, name: str = "") -> None:
    """Keywords that JSON Schema knows, and no titles that only repeat the name of a property."""
    if isinstance(part, list):
        for item in part:
            _tidy(item)
    elif isinstance(part, dict):
        for wrong, right in _KEYWORDS.items():
            if isinstance(part.get(wrong), int | float) and "type" in part:
                part[right] = part.pop(wrong)
        if part.get("title") == name.replace("_", " ").title() and name:
            del part["title"]
        if isinstance(part.get("default"), dict) and {"$ref", "allOf", "anyOf"} & part.keys():
            del part["default"]  # the fields of that schema have defaults of their own, and generators stumble over it
        if isinstance(part.get("type"), str) and part["type"] in _WIDTHS:
            part.setdefault("format", _WIDTHS[part["type"]])
        if part.get("type") == "array" and not {"items", "prefixItems"} & part.keys():
            part["items"] = {}
        if names := _constants(part.get("enum", [])):
            part["x-enum-varnames"] = names
        for key, item in part.items():
            if key == "properties":
                for field_name, found in item.items():
                    _tidy(found, field_name)
            elif key not in ("example", "examples", "default", "const", "enum"):
                _tidy(item)
        if isinstance(schema := part.get("schema"), dict) and "in" in part:
            schema.pop("title", None)


def _constants(values: Sequence[Any]) -> list[str]:
    """Names for the values of a list where generators, who make a constant of each, would make one of two: `a-b` and `a_b`."""
    plain = [re.sub(r"\W", "_", str(value)).upper() for value in values]
    if len(set(plain)) == len(plain):
        return []
    return [
        f"{name}_{count}" if (count := plain[: place + 1].count(name)) > 1 else name for place, name in enumerate(plain)
    ]


def _exemplify(operation: Json, given: Json) -> None:
    """Puts what may be sent and answered into an operation; problems are told once for all."""
    body = operation.get("requestBody", {}).get("content", {})
    for media in JSON_MEDIA & body.keys():
        if "request" in given:
            body[media]["example"] = given["request"]
    for status, response in operation["responses"].items():
        content = response.get("content", {})
        if MEDIA_TYPE in content and int(status) in CODES:
            codes = (CODES[int(status)], *(("parameter",) if int(status) == 400 else ()))
            content[MEDIA_TYPE]["examples"] = {code: {"$ref": f"#/components/examples/{code}"} for code in codes}
        if "application/json" in content and str(status) in given.get("responses", {}):
            content["application/json"]["example"] = given["responses"][str(status)]
        if "text/csv" in content and str(status) in given.get("files", {}):
            content["text/csv"]["example"] = given["files"][str(status)]


def _explain(operation: Json, meanings: Mapping[str, str]) -> None:
    """Says what each parameter means that has no words of its own."""
    for parameter in operation.get("parameters", ()):
        name = parameter["name"]
        text = meanings.get(f"{operation['operationId']}.{name}") or meanings.get(name)
        if text and not parameter.get("description"):
            parameter["description"] = text


def _choose(schemas: Json, choices: Mapping[str, Sequence[str]]) -> None:
    """Closed lists, of a value or of the entries of a list; null stays null."""
    for place, words in choices.items():
        name, _, key = place.partition(".")
        found = schemas[name]["properties"][key]
        found = found.get("items", found)
        for part in found.get("anyOf", [found]):
            if part.get("type") == "string":
                part["enum"] = list(words)


def _renamed(schema: Json) -> Json:
    """Each schema under one name, which is its title too: `PagePlanBody`, not many that are all called Page."""
    text = json.dumps(schema)
    for name in schema["components"]["schemas"]:
        if name.startswith(_PAGE):
            text = text.replace(json.dumps(name)[1:-1], _plain(name))
    renamed: Json = json.loads(text)
    for name, found in renamed["components"]["schemas"].items():
        found["title"] = name
    return renamed


def _plain(name: str) -> str:
    return name.replace("_", "")
