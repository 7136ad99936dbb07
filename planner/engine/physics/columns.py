"""Structs whose fields are all arrays: made from many small structs, and sliced as one.

Every physical formula is written over such structs. Their arrays only need to broadcast against each other: what varies
has the shape (rows,), what is shared has no axis.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
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
    first: Any = items[0]
    columns = {
        field.name: np.array([getattr(item, field.name) for item in items], dtype=np.float64) for field in fields(first)
    }
    return replace(first, **columns)  # type: ignore[no-any-return]


def take(struct: Struct, index: NDArray[np.intp]) -> Struct:
    """The rows `index` of a struct of 1-d arrays."""
    whole: Any = struct
    return replace(whole, **{field.name: getattr(whole, field.name)[index] for field in fields(whole)})  # type: ignore[no-any-return]


def pick(struct: Struct, index: NDArray[np.intp]) -> Struct:
    """The elements `index` of the fields with an axis; what all elements share stays as it is."""
    whole: Any = struct
    chosen = {field.name: getattr(whole, field.name) for field in fields(whole)}
    found: Struct = replace(whole, **{name: value[index] if value.ndim else value for name, value in chosen.items()})
    return found


def column(struct: Struct) -> Struct:
    """A struct of 1-d arrays with its axis moved to rows, so that it broadcasts against arrays of candidates."""
    whole: Any = struct
    return replace(whole, **{field.name: getattr(whole, field.name)[:, None] for field in fields(whole)})  # type: ignore[no-any-return]


def at(struct: Struct, row: int, index: NDArray[np.intp], rows: int) -> Struct:
    """Row `row` of `rows`, elements `index` of a struct whose fields may lack either axis."""
    whole: Any = struct
    chosen: dict[str, Array] = {}
    for field in fields(whole):
        value = getattr(whole, field.name)
        if value.ndim == 2:
            value = value[row if value.shape[0] == rows else 0]
        chosen[field.name] = value[index] if value.size > 1 else value.reshape(())
    return replace(whole, **chosen)  # type: ignore[no-any-return]
