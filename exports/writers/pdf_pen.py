"""Drawing on a tagged page: text, rules, boxes and links, in points from the lower left corner."""

from __future__ import annotations

import io
from collections.abc import Iterable

from reportlab.lib.colors import HexColor
from reportlab.pdfgen.canvas import Canvas
from reportlab.pdfgen.textobject import PDFTextObject

from exports.writers.look import Look
from exports.writers.pdf_fonts import BOLD, REGULAR, ascent, load
from exports.writers.pdf_tags import Tags, artifact, operator
from exports.writers.pdf_text import Style, Word, break_lines, line_width, placed


class Pen:
    """One canvas with its structure tree."""

    def __init__(self, size: tuple[float, float], look: Look) -> None:
        load()
        self.buffer = io.BytesIO()
        self.canvas = Canvas(self.buffer, pagesize=size, initialFontName=REGULAR, invariant=1, pageCompression=1)
        self.tags = Tags()
        self.look = look

    @property
    def page(self) -> int:
        """Number of the page being drawn."""
        return int(self.canvas.getPageNumber())

    def text(self, text: str, x: float, top: float, room: float, style: Style) -> float:
        """Draws the text in lines from `top` downwards and returns the height used; the caller marks the content."""
        lines = break_lines(text, style, room)
        for index, line in enumerate(lines):
            self.line(line, x, top - index * style.leading, room, style)
        return len(lines) * style.leading

    def line(self, line: list[Word], x: float, top: float, room: float, style: Style) -> None:
        """Draws one line whose top is at `top`, left, right or centred in `room`."""
        if not line:
            return
        spare = room - line_width(line, style)
        x += {"left": 0.0, "right": spare, "middle": spare / 2}[style.align]
        base = top - (style.leading - style.size) / 2 - ascent(style.size)
        self.fill(style.colour)
        plain: list[tuple[float, Word]] = []
        for at, word in placed(line, style):
            if word.backwards or word.actual:
                self._plain(plain, x, base, style)
                self._spoken(word, x + at, base, style)
                plain = []
            else:
                plain.append((at, word))
        self._plain(plain, x, base, style)

    def label(self, text: str, x: float, base: float, style: Style, *, room: float = 400.0) -> None:
        """One short line in a chart: `x` is its left end, middle or right end, by the style's alignment."""
        line = break_lines(text, style, room)[0]
        shift = {"left": 0.0, "right": room, "middle": room / 2}[style.align]
        top = base + (style.leading - style.size) / 2 + ascent(style.size)
        self.line(line, x - shift, top, room, style)

    def _plain(self, words: Iterable[tuple[float, Word]], x: float, base: float, style: Style) -> None:
        """Words that are drawn as they are typed, with their spaces, as one piece of text."""
        rows = list(words)
        if not rows:
            return
        text = self.canvas.beginText(x + rows[0][0], base)
        for index, (_, word) in enumerate(rows):
            if index:
                text.setFont(BOLD if style.bold else REGULAR, style.size)
                text.textOut(" ")
            self._runs(text, word, style)
        self.canvas.drawText(text)

    def _runs(self, text: PDFTextObject, word: Word, style: Style) -> None:
        for run in word.runs:
            text.setFont(run.font, style.size)
            if run.actual:
                text._code.append(f"/Span <</ActualText {_hex(run.actual)}>> BDC")
            text.textOut(run.text)
            if run.actual:
                text._code.append("EMC")

    def _spoken(self, word: Word, x: float, base: float, style: Style) -> None:
        """A word whose letters are not those that were typed: copying gives the typed ones and a space."""
        operator(self.canvas, f"/Span <</ActualText {_hex(word.actual + ' ')}>> BDC")
        text = self.canvas.beginText(x, base)
        for run in word.runs:
            text.setFont(run.font, style.size)
            text.textOut(run.text)
        self.canvas.drawText(text)
        operator(self.canvas, "EMC")

    def fill(self, colour: str) -> None:
        """The colour of what is filled next."""
        self.canvas.setFillColor(HexColor(f"#{colour}"))

    def stroke(self, colour: str, width: float, dash: tuple[float, ...] = ()) -> None:
        """Colour and width [pt] of the lines drawn next."""
        self.canvas.setStrokeColor(HexColor(f"#{colour}"))
        self.canvas.setLineWidth(width)
        self.canvas.setDash(list(dash))

    def box(self, x: float, y: float, width: float, height: float, colour: str) -> None:
        """A filled rectangle; the caller marks it."""
        self.fill(colour)
        self.canvas.rect(x, y, width, height, stroke=0, fill=1)

    def ground(self, x: float, y: float, width: float, height: float, colour: str) -> None:
        """A background that a screen reader skips."""
        with artifact(self.canvas):
            self.box(x, y, width, height, colour)

    def rule(self, x: float, y: float, width: float, colour: str, weight: float) -> None:
        """A horizontal line that a screen reader skips."""
        with artifact(self.canvas):
            self.stroke(colour, weight)
            self.canvas.line(x, y, x + width, y)

    def link(self, target: str, x: float, y: float, width: float, height: float) -> None:
        """A link to a bookmark, inside the innermost element."""
        self.canvas.linkRect("", target, (x, y, x + width, y + height), relative=0, thickness=0)
        self.tags.link(self.page)


def text_height(text: str, room: float, style: Style) -> float:
    """Height of the text in lines [pt]."""
    return len(break_lines(text, style, room)) * style.leading


def _hex(text: str) -> str:
    return f"<FEFF{text.encode('utf-16-be').hex().upper()}>"
