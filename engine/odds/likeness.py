"""How unlike a measured run and a planned one are: 0 = the same configuration, about 1 = a factor e in size or length, or another
accelerator. A judgement for showing the nearest first; no estimate follows from it."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

Row = TypeVar("Row")
FAR = 4.0
"""Beyond this distance a row says nothing about a choice."""
NEAR = 2.0
"""Beyond it a row is told as far: about seven times the size, or half of that on another accelerator."""
SAME = 1.0
"""Up to it the nearest row on the same accelerator, in the same precision, counts as a measurement of the choice."""
ACCELERATOR, SOFTWARE, PRECISION = 1.0, 0.4, 0.5
"""What another accelerator, another framework or engine, another precision counts."""


def distance(ratios: Iterable[tuple[float, float, float]], names: Iterable[tuple[str, str, float]]) -> float:
    """Sum of the logarithms of ratios and of a step for each name that differs, each (there, here, weight)."""
    far = sum(weight * abs(math.log(max(a, 1e-9) / max(b, 1e-9))) for a, b, weight in ratios)
    return far + sum(weight for a, b, weight in names if a != b)


def nearest(
    rows: Sequence[Row],
    *,
    far: Callable[[Row], float],
    order: Callable[[Row], str],
    alike: Callable[[Row], Hashable],
    count: int = 3,
) -> tuple[tuple[Row, float], ...]:
    """The nearest rows with their distances, nearest first, one of those that are alike; none beyond `FAR`."""
    scored = sorted(((far(row), order(row), row) for row in rows), key=lambda one: one[:2])
    found: dict[Hashable, tuple[Row, float]] = {}
    for away, _, row in scored:
        if away > FAR or len(found) == count:
            break
        found.setdefault(alike(row), (row, round(away, 2)))
    return tuple(found.values())
