"""Charts as vectors on a PDF page: the drawing that the page shows as well, printed in the colours of the brand."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from charts.chart import Chart
from charts.drawing import drawn
from charts.marks import Box as Rectangle
from charts.marks import Drawing, Line, Mark, Measure, Path, Spot, Text
from charts.plot import Plot
from charts.selection import plot_of
from exports.brand import Brand, in_use
from exports.contrast import contrast
from exports.document import Figure
from exports.writers.chart_words import document_words
from exports.writers.look import Look
from exports.writers.pdf_fonts import main
from exports.writers.pdf_layout import Box
from exports.writers.pdf_pen import Pen
from exports.writers.pdf_text import Style, text_width

_SIZE = 8.0
"""Of all texts of a figure [pt]."""
_ALIGN = {"start": "left", "middle": "middle", "end": "right"}
_DASH = (4.0, 2.5)
_WHITE = "FFFFFF"


@dataclass(frozen=True, kw_only=True)
class FigureBox:
    """One chart; what it shows is said in its alternative text."""

    figure: Figure
    look: Look
    before: float = 4.0
    keep: bool = False
    floats: bool = True
    """May stand after the table that follows, where it does not fit before it."""

    def height(self, width: float) -> float:
        """Lying bars need a row each; other charts a calm landscape."""
        return picture(self.figure.chart, width).height

    def draw(self, pen: Pen, x: float, top: float, width: float) -> None:
        """The whole drawing is one figure element."""
        shown = picture(self.figure.chart, width)
        box = (x, top - shown.height, x + width, top)
        with pen.tags.element("Figure", alt=self.figure.alt, box=box), pen.tags.content(pen.canvas):
            printer = _Printer(pen=pen, look=self.look, left=x, top=top)
            for mark in shown.marks:
                printer.print(mark)
            pen.canvas.setDash([])

    def split(self, width: float, room: float) -> tuple[Box, Box] | None:
        """Never."""
        return None


def picture(chart: Chart, width: float) -> Drawing:
    """The drawing of that chart, its legend included, in the language and font in use."""
    return _drawn(plot_of(chart, document_words()), width, in_use(), main(bold=False))


@lru_cache(maxsize=64)
def _drawn(plot: Plot, width: float, _brand: Brand, _font: str) -> Drawing:
    """Remembered by all that it depends on: a page is measured before it is drawn."""
    measure = Measure(_SIZE, lambda text: text_width(text, _SIZE))
    return drawn(plot, measure, width=width, height=width * 0.36 + 30, legend=True)


@dataclass(kw_only=True)
class _Printer:
    """Puts marks on the page; their y runs downwards from `top`."""

    pen: Pen
    look: Look
    left: float
    top: float

    def print(self, mark: Mark) -> None:
        """One mark in its colours."""
        match mark:
            case Line():
                self._line(mark)
            case Rectangle():
                self._box(mark)
            case Path():
                self._path(mark)
            case Spot():
                self._spot(mark)
            case Text():
                self._text(mark)

    def _line(self, mark: Line) -> None:
        colour = {"grid": self.look.line, "axis": self.look.faint}.get(mark.style, self.look.limit)
        limit = mark.style == "limit"
        self.pen.stroke(colour, 1.1 if limit else 0.5, _DASH if limit else ())
        self.pen.canvas.line(self.left + mark.x1, self.top - mark.y1, self.left + mark.x2, self.top - mark.y2)

    def _box(self, mark: Rectangle) -> None:
        x, y = self.left + mark.x, self.top - mark.y - mark.height
        if mark.style in ("free", "over"):
            self.pen.fill(self.look.wash)
            self.pen.stroke(self.look.faint if mark.style == "free" else self.look.limit, 0.5)
            self.pen.canvas.rect(x, y, mark.width, mark.height, stroke=1, fill=1)
            return
        colour = self.look.of(mark.style)
        self.pen.box(x, y, mark.width, mark.height, self.look.soft if mark.faint else colour)

    def _path(self, mark: Path) -> None:
        path = self.pen.canvas.beginPath()
        spots = [(self.left + x, self.top - y) for x, y in mark.points]
        path.moveTo(*spots[0])
        for spot in spots[1:]:
            path.lineTo(*spot)
        self.pen.stroke(self.look.of(mark.style), 1.9)
        self.pen.canvas.drawPath(path, stroke=1, fill=0)

    def _spot(self, mark: Spot) -> None:
        """The shapes of the page: a diamond for the chosen point, a ring outside the limits, dots and discs."""
        x, y, canvas = self.left + mark.x, self.top - mark.y, self.pen.canvas
        hollow = mark.style == "muted"
        self.pen.fill(_WHITE if hollow else self.look.of(mark.style))
        self.pen.stroke(self.look.faint if hollow else self.look.ink if mark.style == "highlight" else _WHITE, 0.6)
        if mark.style == "highlight":
            path = canvas.beginPath()
            path.moveTo(x, y + 5.6)
            for dx, dy in ((5.6, 0.0), (0.0, -5.6), (-5.6, 0.0)):
                path.lineTo(x + dx, y + dy)
            path.close()
            canvas.drawPath(path, stroke=1, fill=1)
        else:
            radius = {"front": 3.6, "muted": 2.6}.get(mark.style, 2.3)
            canvas.circle(x, y, radius, stroke=1, fill=1)

    def _text(self, mark: Text) -> None:
        style = Style(size=_SIZE, leading=_SIZE * 1.3, colour=self.look.muted, align=_ALIGN[mark.anchor])
        if mark.style == "key":
            ground = self.look.wash if mark.on == "free" else self.look.of(mark.on)
            style = replace(style, colour=max((_WHITE, self.look.ink), key=lambda colour: contrast(colour, ground)))
        elif mark.style:
            style = replace(style, colour=self.look.limit if mark.style == "limit" else self.look.ink)
        x, y = self.left + mark.x, self.top - mark.y
        if mark.halo:
            wide = text_width(mark.words, _SIZE) + 3
            start = {"start": x, "middle": x - wide / 2, "end": x - wide}[mark.anchor]
            self.pen.box(start - 1.5, y - 1.5, wide + 3, _SIZE + 1, _WHITE)
        self.pen.label(mark.words, x, y, style)
