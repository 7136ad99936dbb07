"""The one drawer: a plot becomes lines, boxes and texts at positions, for whatever prints them."""

from __future__ import annotations

from collections.abc import Iterator

from charts.bars import fits, lying, standing
from charts.marks import Box, Drawing, Line, Mark, Measure, Path, Spot, Text
from charts.plane import Links, plane
from charts.plot import Plot, Trace
from charts.timeline import gantt, steps, strokes

_NO_LINKS: Links = {}


def drawn(
    plot: Plot, measure: Measure, *, width: float, height: float, legend: bool = False, links: Links = _NO_LINKS
) -> Drawing:
    """That plot in `width`; rows of bars are as high as they need, all others `height`; with a legend below where asked."""
    picture = _drawn(plot, measure, width, height, links)
    return _with_legend(plot, picture, measure) if legend and plot.named else picture


def _drawn(plot: Plot, measure: Measure, width: float, height: float, links: Links) -> Drawing:
    if plot.shape == "plane":
        return plane(plot, measure, width, height, links)
    if plot.shape == "steps":
        return steps(plot, measure, width, height)
    if plot.shape == "gantt":
        return gantt(plot, measure, width)
    if plot.shape == "columns" and fits(plot, measure, width):
        return standing(plot, measure, width, height)
    return lying(plot, measure, width)


def swatch(plot: Plot, number: int, *, left: float, top: float, size: float) -> Iterator[Mark]:
    """The mark of that trace in a legend, in a square of that size."""
    trace, middle = plot.traces[number], top + size / 2
    if trace.mark == "line":
        if trace.style == "limit":
            yield Line(left, middle, left + size, middle, "limit")
        else:
            yield Path(((left, middle), (left + size, middle)), trace.style)
    elif trace.mark == "point":
        yield Spot(left + size / 2, middle, trace.style)
    elif trace.style == "limit":
        yield Box(left, top, size, size, "over")
        yield from strokes(left, top, size, size, size)
    else:
        yield Box(left, top, size, size, trace.style)
        if plot.numbered and trace.style != "free":
            yield Text(left + size / 2, middle + 0.3 * size, str(number + 1), "middle", "key", on=trace.style)


def _with_legend(plot: Plot, picture: Drawing, measure: Measure) -> Drawing:
    em = measure.em
    marks: list[Mark] = list(picture.marks)
    top = picture.height + 0.4 * em
    for row in _rows(plot, measure, picture.width):
        x = (picture.width - sum(_wide(trace, measure, picture.width) for _, trace in row)) / 2
        for number, trace in row:
            marks += swatch(plot, number, left=x, top=top, size=1.2 * em)
            name = measure.cut(trace.name, picture.width * 0.6)
            marks.append(Text(x + 1.7 * em, top + em, name, "start", "name"))
            x += _wide(trace, measure, picture.width)
        top += 2.0 * em
    return Drawing(width=picture.width, height=top, marks=tuple(marks))


def _rows(plot: Plot, measure: Measure, width: float) -> list[list[tuple[int, Trace]]]:
    """The named traces in as many rows as they need."""
    rows: list[list[tuple[int, Trace]]] = [[]]
    used = 0.0
    for number, trace in enumerate(plot.named):
        wide = _wide(trace, measure, width)
        if rows[-1] and used + wide > width:
            rows.append([])
            used = 0.0
        rows[-1].append((number, trace))
        used += wide
    return rows


def _wide(trace: Trace, measure: Measure, width: float) -> float:
    return min(measure.wide(trace.name), width * 0.6) + 3.7 * measure.em
