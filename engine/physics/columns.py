"""Structs whose fields are all arrays: made from many small structs, and sliced as one.

Every physical formula is written over such structs. Their arrays only need to broadcast against each other: what varies
has the shape (rows,), what is shared has no axis.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields
from functools import cache
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Struct = TypeVar("Struct")


def array(value: float | Array) -> Array:
    """That value as an array of floats; a number becomes an array without axes."""
    return np.asarray(value, dtype=np.float64)


def stack(items: Sequence[Struct]) -> Struct:
    """One struct whose fields are 1-d arrays over `items`, in their order."""
    kind: Any = type(items[0])
    columns = {name: np.array([getattr(item, name) for item in items], dtype=np.float64) for name in _names(kind)}
    found: Struct = kind(**columns)
    return found


def take(struct: Struct, index: NDArray[np.intp]) -> Struct:
    """The rows `index` of a struct of 1-d arrays."""
    return _made(struct, {name: value[index] for name, value in _columns(struct)})


def pick(struct: Struct, index: NDArray[np.intp]) -> Struct:
    """The elements `index` of the fields with an axis; what all elements share stays as it is."""
    return _made(struct, {name: value[index] if value.ndim else value for name, value in _columns(struct)})


def join(items: Sequence[Struct], lengths: Sequence[int]) -> Struct:
    """One struct whose fields are those of `items`, so many elements of each, one behind the other."""
    kind: Any = type(items[0])
    columns = {name: _joined([getattr(item, name) for item in items], lengths) for name in _names(kind)}
    return _made(items[0], columns)


def _joined(values: Sequence[Array], lengths: Sequence[int]) -> Array:
    if all(value.ndim == 0 for value in values):
        return np.repeat([float(value) for value in values], lengths)
    found, begin = np.empty(sum(lengths)), 0
    for value, length in zip(values, lengths, strict=True):
        found[begin : begin + length] = value
        begin += length
    return found


def part(struct: Struct, where: slice) -> Struct:
    """Neighbouring rows of a struct of 1-d arrays, without a copy."""
    return _made(struct, {name: value[where] for name, value in _columns(struct)})


@cache
def _names(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


def _columns(struct: Struct) -> Iterator[tuple[str, Array]]:
    """Each field with its array."""
    kind: Any = type(struct)
    return ((name, getattr(struct, name)) for name in _names(kind))


def _made(like: Struct, values: dict[str, Array]) -> Struct:
    """A struct of the same kind; `dataclasses.replace` would look at every field once more."""
    kind: Any = type(like)
    found: Struct = kind(**values)
    return found
