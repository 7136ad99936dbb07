"""Pages made of boxes: each knows its height, can be drawn, and perhaps be split. No page is drawn before all are known.

Because page numbers are known before drawing, the table of contents and "page x of y" need no second pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from exports.writers.pdf_pen import Pen


class Box(Protocol):
    """Something that stands in the column of text. Lengths are points."""

    @property
    def before(self) -> float:
        """Air above, except at the top of a page."""
        ...

    @property
    def keep(self) -> bool:
        """Must not be the last on a page."""
        ...

    def height(self, width: float) -> float:
        """Height at that width."""
        ...

    def draw(self, pen: Pen, x: float, top: float, width: float) -> None:
        """Draws it with its upper edge at `top`."""
        ...

    def split(self, width: float, room: float) -> tuple[Box, Box] | None:
        """Two boxes of which the first fits into `room`; None when it cannot be divided there."""
        ...


@dataclass(frozen=True, kw_only=True)
class Placed:
    """A box with the distance of its upper edge from the top of the column."""

    box: Box
    offset: float


class PageBreak:
    """What follows starts on a new page."""


def paginate(boxes: Sequence[Box | PageBreak], width: float, height: float) -> list[list[Placed]]:
    """Pages of placed boxes; boxes that keep with the next move together where a page can hold them."""
    pages: list[list[Placed]] = [[]]
    used = 0.0
    queue = list(boxes)
    while queue:
        if isinstance(queue[0], PageBreak):
            queue.pop(0)
            if pages[-1]:
                pages.append([])
                used = 0.0
            continue
        group = _group(queue)
        taken, used, rest = _place(group, pages[-1], used, width, height)
        if rest and not taken and (later := _fitting(queue, len(group), width, height - used)):
            queue[: later.stop] = [*queue[later], *group, *queue[len(group) : later.start]]
            continue
        queue[: len(group)] = rest
        if rest:
            pages.append([])
            used = 0.0
        elif not taken:
            raise ValueError("A box was lost while pages were made.")
    return [page for page in pages if page]


def _group(queue: Sequence[Box | PageBreak]) -> list[Box]:
    """The first box with all that must follow it on the same page."""
    group: list[Box] = []
    for box in queue:
        if isinstance(box, PageBreak):
            break
        group.append(box)
        if not box.keep:
            break
    return group


def _fitting(queue: Sequence[Box | PageBreak], first: int, width: float, room: float) -> slice | None:
    """Where a figure does not fit: what follows in the same section and fits whole, with the notes below it."""
    if not any(getattr(box, "floats", False) for box in queue[:first]) or _headed(queue[:first]):
        return None
    start = first
    while start < len(queue):
        group = _group(queue[start:])
        stop = start + len(group)
        for item in queue[stop:]:
            if isinstance(item, PageBreak) or not getattr(item, "tail", False):
                break
            group.append(item)
            stop += 1
        if not group or _headed(group):
            return None
        tall = sum(box.before + box.height(width) for box in group)
        if not any(getattr(box, "floats", False) for box in group) and tall <= room:
            return slice(start, stop)
        start = stop
    return None


def _headed(boxes: Sequence[Box | PageBreak]) -> bool:
    """Whether a heading is among them."""
    return any(getattr(box, "bookmark", None) for box in boxes)


def _place(
    group: list[Box], page: list[Placed], used: float, width: float, height: float
) -> tuple[int, float, list[Box]]:
    """Puts as much of the group on the page as belongs there: how many boxes, the height used, and what is left."""
    spots: list[Placed] = []
    at = used
    for index, box in enumerate(group):
        at += box.before if page or spots else 0.0
        tall = box.height(width)
        if at + tall <= height + 0.01:
            spots.append(Placed(box=box, offset=at))
            at += tall
            continue
        halves = box.split(width, height - at)
        if halves:
            page += [*spots, Placed(box=halves[0], offset=at)]
            return len(spots) + 1, at, [halves[1], *group[index + 1 :]]
        if page:
            return 0, used, group
        # Alone on a page and still too high: what fits stays, the rest is drawn on the next page, whatever its height.
        page += spots or [Placed(box=box, offset=at)]
        rest = group[index:] if spots else group[index + 1 :]
        return len(spots) or 1, at, rest
    page += spots
    return len(spots), at, []
