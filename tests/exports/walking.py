"""Everything of a document or plan, whatever it is made of."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import fields, is_dataclass


def parts(value: object, *, without: Collection[str] = ()) -> Iterator[object]:
    """The value and all that it holds, tuples and dataclasses opened; fields of those names are left out."""
    yield value
    if isinstance(value, tuple):
        for item in value:
            yield from parts(item, without=without)
    elif is_dataclass(value):
        for item in fields(value):
            if item.name not in without:
                yield from parts(getattr(value, item.name), without=without)


def texts(value: object, *, without: Collection[str] = ()) -> Iterator[str]:
    """Every text in it."""
    return (part for part in parts(value, without=without) if isinstance(part, str))
