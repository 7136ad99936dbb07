"""Tables as boxes: header repeated on each page, rows never split, digits on the right, all cells tagged."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from exports.document import Fact, Table
from exports.writers.look import Look
from exports.writers.pdf_layout import Box
from exports.writers.pdf_pen import Pen, text_height
from exports.writers.pdf_tags import Node, artifact
from exports.writers.pdf_text import Style
from exports.writers.text_fit import whole_numbers

_PAD_X, _PAD_Y = 4.5, 3.4
_SLACK = 2.5
"""What a word of wide letters may be wider in the PDF's font than in Arial, in which columns are measured [pt]."""
_FONT = 1.08
"""How much wider than Arial, in which columns are measured, the PDF's font is."""
_SHRINK = (1.0, 0.95, 0.9, 0.85, 0.8)
"""Shares of the usual size, for tables whose numbers have many digits."""
_SHORT = 150.0
"""Height up to which a table stays on one page [pt]."""


@dataclass(kw_only=True)
class Shared:
    """What the parts of one table on several pages have in common: the structure element and the widths."""

    widths: list[float] = field(default_factory=list)
    shrink: float = 1.0
    """Share of the usual size of type at which no number is broken."""
    node: Node | None = None


@dataclass(frozen=True, kw_only=True)
class TableBox:
    """The rows `start` to `stop` of a table under its header."""

    table: Table
    look: Look
    style: Style
    shared: Shared
    start: int = 0
    stop: int = 0
    before: float = 4.0
    keep: bool = False

    def _widths(self, width: float) -> list[float]:
        if not self.shared.widths:
            sizes = [self.style.size * share * _FONT for share in _SHRINK]
            size, shares = whole_numbers(self.table, width, sizes, padding=2 * _PAD_X + _SLACK)
            self.shared.shrink = _SHRINK[sizes.index(size)]
            self.shared.widths = [share * width / sum(shares) for share in shares]
        return self.shared.widths

    def _text(self, width: float) -> Style:
        """The style of its text at that width of the whole."""
        self._widths(width)
        share = self.shared.shrink
        return replace(self.style, size=self.style.size * share, leading=self.style.leading * share)

    def _rooms(self, width: float) -> list[float]:
        return [wide - 2 * _PAD_X for wide in self._widths(width)]

    def _cell_style(self, index: int, number: int, width: float) -> Style:
        """Bold in a total, a highlighted row and a strong cell; colour by tone; aligned as its column."""
        cell = self.table.rows[index][number]
        last = self.table.total and index == len(self.table.rows) - 1
        bold = last or index == self.table.highlight or cell.tone == "strong"
        colour = self.style.colour if cell.tone in {"plain", "strong"} else self.look.tone(cell.tone)
        return replace(self._text(width), bold=bold, colour=colour, align=self.table.columns[number].align)

    def _row_height(self, index: int, width: float) -> float:
        cells = zip(self.table.rows[index], self._rooms(width), strict=True)
        return 2 * _PAD_Y + max(
            text_height(cell.text, room, self._cell_style(index, number, width))
            for number, (cell, room) in enumerate(cells)
        )

    def _head_height(self, width: float) -> float:
        bold = replace(self._text(width), bold=True)
        heads = zip(self.table.columns, self._rooms(width), strict=True)
        return 2 * _PAD_Y + max(text_height(column.title, room, bold) for column, room in heads)

    def height(self, width: float) -> float:
        """Header and rows."""
        rows = sum(self._row_height(index, width) for index in range(self.start, self.stop))
        return self._head_height(width) + rows

    def draw(self, pen: Pen, x: float, top: float, width: float) -> None:
        """The header is an element once and an artifact where it is repeated."""
        with pen.tags.element("Table", node=self.shared.node) as node:
            self.shared.node = node
            top = self._head(pen, x, top, width)
            for index in range(self.start, self.stop):
                top = self._row(pen, index, x, top, width)
        pen.rule(x, top, width, self.look.ink, 0.7)

    def _head(self, pen: Pen, x: float, top: float, width: float) -> float:
        tall = self._head_height(width)
        pen.ground(x, top - tall, width, tall, self.look.wash)
        pen.rule(x, top, width, self.look.ink, 1.1)
        pen.rule(x, top - tall, width, self.look.ink, 0.7)
        style = replace(self._text(width), bold=True)
        rows = list(zip(self.table.columns, self._widths(width), strict=True))
        if self.start:
            with artifact(pen.canvas):
                for column, wide in rows:
                    look = replace(style, align=column.align)
                    pen.text(column.title, x + _PAD_X, top - _PAD_Y, wide - 2 * _PAD_X, look)
                    x += wide
            return top - tall
        with pen.tags.element("TR"):
            for column, wide in rows:
                look = replace(style, align=column.align)
                with pen.tags.element("TH", scope="Column"), pen.tags.content(pen.canvas):
                    pen.text(column.title, x + _PAD_X, top - _PAD_Y, wide - 2 * _PAD_X, look)
                x += wide
        return top - tall

    def _row(self, pen: Pen, index: int, x: float, top: float, width: float) -> float:
        tall = self._row_height(index, width)
        if index == self.table.highlight:
            pen.ground(x, top - tall, width, tall, self.look.tint)
        elif self.table.total and index == len(self.table.rows) - 1:
            pen.ground(x, top - tall, width, tall, self.look.wash)
            pen.rule(x, top, width, self.look.ink, 0.7)
        left = x
        with pen.tags.element("TR"):
            for number, (cell, wide) in enumerate(zip(self.table.rows[index], self._widths(width), strict=True)):
                with pen.tags.element("TD"), pen.tags.content(pen.canvas):
                    room = wide - 2 * _PAD_X
                    pen.text(cell.text, left + _PAD_X, top - _PAD_Y, room, self._cell_style(index, number, width))
                left += wide
        if index + 1 < self.stop:
            pen.rule(x, top - tall, width, self.look.line, 0.4)
        return top - tall

    def split(self, width: float, room: float) -> tuple[Box, Box] | None:
        """After the last row that fits, with two rows at least on either side; a total takes two with it."""
        used, fit = self._head_height(width), self.start
        while fit < self.stop and used + self._row_height(fit, width) <= room:
            used += self._row_height(fit, width)
            fit += 1
        fit = min(fit, self.stop - (3 if self.table.total else 2))
        if fit < self.start + 2 or self.height(width) <= _SHORT:
            return None
        return replace(self, stop=fit), replace(self, start=fit, before=0.0)


@dataclass(frozen=True, kw_only=True)
class FactsBox:
    """The decision block: what it is on the left, what it says on the right."""

    facts: tuple[Fact, ...]
    look: Look
    style: Style
    air: float = 10.0
    """Above and below the text of a row together [pt]."""
    before: float = 4.0
    keep: bool = False

    _share = 0.2

    def _row(self, fact: Fact, width: float) -> float:
        left, right = width * self._share - 8, width * (1 - self._share) - 8
        label = text_height(fact.label, left, replace(self.style, bold=True))
        return self.air + max(label, text_height(fact.text, right, self.style))

    def height(self, width: float) -> float:
        """Sum of the rows."""
        return sum(self._row(fact, width) for fact in self.facts)

    def draw(self, pen: Pen, x: float, top: float, width: float) -> None:
        """A table whose first column holds row headers."""
        first = width * self._share
        pen.rule(x, top, width, self.look.ink, 1.1)
        with pen.tags.element("Table"):
            for fact in self.facts:
                tall = self._row(fact, width)
                tone = self.style.colour if fact.tone in {"plain", "strong"} else self.look.tone(fact.tone)
                with pen.tags.element("TR"):
                    with pen.tags.element("TH", scope="Row"), pen.tags.content(pen.canvas):
                        pen.text(fact.label, x + 2, top - self.air / 2, first - 8, replace(self.style, bold=True))
                    with pen.tags.element("TD"), pen.tags.content(pen.canvas):
                        pen.text(
                            fact.text,
                            x + first,
                            top - self.air / 2,
                            width - first - 8,
                            replace(self.style, colour=tone),
                        )
                top -= tall
                pen.rule(x, top, width, self.look.line, 0.4)

    def split(self, width: float, room: float) -> tuple[Box, Box] | None:
        """Between two facts."""
        fit, used = 0, 0.0
        for fact in self.facts:
            used += self._row(fact, width)
            if used > room:
                break
            fit += 1
        if not 0 < fit < len(self.facts):
            return None
        return replace(self, facts=self.facts[:fit]), replace(self, facts=self.facts[fit:], before=0.0)
