"""The reference of every input and every coefficient, printed from the one place where each is defined."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from datetime import date
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt, MaxLen, MinLen

from engine.defaults import default_assumptions
from engine.inputs.architecture import Architecture
from engine.inputs.quantity import Q
from engine.inputs.spec import Spec
from planner.presenters.words import allowed
from planner.request.parse import field_types
from planner.telling import sourced, told

_BOUNDS = {Gt: ("gt", "> {}"), Ge: ("ge", "≥ {}"), Lt: ("lt", "< {}"), Le: ("le", "≤ {}")}


def reference_markdown() -> str:
    """The page docs/reference.md."""
    lines = [
        "# Reference",
        "",
        "Written by `python manage.py reference --write`; a test fails when it is not current.",
        "",
        "## The request",
        "",
        "The same fields in the form, the YAML file and the API. YAML and the form take `70B`, `3 weeks`, `1.5 M USD`;",
        "JSON takes numbers. An unknown field is refused by name.",
        "",
        *_tables(Spec, ""),
        "## Assumptions",
        "",
        "Every coefficient of the engine. A request may change one: `assumptions: {reliability.restart_s: 300}`. The range is",
        "where the value plausibly lies (P10 to P90); what is allowed is what a request may set, both ends included.",
        "",
        "| id | value | range | allowed | unit | meaning | source |",
        "|---|---:|---:|---:|---|---|---|",
        *(
            f"| `{item.id}` | {item.value:g} | {item.low:g}–{item.high:g} | {allowed(item)} | {item.unit} "
            f"| {_cell(told(item.told))} | {_cell(sourced(item.source))} |"
            for item in default_assumptions().all()
        ),
        "",
    ]
    return "\n".join(lines)


def _tables(kind: Any, path: str) -> Iterator[str]:
    """One table for a dataclass, then one for each dataclass inside it."""
    types = field_types(kind)
    yield f"### {path or 'request'}"
    yield ""
    yield "| field | type | unit | default | limits | meaning |"
    yield "|---|---|---|---|---|---|"
    for item in dataclasses.fields(kind):
        yield _row(f"{path}.{item.name}".lstrip("."), types[item.name], item)
    yield ""
    for name, hint in types.items():
        inner = next((leaf for leaf in _leaves(hint) if dataclasses.is_dataclass(leaf)), None)
        if inner is not None and inner is not Architecture:
            many = "[]" if any(get_origin(part) is tuple for part in _parts(hint)) else ""
            yield from _tables(inner, f"{path}.{name}{many}".lstrip("."))


def _row(path: str, hint: Any, item: dataclasses.Field[Any]) -> str:
    notes = list(_notes(hint))
    quantity = next((note for note in notes if isinstance(note, Q)), Q())
    limits = ", ".join(text for note in notes if (text := _limit(note)))
    meaning = ". ".join(text.rstrip(".") for text in (quantity.label, quantity.help) if text)
    return f"| `{path}` | {_type(hint)} | {quantity.unit} | {_default(item)} | {limits} | {_cell(meaning)} |"


def _default(item: dataclasses.Field[Any]) -> str:
    if item.default is dataclasses.MISSING:
        return "" if item.default_factory is not dataclasses.MISSING else "required"
    if item.default is None or item.default in ("", ()):
        return "none"
    return f"`{item.default:g}`" if isinstance(item.default, float) else f"`{item.default}`"


def _limit(note: object) -> str:
    for kind, (name, text) in _BOUNDS.items():
        if isinstance(note, kind):
            return text.format(f"{getattr(note, name):g}")
    if isinstance(note, MaxLen):
        return f"at most {note.max_length} long"
    return "not empty" if isinstance(note, MinLen) else ""


def _type(hint: Any) -> str:
    names = {float: "number", int: "whole number", str: "text", bool: "yes/no", date: "date", dict: "table"}
    found = []
    for leaf in _leaves(hint):
        if get_origin(leaf) is Literal:
            found.append(", ".join(f"`{choice}`" for choice in get_args(leaf)))
        elif leaf is not type(None):
            found.append(
                names.get(leaf, names.get(get_origin(leaf) or leaf, getattr(leaf, "__name__", str(leaf)).lower()))
            )
    many = any(get_origin(part) is tuple for part in _parts(hint))
    return ("list of " if many else "") + " or ".join(dict.fromkeys(found))


def _parts(hint: Any) -> Iterator[Any]:
    """The hint and everything inside it."""
    yield hint
    for item in get_args(hint):
        if get_origin(hint) is not Literal and not isinstance(item, Q | Gt | Ge | Lt | Le | MaxLen | MinLen):
            yield from _parts(item)


def _leaves(hint: Any) -> Iterator[Any]:
    origin = get_origin(hint)
    if origin is Annotated:
        yield from _leaves(get_args(hint)[0])
    elif origin in (Union, tuple) or (origin is not None and getattr(origin, "__name__", "") == "UnionType"):
        for item in get_args(hint):
            if item is not Ellipsis:
                yield from _leaves(item)
    else:
        yield hint


def _notes(hint: Any) -> Iterator[Any]:
    if get_origin(hint) is Annotated:
        yield from get_args(hint)[1:]
        yield from _notes(get_args(hint)[0])


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
