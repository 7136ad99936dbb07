"""PDF: one `Document` as tagged pages with outline, linked contents and vector charts (PDF/UA-1 and PDF/A-2a)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from exports.brand import in_use
from exports.document import (
    Block,
    Bullets,
    Callout,
    Document,
    Figure,
    KeyFigures,
    Paragraph,
    Section,
    Table,
)
from exports.text import shorten
from exports.wording import tr
from exports.writers.look import Look, current
from exports.writers.pdf_boxes import CalloutBox, ContentsBox, ContentsLine, KeyFiguresBox, ListBox, TextBox
from exports.writers.pdf_charts import FigureBox
from exports.writers.pdf_finish import finish
from exports.writers.pdf_layout import Box, PageBreak, Placed, paginate
from exports.writers.pdf_pen import Pen
from exports.writers.pdf_table import FactsBox, Shared, TableBox
from exports.writers.pdf_tags import artifact
from exports.writers.pdf_text import Style

_PAPER = {"A4": (595.28, 841.89), "Letter": (612.0, 792.0)}
_SIDE, _HEAD, _FOOT = 54.0, 74.0, 62.0
_FACTS = tuple(tenths / 10 for tenths in range(90, 60, -1))
"""Sizes of the facts on page 1, largest first [pt]."""
_TIGHT = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4)
"""Shares of the usual space around them."""
"""Margins [pt]: left and right, above and below the column of text."""


def write(document: Document, *, paper: str = "A4") -> bytes:
    """The .pdf file of that document; equal documents give equal bytes. `paper` is A4 or Letter."""
    pages = layout(document, paper=paper)
    pen = Pen(page_size(paper), current())
    for number, page in enumerate(pages, 1):
        draw_page(pen, document, page, number, len(pages), page_size(paper))
        pen.canvas.showPage()
    pen.canvas.save()
    return finish(pen.buffer.getvalue(), document, pen.tags.root)


def page_size(paper: str) -> tuple[float, float]:
    """Width and height of that paper [pt]."""
    return _PAPER[paper]


def draw_page(
    pen: Pen, document: Document, page: list[Placed], number: int, total: int, size: tuple[float, float]
) -> None:
    """Draws one page with its header and footer."""
    width, height = size
    _edges(pen, document, number, total, width, height)
    for placed in page:
        placed.box.draw(pen, _SIDE, height - _HEAD - placed.offset, width - 2 * _SIDE)


def layout(document: Document, *, paper: str = "A4") -> list[list[Placed]]:
    """The pages of that document before they are drawn, the table of contents with its page numbers."""
    story, room = _Story(current()), column(paper)
    pages = paginate(list(story.boxes(document, room)), *room)
    story.page_of.update(_targets(pages))
    return pages


def column(paper: str) -> tuple[float, float]:
    """Width and height of the text on a page [pt]."""
    width, height = _PAPER[paper]
    return width - 2 * _SIDE, height - _HEAD - _FOOT


def _targets(pages: list[list[Placed]]) -> dict[str, int]:
    """The page of each bookmark."""
    rows = ((number, placed.box) for number, page in enumerate(pages, 1) for placed in page)
    return {box.bookmark[0]: number for number, box in rows if isinstance(box, TextBox) and box.bookmark}


def _edges(pen: Pen, document: Document, number: int, total: int, width: float, height: float) -> None:
    """Running header and footer: the title (its kind or the logo on page 1), the state, the hash, page x of y."""
    look = pen.look
    small = Style(size=7.5, leading=10, colour=look.muted)
    state = Style(size=7.5, leading=10, colour=look.accent, bold=True, align="right")
    room = width - 2 * _SIDE
    with artifact(pen.canvas, "Header"):
        if number > 1 or not in_use().logo.png:
            title = document.subject if number == 1 else document.title
            pen.text(shorten(title, 70), _SIDE, height - 34, room * 0.62, small)
        pen.text(shorten(document.state_text, 60), _SIDE + room * 0.6, height - 34, room * 0.4, state)
    if number == 1:
        draw_logo(pen, height)
    else:
        pen.rule(_SIDE, height - 50, room, look.line, 0.5)
    with artifact(pen.canvas, "Footer"):
        pen.text(shorten(document.footer, 180), _SIDE, 38, room * 0.82, small)
        page = Style(size=7.5, leading=10, colour=look.muted, align="right")
        pen.text(tr("Page {number} of {total}", number=number, total=total), _SIDE, 38, room, page)


def draw_logo(pen: Pen, height: float) -> None:
    """The brand's logo at the top left, as a figure with its words; nothing without one."""
    brand = in_use()
    if not brand.logo.png:
        return
    wide, tall = brand.logo.within(150.0, 34.0)
    x, y = _SIDE, height - 22 - tall
    with (
        pen.tags.element("Figure", alt=brand.logo_alt or tr("Logo"), box=(x, y, x + wide, y + tall)),
        pen.tags.content(pen.canvas),
    ):
        pen.image(brand.logo.png, x, y, wide, tall)


def _largest(values: Sequence[float], fits: Callable[[float], bool]) -> float | None:
    """The first of those values, largest first, that fits, where what fits goes on fitting as it shrinks; None where none does."""
    at = bisect_left(values, True, key=fits)
    return values[at] if at < len(values) else None


class _Story:
    """The boxes of a document in reading order, with counters for tables and figures."""

    def __init__(self, look: Look) -> None:
        self.look = look
        self.page_of: dict[str, int] = {}
        self._tables = 0
        self._figures = 0
        self.body = Style(size=9.5, leading=14, colour=look.ink)
        self.lead = Style(size=12, leading=17.5, colour=look.ink)
        self.note = Style(size=7.8, leading=11, colour=look.muted)
        self.cell = Style(size=8.3, leading=11.2, colour=look.ink)
        self.caption = Style(size=9, leading=12.5, colour=look.ink, bold=True)
        self.heads = (
            Style(size=18, leading=23, colour=look.ink, bold=True),
            Style(size=12.5, leading=17, colour=look.ink, bold=True),
        )

    def boxes(self, document: Document, room: tuple[float, float]) -> Iterator[Box | PageBreak]:
        """Page 1, the contents, then the chapters; of a letter its blocks below the title."""
        if document.letter:
            yield from self._letter(document)
            return
        yield from self._page_one(document, room)
        chapters = document.chapters
        if chapters:
            yield PageBreak()
        if len(chapters) > 1:  # one chapter needs no list of chapters
            yield TextBox(text=tr("Contents"), style=self.heads[0], role="H1", keep=True)
            yield ContentsBox(lines=list(_contents(document)), pages=self.page_of, look=self.look)
        for number, section in enumerate(chapters, 1):
            yield from self._section(section, str(number), 0)
        for index, line in enumerate(document.colophon):
            yield TextBox(text=line, style=self.note, before=6.0 if index else 18.0)

    def _page_one(self, document: Document, room: tuple[float, float]) -> list[Box]:
        """Page 1 is read alone: its facts are as large as one page allows, then the space around them as wide."""

        def fits(size: float, tight: float) -> bool:
            return len(paginate(list(self._decision(document, size, tight)), *room)) == 1

        size = _largest(_FACTS, lambda one: fits(one, _TIGHT[-1]))
        if size is None:
            return list(self._decision(document, _FACTS[0], _TIGHT[0]))
        tight = _largest(_TIGHT, lambda one: fits(size, one))
        return list(self._decision(document, size, _TIGHT[-1] if tight is None else tight))

    def _letter(self, document: Document) -> Iterator[Box]:
        title = Style(size=19.0, leading=23.0, colour=self.look.ink, bold=True)
        yield TextBox(text=document.heading, style=title, role="H1", bookmark=("letter", 0))
        yield TextBox(text=document.subtitle, style=Style(size=10.5, leading=14.0, colour=self.look.muted), before=4.0)
        for block in document.letter:
            yield from self._block(block)

    def _decision(self, document: Document, size: float, tight: float) -> Iterator[Box]:
        """Page 1: facts in that size; `tight` shrinks what stands above them and the space between."""
        long = len(document.heading)
        big = max(11.0, tight * (27.0 if long <= 36 else 21.0 if long <= 90 else 15.0))
        title = Style(size=big, leading=big * 1.2, colour=self.look.ink, bold=True)
        decision = document.decision
        yield TextBox(text=document.heading, style=title, role="H1", bookmark=("decision", 0))
        grade = max(0.75, tight)
        quiet = Style(size=11 * grade, leading=15 * grade, colour=self.look.muted)
        yield TextBox(text=document.subtitle, style=quiet, before=4)
        lead = replace(self.lead, size=self.lead.size * grade, leading=self.lead.leading * grade)
        yield TextBox(text=decision.sentence, style=lead, before=18 * tight)
        yield KeyFiguresBox(items=decision.figures.items, look=self.look)
        yield TextBox(text=tr("The decision at a glance"), style=self.heads[1], role="H2", before=20 * tight, keep=True)
        yield FactsBox(
            facts=decision.memo,
            look=self.look,
            style=Style(size=size, leading=size * 1.32, colour=self.look.ink),
            air=max(4.5, 10.0 * tight),
        )

    def _section(self, section: Section, number: str, level: int) -> Iterator[Box]:
        yield TextBox(
            text=section.title,
            style=self.heads[level],
            role=f"H{level + 1}",
            number=number,
            indent=34.0,
            before=(34.0, 22.0)[level],
            keep=True,
            bookmark=(f"s{number}", level),
        )
        for block in section.blocks:
            yield from self._block(block)
        for index, inner in enumerate(section.sections, 1):
            yield from self._section(inner, f"{number}.{index}", 1)

    def _block(self, block: Block) -> Iterator[Box]:
        match block:
            case Paragraph():
                style = {"body": self.body, "lead": self.lead, "note": self.note}[block.role]
                yield TextBox(text=block.text, style=style, before=8.0)
            case Bullets():
                yield ListBox(
                    items=block.items, ordered=block.ordered, style=self.body, colour=self.look.accent, before=8.0
                )
            case Table():
                yield from self._table(block)
            case Figure():
                self._figures += 1
                yield self._captioned(f"{tr('Figure')} {self._figures}. {block.caption}")
                yield FigureBox(figure=block, look=self.look, keep=bool(block.chart.note))
                if block.chart.note:
                    yield TextBox(text=block.chart.note, style=self.note, before=3, tail=True)
            case KeyFigures():
                yield KeyFiguresBox(items=block.items, look=self.look)
            case Callout():
                yield CalloutBox(callout=block, look=self.look, style=self.body)

    def _captioned(self, text: str) -> TextBox:
        return TextBox(text=text, style=self.caption, before=18.0, keep=True)

    def _table(self, table: Table) -> Iterator[Box]:
        self._tables += 1
        yield self._captioned(f"{tr('Table')} {self._tables}. {table.caption}")
        yield TableBox(
            table=table,
            look=self.look,
            style=self.cell,
            shared=Shared(),
            stop=len(table.rows),
            keep=bool(table.note) and len(table.rows) <= 6,
        )
        if table.note:
            yield TextBox(text=table.note, style=self.note, before=4, tail=True)


def _contents(document: Document) -> Iterator[ContentsLine]:
    for number, section in enumerate(document.chapters, 1):
        yield ContentsLine(number=str(number), title=section.title, key=f"s{number}", level=0)
        for index, inner in enumerate(section.sections, 1):
            key = f"{number}.{index}"
            yield ContentsLine(number=key, title=inner.title, key=f"s{key}", level=1)
