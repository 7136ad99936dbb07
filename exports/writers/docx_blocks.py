"""The blocks of a document as WordprocessingML, in reading order, with counters for tables, figures and bookmarks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from exports.document import Block, Bullets, Callout, Cell, Document, Figure, KeyFigures, Paragraph, Section, Table
from exports.ooxml import Package
from exports.wording import mark, tr
from exports.writers import docx_xml as x
from exports.writers.docx_styles import BULLET_LIST, FIRST_LIST
from exports.writers.look import Look
from exports.writers.office_charts import add_chart, native
from exports.writers.office_plot import office_plot
from exports.writers.text_fit import SUBSTITUTE, card_shares, display_size, lines, whole_numbers

MAIN = "word/document.xml"
_LABEL_SHARE = 0.21
_FACT_SIZES = (9.5, 9.0, 8.5, 8.0, 7.5, 7.0, 6.5, 6.0)
"""Sizes of the facts [pt], the usual one first; Word knows halves."""
_FACT_AIR = (9.5, 7.5, 5.5, 4.0, 3.5)
"""Air in a row of them [pt], the usual one first."""
_TIGHT = '<w:spacing w:before="0" w:after="0"/>'
_CARD_SIZES = (23.0, 21.0, 19.0, 17.0, 15.0, 13.0, 12.0)
_DETAIL = 8.5
"""Size of the label and the small print of a card [pt]."""
_AIR = 100.0
"""Air between the parts above the facts on page 1, the caption of these, and room for what cannot be told here [pt]."""
_WIDER = 1.06
"""How much wider than Arial its substitutes may be, within what a page can take."""
_WIDEST = 1.09
"""The same of the facts on page 1, which must not run over to page 2 under any of them."""
_CELL_SIZES = (8.5, 8.0, 7.5, 7.0, 6.5)
"""Sizes of the text in tables, the usual one first; smaller ones for numbers of many digits [pt]."""
_SHORT = 190.0
"""Height up to which a table is kept on one page [pt]."""
_ROW_AIR = 6.0
"""Air in a row of a table [pt]."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One line of the table of contents."""

    level: int
    text: str
    anchor: str


@dataclass(kw_only=True)
class Body:
    """Collects the body of one Word document. `width` is that of the text [twip]."""

    package: Package
    look: Look
    width: int
    height: float = 700.0
    """Of the text on a page [pt]."""
    pieces: list[str] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    tables: int = 0
    figures: int = 0
    lists: int = 0
    air: bool = False
    """A table without a note came last."""
    alone: bool = False
    """There is one chapter, which begins on a page of its own: it needs no list of chapters before it."""

    def decision(self, document: Document) -> None:
        """Page 1 below the title: the sentence, the key figures and the table of facts."""
        decision = document.decision
        self.add(Paragraph(text=decision.sentence, role="lead"))
        self.add(decision.figures)
        self.pieces.append(x.paragraph("Caption", x.run(tr("The decision at a glance"))))
        first = round(self.width * _LABEL_SHARE)
        widths = [first, self.width - first]
        size, air = _fact_size(document, widths, self.height)
        tight = _TIGHT if air < _FACT_AIR[0] else ""
        rows = "".join(
            x.row(
                x.cell(x.paragraph("FactLabel", x.run(fact.label, size=size), tight), widths[0])
                + x.cell(
                    x.paragraph("FactText", x.run(fact.text, colour=self._tone(fact.tone), size=size), tight), widths[1]
                )
            )
            for fact in decision.memo
        )
        self.pieces.append(x.table(rows, widths, style="PlanTable", alt=tr("The decision at a glance"), first=True))

    def section(self, section: Section, number: str, level: int = 1) -> None:
        """One numbered chapter with its second level."""
        self._heading(section.title, number, level)
        for block in section.blocks:
            self.add(block)
        for index, inner in enumerate(section.sections, 1):
            self.section(inner, f"{number}.{index}", level + 1)

    def add(self, block: Block) -> None:
        """One block of any kind."""
        match block:
            case Paragraph():
                style = {"body": "", "lead": "Lead", "note": "Note"}[block.role]
                self._flow(style, x.run(block.text))
            case Bullets():
                self._bullets(block)
            case Table():
                self._table(block)
            case Figure():
                self._figure(block)
            case KeyFigures():
                self._key_figures(block)
            case Callout():
                self.air = False
                title = x.run(block.title, bold=True, colour=self.look.ink)
                self.pieces.append(
                    x.paragraph(f"Callout{block.tone.title()}", title + x.LINE_BREAK + x.run(block.text))
                )

    def end(self, text: str) -> None:
        """The last line of the document, in small print."""
        self._flow("Note", x.run(text))

    def _heading(self, title: str, number: str, level: int) -> None:
        index = len(self.entries) + 1
        self.air = False
        anchor = f"_Toc{index:08d}"
        self.entries.append(Entry(level=level, text=f"{number}  {title}", anchor=anchor))
        first = "<w:pageBreakBefore/>" if self.alone and index == 1 else ""
        self.pieces.append(x.paragraph(f"Heading{level}", x.bookmarked(anchor, index, x.run(title)), first))

    def _bullets(self, block: Bullets) -> None:
        style, number = "ListBullet", BULLET_LIST
        if block.ordered:
            style, number = "ListNumber", FIRST_LIST + self.lists
            self.lists += 1
        numbering = f'<w:numPr><w:ilvl w:val="0"/><w:numId w:val="{number}"/></w:numPr>'
        for item in block.items:
            self._flow(style, x.run(item), numbering)

    def _caption(self, label: str, number: int, text: str) -> None:
        self.air = False
        content = x.run(f"{tr(label)} ") + x.field(f"SEQ {label} \\* ARABIC", str(number)) + x.run(f". {text}")
        self.pieces.append(x.paragraph("Caption", content))

    def _table(self, block: Table) -> None:
        self.tables += 1
        self._caption(mark("Table"), self.tables, block.caption)
        sizes = [size * _WIDER for size in _CELL_SIZES]
        fitting, parts = whole_numbers(block, self.width / 20, sizes, padding=9, numbers=SUBSTITUTE / _WIDER)
        size, widths = _CELL_SIZES[sizes.index(fitting)], x.shares(parts, self.width)
        head = "".join(
            x.cell(
                x.paragraph("TableHeadRight" if column.align == "right" else "TableHead", x.run(column.title)), width
            )
            for column, width in zip(block.columns, widths, strict=True)
        )
        short = _height(block, widths, size) <= _SHORT
        body = "".join(
            x.row(self._cells(block, cells, widths, index, size=size, whole=short))
            for index, cells in enumerate(block.rows)
        )
        rows = x.row(head, header=True) + body
        self.pieces.append(x.table(rows, widths, style="PlanTable", alt=block.caption, head=True, total=block.total))
        self._after_table(block.note)

    def _cells(
        self, block: Table, cells: Sequence[Cell], widths: Sequence[int], index: int, *, size: float, whole: bool
    ) -> str:
        """The cells of one row in that size [pt]; the rows of a `whole` table keep together on a page, a total with the row before it."""
        last = index == len(block.rows) - 1
        lit = index == block.highlight
        paired = block.total and index == len(block.rows) - 2
        kept = "<w:keepNext/>" if (whole and not last) or paired else ""
        made = []
        own = 0.0 if size == _CELL_SIZES[0] else size
        for column, cell, width in zip(block.columns, cells, widths, strict=True):
            bold = lit or (block.total and last) or cell.tone == "strong"
            text = x.run(cell.text, colour=self._tone(cell.tone), bold=bold, size=own)
            style = "TableNumber" if column.align == "right" else "TableText"
            made.append(x.cell(x.paragraph(style, text, kept), width, fill=self.look.tint if lit else ""))
        return "".join(made)

    def _figure(self, block: Figure) -> None:
        self.figures += 1
        self._caption(mark("Figure"), self.figures, block.caption)
        relation = add_chart(self.package, MAIN, "word", native(block.chart, self.look, 8.5))
        wide = self.width * x.EMU_PER_TWIP
        drawing = x.chart_drawing(relation, self.figures, block.alt, wide, round(wide * chart_ratio(block)))
        self.pieces.append(x.paragraph("FigureBody", drawing, "<w:keepNext/>" if block.chart.note else ""))
        if block.chart.note:
            self.pieces.append(x.paragraph("Note", x.run(block.chart.note)))

    def _key_figures(self, block: KeyFigures) -> None:
        values = [item.value for item in block.items]
        widths = x.shares(card_shares(values), self.width)
        rooms = _card_rooms(widths)
        size = display_size(values, rooms, _CARD_SIZES)
        small = _detail_size(block, rooms)
        said = [_detail_lines(item.detail, room, small) for item, room in zip(block.items, rooms, strict=True)]
        cells = "".join(
            x.cell(
                x.paragraph("KeyLabel", x.run(item.label))
                + x.paragraph("KeyValue", x.run(item.value, colour=self._tone(item.tone), size=size))
                + x.paragraph("KeyDetail", x.LINE_BREAK.join(x.run(line, size=small) for line in details)),
                width,
                fill=self.look.wash,
            )
            for item, width, details in zip(block.items, widths, said, strict=True)
        )
        self.pieces.append(x.table(x.row(cells), widths, style="PlanFigures", alt=tr("Key figures")))
        self._after_table("")

    def _after_table(self, note: str) -> None:
        """The note, or air before the next paragraph: an empty paragraph would be read aloud."""
        if note:
            self.pieces.append(x.paragraph("Note", x.run(note)))
        else:
            self.air = True

    def _flow(self, style: str, content: str, properties: str = "") -> None:
        """A paragraph of running text, a little lower when a table stands right above it."""
        air = '<w:spacing w:before="240"/>' if self.air else ""
        self.air = False
        self.pieces.append(x.paragraph(style, content, properties + air))

    def _tone(self, tone: str) -> str:
        return "" if tone in {"plain", "strong"} else self.look.tone(tone)


def _height(table: Table, widths: Sequence[int], size: float) -> float:
    """About how high the rows of that table are in that size of type [pt]."""
    rooms = [width / 20 - 9 for width in widths]
    rows = (max(lines(cell.text, size, room) for cell, room in zip(row, rooms, strict=True)) for row in table.rows)
    return sum(10.7 * size / _CELL_SIZES[0] * count + _ROW_AIR for count in rows)


def title_size(title: str) -> float:
    """Size of the title [pt], by its length."""
    return 24.0 if len(title) <= 34 else 20.0 if len(title) <= 90 else 16.0


def _card_rooms(widths: Sequence[int]) -> list[float]:
    """Width of the text of each card [pt]: Arial may be replaced by something wider, a template's font is not known here."""
    return [(width / 20 - 15) * 0.8 for width in widths]


def _detail_size(block: KeyFigures, rooms: Sequence[float]) -> float:
    """The size [pt] at which no word of the small print is torn, where a little smaller is enough."""
    words = [(word, room) for item, room in zip(block.items, rooms, strict=True) for word in item.detail.split(" ")]
    fits = (size for size in (_DETAIL, 8.0, 7.5) if all(lines(word, size, room) == 1 for word, room in words))
    return next(fits, 7.0)


def _detail_lines(text: str, room: float, size: float) -> list[str]:
    """The small print of a card; a range that would be torn at its dash gets a line of its own."""
    head, _, tail = text.rpartition(" ")
    if head and lines(text, size, room) > 1 == lines(tail, size, room):
        return [head, tail]
    return [text]


def _above_facts(document: Document, wide: float) -> float:
    """Height of everything on page 1 above the table of facts [pt]."""
    big, decision = title_size(document.heading), document.decision
    values = [item.value for item in decision.figures.items]
    rooms = _card_rooms(x.shares(card_shares(values), round(wide * 20)))
    size = display_size(values, rooms, _CARD_SIZES)
    cards = max(
        1.21 * _DETAIL * (lines(item.label, _DETAIL, room) + lines(item.detail, _DETAIL, room))
        + 1.15 * size * lines(item.value, size, room, bold=True)
        for item, room in zip(decision.figures.items, rooms, strict=True)
    )
    title = 1.14 * big * lines(document.heading, big * _WIDER, wide, bold=True)
    subtitle = 14.5 * lines(document.subtitle, 11 * _WIDER, wide)
    return title + subtitle + 17 * lines(decision.sentence, 12 * _WIDER, wide) + cards + _AIR


def _fact_size(document: Document, widths: Sequence[int], height: float) -> tuple[float, float]:
    """The largest size, then the largest air [pt], at which the decision, read alone, keeps to page 1, as far as can be told
    without a layout."""
    room = height - _above_facts(document, sum(widths) / 20)
    rooms = [width / 20 - 8 for width in widths]

    def fits(size: float, air: float) -> bool:
        used = sum(
            max(lines(fact.label, size * _WIDEST, rooms[0], bold=True), lines(fact.text, size * _WIDEST, rooms[1]))
            * size * 1.26 + air
            for fact in document.decision.memo
        )  # fmt: skip
        return used <= room

    size = next((size for size in _FACT_SIZES if fits(size, _FACT_AIR[-1])), _FACT_SIZES[-1])
    return size, next((air for air in _FACT_AIR if fits(size, air)), _FACT_AIR[-1])


def chart_ratio(block: Figure) -> float:
    """Height ÷ width of the figure: lying bars need a line each, other charts a calm landscape."""
    plot = office_plot(block.chart)
    if plot.shape == "bars":
        return min(0.75, 0.15 + 0.05 * len(plot.categories) * (1 if plot.stacked else len(plot.traces) ** 0.3))
    return 0.44
