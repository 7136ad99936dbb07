"""Bars: lying with a row for each category, or standing side by side; stacks, differences, bands and steps of a sum."""

from __future__ import annotations

from collections.abc import Iterator

from charts.axes import (
    Room,
    every_that_fits,
    height_below,
    labels,
    left_of,
    limit_across,
    limit_up,
    ticks_below,
    ticks_left,
)
from charts.marks import Box, Drawing, Mark, Measure, Path, Spot, Text
from charts.plot import Plot, Trace

_THICK, _STACK = 1.5, 2.4
"""Of a bar and of a stack [em]."""
_GAP = 1.3
"""Between rows [em]."""
_WIDE = 42.0
"""Width from which on names stand beside their bars, not over them [em]."""
_BESIDE = 0.36
"""Of the width, at most, for names beside bars."""


def lying(plot: Plot, measure: Measure, width: float) -> Drawing:
    """One row for each category, as high as they need."""
    em = measure.em
    beside = width >= _WIDE * em
    names = _beside(plot, measure, width) if beside else [[measure.cut(name, width - em)] for name in plot.categories]
    left = (
        max((measure.wide(line) for lines in names for line in lines), default=0.0) + 0.9 * em if beside else 0.2 * em
    )
    thick = em * (_STACK if plot.stacked else _THICK * (1 if plot.across or _spanned(plot) else max(1, len(plot.bars))))
    above = 0.0 if beside or not any(plot.categories) else 1.4 * em
    row = max(thick + _GAP * em, 2.9 * em if any(len(lines) > 1 for lines in names) else 0.0) + above
    top = (2.0 if plot.limits else 0.6) * em
    base = top + row * max(1, len(plot.categories))
    before, after = _value_room(plot, measure)
    right, left = width - 0.9 * em - after, left + (0.0 if beside else before)
    room = Room(plot=plot, measure=measure, left=left, right=right, top=top, base=base)
    marks: list[Mark] = list(ticks_below(room, plot.value_axis, grid=True))
    below = plot.value_label or plot.other_label
    marks += labels(room, above="", below=below)
    for index, lines in enumerate(names):
        middle = top + row * (index + 0.5) if beside else top + row * (index + 1) - thick / 2 - 0.5 * em
        marks += _names(room, lines, middle, middle - thick / 2 - 0.45 * em, beside=beside)
        marks += _row(room, index, middle, thick)
    for name, value in plot.limits:
        marks += limit_up(room, name, value)
    return Drawing(width=width, height=base + height_below(measure, below, right), marks=tuple(marks))


def _beside(plot: Plot, measure: Measure, width: float) -> list[list[str]]:
    return [measure.wrapped(name, width * _BESIDE) for name in plot.categories]


def _value_room(plot: Plot, measure: Measure) -> tuple[float, float]:
    """Room left and right of the axis for the values at the ends of the bars; the axis leaves some too."""
    texts = [(value, plot.label(value)) for trace in plot.bars for value in trace.values] if plot.labelled else []
    before = max((measure.wide(text) for value, text in texts if value < 0), default=0.0)
    after = max((measure.wide(text) for value, text in texts if value >= 0), default=0.0)
    return 0.6 * before, 0.6 * after


def _names(room: Room, lines: list[str], middle: float, over: float, *, beside: bool) -> Iterator[Mark]:
    if not beside:
        yield Text(0.5 * room.em, over, lines[0], halo=True)
        return
    first = middle + 0.35 * room.em - 0.6 * room.em * (len(lines) - 1)
    for at, line in enumerate(lines):
        yield Text(room.left - 0.6 * room.em, first + 1.2 * room.em * at, line, "end", "name")


def _row(room: Room, index: int, middle: float, thick: float) -> Iterator[Mark]:
    plot = room.plot
    if plot.kind == "interval":
        yield from _interval(room, index, middle, thick)
    elif plot.kind == "waterfall":
        yield from _step(room, index, middle, thick)
    elif plot.stacked:
        yield from _stack_lying(room, index, middle, thick)
    else:
        yield from _plain(room, index, middle, thick)


def _spanned(plot: Plot) -> bool:
    return plot.kind in ("interval", "waterfall")


def _plain(room: Room, index: int, middle: float, thick: float) -> Iterator[Mark]:
    """A bar for each series from zero, differences to both sides on one line."""
    plot = room.plot
    bars = plot.bars
    thin = thick if plot.across else thick / max(1, len(bars))
    for number, trace in enumerate(bars):
        value = trace.value(index)
        y = middle if plot.across else middle - thick / 2 + (number + 0.5) * thin
        first, last = sorted((room.x(plot.value_axis, 0.0), room.x(plot.value_axis, value)))
        about = _about(plot, index, trace, value)
        yield Box(first, y - thin / 2, max(last - first, 0.1 * room.em), thin, trace.style, about)
        text = plot.label(value) if plot.labelled else ""
        if text:
            at, anchor = (last + 0.4 * room.em, "start") if value >= 0 else (first - 0.4 * room.em, "end")
            yield Text(at, y + 0.35 * room.em, text, anchor, "strong")


def _about(plot: Plot, index: int, trace: Trace, value: float) -> str:
    named = f"{plot.categories[index]}, {trace.name}" if plot.categories[index] else trace.name
    return f"{trace.labels[index] if index < len(trace.labels) else named}: {plot.words.value(value)}"


def _stack_lying(room: Room, index: int, middle: float, thick: float) -> Iterator[Mark]:
    plot = room.plot
    for number, trace, start, end in _pieces(plot, index):
        first, last = sorted((room.x(plot.value_axis, start), room.x(plot.value_axis, end)))
        about = _about(plot, index, trace, end - start)
        yield Box(first, middle - thick / 2, last - first, thick, trace.style, about)
        if _keyed(plot, trace) and last - first >= room.measure.wide(str(number)) + 0.5 * room.em:
            yield Text((first + last) / 2, middle + 0.35 * room.em, str(number), "middle", "key", on=trace.style)


def _keyed(plot: Plot, trace: Trace) -> bool:
    """Whether its pieces carry a number; room that is left is told by its frame."""
    return plot.numbered and trace.style != "free"


def _pieces(plot: Plot, index: int) -> Iterator[tuple[int, Trace, float, float]]:
    """The pieces of a stack: they grow away from zero, amounts that come back to the other side."""
    ends = [0.0, 0.0]
    for number, trace in enumerate(plot.bars, 1):
        value = trace.value(index)
        if value:
            start = ends[value < 0]
            ends[value < 0] += value
            yield number, trace, start, start + value


def _interval(room: Room, index: int, middle: float, thick: float) -> Iterator[Mark]:
    """A band from the lowest to the highest, a mark and a number at the one in the middle."""
    plot = room.plot
    values = sorted(trace.value(index) for trace in plot.bars)
    low, centre, high = values[0], values[len(values) // 2], values[-1]
    first, last = room.x(plot.value_axis, low), room.x(plot.value_axis, high)
    span = plot.words.span.format(low=plot.words.value(low), high=plot.words.value(high))
    about = f"{plot.categories[index]}: {span}"
    flat = 0.7 * thick
    yield Box(first, middle - flat / 2, max(last - first, 0.2 * room.em), flat, "s1", about, faint=True)
    yield Spot(room.x(plot.value_axis, centre), middle, "highlight")
    yield Text(last + 0.9 * room.em, middle + 0.35 * room.em, plot.label(centre), "start", "strong")


def _step(room: Room, index: int, middle: float, thick: float) -> Iterator[Mark]:
    """A whole from zero at both ends; between them what is added or taken away, told by its sign."""
    plot = room.plot
    start, end = (trace.value(index) for trace in plot.bars[:2])
    whole = index in (0, len(plot.categories) - 1)
    change = end - start
    text = plot.label(end) if whole else f"{'+' if change > 0 else ''}{plot.label(change)}"
    first, last = sorted((room.x(plot.value_axis, start), room.x(plot.value_axis, end)))
    style = "s2" if whole else "highlight" if change > 0 else "s1"
    about = f"{plot.categories[index]}: {text}"
    yield Box(first, middle - thick / 2, max(last - first, 0.1 * room.em), thick, style, about)
    yield Text(last + 0.5 * room.em, middle + 0.35 * room.em, text, "start", "strong")


# ---- standing


def fits(plot: Plot, measure: Measure, width: float) -> bool:
    """Whether the names of standing bars have room under them; months and hours may be told every few."""
    if len(plot.categories) > 12 or all(name[:1].isdigit() for name in plot.categories):
        return True
    widest = max((measure.wide(word) for name in plot.categories for word in name.split()), default=0.0)
    apart = (width - left_of(plot, measure)) / max(1, len(plot.categories))
    whole = max(map(measure.wide, plot.categories), default=0.0)
    return widest + 0.5 * measure.em <= apart and whole <= 1.7 * apart


def standing(plot: Plot, measure: Measure, width: float, height: float) -> Drawing:
    """Categories side by side under a standing axis; lines run over their middles."""
    em = measure.em
    right = width - 0.9 * em
    room = Room(
        plot=plot,
        measure=measure,
        left=left_of(plot, measure),
        right=right,
        top=2.4 * em,
        base=height - height_below(measure, plot.other_label, right),
    )
    apart = (room.right - room.left) / max(1, len(plot.categories))
    marks: list[Mark] = [*ticks_left(room), *labels(room, above=plot.value_label, below=plot.other_label)]
    marks += _columns(room, apart)
    marks += [mark for trace in plot.traces if trace.mark == "line" for mark in _line(room, trace, apart)]
    marks += _values(room, apart)
    marks += _under(room, apart)
    return Drawing(width=width, height=height, marks=tuple(marks))


def _under(room: Room, apart: float) -> Iterator[Mark]:
    """The names under the bars: in two lines where one is not wide enough, every few where they are many."""
    plot, measure = room.plot, room.measure
    dense = len(plot.categories) > 12 or all(name[:1].isdigit() for name in plot.categories)
    widest = max(map(measure.wide, plot.categories), default=0.0)
    every = every_that_fits(room, widest, apart, plot.every) if dense else 1
    for index in range(0, len(plot.categories), every):
        middle = room.left + (index + 0.5) * apart
        space = max(apart * every - 0.3 * room.em, 2 * room.em)
        for at, line in enumerate(measure.wrapped(plot.categories[index], space, lines=1 if dense else 2)):
            yield Text(middle, room.base + (1.45 + 1.15 * at) * room.em, line, "middle", "name")


def _thick(room: Room, apart: float) -> tuple[float, float]:
    """Of all bars of a category together, and of one of them."""
    count = 1 if room.plot.stacked else max(1, len(room.plot.bars))
    thick = min(6.5 * room.em * count, apart * 0.66)
    return thick, thick / count


def _columns(room: Room, apart: float) -> Iterator[Mark]:
    plot, axis = room.plot, room.plot.value_axis
    thick, thin = _thick(room, apart)
    for index in range(len(plot.categories)):
        left = room.left + (index + 0.5) * apart - thick / 2
        pieces = list(_pieces(plot, index)) if plot.stacked else [
            (number, trace, 0.0, trace.value(index)) for number, trace in enumerate(plot.bars, 1)
        ]  # fmt: skip
        for number, trace, start, end in pieces:
            top, base = sorted((room.y(axis, start), room.y(axis, end)))
            x = left if plot.stacked else left + (number - 1) * thin
            yield Box(x, top, thin, base - top, trace.style, _about(plot, index, trace, end - start))
            if _keyed(plot, trace) and base - top >= 1.3 * room.em and thin >= 1.2 * room.em:
                middle = (top + base) / 2 + 0.35 * room.em
                yield Text(x + thin / 2, middle, str(number), "middle", "key", on=trace.style)


def _line(room: Room, trace: Trace, apart: float) -> Iterator[Mark]:
    axis = room.plot.value_axis
    spots = [(room.left + (at + 0.5) * apart, room.y(axis, value)) for at, value in enumerate(trace.values)]
    if trace.style == "limit" and spots:
        ends = [
            max((other.value(at) for other in room.plot.traces if other is not trace), default=0.0) for at in (0, -1)
        ]
        yield from limit_across(room, trace.name, trace.values[0], at_start=ends[0] < ends[1])
    elif len(spots) > 1:
        yield Path(tuple(spots), trace.style, trace.name)


def _values(room: Room, apart: float) -> Iterator[Mark]:
    """The values above the bars where they have room, on a ground of their own where a line crosses."""
    plot, axis = room.plot, room.plot.value_axis
    thick, thin = _thick(room, apart)
    texts = {
        (number, at): plot.label(value)
        for number, trace in enumerate(plot.bars)
        for at, value in enumerate(trace.values)
    }
    widest = max(map(room.measure.wide, texts.values()), default=0.0)
    if not plot.labelled or widest > (apart if len(plot.bars) == 1 else thin * 1.2):
        return
    for (number, at), text in texts.items():
        x = room.left + (at + 0.5) * apart - thick / 2 + (number + 0.5) * thin
        top = min(room.y(axis, 0.0), room.y(axis, plot.bars[number].values[at])) - 0.4 * room.em
        if text:
            yield Text(x, top, text, "middle", "strong", halo=len(plot.bars) < len(plot.traces))
