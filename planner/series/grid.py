"""A grid of changes: for each field some values, and every combination of them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

MOST = 20_000
"""Plans of one series."""


def changes_of(axes: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """A merge patch for each combination, the last axis fastest. ValueError for no axis, an empty one, or too many plans.

    `axes`: "training.tokens" → [1e10, 2e10]; a field inside another is named by a dotted path.
    """
    if not axes:
        raise ValueError("The grid is empty: name at least one field with its values.")
    for path, values in axes.items():
        if isinstance(values, str) or not isinstance(values, Sequence) or not values:
            raise ValueError(f"“{path}” needs a list of values, such as [1, 2].")
    if (count := math.prod(len(values) for values in axes.values())) > MOST:
        raise ValueError(f"The grid holds {count:,} plans: leave values out until it holds {MOST:,} at most.")
    return [_patch(dict(zip(axes, values, strict=True))) for values in itertools.product(*axes.values())]


def _patch(values: Mapping[str, Any]) -> dict[str, Any]:
    """{"training.tokens": 1} as {"training": {"tokens": 1}}."""
    made: dict[str, Any] = {}
    for path, value in values.items():
        *folders, leaf = path.split(".")
        place = made
        for folder in folders:
            place = place.setdefault(folder, {})
        place[leaf] = value
    return made
