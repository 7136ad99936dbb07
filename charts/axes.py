"""What all drawings share: the room between the axes, ticks with their numbers, limits across, callouts."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from charts.marks import Line, Mark, Measure, Text
from charts.plot import Plot, every_of
from charts.scale import Axis

_LINE = 1.25
"""From one line of what an axis measures to the next [em]."""


@dataclass(frozen=True, kw_only=True)
class Room:
    """The rectangle between the axes, and what is measured in it; y runs downwards."""

    plot: Plot
    measure: Measure
    left: float
    right: float
    top: float
    base: float

    @property
    def em(self) -> float:
        """Size of a text."""
        return self.measure.em

    def x(self, axis: Axis, value: float) -> float:
        """Where the value lies across."""
        return self.left + (self.right - self.left) * axis.share(value)

    def y(self, axis: Axis, value: float) -> float:
        """Where the value lies upwards."""
        return self.base - (self.base - self.top) * axis.share(value)


def texts_of(plot: Plot, axis: Axis) -> tuple[str, ...]:
    """The texts of an axis as they are written where the reader is."""
    return axis.texts() if axis.names else tuple(plot.words.number(text) for text in axis.texts())


def left_of(plot: Plot, measure: Measure) -> float:
    """Room for the numbers beside a standing axis."""
    return max(map(measure.wide, texts_of(plot, plot.value_axis)), default=0.0) + measure.em * 0.9


def beside_axis(plot: Plot, measure: Measure, *, width: float, height: float, below: float) -> Room:
    """The rectangle beside the numbers of a standing axis; `below` is what lies under it, in sizes of a text."""
    em = measure.em
    return Room(
        plot=plot,
        measure=measure,
        left=left_of(plot, measure),
        right=width - 1.2 * em,
        top=2.4 * em,
        base=height - below * em,
    )


def ticks_below(room: Room, axis: Axis, *, grid: bool) -> Iterator[Mark]:
    """The ticks of a lying axis; where their texts would touch, every n-th is told, zero always."""
    texts = texts_of(room.plot, axis)
    told = _with_room(room, axis, texts)
    for at, (tick, text) in enumerate(zip(axis.ticks, texts, strict=True)):
        x = room.x(axis, tick)
        if grid:
            style = "axis" if not tick and not axis.log else "grid"
            yield Line(x, room.top, x, room.base, style)
        else:
            yield Line(x, room.base, x, room.base + 0.4 * room.em, "axis")
        if at in told:
            yield Text(_inside(room, x, text), room.base + 1.45 * room.em, text, "middle")


def _inside(room: Room, x: float, text: str) -> float:
    """The middle of a text, moved so that it does not leave the picture on the right."""
    return min(x, room.right + 0.9 * room.em - room.measure.wide(text) / 2)


def _with_room(room: Room, axis: Axis, texts: tuple[str, ...]) -> set[int]:
    places = [room.x(axis, tick) for tick in axis.ticks]
    if len(places) < 2:
        return set(range(len(places)))
    apart = min(second - first for first, second in pairwise(places))
    widest = max(map(room.measure.wide, texts)) + 0.7 * room.em
    step = max(1, math.ceil(widest / max(apart, 1e-6)))
    start = axis.ticks.index(0.0) % step if 0.0 in axis.ticks else 0
    return set(range(start, len(places), step))


def ticks_left(room: Room) -> Iterator[Mark]:
    """The ticks of the standing axis with lines across, its zero stronger."""
    axis = room.plot.value_axis
    for tick, text in zip(axis.ticks, texts_of(room.plot, axis), strict=True):
        y = room.y(axis, tick)
        yield Line(room.left, y, room.right, y, "grid")
        yield Text(room.left - 0.55 * room.em, y + 0.35 * room.em, text, "end")
    zero = room.y(axis, axis.low if axis.log else max(axis.low, 0.0))
    yield Line(room.left, zero, room.right, zero, "axis")


def labels(room: Room, *, above: str, below: str) -> Iterator[Mark]:
    """What the axes measure: above the standing one, under the lying one."""
    if above:
        yield Text(0.0, 1.1 * room.em, above)
    for at, line in enumerate(room.measure.wrapped(below, room.right) if below else ()):
        yield Text(room.right, room.base + (2.85 + _LINE * at) * room.em, line, "end")


def height_below(measure: Measure, below: str, right: float) -> float:
    """Room for the numbers of a lying axis and what they measure, in two lines where one would leave the picture on the left."""
    return (3.4 + _LINE * (len(measure.wrapped(below, right)) - 1)) * measure.em


def limit_up(room: Room, name: str, value: float) -> Iterator[Mark]:
    """A limit as a standing line with its name over it."""
    axis = room.plot.value_axis
    x = room.x(axis, value)
    yield Line(x, room.top - 0.4 * room.em, x, room.base, "limit")
    wide = room.measure.wide(name)
    anchor = "end" if x + wide > room.right + 0.9 * room.em else "start"
    yield Text(x, room.top - 0.8 * room.em, name, anchor, "limit")


def limit_across(room: Room, name: str, value: float, *, at_start: bool = False) -> Iterator[Mark]:
    """A limit as a line across with its name at the right, or at the left where the data leave more room."""
    y = room.y(room.plot.value_axis, value)
    yield Line(room.left, y, room.right, y, "limit")
    x, anchor = (room.left + 0.4 * room.em, "start") if at_start else (room.right, "end")
    yield Text(x, y - 0.4 * room.em, name, anchor, "limit", halo=True)


def callout(room: Room, x: float, y: float, words: str, *, below: bool) -> Mark:
    """The name of a point beside it, towards the side that has more room."""
    shift = 0.7 * room.em
    before, after = x - room.left - shift, room.right - x - shift
    right = after > before and not (below and room.measure.wide(words) <= before)
    base = y + 1.9 * room.em if below else y - 1.3 * room.em
    base = min(max(base, room.top + 0.6 * room.em), room.base - 0.3 * room.em)
    if room.measure.wide(words) > max(before, after):
        # Over or under the point instead of beside it: a long name is read whole, not cut.
        return Text(room.right, base, room.measure.cut(words, room.right - room.left), "end", "strong", halo=True)
    return Text(x + (shift if right else -shift), base, words, "start" if right else "end", "strong", halo=True)


def every_that_fits(room: Room, widest: float, apart: float, least: int) -> int:
    """Every how many categories one can be named, so that names keep apart."""
    return every_of(max(least, math.ceil((widest + 0.6 * room.em) / max(apart, 1e-6))))
