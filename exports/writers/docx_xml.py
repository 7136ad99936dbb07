"""Small pieces of WordprocessingML: runs, paragraphs, fields, tables, drawings. Text is escaped here and nowhere else."""

from __future__ import annotations

from collections.abc import Sequence

from exports.ooxml import DML, REL, esc

EMU_PER_TWIP = 635
LINE_BREAK = "<w:r><w:br/></w:r>"


def run(text: str, *, colour: str = "", bold: bool = False, size: float = 0.0) -> str:
    """One run of text; `size` [pt] overrides that of the style where the text is measured."""
    look = ("<w:b/><w:bCs/>" if bold else "") + (f'<w:color w:val="{colour}"/>' if colour else "")
    look += f'<w:sz w:val="{round(2 * size)}"/><w:szCs w:val="{round(2 * size)}"/>' if size else ""
    return f'<w:r>{f"<w:rPr>{look}</w:rPr>" if look else ""}<w:t xml:space="preserve">{esc(text)}</w:t></w:r>'


def paragraph(style: str, content: str, properties: str = "") -> str:
    """One paragraph; `properties` are further children of its pPr in schema order."""
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    return f"<w:p><w:pPr>{named}{properties}</w:pPr>{content}</w:p>"


def field(instruction: str, cached: str) -> str:
    """A field with the text that viewers show when they do not compute it."""
    return (
        f'{_mark("begin")}<w:r><w:instrText xml:space="preserve"> {instruction} </w:instrText></w:r>'
        f"{_mark('separate')}{run(cached)}{_mark('end')}"
    )


def field_start(instruction: str) -> str:
    """The opening of a field whose result spans paragraphs; close it with `field_end`."""
    return (
        f'{_mark("begin")}<w:r><w:instrText xml:space="preserve"> {instruction} </w:instrText></w:r>{_mark("separate")}'
    )


def field_end() -> str:
    """The close of a field that spans paragraphs."""
    return _mark("end")


def _mark(kind: str) -> str:
    return f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>'


def bookmarked(name: str, number: int, content: str) -> str:
    """The content inside a bookmark that links may name."""
    return f'<w:bookmarkStart w:id="{number}" w:name="{name}"/>{content}<w:bookmarkEnd w:id="{number}"/>'


def link(anchor: str, content: str) -> str:
    """A link to a bookmark of this document."""
    return f'<w:hyperlink w:anchor="{anchor}" w:history="1">{content}</w:hyperlink>'


def cell(content: str, width: int, *, fill: str = "", span: int = 1, middle: bool = False) -> str:
    """One table cell of that width [twip]."""
    wide = f'<w:gridSpan w:val="{span}"/>' if span > 1 else ""
    shade = f'<w:shd w:val="clear" w:color="auto" w:fill="{fill}"/>' if fill else ""
    align = '<w:vAlign w:val="center"/>' if middle else ""
    return f'<w:tc><w:tcPr><w:tcW w:w="{width}" w:type="dxa"/>{wide}{shade}{align}</w:tcPr>{content}</w:tc>'


def row(cells: str, *, header: bool = False) -> str:
    """One table row that does not split over pages; a header row repeats on each page."""
    repeat = "<w:tblHeader/>" if header else ""
    return f"<w:tr><w:trPr><w:cantSplit/>{repeat}</w:trPr>{cells}</w:tr>"


def table(
    rows: str,
    widths: Sequence[int],
    *,
    style: str,
    alt: str,
    head: bool = False,
    total: bool = False,
    first: bool = False,
) -> str:
    """A table of fixed column widths [twip] whose alternative text is `alt`."""
    grid = "".join(f'<w:gridCol w:w="{width}"/>' for width in widths)
    flags = f'w:firstRow="{int(head)}" w:lastRow="{int(total)}" w:firstColumn="{int(first)}"'
    value = (0x0020 if head else 0) + (0x0040 if total else 0) + (0x0080 if first else 0) + 0x0600
    return (
        f'<w:tbl><w:tblPr><w:tblStyle w:val="{style}"/><w:tblW w:w="{sum(widths)}" w:type="dxa"/>'
        f'<w:tblLayout w:type="fixed"/><w:tblLook w:val="{value:04X}" {flags} w:lastColumn="0" w:noHBand="1" '
        f'w:noVBand="1"/><w:tblCaption w:val="{esc(alt[:250])}"/></w:tblPr><w:tblGrid>{grid}</w:tblGrid>{rows}</w:tbl>'
    )


def chart_drawing(relation: str, number: int, alt: str, width: int, height: int) -> str:
    """A chart in the line, of that size [EMU]; `alt` says what it shows."""
    return (
        f'<w:r><w:drawing><wp:inline xmlns:wp="{DML}/wordprocessingDrawing" distT="0" distB="0" distL="0" distR="0">'
        f'<wp:extent cx="{width}" cy="{height}"/><wp:effectExtent l="0" t="0" r="0" b="0"/><wp:docPr id="{number}" '
        f'name="Chart {number}" descr="{esc(alt)}"/><wp:cNvGraphicFramePr/><a:graphic xmlns:a="{DML}/main">'
        f'<a:graphicData uri="{DML}/chart"><c:chart xmlns:c="{DML}/chart" xmlns:r="{REL}" r:id="{relation}"/>'
        "</a:graphicData></a:graphic></wp:inline></w:drawing></w:r>"
    )


def picture(relation: str, number: int, alt: str, width: int, height: int) -> str:
    """A picture in the line, of that size [EMU]."""
    pic = f"{DML}/picture"
    return (
        f'<w:r><w:drawing><wp:inline xmlns:wp="{DML}/wordprocessingDrawing" distT="0" distB="0" distL="0" distR="0">'
        f'<wp:extent cx="{width}" cy="{height}"/><wp:effectExtent l="0" t="0" r="0" b="0"/><wp:docPr id="{number}" '
        f'name="Logo" descr="{esc(alt)}"/><wp:cNvGraphicFramePr/><a:graphic xmlns:a="{DML}/main"><a:graphicData '
        f'uri="{pic}"><pic:pic xmlns:pic="{pic}"><pic:nvPicPr><pic:cNvPr id="{number}" name="Logo" descr="{esc(alt)}"/>'
        f'<pic:cNvPicPr/></pic:nvPicPr><pic:blipFill><a:blip xmlns:r="{REL}" r:embed="{relation}"/><a:stretch>'
        f'<a:fillRect/></a:stretch></pic:blipFill><pic:spPr><a:xfrm><a:off x="0" y="0"/><a:ext cx="{width}" '
        f'cy="{height}"/></a:xfrm><a:prstGeom prst="rect"><a:avLst/></a:prstGeom></pic:spPr></pic:pic></a:graphicData>'
        "</a:graphic></wp:inline></w:drawing></w:r>"
    )


def shares(parts: Sequence[float], whole: int) -> list[int]:
    """`whole` divided in those proportions into integers that add up to it."""
    total, edge, left = sum(parts), 0.0, 0
    widths = []
    for part in parts:
        edge += part
        right = round(whole * edge / total)
        widths.append(right - left)
        left = right
    return widths
