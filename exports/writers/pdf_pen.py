"""Drawing on a tagged page: text, rules, boxes and links, in points from the lower left corner."""

from __future__ import annotations

import io
from itertools import groupby

from reportlab.lib.colors import HexColor
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfgen.canvas import Canvas

from exports.writers.look import Look
from exports.writers.pdf_fonts import ascent, load, main
from exports.writers.pdf_tags import Tags, artifact, operator
from exports.writers.pdf_text import Run, Style, Word, break_lines, line_width, placed


class Pen:
    """One canvas with its structure tree."""

    def __init__(self, size: tuple[float, float], look: Look) -> None:
        load()
        self.buffer = io.BytesIO()
        self.canvas = Canvas(
            self.buffer, pagesize=size, initialFontName=main(bold=False), invariant=1, pageCompression=1
        )
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

    def _plain(self, words: list[tuple[float, Word]], x: float, base: float, style: Style) -> None:
        """Words that are drawn as they are typed, with their spaces, as one piece of text."""
        if not words:
            return
        space = (Run(" ", main(bold=style.bold)),)
        runs = [run for index, (_, word) in enumerate(words) for run in (space if index else ()) + word.runs]
        self._show(runs, x + words[0][0], base, style.size)

    def _spoken(self, word: Word, x: float, base: float, style: Style) -> None:
        """A word whose letters are not those that were typed: copying gives the typed ones and a space."""
        operator(self.canvas, f"/Span <</ActualText {_hex(word.actual + ' ')}>> BDC")
        self._show([Run(run.text, run.font) for run in word.runs], x, base, style.size)
        operator(self.canvas, "EMC")

    def _show(self, runs: list[Run], x: float, base: float, size: float) -> None:
        """Text operators for the runs. reportlab's text object would measure every piece once more."""
        code, document = [f"BT 1 0 0 1 {x:.2f} {base:.2f} Tm"], self.canvas._doc
        for font, group in groupby(runs, key=lambda run: (run.font, run.actual)):
            if font[1]:
                code.append(f"/Span <</ActualText {_hex(font[1])}>> BDC")
            face = pdfmetrics.getFont(font[0])
            for subset, letters in face.splitString("".join(run.text for run in group), document):
                name = face.getSubsetInternalName(subset, document)
                code.append(f"{name} {size:g} Tf ({_literal(letters)}) Tj")
            if font[1]:
                code.append("EMC")
        operator(self.canvas, " ".join(code) + " ET")

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

    def image(self, png: bytes, x: float, y: float, width: float, height: float) -> None:
        """A picture with its lower left corner there; the caller marks it."""
        self.canvas.drawImage(ImageReader(io.BytesIO(png)), x, y, width, height)

    def link(self, target: str, x: float, y: float, width: float, height: float) -> None:
        """A link to a bookmark, inside the innermost element."""
        self.canvas.linkRect("", target, (x, y, x + width, y + height), relative=0, thickness=0)
        self.tags.link(self.page)


def text_height(text: str, room: float, style: Style) -> float:
    """Height of the text in lines [pt]."""
    return len(break_lines(text, style, room)) * style.leading


def _literal(letters: bytes) -> str:
    """The bytes inside a PDF string: only printable ASCII as it is."""
    return "".join(chr(byte) if 32 <= byte < 127 and byte not in b"()\\" else f"\\{byte:03o}" for byte in letters)


def _hex(text: str) -> str:
    return f"<FEFF{text.encode('utf-16-be').hex().upper()}>"
