"""Charts over days: bars from one day to another, and stacked use that steps up and down against a limit."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from charts.axes import Room, beside_axis, labels, limit_across, ticks_below, ticks_left
from charts.marks import Box, Drawing, Line, Mark, Measure, Text
from charts.plot import Plot

_BAR = 1.35
"""Of one stretch of time [em]."""
_WIDE = 42.0
"""Width from which on names stand beside their bars, not over them [em]."""


def gantt(plot: Plot, measure: Measure, width: float) -> Drawing:
    """One row for each category; of the limit a frame with strokes in it, so that it is not told by colour alone."""
    em = measure.em
    beside = width >= _WIDE * em
    names = [measure.cut(name, width * (0.24 if beside else 1.0)) for name in plot.categories]
    left = max(map(measure.wide, names), default=0.0) + 0.9 * em if beside else 0.2 * em
    row = (2.5 if beside else 3.6) * em
    top = 0.8 * em
    base = top + row * max(1, len(names))
    room = Room(plot=plot, measure=measure, left=left, right=width - 1.2 * em, top=top, base=base)
    marks: list[Mark] = list(ticks_below(room, plot.value_axis, grid=True))
    middles: dict[str, float] = {}
    for at, (name, shown) in enumerate(zip(plot.categories, names, strict=True)):
        middles.setdefault(name, top + row * at + (row / 2 if beside else row - _BAR * em / 2 - 0.3 * em))
        baseline = top + row * at + (row / 2 + 0.35 * em if beside else 1.2 * em)
        marks.append(Text(left - 0.6 * em if beside else left, baseline, shown, "end" if beside else "start", "name"))
    marks += _spans(room, middles)
    return Drawing(width=width, height=base + 2.2 * em, marks=tuple(marks))


def _spans(room: Room, middles: dict[str, float]) -> Iterator[Mark]:
    axis, words, tall = room.plot.value_axis, room.plot.words, _BAR * room.em
    for trace in room.plot.traces:
        for name, (start, end) in zip(trace.labels, trace.points, strict=False):
            if name not in middles:
                continue
            about = f"{name}, {trace.name}: {words.span.format(low=words.day(start), high=words.day(end - 1))}"
            x, top = room.x(axis, start), middles[name] - tall / 2
            size = max(room.x(axis, end) - x, 0.15 * room.em)
            style = "over" if trace.style == "limit" else trace.style
            yield Box(x, top, size, tall, style, about)
            if style == "over":
                yield from strokes(x, top, size, tall, room.em)


def strokes(x: float, top: float, width: float, height: float, em: float) -> Iterator[Mark]:
    """Slanting lines that fill a frame."""
    at = 0.25 * em
    while at + 0.4 * em < width:
        yield Line(x + at, top + height, x + at + 0.4 * em, top, "over")
        at += 0.65 * em


def steps(plot: Plot, measure: Measure, width: float, height: float) -> Drawing:
    """Each amount holds until the next day of the series; the limit lies across."""
    room = beside_axis(plot, measure, width=width, height=height, below=2.2)
    marks: list[Mark] = [*ticks_left(room), *ticks_below(room, plot.across_axis, grid=False)]
    marks += labels(room, above=plot.value_label, below="")
    marks += _layers(room)
    for name, value in plot.limits:
        marks += limit_across(room, f"{name} {plot.words.value(value)}", value)
    return Drawing(width=width, height=height, marks=tuple(marks))


def _layers(room: Room) -> Iterator[Mark]:
    plot = room.plot
    days = [day for trace in plot.traces[:1] for day, _ in trace.points]
    below = [0.0] * len(days)
    for number, trace in enumerate(plot.traces, 1):
        tops = [base + amount for base, (_, amount) in zip(below, trace.points, strict=True)]
        for at, (start, end) in enumerate(pairwise(days)):
            amount = tops[at] - below[at]
            if amount <= 0:
                continue
            x, right = room.x(plot.across_axis, start), room.x(plot.across_axis, end)
            y, base = room.y(plot.value_axis, tops[at]), room.y(plot.value_axis, below[at])
            span = plot.words.span.format(low=plot.words.day(start), high=plot.words.day(end - 1))
            about = f"{trace.name}: {plot.words.value(amount)}, {span}"
            yield Box(x, y, max(right - x, 0.1 * room.em), base - y, trace.style, about)
            if right - x >= 1.4 * room.em and base - y >= 1.2 * room.em:
                middle = (y + base) / 2 + 0.35 * room.em
                yield Text((x + right) / 2, middle, str(number), "middle", "key", on=trace.style)
        below = tops
