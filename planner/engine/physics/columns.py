"""Structs whose fields are all arrays: made from many small structs, sliced and reshaped as one.

Every physical formula is written over such structs. Their arrays only need to broadcast against each other: rows of a
table have the shape (rows,), a search uses one axis for each free choice, so a term that depends on two choices is
computed on two axes and spread over the others by NumPy itself.
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


def shaped(struct: Struct, shape: tuple[int, ...]) -> Struct:
    """The same struct with every field reshaped, so that its only axis lies where `shape` wants it."""
    whole: Any = struct
    return replace(whole, **{field.name: getattr(whole, field.name).reshape(shape) for field in fields(whole)})  # type: ignore[no-any-return]
