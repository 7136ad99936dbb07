"""A promise that nothing keeps as surely as is asked: how surely it can be kept at best.

The band of a first token is wide, and a promise that the stack keeps in expectation is not refused for it: it is planned as
surely as anything keeps it, and the plan says that it is at risk.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from engine.kinds.service.work import ServingWork, is_batch

LEVELS = (0.95, 0.9, 0.8, 0.7, 0.6, 0.5)
"""How sure of a promise is tried, the surest first. Below an even chance nothing is planned."""
Found = TypeVar("Found")


def surest(
    work: ServingWork, find: Callable[[ServingWork], Found], able: Callable[[Found], bool]
) -> tuple[ServingWork, Found]:
    """What is found at the confidence that is asked of a promise, else at the greatest below it at which something keeps it.

    Where nothing does at any, what was found as it was asked: that says what is missing.
    """
    asked = find(work)
    promised = (work.ttft_p95_ms or work.tpot_p95_ms) and not is_batch(work)
    if able(asked) or not promised:
        return work, asked
    below = [replace(work, kept=level) for level in LEVELS if level < work.kept]
    # What is not kept at the least of them is kept at none, which is how most that cannot be done is told.
    least = find(below[-1]) if below else asked
    if not able(least):
        return work, asked
    for less in below[:-1]:
        if able(found := find(less)):
            return less, found
    return below[-1], least
