"""An uploaded Word or PowerPoint file as plain parts, opened only within limits: what of it may be taken over."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass, replace
from io import BytesIO
from posixpath import dirname, join, normpath

from lxml import etree

from incoming.package import MIB, Limits, Refused, check_package

MOST_BYTES = 4 * MIB
LIMITS = Limits(
    what="template",
    save="save it again without a password",
    packed=MOST_BYTES,
    unpacked=40 * MIB,
    parts=600,
    elements=200_000,
)
PICTURES = {"png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif"}
REL = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_RELS = "http://schemas.openxmlformats.org/package/2006/relationships"
_OLE = frozenset(("object", "control", "OLEObject", "oleObj", "altChunk", "subDoc", "contentPart"))


@dataclass(frozen=True)
class Relation:
    """One relationship of a part: its kind (the last word of its type) and the part it leads to."""

    kind: str
    target: str


@dataclass(frozen=True)
class Parts:
    """The parts of a checked package by name; nothing in them runs, and no entity is declared."""

    by_name: dict[str, bytes]

    def relations(self, source: str) -> dict[str, Relation]:
        """What that part relates to, by id. Refused for a target outside the file."""
        folder, _, leaf = source.rpartition("/")
        data = self.by_name.get(join(folder, "_rels", f"{leaf}.rels"))
        found = {}
        for row in parse(data).iter(f"{{{_RELS}}}Relationship") if data else ():
            kind = row.get("Type", "").rpartition("/")[2]
            if row.get("TargetMode", "").lower() == "external":
                raise Refused(
                    f"The template's part “{leaf[:60]}” refers to something outside the file: remove the link."
                )
            target = row.get("Target", "")
            name = target[1:] if target.startswith("/") else normpath(join(dirname(source), target))
            found[row.get("Id", "")] = Relation(kind, name)
        return found

    def main(self) -> str:
        """The name of the main part."""
        kinds = self.relations("").values()
        found = next((row.target for row in kinds if row.kind == "officeDocument"), "")
        if found not in self.by_name:
            raise Refused("The template has no main part: save it again in Word or PowerPoint.")
        return found

    def root(self, name: str) -> etree._Element:
        """That part as XML. Refused when it is missing, has an object inside or fetches something from elsewhere."""
        if name not in self.by_name or not name.lower().endswith(".xml"):  # others were not looked at
            raise Refused(f"The template lacks its part “{name[:60]}”: save it again in Word or PowerPoint.")
        root = parse(self.by_name[name])
        for element in root.iter():
            if isinstance(element.tag, str) and etree.QName(element).localname in _OLE:
                raise Refused(f"The template holds an embedded object in “{name[-60:]}”: remove it.")
            if any(_leads_out(key, value) for key, value in element.attrib.items()):
                raise Refused(f"The template's part “{name[-60:]}” refers to something outside the file: remove it.")
        return root


def _leads_out(key: str, value: str) -> bool:
    """Does the attribute name an address? Old drawings (VML) do so without a relationship."""
    return etree.QName(key).localname in ("src", "href", "althref") and ("//" in value or "\\\\" in value)


def parse(data: bytes) -> etree._Element:
    """XML of a checked part, prefixes kept as Office needs them."""
    return etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False))


def serial(root: etree._Element) -> bytes:
    """The element as a part."""
    return bytes(etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True))


def open_template(data: bytes, what: str) -> Parts:
    """The parts of that file. Refused with one sentence for macros, bombs, damage, and what is no Office file."""
    limits = replace(LIMITS, what=f"{what} template", save=f"save it again in {what} without a password")
    check_package(data, limits, look=_look)
    with zipfile.ZipFile(BytesIO(data)) as package:
        return Parts({entry.filename: package.read(entry) for entry in package.infolist() if not entry.is_dir()})


def _look(name: str, tag: str, attributes: dict[str, str]) -> None:
    if name == "[Content_Types].xml" and "macro" in attributes.get("ContentType", "").lower():
        raise Refused("The template holds macros: save it as .docx, .dotx, .pptx or .potx.")
