"""A table that somebody uploads, as plain text cells: CSV or XLSX, refused before it can do harm.

A workbook is measured part by part before openpyxl sees it (`incoming`); an upload is read in a process of its own.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from datetime import date, datetime

from catalog.importers.outcome import ImportFault
from incoming.apart import read_apart
from incoming.package import Refused
from incoming.workbook import MOST_BYTES, Cells, check_workbook

MOST_ROWS = 20_000
MOST_ROW = 30_000
"""Number of the last row of a workbook, empty ones counted."""
MOST_LINES = 100_000
"""Of text, empty ones counted: one row may take several."""
MOST_COLUMNS = 50
MOST_CELL = 500
FORMULA = "\0formula"
"""Stands for a cell that holds a formula: its reader refuses the row."""

Row = tuple[int, list[str]]


def read_upload(content: bytes, name: str) -> list[Row]:
    """What `read_table` says of an upload, in a process with little memory and time. ImportFault."""
    try:
        rows = read_apart("catalog.importers.workbook:read_table", content, name=name)
    except Refused as error:
        raise ImportFault(str(error)) from error
    return [(number, cells) for number, cells in rows]


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
    if content.count(b"\n") + content.count(b"\r") > 2 * MOST_LINES:
        raise ImportFault(f"The file has more than {MOST_LINES:,} lines, empty ones counted; delete those.")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        for cells in reader:
            if any(cells):
                yield reader.line_num, [_safe(cell) for cell in cells[:MOST_COLUMNS]]
    except csv.Error as error:
        raise ImportFault(f"Line {reader.line_num} is not CSV: {error}.") from error


def _safe(cell: str) -> str:
    """The text of a cell; one that a spreadsheet would run as a formula is marked."""
    text = cell.strip()[:MOST_CELL]
    return FORMULA if text[:1] in ("=", "+", "-", "@") else text


def _workbook(content: bytes) -> Iterator[Row]:
    """Cells of the first sheet. Refused, and whatever openpyxl raises for a file that it cannot make sense of."""
    check_workbook(content, Cells(rows=MOST_ROW, columns=16_384, links=True))
    from openpyxl import load_workbook  # takes a fifth of a second, which a CSV does not need

    book = load_workbook(io.BytesIO(content), read_only=True, data_only=False, keep_links=False)
    try:
        sheet = book.worksheets[0]
        sheet.reset_dimensions()  # what the file says about its size is not to be believed
        for number, cells in enumerate(sheet.iter_rows(max_col=MOST_COLUMNS), start=1):
            yield number, [_cell(cell.value, cell.data_type) for cell in cells]
    finally:
        book.close()


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
