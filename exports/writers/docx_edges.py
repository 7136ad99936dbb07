"""Header and footer of the Word file: ours, with the brand's logo on page 1, or the template's with ours below it."""

from __future__ import annotations

from string import Formatter

from lxml import etree

from exports.brand import in_use
from exports.branding.package import parse
from exports.branding.word import WordTemplate
from exports.document import Document
from exports.ooxml import REL, Package
from exports.text import shorten
from exports.wording import mark, spoken, tr
from exports.writers import docx_xml as x
from exports.writers.docx_blocks import MAIN
from exports.writers.docx_styles import W
from exports.writers.look import Look

TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml"
_PLACES = (("header", "default"), ("header", "first"), ("footer", "default"), ("footer", "first"))
_EMU = 12700
"""English Metric Units in a point."""


def add_part(package: Package, name: str, xml: str) -> str:
    """Adds a part of the main document and returns its relationship id."""
    kind = name.rstrip("0123456789")
    return package.relate(MAIN, kind, package.add(f"word/{name}.xml", f"{TYPE}.{kind}+xml", xml))


def edge_references(package: Package, document: Document, look: Look, width: int, template: WordTemplate | None) -> str:
    """References to the header, the quieter header of page 1, and the footers; `width` is that of the text [twip]."""
    references = []
    for number, (kind, place) in enumerate(_PLACES, 1):
        name = f"{kind}{1 + number % 2}"
        lines = _lines(document, look, width, kind, place, own=template is None)
        edge = template.edges.get((kind, place)) if template else None
        if edge:
            xml = _joined(package, f"word/{name}.xml", edge.xml, edge.pictures, lines)
        else:
            tag = "hdr" if kind == "header" else "ftr"
            logo = _logo(package, f"word/{name}.xml") if (kind, place) == ("header", "first") and not template else ""
            xml = f'<w:{tag} xmlns:w="{W}" xmlns:r="{REL}">{logo}{lines}</w:{tag}>'
        references.append(f'<w:{kind}Reference w:type="{place}" r:id="{add_part(package, name, xml)}"/>')
    return "".join(references)


def _lines(document: Document, look: Look, width: int, kind: str, place: str, *, own: bool) -> str:
    """What every page says, whoever's letterhead it is on: which plan, which state, which hash, which page."""
    tab = f'<w:tabs><w:tab w:val="right" w:pos="{width}"/></w:tabs>'
    jump = "<w:r><w:tab/></w:r>"
    if kind == "footer":
        page = _page()
        return x.paragraph("Footer" if own else "Edge", x.run(shorten(document.footer, 180)) + jump + page, tab)
    rule = f'<w:pBdr><w:bottom w:val="single" w:sz="4" w:space="6" w:color="{look.line}"/></w:pBdr>'
    state = x.run(document.state_text, colour=look.accent, bold=True)
    text = document.subject if place == "first" else shorten(document.title, 70)
    if place == "first" and own and in_use().logo.png:
        text = ""
    lined = place == "default" and own
    return x.paragraph("Header" if own else "Edge", x.run(text) + jump + state, (rule if lined else "") + tab)


def _page() -> str:
    """“Page 1 of 1” with fields for both numbers, in the order of the language in use."""
    fields = {"number": x.field("PAGE", "1"), "total": x.field("NUMPAGES", "1")}
    parts = Formatter().parse(spoken().one(mark("Page {number} of {total}")))
    return "".join((x.run(text) if text else "") + (fields[name] if name else "") for text, name, _, _ in parts)


def _logo(package: Package, part: str) -> str:
    """The brand's logo above the first header; nothing without one."""
    brand = in_use()
    if not brand.logo.png:
        return ""
    media = package.add("word/media/logo.png", "image/png", brand.logo.png)
    wide, tall = brand.logo.within(150.0, 34.0)
    relation = package.relate(part, "image", media)
    return x.paragraph(
        "Header", x.picture(relation, 9000, brand.logo_alt or tr("Logo"), round(wide * _EMU), round(tall * _EMU))
    )


def _joined(package: Package, part: str, xml: bytes, pictures: dict[str, tuple[bytes, str, str]], lines: str) -> str:
    """The template's header or footer with our lines below it, its pictures copied into the file."""
    root = parse(xml)
    ids = {}
    for old, (data, media, ending) in pictures.items():
        number = sum(name.startswith("word/media/") for name in package.parts) + 1
        known = next(
            (name for name, held in package.parts.items() if name.startswith("word/media/") and held == data), ""
        )
        ids[old] = package.relate(
            part, "image", known or package.add(f"word/media/template{number}.{ending}", media, data)
        )
    first = 9000 + 100 * sum(name.startswith(("word/header", "word/footer")) for name in package.parts)
    for number, element in enumerate(root.iter("{*}docPr")):
        element.set("id", str(first + number))
    for element in root.iter():
        for key, value in element.attrib.items():
            if key.startswith(f"{{{REL}}}") and value in ids:
                element.set(key, ids[value])
    for paragraph in parse(f'<w:hdr xmlns:w="{W}" xmlns:r="{REL}">{lines}</w:hdr>'.encode()):
        root.append(paragraph)
    return str(etree.tostring(root, encoding="unicode"))
