"""A table that somebody uploads, as plain text cells: CSV or XLSX, refused before it can do harm.

A workbook is a ZIP of XML parts. Sizes are taken from its directory first and counted again while reading, every XML
part is read once without document types, and macros, formulas and links to other files are refused.
"""

from __future__ import annotations

import csv
import io
import zipfile
import zlib
from collections.abc import Iterator
from datetime import date, datetime
from xml.etree.ElementTree import ParseError

import defusedxml.ElementTree
from defusedxml.common import DefusedXmlException
from openpyxl import load_workbook
from openpyxl.utils.exceptions import InvalidFileException

from catalog.importers.outcome import ImportFault

MOST_BYTES = 5 * 2**20
MOST_UNPACKED = 50 * 2**20
MOST_PARTS = 1_000
MOST_RATIO = 100
MOST_ROWS = 20_000
MOST_COLUMNS = 50
MOST_CELL = 500
FORMULA = "\0formula"
"""Stands for a cell that holds a formula: its reader refuses the row."""

Row = tuple[int, list[str]]


def read_table(content: bytes, name: str) -> list[Row]:
    """Row number and cells as text, without empty rows. ImportFault says what is wrong and what to change."""
    if len(content) > MOST_BYTES:
        raise ImportFault(f"The file has more than {MOST_BYTES // 2**20} MiB; leave out what is no price.")
    if content[:4] == b"PK\x03\x04":
        found = _workbook(content)
    elif content[:4] == b"\xd0\xcf\x11\xe0":
        raise ImportFault("The file is an old or encrypted Excel file; save it as .xlsx without a password.")
    elif name.lower().endswith((".xlsx", ".xlsm", ".xls")):
        raise ImportFault("The file is not a workbook, though its name says so; save it again as .xlsx or .csv.")
    else:
        found = _text(content)
    rows: list[Row] = []
    for number, cells in found:
        if len(rows) >= MOST_ROWS:
            raise ImportFault(f"The file has more than {MOST_ROWS} rows; split it.")
        if any(cells):
            rows.append((number, cells))
    return rows


def _text(content: bytes) -> Iterator[Row]:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ImportFault("The file is not UTF-8 text; save it as “CSV UTF-8” or as .xlsx.") from error
    if "\0" in text:
        raise ImportFault("The file is not text; save it as “CSV UTF-8” or as .xlsx.")
    first = text.split("\n", 1)[0]
    delimiter = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        for cells in reader:
            yield reader.line_num, [_safe(cell) for cell in cells[:MOST_COLUMNS]]
    except csv.Error as error:
        raise ImportFault(f"Line {reader.line_num} is not CSV: {error}.") from error


def _safe(cell: str) -> str:
    """The text of a cell; one that a spreadsheet would run as a formula is marked."""
    text = cell.strip()[:MOST_CELL]
    return FORMULA if text[:1] in ("=", "+", "-", "@") else text


def _workbook(content: bytes) -> Iterator[Row]:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            _check_parts(archive)
        book = load_workbook(io.BytesIO(content), read_only=True, data_only=False, keep_links=False)
        try:
            sheet = book.worksheets[0]
            sheet.reset_dimensions()  # what the file says about its size is not to be believed
            for number, cells in enumerate(sheet.iter_rows(max_col=MOST_COLUMNS), start=1):
                yield number, [_cell(cell.value, cell.data_type) for cell in cells]
        finally:
            book.close()
    except ImportFault:
        raise
    except (zipfile.BadZipFile, zlib.error, InvalidFileException, ParseError, KeyError, IndexError) as error:
        raise ImportFault("The workbook is damaged; open it, save it again as .xlsx, and upload that.") from error
    except (ValueError, TypeError, AttributeError, EOFError, RuntimeError, NotImplementedError) as error:
        raise ImportFault(f"The workbook cannot be read: {type(error).__name__}; save it again as .xlsx.") from error


def _check_parts(archive: zipfile.ZipFile) -> None:
    """ImportFault for bombs, macros, encryption, document types and parts outside the archive."""
    parts = archive.infolist()
    if len(parts) > MOST_PARTS or sum(part.file_size for part in parts) > MOST_UNPACKED:
        raise ImportFault(
            "The workbook unpacks to more than a price list can need; leave out pictures and other sheets."
        )
    unpacked = 0
    for part in parts:
        name = part.filename.lower()
        if part.flag_bits & 1:
            raise ImportFault("The workbook is encrypted; save it without a password.")
        if part.file_size > MOST_RATIO * max(part.compress_size, 1024):
            raise ImportFault("The workbook is packed tighter than any price list; it will not be unpacked.")
        if "vba" in name or "macrosheet" in name or (name.endswith((".bin", ".exe", ".js")) and "printer" not in name):
            raise ImportFault("The workbook holds macros or objects; save it as .xlsx without them.")
        if "externallink" in name:
            raise ImportFault("The workbook links to other files; paste the values and save it again.")
        unpacked += _check_part(archive, part)
        if unpacked > MOST_UNPACKED:
            raise ImportFault("The workbook unpacks to more than its directory says; it will not be read.")


def _check_part(archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> int:
    """Bytes of the part as they are, counted; XML must parse without document types and entities."""
    size = 0
    with archive.open(part) as stream:
        while block := stream.read(1 << 16):
            size += len(block)
            if size > min(part.file_size, MOST_UNPACKED):
                raise ImportFault("The workbook unpacks to more than its directory says; it will not be read.")
    if part.filename.lower().endswith((".xml", ".rels", ".vml")):
        try:
            with archive.open(part) as stream:
                for _, element in defusedxml.ElementTree.iterparse(stream, forbid_dtd=True):
                    element.clear()
        except (DefusedXmlException, ParseError) as error:
            raise ImportFault("The workbook holds XML that no spreadsheet writes; it will not be read.") from error
    return size


def _cell(value: object, kind: str) -> str:
    if kind == "f":
        return FORMULA
    if kind == "e":
        return str(value)
    if isinstance(value, datetime | date):
        return value.isoformat()[:10]
    if isinstance(value, bool) or value is None:
        return "" if value is None else str(value).lower()
    if isinstance(value, float):
        return repr(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)
    return _safe(str(value)) if isinstance(value, str) else str(value)
