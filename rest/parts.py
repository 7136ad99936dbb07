"""The query parameter `fields`: an answer in part, as a media type of its own, so that no client takes it for the whole.

A field is a name of the answer, or of a row where the answer is a page, and at most one name below it: `plan_sha256`,
`recommended.cost`. What can be named is read from the description of the API, which lists it: a name that no answer has
is refused, one that this answer leaves empty is not.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Final, TypeVar

from django.http import HttpRequest, HttpResponse

from rest.problems import ProblemItem

Json = dict[str, Any]
View = TypeVar("View", bound=Callable[..., Any])
NAME: Final = "fields"
MEDIA: Final = "application/vnd.sextant.part+json"
_WHOLE: Final = "application/json"
_SHOWN: Final = 2
"""Fields of an example."""
_WORDS: Final = (
    "Only these fields, separated by commas, in an answer of the type `"
    + MEDIA
    + "`: names of the answer, of a page names of "
    "its rows, with a point names one level below."
)


def in_part(view: View) -> View:
    """Marks an operation that makes nothing, so that its answer may be asked in part; those of GET may in any case."""
    view.may_be_part = True  # type: ignore[attr-defined]  # read by `comes_in_part`
    return view


def only_apart(*names: str) -> Callable[[View], View]:
    """Marks fields that can be large: they come with the whole answer, and are no part of it."""

    def mark(view: View) -> View:
        view.not_parts = frozenset(names)  # type: ignore[attr-defined]  # read by `describe`
        return view

    return mark


def comes_in_part(operation: Any) -> bool:
    """May the answer of that operation be asked in part? It must be JSON, and nothing may have been done for it."""
    makes_nothing = "GET" in operation.methods or getattr(operation.view_func, "may_be_part", False)
    return bool(makes_nothing and operation.response_models.get(200))


def describe(schema: Json, operations: Mapping[str, Any]) -> dict[str, frozenset[str]]:
    """Adds the parameter and the second media type to a finished description; operation → what may be named."""
    known: dict[str, frozenset[str]] = {}
    schemas = schema["components"]["schemas"]
    for methods in schema["paths"].values():
        for shown in methods.values():
            operation = operations[shown["operationId"]]
            content = shown["responses"].get("200", shown["responses"].get(200, {})).get("content", {})
            if not comes_in_part(operation) or _WHOLE not in content:
                continue
            without: frozenset[str] = getattr(operation.view_func, "not_parts", frozenset())
            names = sorted(_names(content[_WHOLE]["schema"], schemas) - without)
            known[shown["operationId"]] = frozenset(names)
            shown.setdefault("parameters", []).append(_parameter(names))
            content[MEDIA] = {"schema": {"type": "object", "description": "The fields that were asked for."}}
            if part := _example(content[_WHOLE].get("example"), names):
                content[MEDIA]["example"] = part
    return known


def _example(whole: Any, names: Sequence[str]) -> Any:
    """The answer in part to which the first fields of that example lead; None without such fields."""
    rows = whole.get("data") if isinstance(whole, dict) and "next_cursor" in whole else None
    if rows == []:
        return whole  # of no rows the part is the whole
    first = rows[0] if rows else whole
    if not isinstance(first, dict):
        return None
    known = [name for name in first if name in names]
    plain = [name for name in known if not isinstance(first[name], dict | list)]
    return _cut(whole, (plain or known)[:_SHOWN]) if known else None


def asked(request: HttpRequest) -> list[str]:
    """The fields that a request names, none where it asks for the whole; some clients send a list as one parameter, some as many."""
    return [name for given in request.GET.getlist(NAME) for name in given.split(",") if name]


def faults(request: HttpRequest, known: frozenset[str]) -> list[ProblemItem]:
    """What is wrong with them: an empty list of names, or a name that this answer never has."""
    names = asked(request)
    if not names:
        return [ProblemItem(parameter=NAME, code="empty", detail="“fields” names nothing: leave it out for the whole.")]
    return [
        ProblemItem(parameter=NAME, code="unknown", detail=f"“fields” holds “{name[:80]}”, which this answer has not. "
                    f"{_nearest(name, known)}")
        for name in names
        if name not in known
    ]  # fmt: skip


def cut(response: HttpResponse, names: Iterable[str]) -> HttpResponse:
    """That answer with those fields alone; of a page its rows are cut, and what leads to the next one stays."""
    if response.status_code != 200 or not response.headers.get("Content-Type", "").startswith(_WHOLE):
        return response
    part = _cut(json.loads(response.content), names)
    response.content = json.dumps(part, ensure_ascii=True, separators=(",", ":")).encode()
    response.headers["Content-Type"] = MEDIA
    return response


def _cut(body: Any, names: Iterable[str]) -> Any:
    wanted: dict[str, set[str]] = {}
    for name in names:
        first, _, second = name.partition(".")
        wanted.setdefault(first, set()).add(second)
    rows = body.get("data") if "next_cursor" in body else None
    return {**body, "data": [_part(row, wanted) for row in rows]} if rows is not None else _part(body, wanted)


def _part(value: Any, wanted: Mapping[str, set[str]]) -> Any:
    if isinstance(value, list):
        return [_part(item, wanted) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        name: found if "" in wanted[name] else _part(found, {second: {""} for second in wanted[name]})
        for name, found in value.items()
        if name in wanted
    }


def _names(schema: Json, schemas: Mapping[str, Json]) -> set[str]:
    """All names of an answer, or of a row of a page, with those one level below."""
    found: set[str] = set()
    for top in _objects(schema, schemas):
        fields = top["properties"]
        if {"data", "next_cursor"} <= fields.keys():
            found |= _names(fields["data"], schemas)
            continue
        for name, below in fields.items():
            found.add(name)
            found |= {f"{name}.{key}" for inner in _objects(below, schemas) for key in inner["properties"]}
    return found


def _objects(schema: Json, schemas: Mapping[str, Json]) -> list[Json]:
    """The schemas with properties that a value can have: itself, what it refers to, one of several, the entries of a list."""
    if "$ref" in schema:
        return _objects(schemas[schema["$ref"].rpartition("/")[2]], schemas)
    if "properties" in schema:
        return [schema]
    parts = (*schema.get("anyOf", ()), *schema.get("oneOf", ()), *schema.get("allOf", ()))
    items = schema.get("items")
    return [one for part in (*parts, *([items] if isinstance(items, dict) else [])) for one in _objects(part, schemas)]


def _parameter(names: list[str]) -> Json:
    """The names stand in the parameter: as schemas of their own they would be constants, which collide in some languages."""
    items = {"type": "string", "enum": names}
    return {
        "name": NAME, "in": "query", "required": False, "style": "form", "explode": False, "description": _WORDS,
        "schema": {"type": "array", "items": items, "minItems": 1},
    }  # fmt: skip


def _nearest(name: str, known: frozenset[str]) -> str:
    close = get_close_matches(name, known, n=3, cutoff=0.5)
    return f"Did you mean {' or '.join(close)}?" if close else "The description of the API lists what it has."
