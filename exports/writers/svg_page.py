"""Page 1 as a picture: the boxes of the PDF drawn as SVG, so that a look can be seen before a file is made."""

from __future__ import annotations

from base64 import b64encode
from html import escape

from exports.brand import in_use
from exports.document import Document
from exports.writers.look import Look, current
from exports.writers.pdf import draw_page, layout, page_size
from exports.writers.pdf_fonts import ascent
from exports.writers.pdf_pen import Pen
from exports.writers.pdf_text import Style, Word, line_width, placed


def first_page(document: Document, *, paper: str) -> str:
    """The SVG of page 1 in the brand in use."""
    width, height = page_size(paper)
    pages = layout(document, paper=paper)
    pen = SvgPen((width, height), current())
    draw_page(pen, document, pages[0], 1, len(pages), (width, height))
    face = escape(in_use().typeface.office)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" font-family="{face}, Arial, sans-serif">'
        f'<rect width="{width:g}" height="{height:g}" fill="#ffffff"/>{"".join(pen.pieces)}</svg>'
    )


class SvgPen(Pen):
    """Draws what the PDF draws, as SVG; y runs downwards there."""

    def __init__(self, size: tuple[float, float], look: Look) -> None:
        super().__init__(size, look)
        self.height = size[1]
        self.pieces: list[str] = []
        self._fill = look.ink
        self._stroke = (look.ink, 1.0)

    def fill(self, colour: str) -> None:
        """The colour of what is filled next."""
        self._fill = colour

    def box(self, x: float, y: float, width: float, height: float, colour: str) -> None:
        """A filled rectangle."""
        self.pieces.append(
            f'<rect x="{x:.2f}" y="{self.height - y - height:.2f}" width="{width:.2f}" height="{height:.2f}" fill="#{colour}"/>'
        )

    def rule(self, x: float, y: float, width: float, colour: str, weight: float) -> None:
        """A horizontal line."""
        self.box(x, y - weight / 2, width, weight, colour)

    def image(self, png: bytes, x: float, y: float, width: float, height: float) -> None:
        """A picture with its lower left corner there."""
        data = b64encode(png).decode()
        self.pieces.append(
            f'<image x="{x:.2f}" y="{self.height - y - height:.2f}" width="{width:.2f}" height="{height:.2f}" '
            f'href="data:image/png;base64,{data}"/>'
        )

    def line(self, line: list[Word], x: float, top: float, room: float, style: Style) -> None:
        """The words of one line, each as wide as it is in the PDF, whatever font the browser has."""
        if not line:
            return
        spare = room - line_width(line, style)
        x += {"left": 0.0, "right": spare, "middle": spare / 2}[style.align]
        base = self.height - (top - (style.leading - style.size) / 2 - ascent(style.size))
        weight = ' font-weight="700"' if style.bold else ""
        for at, word in placed(line, style):
            text = word.actual or "".join(run.actual or run.text for run in word.runs)
            self.pieces.append(
                f'<text x="{x + at:.2f}" y="{base:.2f}" font-size="{style.size:g}" fill="#{style.colour}"{weight} '
                f'textLength="{max(0.1, word.width(style.size)):.2f}" lengthAdjust="spacingAndGlyphs">{escape(text)}</text>'
            )
