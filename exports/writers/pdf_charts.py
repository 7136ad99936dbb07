"""Charts as vectors on a PDF page, from the same `Plot` that the native charts are made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from exports.document import Figure
from exports.numbers import local
from exports.writers.chart_scale import Axis, short
from exports.writers.look import Look
from exports.writers.pdf_layout import Box
from exports.writers.pdf_pen import Pen
from exports.writers.pdf_text import Style, break_lines, text_width
from exports.writers.plot import Plot, Trace, plot_of

_SIZE = 8.0
_ROW = 22.0
"""Height of one lying bar with its gap [pt]."""
_TALL_ROW = 25.0
"""The same where a name takes two lines [pt]."""


@dataclass(frozen=True, kw_only=True)
class FigureBox:
    """One chart; what it shows is said in its alternative text."""

    figure: Figure
    look: Look
    before: float = 4.0
    keep: bool = False
    floats: bool = True
    """May stand after the table that follows, where it does not fit before it."""

    @property
    def _plot(self) -> Plot:
        return plot_of(self.figure.chart, self.look)

    def height(self, width: float) -> float:
        """Lying bars need a row each; other charts a calm landscape."""
        plot = self._plot
        legend = 16.0 * len(_legend_rows(plot, width)) if plot.named else 0.0
        if plot.shape == "bars":
            names = _name_room(plot, width) - 8
            style = Style(size=_SIZE, leading=_SIZE * 1.3, colour=self.look.ink)
            row = _ROW if all(len(break_lines(name, style, names)) < 2 for name in plot.categories) else _TALL_ROW
            return max(1, len(plot.categories)) * row + 38 + legend
        return width * 0.36 + 30 + legend

    def draw(self, pen: Pen, x: float, top: float, width: float) -> None:
        """The whole drawing is one figure element."""
        tall = self.height(width)
        box = (x, top - tall, x + width, top)
        with pen.tags.element("Figure", alt=self.figure.alt, box=box), pen.tags.content(pen.canvas):
            _Drawing(pen=pen, plot=self._plot, look=self.look, left=x, top=top, width=width, tall=tall).draw()

    def split(self, width: float, room: float) -> tuple[Box, Box] | None:
        """Never."""
        return None


def _name_room(plot: Plot, width: float) -> float:
    """Width of the names beside lying bars [pt]: a third of the figure, a little more where a name needs it."""
    longest = max((text_width(name, _SIZE) for name in plot.categories), default=0.0) + 12
    style = Style(size=_SIZE, leading=_SIZE, colour="")
    rooms = [min(share * width, longest) for share in (0.34, 0.42)]
    fits = (room for room in rooms if all(len(break_lines(name, style, room - 8)) <= 2 for name in plot.categories))
    return next(fits, rooms[0])


def _printed(text: str) -> str:
    """A number on the figure: the team's separators, and a minus instead of a hyphen."""
    return local(text).replace("-", "−")


def _legend_rows(plot: Plot, width: float) -> list[list[Trace]]:
    """The named traces in as many rows as they need."""
    rows: list[list[Trace]] = [[]]
    used = 0.0
    for trace in plot.named:
        wide = min(text_width(trace.name, _SIZE), width * 0.6) + 32
        if rows[-1] and used + wide > width:
            rows.append([])
            used = 0.0
        rows[-1].append(trace)
        used += wide
    return rows


@dataclass(kw_only=True)
class _Drawing:
    pen: Pen
    plot: Plot
    look: Look
    left: float
    top: float
    width: float
    tall: float

    def draw(self) -> None:
        """Legend below, then axes, then marks."""
        self.grey = Style(size=_SIZE, leading=_SIZE * 1.3, colour=self.look.muted)
        self.dark = replace(self.grey, colour=self.look.ink)
        bottom = self.top - self.tall + self._legend()
        if self.plot.shape == "bars":
            self._lying(bottom)
        else:
            self._standing(bottom)
        self.pen.canvas.setDash([])

    def _legend(self) -> float:
        rows = _legend_rows(self.plot, self.width) if self.plot.named else []
        for index, row in enumerate(rows):
            base = self.top - self.tall + 16 * (len(rows) - 1 - index) + 4
            widths = [min(text_width(trace.name, _SIZE), self.width * 0.6) + 32 for trace in row]
            x = self.left + (self.width - sum(widths)) / 2
            for trace, wide in zip(row, widths, strict=True):
                self._sample(trace, x, base)
                self.pen.label(trace.name, x + 18, base, self.dark, room=self.width * 0.62)
                x += wide
        return 16.0 * len(rows)

    def _sample(self, trace: Trace, x: float, base: float) -> None:
        if trace.mark == "line":
            self.pen.stroke(trace.colour, 1.6, (4, 2) if trace.dashed else ())
            self.pen.canvas.line(x, base + 3, x + 14, base + 3)
        elif trace.mark == "point":
            self._dot(x + 7, base + 3, trace)
        elif trace.outlined:
            self._outlined(x + 4, base - 0.5, 7, 7)
        else:
            self.pen.box(x + 4, base - 0.5, 7, 7, trace.colour)

    # ---- lying bars

    def _lying(self, bottom: float) -> None:
        plot, axis = self.plot, self.plot.value_axis
        names = _name_room(plot, self.width)
        x, wide = self.left + names, self.width - names - 14
        floor, roof = bottom + 30, self.top - 4
        self._ticks_below(axis, x, wide, floor, roof)
        self._label_below(plot.value_label, x, wide, bottom)
        step = (roof - floor) / max(1, len(plot.categories))
        for index, name in enumerate(plot.categories):
            middle = roof - (index + 0.5) * step
            self._category(name, middle, names)
            self._row(index, middle, min(13.0, step * 0.62), lambda value: x + wide * axis.share(value))
        zero = x + wide * axis.share(max(axis.low, 0.0))
        self._line(self.look.faint, zero, floor, zero, roof)

    def _category(self, name: str, middle: float, room: float) -> None:
        """One or two lines; more is cut."""
        lines = break_lines(name, self.dark, room - 8)[:2]
        at = middle + len(lines) * self.dark.leading / 2
        for line in lines:
            self.pen.line(line, self.left, at, room - 8, replace(self.dark, align="right"))
            at -= self.dark.leading

    def _row(self, index: int, middle: float, thick: float, place: Callable[[float], float]) -> None:
        """Pieces of a stack grow away from zero, amounts that come back to the other side, as in Office."""
        plot = self.plot
        bars = [trace for trace in plot.traces if trace.mark == "bar"]
        across = plot.stacked or any(value < 0 for trace in bars for value in trace.values)
        thin = thick if across else thick / len(bars)
        ends = [0.0, 0.0]
        for number, trace in enumerate(bars):
            value = trace.values[index]
            start = ends[value < 0]
            y = middle - thick / 2 if across else middle + thick / 2 - (number + 1) * thin
            first, last = place(start), place(start + value)
            if trace.outlined:
                self._outlined(first, y, last - first, thin)
            elif not trace.ghost and value:
                self.pen.box(min(first, last), y, abs(last - first), thin, trace.colour)
            if plot.stacked:
                ends[value < 0] += value
            elif plot.labelled:
                text, right = _printed(plot.label(value)), value >= 0
                style = replace(self.dark, align="left" if right else "right")
                self.pen.label(text, last + (3 if right else -3), y + thin / 2 - _SIZE * 0.36, style)

    def _outlined(self, x: float, y: float, width: float, height: float) -> None:
        self.pen.fill(self.look.wash)
        self.pen.stroke(self.look.faint, 0.5)
        self.pen.canvas.rect(x, y, width, height, stroke=1, fill=1)

    # ---- standing bars, lines and points

    def _standing(self, bottom: float) -> None:
        plot, axis = self.plot, self.plot.value_axis
        widest = max(text_width(_printed(short(tick, axis.number_format)), _SIZE) for tick in axis.ticks)
        x = self.left + widest + 8
        wide, floor, roof = self.left + self.width - x - 10, bottom + 30, self.top - 20
        self.pen.label(plot.value_label, self.left, self.top - 10, self.grey, room=self.width)
        for tick in axis.ticks:
            y = floor + (roof - floor) * axis.share(tick)
            self._line(self.look.line, x, y, x + wide, y)
            form = replace(self.grey, align="right")
            self.pen.label(_printed(short(tick, axis.number_format)), x - 5, y - _SIZE * 0.36, form)
        self._label_below(plot.other_label, x, wide, bottom)
        rise = (floor, roof - floor)
        if plot.x_axis is not None:
            self._ticks_below(plot.x_axis, x, wide, floor, None)
            self._points(plot.x_axis, x, wide, rise)
        else:
            self._columns(x, wide, rise)
        zero = floor + (roof - floor) * axis.share(max(axis.low, 0.0))
        self._line(self.look.faint, x, zero, x + wide, zero)

    def _columns(self, x: float, wide: float, rise: tuple[float, float]) -> None:
        plot = self.plot
        step = wide / max(1, len(plot.categories))
        bars = 1 if plot.stacked else sum(trace.mark == "bar" for trace in plot.traces)
        thick = min(54.0 * max(1, bars), step * 0.66)
        for index, name in enumerate(plot.categories):
            middle = x + (index + 0.5) * step
            if not index % plot.every:
                room = step * plot.every * 1.2
                self.pen.label(name, middle, rise[0] - 11, replace(self.dark, align="middle"), room=room)
            self._column(index, middle, thick, rise)
        for trace in plot.traces:
            if trace.mark == "line":
                points = [(x + (index + 0.5) * step, self._y(value, rise)) for index, value in enumerate(trace.values)]
                if trace.dashed:
                    points = [(x, points[0][1]), *points, (x + wide, points[-1][1])]
                self._path(points, trace)
        if plot.labelled and not plot.stacked:
            for index in range(len(plot.categories)):
                self._values(index, x + (index + 0.5) * step, thick, rise)

    def _values(self, index: int, middle: float, thick: float, rise: tuple[float, float]) -> None:
        """The values above the bars of a category, on a ground of their own where a line would strike them through."""
        bars = [trace for trace in self.plot.traces if trace.mark == "bar"]
        thin = thick / max(1, len(bars))
        for number, trace in enumerate(bars):
            text, at = _printed(self.plot.label(trace.values[index])), middle - thick / 2 + (number + 0.5) * thin
            base = max(self._y(0.0, rise), self._y(trace.values[index], rise)) + 3
            if len(bars) < len(self.plot.traces) and text:
                wide = text_width(text, _SIZE) + 3
                self.pen.box(at - wide / 2, base - 1.5, wide, _SIZE + 1, "FFFFFF")
            self.pen.label(text, at, base, replace(self.dark, align="middle"))

    def _column(self, index: int, middle: float, thick: float, rise: tuple[float, float]) -> None:
        bars = [trace for trace in self.plot.traces if trace.mark == "bar"]
        thin = thick if self.plot.stacked else thick / max(1, len(bars))
        ends = [0.0, 0.0]
        for number, trace in enumerate(bars):
            value = trace.values[index]
            start = ends[value < 0]
            left = middle - thick / 2 + (0 if self.plot.stacked else number * thin)
            low, high = sorted((self._y(start, rise), self._y(start + value, rise)))
            self.pen.box(left, low, thin, high - low, trace.colour)
            if self.plot.stacked:
                ends[value < 0] += value

    def _points(self, axis: Axis, x: float, wide: float, rise: tuple[float, float]) -> None:
        for trace in self.plot.traces:
            spots = [(x + wide * axis.share(a), self._y(b, rise)) for a, b in trace.points]
            if trace.mark == "line":
                self._path(spots, trace)
                continue
            if trace.joined:
                self._path(spots, trace)
            for spot in spots:
                self._dot(*spot, trace)
        for trace in self.plot.traces if self.plot.named_points else ():
            if trace.mark == "point" and trace.colour == self.look.highlight and trace.labels:
                for (a, b), label in zip(trace.points, trace.labels, strict=False):
                    self._tag(x + wide * axis.share(a), self._y(b, rise), label, x + wide)

    def _tag(self, x: float, y: float, label: str, edge: float) -> None:
        """The name of a point, beside it on the side that has room."""
        style = replace(self.dark, bold=True)
        right = x + 8 + text_width(label, _SIZE, bold=True) <= edge
        self.pen.label(label, x + (8 if right else -8), y + 3, replace(style, align="left" if right else "right"))

    def _y(self, value: float, rise: tuple[float, float]) -> float:
        return rise[0] + rise[1] * self.plot.value_axis.share(value)

    def _path(self, points: list[tuple[float, float]], trace: Trace) -> None:
        path = self.pen.canvas.beginPath()
        path.moveTo(*points[0])
        for point in points[1:]:
            path.lineTo(*point)
        self.pen.stroke(trace.colour, 1.1 if trace.dashed else 1.9, (4, 2.5) if trace.dashed else ())
        self.pen.canvas.drawPath(path, stroke=1, fill=0)

    def _dot(self, x: float, y: float, trace: Trace) -> None:
        self.pen.fill(trace.colour)
        self.pen.stroke("FFFFFF", 0.5)
        self.pen.canvas.circle(x, y, 4.6 if trace.colour == self.look.highlight else 2.7, stroke=1, fill=1)

    # ---- shared

    def _ticks_below(self, axis: Axis, x: float, wide: float, floor: float, roof: float | None) -> None:
        for tick in axis.ticks:
            at = x + wide * axis.share(tick)
            if roof is not None:
                self._line(self.look.line, at, floor, at, roof)
            self.pen.label(
                _printed(short(tick, axis.number_format)), at, floor - 11, replace(self.grey, align="middle")
            )

    def _label_below(self, text: str, x: float, wide: float, bottom: float) -> None:
        self.pen.label(text, x + wide / 2, bottom + 6, replace(self.grey, align="middle"), room=wide)

    def _line(self, colour: str, x1: float, y1: float, x2: float, y2: float) -> None:
        self.pen.stroke(colour, 0.5)
        self.pen.canvas.line(x1, y1, x2, y2)
