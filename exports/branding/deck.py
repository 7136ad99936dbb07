"""A team's PowerPoint template: its master, three of its layouts, theme and pictures, and where its placeholders stand."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from lxml import etree

from exports.branding.package import REL, Parts, open_template, serial
from exports.branding.pictures import picture_of
from exports.branding.theme_colours import colours_of, ground_of
from exports.contrast import luminance
from exports.ooxml import THEME_TYPE, Package
from exports.slide import EMU, LAYOUTS, MASTER, TYPE, Area, Frame
from incoming.package import Refused

P = "http://schemas.openxmlformats.org/presentationml/2006/main"
A = "http://schemas.openxmlformats.org/drawingml/2006/main"
_MAIN_TYPES = ("presentationml.presentation.main+xml", "presentationml.template.main+xml")
_KINDS = {"cover": ("title", "Title Slide"), "one": ("obj", "Title and Content"), "split": ("twoObj", "Two Content")}
"""Layouts that every template of Office has: their type in the file, and their name in English PowerPoint."""
_LEAST_LIGHT = 0.5
"""Least luminance of the ground: texts and charts are drawn for light slides."""


@dataclass(frozen=True)
class Layer:
    """A master or layout: its XML, and its pictures by relationship id (bytes, media type, ending)."""

    xml: bytes
    pictures: dict[str, tuple[bytes, str, str]] = field(default_factory=dict)


@dataclass(frozen=True)
class DeckTemplate:
    """What is taken over, and the frame that its placeholders make."""

    master: Layer
    layouts: dict[str, Layer]
    theme: bytes
    colours: dict[str, str]
    """Of the theme: dk1, lt1, accent1 … as six hexadecimal digits."""
    frame: Frame


@lru_cache(maxsize=16)
def deck_template(data: bytes) -> DeckTemplate:
    """That file, taken apart. Refused with one sentence for what cannot be taken over safely."""
    parts = open_template(data, "PowerPoint")
    main = parts.main()
    types = parts.by_name["[Content_Types].xml"].decode("utf-8", "replace")
    if not any(kind in types for kind in _MAIN_TYPES):
        raise Refused("The PowerPoint template is no presentation: upload a .pptx or .potx.")
    presentation, relations = parts.root(main), parts.relations(main)
    size = _size(presentation)
    first = presentation.find(f"{{{P}}}sldMasterIdLst/{{{P}}}sldMasterId")
    name = relations[first.get(f"{{{REL}}}id")].target if first is not None else ""
    master, of_master = parts.root(name), parts.relations(name)
    theme = next((row.target for row in of_master.values() if row.kind == "theme"), "")
    theme_root = parts.root(theme)
    if parts.relations(theme):
        raise Refused("The PowerPoint template's theme holds pictures: use plain fills in it.")
    colours = colours_of(theme_root)
    found = _layouts(parts, [row.target for row in of_master.values() if row.kind == "slideLayout"])
    _check_ground(master, colours)
    frame = _frame(master, {key: parts.root(part) for key, part in found.items()}, size)
    layers = {key: _layer(parts, part, "slideMaster") for key, part in found.items()}
    return DeckTemplate(_layer(parts, name, "slideLayout", "theme"), layers, serial(theme_root), colours, frame)


def _size(presentation: etree._Element) -> tuple[int, int]:
    row = presentation.find(f"{{{P}}}sldSz")
    width, height = (int(row.get(key, "0")) for key in ("cx", "cy")) if row is not None else (0, 0)
    if not height or abs(width / height - 16 / 9) > 0.02 or not 6_000_000 <= width <= 30_000_000:
        raise Refused(
            "The PowerPoint template is not 16 : 9: choose “Widescreen” under Design, Slide Size, and save it again."
        )
    return width, height


def _layouts(parts: Parts, names: list[str]) -> dict[str, str]:
    """The part of each layout that a deck needs."""
    by_type: dict[str, str] = {}
    for name in names:
        by_type.setdefault(parts.root(name).get("type", ""), name)
    missing = [words for kind, words in _KINDS.values() if kind not in by_type]
    if missing:
        raise Refused(f"The PowerPoint template lacks the layout “{missing[0]}” in its first master: add it.")
    return {key: by_type[kind] for key, (kind, _) in _KINDS.items()}


def _check_ground(master: etree._Element, colours: dict[str, str]) -> None:
    ground = ground_of(master, colours)
    if ground and luminance(ground) < _LEAST_LIGHT:
        raise Refused(
            "The PowerPoint template has a dark background: choose one with a light one, which charts can be read on."
        )


def _layer(parts: Parts, name: str, *kinds: str) -> Layer:
    """That part without what moves, runs or belongs to other programs; `kinds` are relations that we make anew."""
    root, relations = parts.root(name), parts.relations(name)
    for element in list(root.iter()):
        if isinstance(element.tag, str) and etree.QName(element).localname in (
            "timing", "transition", "custDataLst", "controls", "hlinkClick", "hlinkHover", "sldLayoutIdLst",
        ):  # fmt: skip
            element.getparent().remove(element)
    _describe(root)
    pictures = {}
    used = {value for row in root.iter() for key, value in row.attrib.items() if key.startswith(f"{{{REL}}}")}
    for key in sorted(used):
        row = relations.get(key)
        if row is None or (row.kind != "image" and row.kind not in kinds):
            raise Refused("A layout of the PowerPoint template holds more than shapes, text and pictures: simplify it.")
        if row.kind == "image":
            data, media = picture_of(parts, row.target)
            pictures[key] = (data, media, row.target.rpartition(".")[2].lower())
    return Layer(serial(root), pictures)


def _describe(root: etree._Element) -> None:
    """A picture of a template without words gets some."""
    for picture in root.iter(f"{{{P}}}pic"):
        row = picture.find(f"{{{P}}}nvPicPr/{{{P}}}cNvPr")
        if row is not None and not row.get("descr"):
            row.set("descr", "Picture of the team's template")


def _frame(master: etree._Element, layouts: dict[str, etree._Element], size: tuple[int, int]) -> Frame:
    own = _spots(master)
    spots = {key: _spots(root) for key, root in layouts.items()}

    def area(key: str, *kinds: str) -> Area:
        """The rectangle of the first of those placeholders that has one, in the layout or else in the master."""
        rows = [*spots[key], *own]
        found = next((spot for kind in kinds for name, _, spot in rows if name == kind and spot is not None), None)
        if found is None:
            raise Refused(
                f"The PowerPoint template's layout “{_KINDS[key][1]}” has no place for its {kinds[0]}: add it."
            )
        return found

    contents = {key: [row for row in spots[key] if row[0] in ("", "obj")] for key in ("one", "split")}
    if not contents["one"] or len(contents["split"]) < 2:
        raise Refused(
            "The PowerPoint template's layouts “Title and Content” and “Two Content” need their content areas."
        )
    body = contents["one"][0][2] or area("one", "body")
    title = area("one", "title")
    if body.height < 200 or body.width < 500 or title.height < 28 or title.width < 400:
        raise Refused(
            "The PowerPoint template leaves too little room for title and content: enlarge both in its layout."
        )
    edges = [next((row for row in spots["one"] if row[0] == kind), None) for kind in ("ftr", "sldNum")]
    width, height = size[0] / EMU, size[1] / EMU
    foot, page = _edge_areas(edges, own, body, width, height)
    return Frame(
        size=size,
        title=title,
        body=Area(x=body.x, y=max(body.y, title.y + title.height + 4), width=body.width,
                  height=body.y + body.height - max(body.y, title.y + title.height + 4)),
        cover_title=area("cover", "ctrTitle", "title"),
        cover_text=area("cover", "subTitle", "body"),
        foot=foot,
        page=page,
        cover_index=next((index for kind, index, _ in spots["cover"] if kind == "subTitle"), 1),
        one_index=contents["one"][0][1],
        split_indexes=(contents["split"][0][1], contents["split"][1][1]),
        edge_indexes=(edges[0][1], edges[1][1]) if edges[0] and edges[1] else None,
        own=False,
    )  # fmt: skip


Spot = tuple[str, int, Area | None]
"""A placeholder: its kind, index, and rectangle where it has one of its own."""


def _edge_areas(
    edges: list[Spot | None], own: list[Spot], body: Area, width: float, height: float
) -> tuple[Area, Area]:
    """Where footer and slide number stand: the template's places, made wide enough for a hash, else below the body."""
    top = min(height - 24.0, max(body.y + body.height + 4, height - 36.0))
    number = Area(x=width - 138.0, y=top, width=90.0, height=20.0)
    places = []
    for kind, row in zip(("ftr", "sldNum"), edges, strict=True):
        inherited = next((spot for name, _, spot in own if name == kind), None)
        places.append((row[2] if row else None) or inherited)
    page = places[1] if edges[1] and places[1] else number
    if edges[0] and places[0] and places[0].width >= 260:
        return places[0], page
    return Area(x=body.x, y=page.y, width=max(200.0, page.x - body.x - 12), height=max(16.0, page.height)), page


def _spots(root: etree._Element) -> list[Spot]:
    found = []
    for shape in root.iter(f"{{{P}}}sp"):
        row = shape.find(f"{{{P}}}nvSpPr/{{{P}}}nvPr/{{{P}}}ph")
        if row is None:
            continue
        place = shape.find(f"{{{P}}}spPr/{{{A}}}xfrm")
        found.append((row.get("type", ""), int(row.get("idx", "0") or 0), _area(place)))
    return found


def _area(place: etree._Element | None) -> Area | None:
    off, size = (place.find(f"{{{A}}}{tag}") if place is not None else None for tag in ("off", "ext"))
    if off is None or size is None:
        return None
    x, y = (int(off.get(key, "0")) / EMU for key in ("x", "y"))
    width, height = (int(size.get(key, "0")) / EMU for key in ("cx", "cy"))
    return Area(x=x, y=y, width=width, height=height)


def add_deck(package: Package, template: DeckTemplate) -> None:
    """Adds the template's theme, master and layouts under our names, with their relations and pictures."""
    package.add("ppt/theme/theme1.xml", THEME_TYPE, template.theme)
    for key, layer in template.layouts.items():
        package.relate(LAYOUTS[key], "slideMaster", MASTER)
        _add_layer(package, LAYOUTS[key], "slideLayout", layer)
    ids = "".join(
        f'<p:sldLayoutId id="{2147483649 + index}" r:id="{package.relate(MASTER, "slideLayout", part)}"/>'
        for index, part in enumerate(LAYOUTS.values())
    )
    package.relate(MASTER, "theme", "ppt/theme/theme1.xml")
    _add_layer(package, MASTER, "slideMaster", template.master)
    root = etree.fromstring(package.parts[MASTER])
    rows = etree.fromstring(f'<p:sldLayoutIdLst xmlns:p="{P}" xmlns:r="{REL}">{ids}</p:sldLayoutIdLst>')
    root.insert(root.index(root.find(f"{{{P}}}clrMap")) + 1, rows)
    package.parts[MASTER] = serial(root)


def _add_layer(package: Package, part: str, kind: str, layer: Layer) -> None:
    root = etree.fromstring(layer.xml)
    ids = {}
    for old, (data, media, ending) in layer.pictures.items():
        known = next(
            (name for name, held in package.parts.items() if name.startswith("ppt/media/") and held == data), ""
        )
        number = sum(name.startswith("ppt/media/") for name in package.parts) + 1
        ids[old] = package.relate(
            part, "image", known or package.add(f"ppt/media/template{number}.{ending}", media, data)
        )
    for element in root.iter():
        for key, value in element.attrib.items():
            if key.startswith(f"{{{REL}}}") and value in ids:
                element.set(key, ids[value])
    package.add(part, f"{TYPE}.{kind}+xml", serial(root))
