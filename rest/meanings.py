"""What each property means, read from where it is defined: the string under a field of a dataclass, as editors show it too.

Fields of requests carry their help in `Q`, which the schema has already; here come the others. What stands in no code, or is made
by hand, is said in a table (config/meanings).
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

from ninja import NinjaAPI

Json = dict[str, Any]


def describe(schemas: Json, api: NinjaAPI, meanings: Mapping[str, str], alike: Mapping[str, Sequence[str]]) -> None:
    """Gives each property without a description the one of its field, else that of the table, else its label.

    `alike`: schemas that hold fields of other ones.
    """
    kinds = {kind.__name__: kind for kind in _kinds_of(api)}
    for name, schema in schemas.items():
        names = (name, *alike.get(name, ()))
        told = {key: text for one in reversed(names) if one in kinds for key, text in documented(kinds[one]).items()}
        for key, field in schema.get("properties", {}).items():
            special = next((meanings[f"{one}.{key}"] for one in names if f"{one}.{key}" in meanings), "")
            text = field.get("description") or special or told.get(key) or meanings.get(key) or _label(field)
            if text:
                field["description"] = _with_unit(text, field)


def _label(field: Json) -> str:
    return f"{field['title']}." if field.get("title") else ""


def undescribed(schemas: Json) -> list[str]:
    """`Schema.property` of each that says nothing, also of objects within; what a test holds empty."""
    return sorted(place for name, schema in schemas.items() for place in _silent(schema, name))


def _silent(schema: Json, name: str) -> Iterator[str]:
    for key, field in schema.get("properties", {}).items():
        if not field.get("description"):
            yield f"{name}.{key}"
        yield from _silent(field, f"{name}.{key}")
    parts = [schema[key] for key in ("items", "additionalProperties") if isinstance(schema.get(key), dict)]
    for part in (*parts, *schema.get("anyOf", ()), *schema.get("oneOf", ()), *schema.get("allOf", ())):
        yield from _silent(part, name)


def _with_unit(text: str, field: Json) -> str:
    unit = field.get("x-unit", "")
    return text if not unit or f"[{unit}]" in text else f"{text.rstrip('.')} [{unit}]."


@cache
def documented(kind: type) -> dict[str, str]:
    """The strings under the fields of a dataclass and of those it extends, as one line each; else what `Q` calls it."""
    found: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        found |= _in_module(base.__module__).get(base.__qualname__, {}) if dataclasses.is_dataclass(base) else {}
    return found


@cache
def _in_module(name: str) -> dict[str, dict[str, str]]:
    file = getattr(sys.modules[name], "__file__", None)
    tree = ast.parse(Path(file).read_text(encoding="utf-8")) if file else ast.Module(body=[], type_ignores=[])
    return {node.name: dict(_strings(node)) for node in tree.body if isinstance(node, ast.ClassDef)}


def _strings(node: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for field, after in zip(node.body, node.body[1:], strict=False):
        if not isinstance(field, ast.AnnAssign) or not isinstance(field.target, ast.Name):
            continue
        if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) and isinstance(after.value.value, str):
            yield field.target.id, " ".join(inspect.cleandoc(after.value.value).split())


def _kinds_of(api: NinjaAPI) -> set[type]:
    """Every dataclass that an operation takes or gives, however deep."""
    found: set[type] = set()
    for router in api._get_bound_routers():
        for view in router.path_operations.values():
            for operation in view.operations:
                for model in (*operation.models, *(one for one in operation.response_models.values() if one)):
                    for field in getattr(model, "model_fields", {}).values():
                        for note in (field.annotation, *field.metadata):
                            _collect(note, found)
    return found


def _collect(note: Any, found: set[type]) -> None:
    """The dataclasses in an annotation; a validator names the one that it reads."""
    for part in (get_origin(note), getattr(note, "json_schema_input_type", None), *get_args(note)):
        if part is not None:
            _collect(part, found)
    if isinstance(note, type) and dataclasses.is_dataclass(note) and note not in found:
        found.add(note)
        for hint in get_type_hints(note, include_extras=True).values():
            _collect(hint, found)
        for item in dataclasses.fields(note):
            _collect(item.type, found) if not isinstance(item.type, str) else None
