"""Comments of a version as its page shows them: beside the number that each is pinned to, and all in one list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from planner.models import PlanComment
from planner.presenters.answer import Answer


@dataclass(frozen=True, kw_only=True)
class Remarks:
    """What can be commented on, what was said, and how much of it is open."""

    numbers: Mapping[str, str]
    """Pointer → label of every number that a comment can be pinned to."""
    rows: tuple[tuple[PlanComment, str], ...]
    """Each comment with the label of its number."""
    open: int
    counts: Mapping[str, int]
    """Open comments by pointer."""


def numbers_of(answer: Answer) -> dict[str, str]:
    """The numbers of a plan that a comment can point to."""
    figures = {f"figure.{figure.key}": figure.label for figure in answer.figures}
    return figures | {f"line.{row.name}": f"Cost: {row.label}" for row in answer.costs}


def remarks(answer: Answer, comments: Iterable[PlanComment]) -> Remarks:
    """The comments of that plan, oldest first."""
    numbers = numbers_of(answer)
    rows = tuple((comment, numbers.get(comment.pointer, "The whole plan")) for comment in comments)
    open_ones = [comment for comment, _ in rows if comment.resolved_at is None]
    return Remarks(
        numbers=numbers,
        rows=rows,
        open=len(open_ones),
        counts=Counter(comment.pointer for comment in open_ones if comment.pointer),
    )
