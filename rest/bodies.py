"""A request body as a frozen dataclass: strictly read, every fault with its JSON Pointer, its schema from its fields."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, TypeVar, cast

from pydantic import BeforeValidator, TypeAdapter, ValidationError
from pydantic_core import PydanticCustomError

from rest.problems import ProblemItem, invalid, pointer

T = TypeVar("T")


def _whole(value: Any) -> Any:
    if type(value) is not int:
        raise PydanticCustomError("int_type", "must be a whole number")
    return value


WHOLE: Any = BeforeValidator(_whole)
"""For a Literal of numbers, which pydantic would let `true` and `1.0` into: Annotated[Literal[1, 7], WHOLE]."""


def read_body(kind: type[T], data: Any) -> T:
    """The dataclass of that JSON object: no digit strings, no booleans as numbers. Problem 422 names each fault."""
    try:
        found: T = _adapter(cast(Any, kind)).validate_json(json.dumps(data), strict=True)
    except ValidationError as error:
        items = [_item(item) for item in error.errors(include_url=False, include_input=False)]
        causes = {above for item in items for above in _above(item.pointer)}
        raise invalid(item for item in items if item.pointer not in causes) from error
    return found


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def _above(place: str) -> Iterator[str]:
    """The pointers of what holds that place: a fault of a whole list is said better by those of its entries."""
    while place:
        place = place.rpartition("/")[0]
        yield place


def _item(error: Mapping[str, Any]) -> ProblemItem:
    place = [part for part in error["loc"] if not str(part).startswith("function-")]
    name = ".".join(map(str, place)) or "the body"
    if error["type"] in ("unexpected_keyword_argument", "extra_forbidden"):
        return ProblemItem(pointer=pointer(*place), code="unknown", detail=f"“{name}” is not a known field: remove it.")
    if error["type"] in ("missing", "missing_argument", "missing_keyword_only_argument"):
        return ProblemItem(pointer=pointer(*place), code="missing", detail=f"“{name}” is missing: give a value.")
    words = str(error["msg"]).replace("Input should", "must").replace("String should", "must")
    words = words[:1].lower() + words[1:]
    return ProblemItem(pointer=pointer(*place), code=str(error["type"]), detail=f"“{name}” {words}.")
