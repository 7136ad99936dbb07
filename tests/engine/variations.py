"""Every field of a value set to another valid value, one at a time: for tests that must hold for all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from datetime import date, timedelta
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints


def variations(value: Any, *, path: str = "") -> Iterator[tuple[str, Any]]:
    """(path of the field, the same value with that field changed), nested dataclasses and tuples of them included.

    A field that is None stays so: a caller starts from a value that has it.
    """
    kinds = get_type_hints(type(value), include_extras=True)
    for item in fields(value):
        here, now = f"{path}{item.name}", getattr(value, item.name)
        if is_dataclass(now):
            inner: Iterator[tuple[str, Any]] = variations(now, path=f"{here}.")
        elif isinstance(now, tuple) and now and is_dataclass(now[0]):
            inner = ((name, (first, *now[1:])) for name, first in variations(now[0], path=f"{here}.0."))
        elif isinstance(now, Mapping):  # values of a finding: the key is one of them at the least
            inner = iter([(f"{here}.another", {**now, "another": 1})])
        else:
            inner = ((here, other) for other in others(now, kinds[item.name]))
        for name, other in inner:
            yield name, replace(value, **{item.name: other})


def others(now: Any, kind: Any) -> list[Any]:
    """One other value of that kind; every other one where they can be listed; none for what is not there."""
    while get_origin(kind) is Annotated:
        kind = get_args(kind)[0]
    if get_origin(kind) is Literal:
        return [one for one in get_args(kind) if one != now]
    match now:
        case bool():
            return [not now]
        case int():
            return [now * 2 or 1]
        case float():
            return [now * 0.9 if now else 0.5]
        case str():
            return [_later(now) or f"{now} b"]
        case date():
            return [now + timedelta(days=40)]
        case Mapping():
            return [{**now, key: _other_item(now[key])} for key in list(now)[:1]]
        case tuple():
            return [tuple(_other_item(one) for one in now)] if now else []
    return []


def _later(text: str) -> str:
    """Another day, where the text is one."""
    try:
        return (date.fromisoformat(text) + timedelta(days=40)).isoformat()
    except ValueError:
        return ""


def _other_item(now: Any) -> Any:
    found = others(now, type(now))
    return found[0] if found else now
