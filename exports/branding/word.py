"""A team's Word template: its styles, theme, margins, header and footer, ready to be joined with ours."""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from functools import lru_cache

from lxml import etree

from exports.branding.package import REL, Parts, open_template, parse, serial
from exports.branding.pictures import picture_of
from incoming.package import Refused

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_MAIN_TYPES = ("wordprocessingml.document.main+xml", "wordprocessingml.template.main+xml")
_FIELDS = re.compile(
    "PAGE|NUMPAGES|SECTION|SECTIONPAGES|TITLE|SUBJECT|AUTHOR|KEYWORDS|COMMENTS|STYLEREF|DOCPROPERTY|SEQ"
)
"""Fields that a header may hold: none of them reads a file, an address or the clock."""
_WIDEST, _NARROWEST = 2268, 850
"""Margins [twip] that leave a readable column: 40 and 15 mm."""
OURS_BY_NAME = {
    "normal": "Normal",
    "default paragraph font": "DefaultParagraphFont",
    "no list": "NoList",
    "normal table": "TableNormal",
    "hyperlink": "Hyperlink",
    "title": "Title",
    "subtitle": "Subtitle",
    "heading 1": "Heading1",
    "heading 2": "Heading2",
    "caption": "Caption",
    "toc 1": "TOC1",
    "toc 2": "TOC2",
    "header": "Header",
    "footer": "Footer",
    "list bullet": "ListBullet",
    "list number": "ListNumber",
}
"""Built-in styles, by the name that Word stores in every language, and the id that our text uses."""


@dataclass(frozen=True)
class Edge:
    """A header or footer: its XML, and its pictures by relationship id (bytes, media type, ending)."""

    xml: bytes
    pictures: dict[str, tuple[bytes, str, str]]


@dataclass(frozen=True)
class WordTemplate:
    """What is taken over."""

    styles: bytes
    theme: bytes
    """Empty when the template has none."""
    edges: dict[tuple[str, str], Edge]
    """By kind (header, footer) and place (default, first)."""
    margins: dict[str, int]
    """left, right, top, bottom, header, footer [twip]."""


@lru_cache(maxsize=16)
def word_template(data: bytes) -> WordTemplate:
    """That file, taken apart. Refused with one sentence for what cannot be taken over safely."""
    parts = open_template(data, "Word")
    main = parts.main()
    types = parts.by_name["[Content_Types].xml"].decode("utf-8", "replace")
    if not any(kind in types for kind in _MAIN_TYPES):
        raise Refused("The Word template is no Word document: upload a .docx or .dotx.")
    relations = parts.relations(main)
    by_kind = {row.kind: row.target for row in relations.values()}
    if "styles" not in by_kind:
        raise Refused("The Word template has no styles: save it again in Word.")
    styles = parts.root(by_kind["styles"])
    renamed = _rename(styles)
    section = _last_section(parts.root(main))
    edges = {}
    for kind in ("header", "footer"):
        for place in ("default", "first"):
            found = _reference(section, kind, place)
            if found in relations:
                edges[kind, place] = _edge(parts, relations[found].target, renamed)
    theme = _theme(parts, by_kind.get("theme", ""))
    return WordTemplate(serial(styles), theme, edges, _margins(section))


def _rename(styles: etree._Element) -> dict[str, str]:
    """Gives the built-in styles the ids that our text uses, clears foreign lists; returns new ids by old."""
    renamed: dict[str, str] = {}
    rows = list(styles.iter(f"{{{W}}}style"))
    for row in rows:
        name = row.find(f"{{{W}}}name")
        wanted = OURS_BY_NAME.get((name.get(f"{{{W}}}val") or "").lower() if name is not None else "")
        if wanted:
            renamed[row.get(f"{{{W}}}styleId") or ""] = wanted
    taken = set(renamed.values())
    for row in rows:
        old = row.get(f"{{{W}}}styleId") or ""
        if old not in renamed and old in taken:
            renamed[old] = f"{old}Template"
    for row in rows:
        row.set(f"{{{W}}}styleId", renamed.get(row.get(f"{{{W}}}styleId") or "", row.get(f"{{{W}}}styleId") or ""))
        for tag in ("basedOn", "next", "link"):
            for reference in row.iter(f"{{{W}}}{tag}"):
                value = reference.get(f"{{{W}}}val") or ""
                reference.set(f"{{{W}}}val", renamed.get(value, value))
        for numbering in list(row.iter(f"{{{W}}}numPr")):
            numbering.getparent().remove(numbering)
    return renamed


def _last_section(main: etree._Element) -> etree._Element | None:
    sections = list(main.iter(f"{{{W}}}sectPr"))
    return sections[-1] if sections else None


def _reference(section: etree._Element | None, kind: str, place: str) -> str:
    """The relationship id of that header or footer; that of all pages for a first page without its own."""
    if section is None:
        return ""
    rows = {row.get(f"{{{W}}}type"): row.get(f"{{{REL}}}id") for row in section.iter(f"{{{W}}}{kind}Reference")}
    titled = section.find(f"{{{W}}}titlePg") is not None
    return (rows.get("first") if place == "first" and titled else None) or rows.get("default") or ""


def _edge(parts: Parts, name: str, renamed: dict[str, str]) -> Edge:
    root = parts.root(name)
    _check_fields(root)
    for tag in ("pStyle", "rStyle", "tblStyle"):
        for row in root.iter(f"{{{W}}}{tag}"):
            value = row.get(f"{{{W}}}val") or ""
            row.set(f"{{{W}}}val", renamed.get(value, value))
    for binding in list(root.iter(f"{{{W}}}dataBinding")):
        binding.getparent().remove(binding)
    for drawing in root.iter("{*}docPr"):
        if not drawing.get("descr"):
            drawing.set("descr", "Picture of the team's template")
    relations = parts.relations(name)
    used = {value for row in root.iter() for key, value in row.attrib.items() if key.startswith(f"{{{REL}}}")}
    pictures = {}
    for key in sorted(used):
        if key not in relations or relations[key].kind != "image":
            raise Refused("The Word template's header or footer holds more than text and pictures: simplify it.")
        data, media = picture_of(parts, relations[key].target)
        pictures[key] = (data, media, relations[key].target.rpartition(".")[2].lower())
    return Edge(serial(root), pictures)


def _local(element: etree._Element) -> str:
    return etree.QName(element).localname if isinstance(element.tag, str) else ""


def _check_fields(root: etree._Element) -> None:
    for code in _field_codes(root):
        word = (re.findall(r"\S+", code) or [""])[0].upper()
        if not _FIELDS.fullmatch(word):
            raise Refused(f"The Word template's header or footer has a field “{code.strip()[:40]}”: remove it.")


def _field_codes(root: etree._Element) -> Iterator[str]:
    """Every field's instruction: of simple fields, and of complex ones, whose words may lie in several runs."""
    for simple in root.iter(f"{{{W}}}fldSimple"):
        yield simple.get(f"{{{W}}}instr") or ""
    code = ""
    for element in root.iter():
        if _local(element) == "instrText":
            code += element.text or ""
        elif _local(element) == "fldChar" and code:
            yield code
            code = ""
    if code:
        yield code


def _theme(parts: Parts, name: str) -> bytes:
    """The theme, unless it has pictures of its own."""
    if not name or parts.relations(name):
        return b""
    return serial(parts.root(name))


def _margins(section: etree._Element | None) -> dict[str, int]:
    """Margins of the template where they leave a readable page, else ours."""
    found = section.find(f"{{{W}}}pgMar") if section is not None else None
    margins = {"left": 1247, "right": 1247, "top": 1474, "bottom": 1304, "header": 624, "footer": 567}
    if found is None:
        return margins
    for side in margins:
        value = found.get(f"{{{W}}}{side}") or ""
        if value.lstrip("-").isdigit() and (side not in ("left", "right") or _NARROWEST <= int(value) <= _WIDEST):
            margins[side] = min(4000, max(0, int(value)))
    return margins


def joined_styles(template: WordTemplate, ours: str, language: str) -> str:
    """One styles part: the template's, and those of ours that it has no word for; our lists and headings keep their numbers."""
    root, own = parse(template.styles), parse(ours.encode())
    known = {row.get(f"{{{W}}}styleId"): row for row in root.iter(f"{{{W}}}style")}
    for style in own.iter(f"{{{W}}}style"):
        key = style.get(f"{{{W}}}styleId")
        if key in OURS_BY_NAME.values() and key in known:
            _complete(known[key], style)
            continue
        if key in known:
            root.remove(known[key])
        root.append(deepcopy(style))
    for words in root.iterfind(f"{{{W}}}docDefaults//{{{W}}}lang"):
        words.set(f"{{{W}}}val", language)
    return str(etree.tostring(root, encoding="unicode"))


_BEFORE_NUMBERS = frozenset(("keepNext", "keepLines", "pageBreakBefore", "framePr", "widowControl"))


def _complete(style: etree._Element, ours: etree._Element) -> None:
    """Gives the template's style what the document's structure needs: numbering, staying with what follows, its level."""
    properties = style.find(f"{{{W}}}pPr")
    own = ours.find(f"{{{W}}}pPr")
    if own is None:
        return
    if properties is None:
        properties = etree.Element(f"{{{W}}}pPr")
        runs = style.find(f"{{{W}}}rPr")
        style.insert(style.index(runs) if runs is not None else len(style), properties)
    number, keep, level = (own.find(f"{{{W}}}{tag}") for tag in ("numPr", "keepNext", "outlineLvl"))
    if number is not None:
        at = sum(1 for row in properties if _local(row) in _BEFORE_NUMBERS)
        properties.insert(at, deepcopy(number))
    if keep is not None and properties.find(keep.tag) is None:
        properties.insert(0, deepcopy(keep))
    if level is not None and properties.find(level.tag) is None:
        properties.append(deepcopy(level))
