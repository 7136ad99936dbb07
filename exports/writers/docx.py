"""Word: one `Document` as a .docx with own styles, numbered headings, filled contents and native charts."""

from __future__ import annotations

from exports.document import Document
from exports.text import shorten
from exports.writers import docx_xml as x
from exports.writers.docx_blocks import MAIN, Body, Entry
from exports.writers.docx_styles import W, font_table_xml, numbering_xml, settings_xml, styles_xml
from exports.writers.look import LOOK, Look
from exports.writers.office_theme import THEME_TYPE, theme_xml
from exports.writers.ooxml import REL, Package, add_properties

_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml"
_PAPER = {"A4": (11906, 16838), "Letter": (12240, 15840)}
"""Width and height [twip]."""
_MARGIN = 1247
"""Left and right margin [twip]: 22 mm."""


def write(document: Document, *, paper: str = "A4") -> bytes:
    """The .docx file of that document; equal documents give equal bytes. `paper` is A4 or Letter."""
    package, look = Package(), LOOK
    package.relate("", "officeDocument", MAIN)
    width, height = _PAPER[paper]
    body = Body(package=package, look=look, width=width - 2 * _MARGIN)
    package.add(MAIN, f"{_TYPE}.document.main+xml", "")
    _template_parts(package, document, look)
    edges = _header_and_footer(package, document, look, width - 2 * _MARGIN)
    body.decision(document.decision)
    front = _front(document, body.pieces)
    body.pieces = []
    for number, section in enumerate(document.sections, 1):
        body.section(section, str(number))
    body.end(f"Plan hash (SHA-256): {document.plan_hash}")
    page = (
        f'<w:sectPr>{edges}<w:pgSz w:w="{width}" w:h="{height}"/><w:pgMar w:top="1474" w:right="{_MARGIN}" '
        f'w:bottom="1304" w:left="{_MARGIN}" w:header="624" w:footer="567" w:gutter="0"/><w:titlePg/></w:sectPr>'
    )
    story = "".join((*front, _contents(body.entries), *body.pieces))
    package.add(
        MAIN,
        f"{_TYPE}.document.main+xml",
        f'<w:document xmlns:w="{W}" xmlns:r="{REL}"><w:body>{story}{page}</w:body></w:document>',
    )
    _part(package, "numbering", numbering_xml(look, body.lists))
    return package.to_bytes()


def _template_parts(package: Package, document: Document, look: Look) -> None:
    _part(package, "styles", styles_xml(look, document.language))
    _part(package, "settings", settings_xml(document.language))
    _part(package, "fontTable", font_table_xml(look))
    theme = package.add("word/theme/theme1.xml", THEME_TYPE, theme_xml(look))
    package.relate(MAIN, "theme", theme)
    add_properties(
        package,
        title=document.title,
        author=document.author,
        subject=document.subject,
        language=document.language,
        day=document.created.isoformat(),
    )


def _part(package: Package, name: str, xml: str) -> str:
    """Adds a part of the main document and returns its relationship id."""
    kind = name.rstrip("0123456789")
    return package.relate(MAIN, kind, package.add(f"word/{name}.xml", f"{_TYPE}.{kind}+xml", xml))


def _front(document: Document, decision: list[str]) -> list[str]:
    """The title above the decision block."""
    size = 28 if len(document.title) <= 34 else 22 if len(document.title) <= 90 else 16
    title = x.paragraph("Title", x.run(document.title, size=size))
    return [title, x.paragraph("Subtitle", x.run(document.subtitle)), *decision]


def _contents(entries: list[Entry]) -> str:
    """The filled table of contents on a page of its own: links without page numbers, which only a layout engine knows."""
    if not entries:
        return ""
    title = x.paragraph("ContentsTitle", x.run("Contents"), "<w:pageBreakBefore/>")
    lines = []
    for index, entry in enumerate(entries):
        start = x.field_start('TOC \\o "1-2" \\n \\h \\z \\u') if index == 0 else ""
        end = x.field_end() if index == len(entries) - 1 else ""
        lines.append(x.paragraph(f"TOC{entry.level}", start + x.link(entry.anchor, x.run(entry.text)) + end))
    gallery = '<w:docPartObj><w:docPartGallery w:val="Table of Contents"/><w:docPartUnique/></w:docPartObj>'
    return f"<w:sdt><w:sdtPr>{gallery}</w:sdtPr><w:sdtContent>{title}{''.join(lines)}</w:sdtContent></w:sdt>"


def _header_and_footer(package: Package, document: Document, look: Look, width: int) -> str:
    """References to the header, the quieter header of page 1, and the footer of all pages."""
    tab = f'<w:tabs><w:tab w:val="right" w:pos="{width}"/></w:tabs>'
    rule = f'<w:pBdr><w:bottom w:val="single" w:sz="4" w:space="6" w:color="{look.line}"/></w:pBdr>'
    state = x.run(document.state_text, colour=look.accent, bold=True)
    jump = "<w:r><w:tab/></w:r>"
    first = x.paragraph("Header", x.run(document.subject) + jump + state, tab)
    other = x.paragraph("Header", x.run(shorten(document.title, 70)) + jump + state, rule + tab)
    page = x.run("Page ") + x.field("PAGE", "1") + x.run(" of ") + x.field("NUMPAGES", "1")
    foot = x.paragraph("Footer", x.run(document.footer) + jump + page, tab)
    wrap = f'xmlns:w="{W}" xmlns:r="{REL}"'
    header1 = _part(package, "header1", f"<w:hdr {wrap}>{other}</w:hdr>")
    header2 = _part(package, "header2", f"<w:hdr {wrap}>{first}</w:hdr>")
    footer1 = _part(package, "footer1", f"<w:ftr {wrap}>{foot}</w:ftr>")
    rows = (("header", "default", header1), ("header", "first", header2), ("footer", "default", footer1))
    return "".join(
        f'<w:{kind}Reference w:type="{which}" r:id="{relation}"/>'
        for kind, which, relation in (*rows, ("footer", "first", footer1))
    )
