"""Word: one `Document` as a .docx with own styles, numbered headings, filled contents and native charts."""

from __future__ import annotations

from exports.brand import in_use
from exports.branding.word import WordTemplate, joined_styles, word_template
from exports.document import Document
from exports.ooxml import REL, THEME_TYPE, Package, add_properties
from exports.wording import tr
from exports.writers import docx_xml as x
from exports.writers.docx_blocks import MAIN, Body, Entry, title_size
from exports.writers.docx_edges import TYPE as _TYPE
from exports.writers.docx_edges import add_part, edge_references
from exports.writers.docx_styles import W, font_table_xml, numbering_xml, settings_xml, styles_xml
from exports.writers.look import Look, current
from exports.writers.office_theme import theme_xml

_PAPER = {"A4": (11906, 16838), "Letter": (12240, 15840)}
"""Width and height [twip]."""
_MARGINS = {"left": 1247, "right": 1247, "top": 1474, "bottom": 1304, "header": 624, "footer": 567}
"""Margins [twip]: 22 mm left and right."""


def write(document: Document, *, paper: str = "A4") -> bytes:
    """The .docx file of that document in the brand in use; equal documents and brands give equal bytes.

    `paper` is A4 or Letter.
    """
    package, look = Package(), current()
    template = word_template(in_use().word) if in_use().word else None
    package.relate("", "officeDocument", MAIN)
    width, height = _PAPER[paper]
    margins = template.margins if template else _MARGINS
    room = width - margins["left"] - margins["right"]
    tall = (height - margins["top"] - margins["bottom"]) / 20
    body = Body(package=package, look=look, width=room, height=tall)
    package.add(MAIN, f"{_TYPE}.document.main+xml", "")
    _template_parts(package, document, look, template)
    edges = edge_references(package, document, look, room, template)
    if document.letter:
        for block in document.letter:
            body.add(block)
    else:
        body.decision(document)
    front = _front(document, body.pieces)
    body.pieces = []
    body.alone = len(document.chapters) == 1
    for number, section in enumerate(document.chapters, 1):
        body.section(section, str(number))
    for line in document.colophon:
        body.end(line)
    sides = " ".join(f'w:{side}="{margins[side]}"' for side in ("top", "right", "bottom", "left", "header", "footer"))
    page = (
        f'<w:sectPr>{edges}<w:pgSz w:w="{width}" w:h="{height}"/><w:pgMar {sides} w:gutter="0"/><w:titlePg/></w:sectPr>'
    )
    story = "".join((*front, "" if body.alone else _contents(body.entries), *body.pieces))
    package.add(
        MAIN,
        f"{_TYPE}.document.main+xml",
        f'<w:document xmlns:w="{W}" xmlns:r="{REL}"><w:body>{story}{page}</w:body></w:document>',
    )
    add_part(package, "numbering", numbering_xml(look, body.lists))
    return package.to_bytes()


def _template_parts(package: Package, document: Document, look: Look, template: WordTemplate | None) -> None:
    styles = styles_xml(look, document.language)
    add_part(package, "styles", joined_styles(template, styles, document.language) if template else styles)
    add_part(package, "settings", settings_xml(document.language, in_use().writes))
    add_part(package, "fontTable", font_table_xml(look))
    theme = template.theme if template and template.theme else theme_xml(look)
    package.relate(MAIN, "theme", package.add("word/theme/theme1.xml", THEME_TYPE, theme))
    add_properties(
        package,
        title=document.title,
        author=document.author,
        subject=document.subject,
        language=document.language,
        day=document.created.isoformat(),
    )


def _front(document: Document, decision: list[str]) -> list[str]:
    """The title above the decision block."""
    size = title_size(document.heading)
    if in_use().word and size > 16:
        size = 0  # the template's own
    title = x.paragraph("Title", x.run(document.heading, size=size))
    return [title, x.paragraph("Subtitle", x.run(document.subtitle)), *decision]


def _contents(entries: list[Entry]) -> str:
    """The filled table of contents on a page of its own: links without page numbers, which only a layout engine knows."""
    if not entries:
        return ""
    title = x.paragraph("ContentsTitle", x.run(tr("Contents")), "<w:pageBreakBefore/>")
    lines = []
    for index, entry in enumerate(entries):
        start = x.field_start('TOC \\o "1-2" \\n \\h \\z \\u') if index == 0 else ""
        end = x.field_end() if index == len(entries) - 1 else ""
        lines.append(x.paragraph(f"TOC{entry.level}", start + x.link(entry.anchor, x.run(entry.text)) + end))
    gallery = '<w:docPartObj><w:docPartGallery w:val="Table of Contents"/><w:docPartUnique/></w:docPartObj>'
    return f"<w:sdt><w:sdtPr>{gallery}</w:sdtPr><w:sdtContent>{title}{''.join(lines)}</w:sdtContent></w:sdt>"
