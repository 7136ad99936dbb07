"""Recalculates a workbook in LibreOffice after removing every cached value, which it would otherwise trust."""

from __future__ import annotations

import re
import subprocess
import zipfile
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path

import openpyxl
from defusedxml import ElementTree
from openpyxl.worksheet.worksheet import Worksheet

_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
Grid = dict[tuple[str, str], object]


def grid(data: bytes) -> Grid:
    """Every value by sheet and cell, as a program that does not calculate sees it."""
    book = openpyxl.load_workbook(BytesIO(data), data_only=True)
    return {
        (sheet.title, cell.coordinate): cell.value for sheet in book for cell in _cells(sheet) if cell.value is not None
    }


def formulas(data: bytes) -> dict[tuple[str, str], str]:
    """Every formula by sheet and cell."""
    book = openpyxl.load_workbook(BytesIO(data))
    return {
        (sheet.title, cell.coordinate): cell.value for sheet in book for cell in _cells(sheet) if cell.data_type == "f"
    }


def named_cells(data: bytes) -> dict[str, tuple[str, str]]:
    """Sheet and cell of every defined name."""
    book = openpyxl.load_workbook(BytesIO(data))
    found = {}
    for name, item in book.defined_names.items():
        match = re.fullmatch(r"'?([^'!]+)'?!\$([A-Z]+)\$(\d+)", item.attr_text or "")
        if match:
            found[name] = (match.group(1), match.group(2) + match.group(3))
    return found


def changed(data: bytes, values: Mapping[tuple[str, str], float]) -> bytes:
    """The file without cached values, with those constants replaced."""
    book = openpyxl.load_workbook(BytesIO(data))
    parts = {sheet.title: f"xl/worksheets/sheet{index}.xml" for index, sheet in enumerate(book.worksheets, 1)}
    wanted = {(parts[sheet], cell): value for (sheet, cell), value in values.items()}
    result = BytesIO()
    with zipfile.ZipFile(BytesIO(data)) as old, zipfile.ZipFile(result, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            content = old.read(name)
            new.writestr(name, _bare(content, name, wanted) if name.startswith("xl/worksheets/sheet") else content)
    return result.getvalue()


def _bare(content: bytes, part: str, wanted: Mapping[tuple[str, str], float]) -> bytes:
    root = ElementTree.fromstring(content)
    for cell in root.iter(f"{_MAIN}c"):
        value = cell.find(f"{_MAIN}v")
        if value is None:
            continue
        if cell.find(f"{_MAIN}f") is not None:
            cell.remove(value)
            cell.attrib.pop("t", None)
        elif (part, cell.get("r", "")) in wanted:
            value.text = repr(wanted[part, cell.get("r", "")])
    return bytes(ElementTree.tostring(root))


def recalculated(files: list[bytes], folder: Path) -> list[Grid]:
    """The values that LibreOffice computes for each file, all in one run."""
    names = []
    for index, data in enumerate(files):
        name = folder / f"book{index}.xlsx"
        name.write_bytes(data)
        names.append(str(name))
    out = folder / "out"
    profile = f"-env:UserInstallation=file://{folder}/profile"
    command = ["soffice", profile, "--headless", "--norestore", "--convert-to", "xlsx", "--outdir", str(out), *names]
    subprocess.run(command, check=True, capture_output=True, timeout=120 + 20 * len(files))
    return [grid((out / f"book{index}.xlsx").read_bytes()) for index in range(len(files))]


def _cells(sheet: Worksheet) -> list:  # type: ignore[type-arg]
    return [cell for row in sheet.iter_rows() for cell in row]
