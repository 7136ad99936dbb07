"""Is an uploaded file a plain workbook? Answered before any library that trusts its input opens it."""

from __future__ import annotations

import re
import zipfile
import zlib
from dataclasses import dataclass
from io import BytesIO
from xml.etree.ElementTree import Element

from defusedxml import ElementTree
from defusedxml.common import DefusedXmlException

MOST_BYTES = 5 * 1024 * 1024
"""Of the file as it is uploaded."""
MOST_UNPACKED = 48 * 1024 * 1024
MOST_PARTS = 300
MOST_CELLS = 250_000
MOST_ELEMENTS = 1_200_000
"""Of XML, in all parts together: an element takes far more memory than its bytes."""
MOST_MERGED = 20_000
"""Cells under merged ranges of one sheet: readers make an object for each."""
MOST_ROWS = 20_000
MOST_COLUMNS = 100
_CELL = re.compile(r"([A-Z]{1,3})([1-9][0-9]{0,6})")
DANGER = (
    ("vbaproject", "macros"),
    ("macrosheets/", "macros"),
    ("externallinks/", "links to other workbooks"),
    ("embeddings/", "embedded files"),
    ("activex/", "controls"),
    ("ctrlprops/", "controls"),
    ("connections.xml", "data connections"),
    ("querytables/", "data connections"),
    ("customui", "program extensions"),
    ("webextensions/", "program extensions"),
)
_TEXT = (".xml", ".rels", ".vml")


class Refused(ValueError):
    """The file is not taken; the message says why and what to do, in one sentence."""


def check_package(data: bytes) -> None:
    """Raise Refused unless those bytes are a workbook without anything that runs, fetches, or swells when opened."""
    if len(data) > MOST_BYTES:
        raise Refused(f"The file has {len(data) / 1e6:,.1f} MB: upload a workbook of at most 5 MiB.")
    try:
        with zipfile.ZipFile(BytesIO(data)) as package:
            _check_parts(package)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, ValueError) as error:
        if isinstance(error, Refused):
            raise
        raise Refused(
            "The file is not a workbook that can be read: save it as .xlsx without a password and try again."
        ) from error


def _check_parts(package: zipfile.ZipFile) -> None:
    entries = package.infolist()
    names = [entry.filename for entry in entries]
    if len(names) > MOST_PARTS or len(set(names)) != len(names):
        raise Refused("The file has too many or doubled parts for a workbook of ours: upload the exported one.")
    if "xl/workbook.xml" not in names or "[Content_Types].xml" not in names:
        raise Refused("The file is not an Excel workbook (.xlsx): upload the one that was exported.")
    left, room = MOST_UNPACKED, _Room()
    for entry in entries:
        _check_name(entry)
        content = _unpacked(package, entry, left)
        left -= len(content)
        if entry.filename.lower().endswith(_TEXT):
            _check_xml(entry.filename, content, room)


def _check_name(entry: zipfile.ZipInfo) -> None:
    low = entry.filename.lower()
    if entry.flag_bits & 0x1:
        raise Refused("The workbook is encrypted: save it without a password.")
    if low.startswith("/") or "\\" in low or ".." in low.split("/"):
        raise Refused(f"The file has a part with a name that leads outside it (“{entry.filename[:60]}”).")
    for part, what in DANGER:
        if part in low:
            raise Refused(f"The workbook holds {what} (“{entry.filename[:60]}”): remove them and save it as .xlsx.")


def _unpacked(package: zipfile.ZipFile, entry: zipfile.ZipInfo, most: int) -> bytes:
    """The part's bytes; its own statement of its size is not trusted."""
    with package.open(entry) as stream:
        content = stream.read(most + 1)
    if len(content) > most:
        raise Refused("The file unpacks to more than 48 MiB: it is not a workbook of ours.")
    return content


@dataclass
class _Room:
    """What the parts of one workbook may still take."""

    cells: int = MOST_CELLS
    elements: int = MOST_ELEMENTS
    merged: int = MOST_MERGED


def _check_xml(name: str, content: bytes, room: _Room) -> None:
    """Refused for entities, references to elsewhere, cells far outside our sheets, and more of anything than we write."""
    try:
        for _, element in ElementTree.iterparse(BytesIO(content), forbid_dtd=True):
            room.elements -= 1
            _check_element(name, element, room)
            element.clear()
            if min(room.cells, room.elements, room.merged) < 0:
                raise Refused("The workbook has too many cells: upload the exported one with edited inputs only.")
    except DefusedXmlException as error:
        raise Refused(f"The workbook declares entities (“{name[:60]}”), which no spreadsheet needs.") from error
    except ElementTree.ParseError as error:
        raise Refused(f"A part of the workbook is damaged (“{name[:60]}”): export it again.") from error


def _check_element(name: str, element: Element, room: _Room) -> None:
    tag = element.tag.rpartition("}")[2]
    if tag == "Relationship" and element.get("TargetMode", "").lower() == "external":
        raise Refused(f"The workbook refers to something outside itself (“{name[:60]}”): remove the link.")
    if tag in ("Override", "Default") and "macro" in element.get("ContentType", "").lower():
        raise Refused("The workbook holds macros: save it as .xlsx.")
    if tag in ("ddeLink", "oleLink", "oleObject", "control"):
        raise Refused(f"The workbook holds a live link or object (“{name[:60]}”): remove it.")
    if tag == "c" and name.startswith("xl/worksheets/"):
        room.cells -= 1
        _check_cell(name, element.get("r", ""))
    if tag == "mergeCell":
        first, _, last = element.get("ref", "").partition(":")
        (top, left), (bottom, right) = _check_cell(name, first), _check_cell(name, last or first)
        room.merged -= (abs(bottom - top) + 1) * (abs(right - left) + 1)


def _check_cell(name: str, address: str) -> tuple[int, int]:
    """Row and column of the cell; one far down or right makes readers fill everything above it."""
    found = _CELL.fullmatch(address)
    column = 0
    for letter in found[1] if found else "":
        column = column * 26 + ord(letter) - 64
    if not found or int(found[2]) > MOST_ROWS or column > MOST_COLUMNS:
        raise Refused(f"The workbook has a cell outside its tables ({address[:12] or 'without address'} in “{name}”).")
    return int(found[2]), column
