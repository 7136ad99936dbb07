"""Shapes of one slide as PresentationML. Every text is measured: it shrinks in steps, and is cut when the least is too large."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from exports.document import (
    MAX_SLIDE_CELL,
    WIDE_COLUMNS,
    Block,
    Bullets,
    Callout,
    Cell,
    Figure,
    KeyFigure,
    KeyFigures,
    Paragraph,
    Table,
)
from exports.ooxml import DML, REL, Package, esc
from exports.slide import EMU, FRAME, SPACES, Area, Frame
from exports.writers.docx_xml import shares
from exports.writers.look import Look
from exports.writers.office_charts import add_chart, native
from exports.writers.pptx_parts import GROUP, NUMBER, ph
from exports.writers.text_fit import SUBSTITUTE, column_shares, cut_to_lines, display_size, largest, lines, width

_LINE = 1.2
"""Height of a line over the size of its text."""
_SLACK = 0.93
"""Share of a box that text may fill: programs differ a little in how they break lines."""
_WIDER = 1.1
"""How much wider than measured the words of a table may be drawn."""
_TEXT_SIZES = (16.0, 15.0, 14.0, 13.0, 12.0, 11.0, 10.0)
_CELL_SIZES = (14.0, 13.0, 12.0, 11.0, 10.0, 9.0)
_LINES = 2
"""Lines of a cell, which is cut beyond them."""


@dataclass(kw_only=True)
class SlideShapes:
    """Collects the shapes of the slide stored as `part`."""

    package: Package
    part: str
    look: Look
    language: str
    frame: Frame = FRAME
    pieces: list[str] = field(default_factory=list)
    _number: int = 1

    def xml(self) -> str:
        """The slide part."""
        return (
            f"<p:sld {SPACES}><p:cSld><p:spTree>{GROUP}{''.join(self.pieces)}</p:spTree></p:cSld><p:clrMapOvr>"
            "<a:masterClrMapping/></p:clrMapOvr></p:sld>"
        )

    def title(
        self, text: str, area: Area, *, kind: str = "title", sizes: Sequence[float] = (26, 24, 22, 20, 18)
    ) -> None:
        """The headline in its placeholder: on one line at one of the three largest sizes, else as high as its area."""
        size = largest([text], area.width * _SLACK, (*sizes[:3], 0.0), bold=True)
        size = size or _fitted([text], area, sizes[1:], bold=True)[0]
        text = cut_to_lines(text, size, area.width * _SLACK, int(area.height / (size * _LINE)), bold=True)
        self._placeholder("Title", ph(kind), area, self._paragraph([self._run(text, size, bold=True)]))

    def subtitle(self, rows: Sequence[str], area: Area) -> None:
        """The lines under the title of the cover."""
        colour = self.look.tint if self.frame.own else ""
        paragraphs = "".join(
            self._paragraph([self._run(cut_to_lines(row, 16, area.width * _SLACK, 1), 16, colour=colour)])
            for row in rows
        )
        self._placeholder("Subtitle", ph("subTitle", self.frame.cover_index), area, paragraphs)

    def edges(self, footer: str, foot: Area, page: Area) -> None:
        """Footer and slide number in their placeholders."""
        text = _with_its_end(footer, 9, foot.width * _SLACK)
        quiet = self._paragraph([self._run(text, 9, colour=self.look.muted)])
        number = f'<a:p><a:pPr algn="r"><a:defRPr sz="900"/></a:pPr>{NUMBER}</a:p>'
        if self.frame.edge_indexes is None:
            self._plain_text("Footer", foot, quiet)
            self._plain_text("Slide number", page, number)
            return
        first, second = self.frame.edge_indexes
        self._placeholder("Footer", ph("ftr", first, "quarter"), foot, quiet)
        self._placeholder("Slide number", ph("sldNum", second, "quarter"), page, number)

    def block(self, block: Block, area: Area, index: int) -> None:
        """One block in its area; `index` is that of the layout's placeholder."""
        match block:
            case Bullets():
                self._bullets(block.items, area, index, ordered=block.ordered)
            case Paragraph():
                self._bullets((block.text,), area, index, ordered=False)
            case Table():
                self._table(block, area, index)
            case Figure():
                self._figure(block, area, index)
            case KeyFigures():
                self._key_figures(block.items, area)
            case Callout():
                self._callout(block, area)

    # ---- text

    def _bullets(self, items: Sequence[str], area: Area, index: int, *, ordered: bool) -> None:
        room = Area(x=0, y=0, width=area.width - 20, height=area.height)
        sizes = (20.0, 18.0, *_TEXT_SIZES) if area.width > 600 else _TEXT_SIZES
        size, texts = _fitted(items, room, sizes, gap=0.7)
        mark = '<a:buFont typeface="+mj-lt"/><a:buAutoNum type="arabicPeriod"/>' if ordered else '<a:buChar char="•"/>'
        colour = f'<a:buClr><a:srgbClr val="{self.look.accent}"/></a:buClr>'
        inset = round((1.7 * size if ordered else 20) * EMU)
        first = (
            f'<a:pPr marL="{inset}" indent="{-inset}"><a:spcAft><a:spcPts val="{round(size * 70)}"/></a:spcAft>'
            f"{colour}{mark}</a:pPr>"
        )
        body = "".join(f"<a:p>{first}{self._run(text, size)}</a:p>" for text in texts)
        self._placeholder("Content", ph("", index), area, body)

    def _callout(self, block: Callout, area: Area) -> None:
        inner = Area(x=0, y=0, width=area.width - 44, height=area.height - 40)
        size, (text,) = _fitted((block.text,), inner, _TEXT_SIZES)
        title = cut_to_lines(block.title, size, inner.width, 1, bold=True)
        need = size * _LINE * (lines(text, size, inner.width * _SLACK) + 1) * 1.1 + 30
        box = Area(x=area.x, y=area.y, width=area.width, height=min(area.height, need))
        tone = self.look.tone(block.tone)
        self._rectangle(Area(x=box.x, y=box.y, width=5, height=box.height), tone)
        body = self._paragraph([self._run(title, size, bold=True, colour=tone)], after=4)
        body += self._paragraph([self._run(text, size)])
        moved = Area(x=box.x + 5, y=box.y, width=box.width - 5, height=box.height)
        self._box("Remark", moved, body, fill=self.look.fill(block.tone), inset=14)

    def _key_figures(self, items: Sequence[KeyFigure], area: Area) -> None:
        """Cards side by side in a wide area, two by two in a narrow one."""
        across = len(items) if area.width > 600 else 2 if len(items) > 2 else 1
        down = -(-len(items) // across)
        gap = 14.0
        wide = (area.width - gap * (across - 1)) / across
        tall = min(124.0, (area.height - gap * (down - 1)) / down)
        rooms = [(wide - 28) * _SLACK * 0.9] * len(items)  # a substitute of Arial may be wider
        size = display_size([item.value for item in items], rooms, (28, 25, 22, 20, 18, 16, 14))
        for number, item in enumerate(items):
            card = Area(
                x=area.x + (number % across) * (wide + gap),
                y=area.y + (number // across) * (tall + gap),
                width=wide,
                height=tall,
            )
            self._card(item, card, size)

    def _card(self, item: KeyFigure, card: Area, size: float) -> None:
        room = (card.width - 28) * _SLACK
        label = cut_to_lines(item.label, 13, room, 1)
        value = cut_to_lines(item.value, size, room, 2, bold=True)
        used = 13 * _LINE + size * _LINE * lines(value, size, room, bold=True) + 34
        detail = cut_to_lines(item.detail, 12, room, max(1, int((card.height - used) / (12 * _LINE))))
        tone = self.look.accent if item.tone in {"plain", "strong"} else self.look.tone(item.tone)
        body = self._paragraph([self._run(label, 13, colour=self.look.muted)], after=3)
        body += self._paragraph([self._run(value, size, bold=True, colour=tone)], after=3)
        body += self._paragraph([self._run(detail, 12)]) if detail else ""
        self._box(item.label, card, body, fill=self.look.wash, inset=14)
        self._rectangle(Area(x=card.x, y=card.y, width=card.width, height=3), self.look.accent)

    # ---- charts and tables

    def _figure(self, block: Figure, area: Area, index: int) -> None:
        relation = add_chart(self.package, self.part, "ppt", native(block.chart, self.look, 12.0))
        graphic = f'<a:graphicData uri="{DML}/chart"><c:chart xmlns:c="{DML}/chart" r:id="{relation}"/></a:graphicData>'
        self._frame("Chart", block.alt, area, index, graphic)

    def _table(self, block: Table, area: Area, index: int) -> None:
        rows = [[column.title for column in block.columns], *([cell.text for cell in row] for row in block.rows)]
        size, widths = self._table_size(block, rows, area)
        pad, limit = 7.2, _most_lines(block)
        cut = [
            [cut_to_lines(text, size, wide - 2 * pad - 1, limit) for text, wide in zip(row, widths, strict=True)]
            for row in rows
        ]
        heights = [_row_height(row, widths, size, limit) for row in cut]
        spare = max(0.0, min(14.0, (area.height - sum(heights)) / len(heights)))
        grid = "".join(f'<a:gridCol w="{round(wide * EMU)}"/>' for wide in widths)
        head = self._row(cut[0], block, [Cell(text="", tone="strong")] * len(widths), heights[0] + spare, size, "head")
        body = "".join(
            self._row(texts, block, cells, tall + spare, size, _role(block, number))
            for number, (texts, cells, tall) in enumerate(zip(cut[1:], block.rows, heights[1:], strict=True))
        )
        graphic = (
            f'<a:graphicData uri="{DML}/table"><a:tbl><a:tblPr firstRow="1"/><a:tblGrid>{grid}</a:tblGrid>{head}{body}'
            "</a:tbl></a:graphicData>"
        )
        tall = sum(heights) + spare * len(heights)
        shown = Area(x=area.x, y=area.y, width=area.width, height=tall)
        self._frame("Table", block.caption, shown, index, graphic)

    def _table_size(self, block: Table, rows: list[list[str]], area: Area) -> tuple[float, list[float]]:
        """The largest size at which the whole table fits, and the widths of its columns [pt]: with its long cells whole, else cut."""
        most = _most_lines(block)
        tried = [(size, self._widths(block, size, area)) for size in _CELL_SIZES]
        fit = [
            (size, widths)
            for size, widths in tried
            if sum(_row_height(row, widths, size, most) for row in rows) <= area.height * _SLACK
        ]
        if most > _LINES:
            whole = [one for one in fit if all(_lines_of(row, one[1], one[0]) <= most for row in rows)]
            fit = whole or fit
        return fit[0] if fit else tried[-1]

    def _widths(self, block: Table, size: float, area: Area) -> list[float]:
        """The widths of its columns at that size [pt]."""
        parts = column_shares(block, area.width, size * _WIDER, padding=16, numbers=SUBSTITUTE / _WIDER)
        return [part / 100 for part in shares(parts, round(area.width * 100))]

    def _row(
        self, texts: Sequence[str], block: Table, cells: Sequence[Cell], tall: float, size: float, role: str
    ) -> str:
        made = []
        for text, column, cell in zip(texts, block.columns, cells, strict=True):
            colour = self.look.ink if cell.tone in {"plain", "strong"} else self.look.tone(cell.tone)
            bold = role != "plain" or cell.tone == "strong"
            align = "r" if column.align == "right" else "l"
            run = self._run(text, size, bold=bold, colour=colour)
            made.append(
                f'<a:tc><a:txBody><a:bodyPr/><a:lstStyle/><a:p><a:pPr algn="{align}"/>{run}</a:p></a:txBody>{self._cell(role)}</a:tc>'
            )
        return f'<a:tr h="{round(tall * EMU)}">{"".join(made)}</a:tr>'

    def _cell(self, role: str) -> str:
        """Hairlines between rows, a strong line under the header and above a total."""
        none = "<a:noFill/>"
        strong = f'<a:solidFill><a:srgbClr val="{self.look.ink}"/></a:solidFill>'
        weak = f'<a:solidFill><a:srgbClr val="{self.look.line}"/></a:solidFill>'
        top = strong if role in {"head", "total"} else weak
        bottom = strong if role in {"head", "total"} else weak
        fill = {"head": self.look.wash, "total": self.look.wash, "lit": self.look.tint}.get(role, "FFFFFF")
        edges = "".join(
            f'<a:{name} w="{width}">{paint}</a:{name}>'
            for name, width, paint in (("lnL", 0, none), ("lnR", 0, none), ("lnT", 9525, top), ("lnB", 9525, bottom))
        )
        sides = (
            f'marL="{round(7.2 * EMU)}" marR="{round(7.2 * EMU)}" marT="{round(3.6 * EMU)}" marB="{round(3.6 * EMU)}"'
        )
        return f'<a:tcPr {sides} anchor="ctr">{edges}<a:solidFill><a:srgbClr val="{fill}"/></a:solidFill></a:tcPr>'

    # ---- pieces

    def _next(self) -> int:
        self._number += 1
        return self._number

    def _run(self, text: str, size: float, *, bold: bool = False, colour: str = "") -> str:
        fill = f'<a:solidFill><a:srgbClr val="{colour}"/></a:solidFill>' if colour else ""
        look = f'lang="{esc(self.language)}" sz="{round(size * 100)}" b="{int(bold)}" dirty="0"'
        return f"<a:r><a:rPr {look}>{fill}</a:rPr><a:t>{esc(text)}</a:t></a:r>"

    def _paragraph(self, runs: Sequence[str], *, after: float = 0.0) -> str:
        return f'<a:p><a:pPr><a:spcAft><a:spcPts val="{round(after * 100)}"/></a:spcAft></a:pPr>{"".join(runs)}</a:p>'

    def _placeholder(self, name: str, kind: str, area: Area, paragraphs: str) -> None:
        number = self._next()
        self.pieces.append(
            f'<p:sp><p:nvSpPr><p:cNvPr id="{number}" name="{esc(name)} {number}"/><p:cNvSpPr><a:spLocks noGrp="1"/>'
            f"</p:cNvSpPr><p:nvPr>{kind}</p:nvPr></p:nvSpPr><p:spPr>{area.transform()}</p:spPr><p:txBody>"
            f'<a:bodyPr lIns="0" tIns="0" rIns="0" bIns="0"><a:noAutofit/></a:bodyPr><a:lstStyle/>{paragraphs}</p:txBody></p:sp>'
        )

    def _plain_text(self, name: str, area: Area, paragraphs: str) -> None:
        """A text that belongs to no placeholder."""
        number = self._next()
        self.pieces.append(
            f'<p:sp><p:nvSpPr><p:cNvPr id="{number}" name="{name} {number}"/><p:cNvSpPr txBox="1"/><p:nvPr/></p:nvSpPr>'
            f'<p:spPr>{area.transform()}<a:prstGeom prst="rect"><a:avLst/></a:prstGeom><a:noFill/></p:spPr><p:txBody>'
            f'<a:bodyPr wrap="square" lIns="0" tIns="0" rIns="0" bIns="0"/><a:lstStyle/>{paragraphs}</p:txBody></p:sp>'
        )

    def _box(self, name: str, area: Area, paragraphs: str, *, fill: str, inset: float) -> None:
        number, edge = self._next(), round(inset * EMU)
        self.pieces.append(
            f'<p:sp><p:nvSpPr><p:cNvPr id="{number}" name="{esc(name[:60])} {number}"/><p:cNvSpPr txBox="1"/><p:nvPr/>'
            f'</p:nvSpPr><p:spPr>{area.transform()}<a:prstGeom prst="rect"><a:avLst/></a:prstGeom><a:solidFill>'
            f'<a:srgbClr val="{fill}"/></a:solidFill></p:spPr><p:txBody><a:bodyPr wrap="square" lIns="{edge}" '
            f'tIns="{edge}" rIns="{edge}" bIns="{round(8 * EMU)}"><a:noAutofit/></a:bodyPr><a:lstStyle/>{paragraphs}</p:txBody></p:sp>'
        )

    def _rectangle(self, area: Area, colour: str) -> None:
        number = self._next()
        self.pieces.append(
            f'<p:sp><p:nvSpPr><p:cNvPr id="{number}" name="Rule {number}">{_DECORATIVE}</p:cNvPr><p:cNvSpPr/><p:nvPr/></p:nvSpPr>'
            f'<p:spPr>{area.transform()}<a:prstGeom prst="rect"><a:avLst/></a:prstGeom><a:solidFill><a:srgbClr '
            f'val="{colour}"/></a:solidFill><a:ln><a:noFill/></a:ln></p:spPr></p:sp>'
        )

    def _frame(self, name: str, alt: str, area: Area, index: int, graphic: str) -> None:
        number = self._next()
        self.pieces.append(
            f'<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id="{number}" name="{name} {number}" descr="{esc(alt)}"/>'
            f'<p:cNvGraphicFramePr><a:graphicFrameLocks noGrp="1"/></p:cNvGraphicFramePr><p:nvPr>{ph("", index)}</p:nvPr>'
            f'</p:nvGraphicFramePr>{area.transform("p")}<a:graphic xmlns:r="{REL}">{graphic}</a:graphic></p:graphicFrame>'
        )


_DECORATIVE = (
    '<a:extLst><a:ext uri="{C183D7F6-B498-43B3-948B-1728B52AA6E4}"><adec:decorative '
    'xmlns:adec="http://schemas.microsoft.com/office/drawing/2017/decorative" val="1"/></a:ext></a:extLst>'
)


def _with_its_end(footer: str, size: float, room: float) -> str:
    """The footer on one line; where it must be cut, the plan's hash at its end stays."""
    head, _, tail = footer.rpartition(" · ")
    if width(footer, size) <= room or not head:
        return cut_to_lines(footer, size, room, 1)
    return f"{cut_to_lines(head, size, room - width(f' · {tail}', size), 1)} · {tail}"


def _role(block: Table, number: int) -> str:
    if number == block.highlight:
        return "lit"
    return "total" if block.total and number == len(block.rows) - 1 else "plain"


def _most_lines(block: Table) -> int:
    """Lines that a cell of that table may take: more where a column holds sentences, most where it has the slide to itself."""
    if not any(len(cell.text) > MAX_SLIDE_CELL for row in block.rows for cell in row):
        return _LINES
    return _LINES + 2 if len(block.columns) >= WIDE_COLUMNS else _LINES + 3


def _row_height(row: Sequence[str], widths: Sequence[float], size: float, most: int) -> float:
    """Height of a table row of at most so many lines [pt], with the space above and below."""
    return min(most, _lines_of(row, widths, size)) * size * _LINE + 7.2


def _lines_of(row: Sequence[str], widths: Sequence[float], size: float) -> int:
    """Lines of the cell of that row that needs most."""
    return max(lines(text, size, (wide - 14.4) * _SLACK, bold=True) for text, wide in zip(row, widths, strict=True))


def _fitted(
    texts: Sequence[str], area: Area, sizes: Sequence[float], *, bold: bool = False, gap: float = 0.0
) -> tuple[float, list[str]]:
    """The largest size at which all texts fit into the area, and the texts, cut where even the least is too large."""
    room, size = area.width * _SLACK, sizes[-1]
    for size in sizes:
        used = sum(lines(text, size, room, bold=bold) * _LINE + gap for text in texts) * size
        if used <= area.height * _SLACK:
            return size, list(texts)
    most = max(1, int(area.height * _SLACK / (size * (_LINE + gap)) / max(1, len(texts))))
    return size, [cut_to_lines(text, size, room, most, bold=bold) for text in texts]
