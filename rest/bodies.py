"""A request body as a frozen dataclass: strictly read, every fault with its JSON Pointer, its schema from its fields."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, TypeVar, cast

from pydantic import BeforeValidator, TypeAdapter, ValidationError
from pydantic_core import PydanticCustomError

from rest.problems import Problem, ProblemItem, invalid, pointer

T = TypeVar("T")


def _whole(value: Any) -> Any:
    if type(value) is not int:
        raise PydanticCustomError("int_type", "must be a whole number")
    return value


WHOLE: Any = BeforeValidator(_whole)
"""For a Literal of numbers, which pydantic would let `true` and `1.0` into: Annotated[Literal[1, 7], WHOLE]."""


PIECE = 3_000
"""Values of a long list that are read at once: each may be a fault, and a fault takes a kilobyte and more."""


def read_body(kind: type[T], data: Any, *, begun: tuple[str, int] = ("", 0)) -> T:
    """The dataclass of that JSON object: no digit strings, no booleans as numbers. Problem 422 names each fault.

    begun: the name of a list and the number of its entries that were read before these.
    """
    if isinstance(data, dict):
        for name, value in data.items():
            if isinstance(value, list) and len(value) > PIECE:
                raise _too_long(name, value, PIECE)
    try:
        found: T = _adapter(cast(Any, kind)).validate_json(json.dumps(data), strict=True)
    except ValidationError as error:
        items = [_item(item, begun) for item in error.errors(include_url=False, include_input=False)]
        causes = {above for item in items for above in _above(item.pointer)}
        raise invalid(item for item in items if item.pointer not in causes) from error
    return found


def read_long(kind: type[T], data: dict[str, Any], name: str, *, most: int) -> list[T]:
    """A body with a list that may be long, a dataclass for each piece of it: so what is wrong in ten thousand entries is
    found in the first piece that holds a fault, and never ten thousand times."""
    rows = data.get(name)
    if not isinstance(rows, list):
        return [read_body(kind, data)]
    if len(rows) > most:
        raise _too_long(name, rows, most)
    return [read_body(kind, data | {name: rows[start:end]}, begun=(name, start)) for start, end in _pieces(rows)]


def _too_long(name: str, rows: list[Any], most: int) -> Problem:
    detail = f"“{name}” has {len(rows):,} entries: send at most {most:,}."
    return invalid([ProblemItem(pointer=pointer(name), code="too_long", detail=detail)])


def _pieces(rows: list[Any]) -> Iterator[tuple[int, int]]:
    """First and behind the last entry of pieces of few values each; one piece where there is no entry."""
    start = held = 0
    for end, row in enumerate(rows):
        if held >= PIECE:
            yield start, end
            start, held = end, 0
        held += 10 + (len(row) if isinstance(row, dict | list) else 0)
    yield start, len(rows)


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def _above(place: str) -> Iterator[str]:
    """The pointers of what holds that place: a fault of a whole list is said better by those of its entries."""
    while place:
        place = place.rpartition("/")[0]
        yield place


def _item(error: Mapping[str, Any], begun: tuple[str, int]) -> ProblemItem:
    place = [part for part in error["loc"] if not str(part).startswith("function-")]
    if len(place) > 1 and place[0] == begun[0]:
        place[1] += begun[1]
    name = ".".join(map(str, place)) or "the body"
    if error["type"] in ("unexpected_keyword_argument", "extra_forbidden"):
        return ProblemItem(pointer=pointer(*place), code="unknown", detail=f"“{name}” is not a known field: remove it.")
    if error["type"] in ("missing", "missing_argument", "missing_keyword_only_argument"):
        return ProblemItem(pointer=pointer(*place), code="missing", detail=f"“{name}” is missing: give a value.")
    words = str(error["msg"]).replace("Input should", "must").replace("String should", "must")
    words = words[:1].lower() + words[1:]
    return ProblemItem(pointer=pointer(*place), code=str(error["type"]), detail=f"“{name}” {words}.")
