"""Clouds of points and lines in a plane with two axes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from charts.axes import Room, beside_axis, callout, height_below, labels, limit_across, ticks_below, ticks_left
from charts.marks import Drawing, Line, Mark, Measure, Path, Spot, Text
from charts.plot import Plot, Trace

Links = Mapping[tuple[float, float], str]
_ORDER = ("muted", "soft", "front", "highlight")
"""Spots from the ground to the top; other styles lie between the first two."""


def plane(plot: Plot, measure: Measure, width: float, height: float, links: Links) -> Drawing:
    """Grid, limits and lines, then all points, those that matter on top."""
    below = height_below(measure, plot.other_label, width - 1.2 * measure.em) / measure.em
    room = beside_axis(plot, measure, width=width, height=height, below=below)
    marks: list[Mark] = [*ticks_left(room), *ticks_below(room, plot.across_axis, grid=False)]
    marks += labels(room, above=plot.value_label, below=plot.other_label)
    for trace in plot.traces:
        if trace.mark == "line" or trace.joined:
            marks += _line(room, trace)
    points = [trace for trace in plot.traces if trace.mark == "point"]
    points.sort(key=lambda trace: _ORDER.index(trace.style) if trace.style in _ORDER else 0.5)
    taken = {point for trace in points if trace.style == "highlight" for point in trace.points}
    for trace in points:
        marks += _spots(room, trace, links, taken if trace.style != "highlight" else set())
    marks += [mark for trace in points if trace.style == "highlight" for mark in _callouts(room, trace)]
    return Drawing(width=width, height=height, marks=tuple(marks))


def _line(room: Room, trace: Trace) -> Iterator[Mark]:
    """Through the series' own points, in their order; a limit reaches from edge to edge and carries its name."""
    x_axis, y_axis = room.plot.across_axis, room.plot.value_axis
    spots = tuple((room.x(x_axis, x), room.y(y_axis, y)) for x, y in sorted(trace.points, key=lambda point: point[0]))
    if trace.style != "limit":
        if len(spots) > 1:
            yield Path(spots, "front" if trace.joined else trace.style, trace.name)
        return
    (x1, y1), (x2, y2) = spots[0], spots[-1]
    across, up = y1 == y2, x1 == x2
    if across and (x2 - x1) >= 0.99 * (room.right - room.left):
        yield from limit_across(room, trace.name, trace.points[0][1])
        return
    yield Line(x1, y1, x2, y2, "limit")
    if up:
        right = x1 + room.measure.wide(trace.name) + room.em < room.right
        x = x1 + (0.5 if right else -0.5) * room.em
        yield Text(x, room.top + 1.0 * room.em, trace.name, "start" if right else "end", "limit", halo=True)


def _spots(room: Room, trace: Trace, links: Links, taken: set[tuple[float, float]]) -> Iterator[Mark]:
    """Each point once: where a highlighted series marks it, only that one does."""
    words = room.plot.words
    across = words.day if room.plot.across_axis.names else words.value
    for at, (x, y) in enumerate(trace.points):
        if (x, y) in taken:
            continue
        about = f"{trace.label(at)}: {across(x)}, {words.value(y)}"
        place = room.x(room.plot.across_axis, x), room.y(room.plot.value_axis, y)
        yield Spot(*place, trace.style, about, links.get((x, y), ""))


def _callouts(room: Room, trace: Trace) -> Iterator[Mark]:
    """Where a front is drawn, nothing lies below it and to its left: there the name hides no other point."""
    fronted = any(other.joined for other in room.plot.traces)
    for at, (x, y) in enumerate(trace.points):
        yield callout(
            room, room.x(room.plot.across_axis, x), room.y(room.plot.value_axis, y), trace.label(at), below=fronted
        )
