"""Text as boxes: headings, paragraphs, lists, remarks, key figures and the table of contents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from exports.document import Callout, KeyFigure
from exports.writers.look import Look
from exports.writers.pdf_layout import Box
from exports.writers.pdf_pen import Pen, text_height
from exports.writers.pdf_text import Style, break_lines, text_width
from exports.writers.text_fit import card_shares, display_size


@dataclass(frozen=True, kw_only=True)
class TextBox:
    """A paragraph or heading with its role; `bookmark` makes it a target of the outline (title, key, level)."""

    text: str
    style: Style
    role: str = "P"
    number: str = ""
    """Drawn before the text with a hanging indent."""
    indent: float = 0.0
    before: float = 0.0
    keep: bool = False
    bookmark: tuple[str, int] | None = None
    tail: bool = False
    """Explains what stands right above it, and stays there."""

    def height(self, width: float) -> float:
        """Lines times line height."""
        return text_height(self.text, width - self.indent, self.style)

    def draw(self, pen: Pen, x: float, top: float, width: float) -> None:
        """Draws the lines as one element."""
        if self.bookmark:
            key, level = self.bookmark
            title = f"{self.number}  {self.text}" if self.number else self.text
            pen.canvas.bookmarkHorizontal(key, 0, top + 12)
            pen.canvas.addOutlineEntry(title, key, level, closed=False)
        with pen.tags.element(self.role), pen.tags.content(pen.canvas):
            if self.number:
                pen.text(self.number, x, top, width, self.style)
            pen.text(self.text, x + self.indent, top, width - self.indent, self.style)

    def split(self, width: float, room: float) -> tuple[Box, Box] | None:
        """Two lines at least on either side; headings stay whole."""
        if self.role != "P":
            return None
        lines = break_lines(self.text, self.style, width - self.indent)
        fit = min(int((room + 0.01) / self.style.leading), len(lines) - 2)
        if fit < 2:
            return None
        texts = [" ".join(_said(word) for word in line) for line in lines]
        first, second = " ".join(texts[:fit]), " ".join(texts[fit:])
        return replace(self, text=first), replace(self, text=second, before=0.0, bookmark=None)


def _said(word: object) -> str:
    """The text that was typed."""
    actual = getattr(word, "actual", "")
    return actual or "".join(run.actual or run.text for run in getattr(word, "runs", ()))


@dataclass(frozen=True, kw_only=True)
class ListBox:
    """A list; it may go on on the next page."""

    items: tuple[str, ...]
    ordered: bool
    style: Style
    colour: str
    before: float = 4.0
    keep: bool = False
    gap: float = 3.0
    first: int = 1
    """Number of the first item."""

    @property
    def _indent(self) -> float:
        return 18.0 if self.ordered else 14.0

    def height(self, width: float) -> float:
        """Items and the gaps between them."""
        rows = sum(text_height(item, width - self._indent, self.style) for item in self.items)
        return rows + self.gap * len(self.items)

    def draw(self, pen: Pen, x: float, top: float, width: float) -> None:
        """L with LI, Lbl and LBody, as assistive software expects."""
        mark_style = replace(self.style, colour=self.colour, bold=self.ordered)
        with pen.tags.element("L"):
            for number, item in enumerate(self.items, self.first):
                with pen.tags.element("LI"):
                    with pen.tags.element("Lbl"), pen.tags.content(pen.canvas):
                        pen.text(f"{number}." if self.ordered else "•", x + 2, top, width, mark_style)
                    with pen.tags.element("LBody"), pen.tags.content(pen.canvas):
                        top -= pen.text(item, x + self._indent, top, width - self._indent, self.style) + self.gap

    def split(self, width: float, room: float) -> tuple[Box, Box] | None:
        """Between two items."""
        fit = 0
        while fit < len(self.items) and replace(self, items=self.items[: fit + 1]).height(width) <= room:
            fit += 1
        if not 0 < fit < len(self.items):
            return None
        rest = replace(self, items=self.items[fit:], before=0.0, first=self.first + fit)
        return replace(self, items=self.items[:fit]), rest


@dataclass(frozen=True, kw_only=True)
class CalloutBox:
    """A boxed remark with a bar in its colour."""

    callout: Callout
    look: Look
    style: Style
    before: float = 12.0
    keep: bool = False

    def height(self, width: float) -> float:
        """Title, text and padding."""
        room = width - 28
        return 18 + text_height(self.callout.title, room, self._bold) + text_height(self.callout.text, room, self.style)

    @property
    def _bold(self) -> Style:
        return replace(self.style, bold=True, colour=self.look.tone(self.callout.tone))

    def draw(self, pen: Pen, x: float, top: float, width: float) -> None:
        """A section with a title and a paragraph."""
        tall = self.height(width)
        pen.ground(x, top - tall, width, tall, self.look.fill(self.callout.tone))
        pen.ground(x, top - tall, 3, tall, self.look.tone(self.callout.tone))
        at = top - 9
        with pen.tags.element("Div"):
            with pen.tags.element("P"), pen.tags.content(pen.canvas):
                at -= pen.text(self.callout.title, x + 16, at, width - 28, self._bold)
            with pen.tags.element("P"), pen.tags.content(pen.canvas):
                pen.text(self.callout.text, x + 16, at, width - 28, self.style)

    def split(self, width: float, room: float) -> tuple[Box, Box] | None:
        """Never."""
        return None


@dataclass(frozen=True, kw_only=True)
class KeyFiguresBox:
    """Two to five large numbers side by side."""

    items: tuple[KeyFigure, ...]
    look: Look
    before: float = 14.0
    keep: bool = False

    _gap = 8.0
    _pad = 10.0

    def _rooms(self, width: float) -> list[float]:
        """Width of the text of each card."""
        parts = card_shares([item.value for item in self.items])
        free = width - self._gap * (len(self.items) - 1)
        return [free * part / sum(parts) - 2 * self._pad for part in parts]

    def _styles(self, width: float) -> tuple[Style, Style, Style]:
        """Label, value and detail."""
        values = [item.value for item in self.items]
        # Measured as Arial, drawn in Noto Sans, which is a little wider.
        rooms = [room * 0.95 for room in self._rooms(width)]
        size = display_size(values, rooms, (24.0, 22.0, 20.0, 18.0, 16.0, 14.0, 12.0))
        label = Style(size=8.5, leading=11.5, colour=self.look.muted)
        value = Style(size=size, leading=size * 1.25, colour=self.look.ink, bold=True)
        words = [(word, room) for item, room in zip(self.items, rooms, strict=True) for word in item.detail.split(" ")]
        # A range is one word: it shrinks a little before it is torn at its dash.
        fits = (small for small in (8.5, 8.0, 7.5) if all(text_width(word, small) <= room for word, room in words))
        return label, value, replace(label, size=next(fits, 7.0), colour=self.look.ink)

    def height(self, width: float) -> float:
        """Height of the tallest card."""
        label, value, detail = self._styles(width)
        return 2 * self._pad + max(
            text_height(item.label, room, label)
            + text_height(item.value, room, value)
            + (text_height(item.detail, room, detail) if item.detail else 0.0)
            for item, room in zip(self.items, self._rooms(width), strict=True)
        )

    def draw(self, pen: Pen, x: float, top: float, width: float) -> None:
        """One group of three paragraphs for each figure."""
        tall = self.height(width)
        for item, room in zip(self.items, self._rooms(width), strict=True):
            pen.ground(x, top - tall, room + 2 * self._pad, tall, self.look.wash)
            pen.ground(x, top - 2, room + 2 * self._pad, 2, self.look.accent)
            self._card(pen, item, x + self._pad, top - self._pad, room, self._styles(width))
            x += room + 2 * self._pad + self._gap

    def _card(
        self, pen: Pen, item: KeyFigure, x: float, top: float, room: float, styles: tuple[Style, Style, Style]
    ) -> None:
        label, value, detail = styles
        tone = value if item.tone in {"plain", "strong"} else replace(value, colour=self.look.tone(item.tone))
        with pen.tags.element("Div"):
            for text, style in ((item.label, label), (item.value, tone), (item.detail, detail)):
                if text:
                    with pen.tags.element("P"), pen.tags.content(pen.canvas):
                        top -= pen.text(text, x, top, room, style)

    def split(self, width: float, room: float) -> tuple[Box, Box] | None:
        """Never."""
        return None


@dataclass(frozen=True, kw_only=True)
class ContentsLine:
    """One line of the table of contents."""

    number: str
    title: str
    key: str
    level: int


@dataclass(kw_only=True)
class ContentsBox:
    """The table of contents; `pages` is filled in once the pages are made, before anything is drawn."""

    lines: Sequence[ContentsLine]
    pages: dict[str, int]
    look: Look
    before: float = 6.0
    keep: bool = False

    def _style(self, line: ContentsLine) -> Style:
        colour = self.look.ink
        if line.level == 0:
            return Style(size=10, leading=20, colour=colour, bold=True)
        return Style(size=9.5, leading=15, colour=colour)

    def height(self, width: float) -> float:
        """Sum of the line heights: an entry takes one line, since titles are cut to fit."""
        return sum(self._style(line).leading for line in self.lines)

    def draw(self, pen: Pen, x: float, top: float, width: float) -> None:
        """TOC with one linked entry for each line."""
        with pen.tags.element("TOC"):
            for line in self.lines:
                style = self._style(line)
                self._entry(pen, line, style, x, top, width)
                top -= style.leading

    def _entry(self, pen: Pen, line: ContentsLine, style: Style, x: float, top: float, width: float) -> None:
        inset = 22.0 + 26.0 * line.level
        room = width - inset - 34
        title = break_lines(line.title, style, room)[0]
        page = str(self.pages.get(line.key, ""))
        with pen.tags.element("TOCI"), pen.tags.element("Reference"), pen.tags.element("Link"):
            with pen.tags.content(pen.canvas):
                pen.text(line.number, x + inset - 22 - 4 * line.level, top, 40, style)
                pen.line(title, x + inset, top, room, style)
                pen.text(page, x, top, width, replace(style, align="right"))
            pen.link(line.key, x, top - style.leading, width, style.leading)
        if line.level == 0:
            pen.rule(x, top - style.leading, width, self.look.line, 0.4)

    def split(self, width: float, room: float) -> tuple[Box, Box] | None:
        """Between two lines."""
        fit, used = 0, 0.0
        for line in self.lines:
            used += self._style(line).leading
            if used > room:
                break
            fit += 1
        if not 0 < fit < len(self.lines):
            return None
        parts = self.lines[:fit], self.lines[fit:]
        return (
            ContentsBox(lines=parts[0], pages=self.pages, look=self.look, before=self.before),
            ContentsBox(lines=parts[1], pages=self.pages, look=self.look, before=0.0),
        )
