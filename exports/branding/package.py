"""An uploaded Word or PowerPoint file as plain parts, opened only within limits: what of it may be taken over."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from posixpath import dirname, join, normpath

from defusedxml import ElementTree as Checked
from defusedxml.common import DefusedXmlException
from lxml import etree

from exports.round_trip.package import DANGER, Refused

MOST_BYTES = 4 * 1024 * 1024
MOST_UNPACKED = 40 * 1024 * 1024
MOST_PARTS = 600
MOST_ELEMENTS = 400_000
MOST_RATIO = 200
"""Unpacked over packed size of one part of more than a mebibyte."""
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
    if len(data) > MOST_BYTES:
        raise Refused(f"The {what} template has {len(data) / 2**20:.1f} MiB: upload one of at most 4 MiB.")
    try:
        with zipfile.ZipFile(BytesIO(data)) as package:
            return Parts(dict(_parts(package, what)))
    except Refused:
        raise
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, ValueError) as error:
        raise Refused(f"The {what} template cannot be read: save it without a password and upload it again.") from error


def _parts(package: zipfile.ZipFile, what: str) -> Iterator[tuple[str, bytes]]:
    entries = [entry for entry in package.infolist() if not entry.is_dir()]
    names = [entry.filename for entry in entries]
    if len(names) > MOST_PARTS or len({name.lower() for name in names}) != len(names):
        raise Refused(f"The {what} template has too many or doubled parts: save it again and upload that.")
    if "[Content_Types].xml" not in names:
        raise Refused(f"The {what} template is no Office file: upload a .docx, .dotx, .pptx or .potx.")
    left, elements = MOST_UNPACKED, MOST_ELEMENTS
    for entry in entries:
        _check_name(entry, what)
        with package.open(entry) as stream:
            content = stream.read(left + 1)
        left -= len(content)
        if left < 0 or (len(content) > 2**20 and len(content) > MOST_RATIO * max(1, entry.compress_size)):
            raise Refused(f"The {what} template swells when it is unpacked: remove large pictures and upload it again.")
        if entry.filename.lower().endswith((".xml", ".rels")):
            elements -= _count(entry.filename, content, what)
            if elements < 0:
                raise Refused(f"The {what} template has too many parts of text: remove its pages and upload it again.")
        yield entry.filename, content


def _check_name(entry: zipfile.ZipInfo, what: str) -> None:
    low = entry.filename.lower()
    if entry.flag_bits & 0x1 or low.startswith("/") or "\\" in low or ".." in low.split("/"):
        raise Refused(f"The {what} template is encrypted or has a part that leads outside it: save it again.")
    for part, kind in DANGER:
        if part in low and kind != "embedded files":
            raise Refused(
                f"The {what} template holds {kind} (“{entry.filename[:60]}”): remove them and save it without."
            )


def _count(name: str, content: bytes, what: str) -> int:
    """How many elements the part has. Refused for entities, macro types and damage."""
    count = 0
    try:
        for _, element in Checked.iterparse(BytesIO(content), forbid_dtd=True):
            count += 1
            if count > MOST_ELEMENTS:
                break
            if name == "[Content_Types].xml" and "macro" in element.get("ContentType", "").lower():
                raise Refused(f"The {what} template holds macros: save it as .docx, .dotx, .pptx or .potx.")
            if name != "[Content_Types].xml":
                element.clear()
    except DefusedXmlException as error:
        raise Refused(f"The {what} template declares entities (“{name[:60]}”), which no Office file needs.") from error
    except Checked.ParseError as error:
        raise Refused(f"A part of the {what} template is damaged (“{name[:60]}”): save it again.") from error
    return count
