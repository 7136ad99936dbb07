"""Recalculates a workbook in LibreOffice after removing every cached value, which it would otherwise trust."""

from __future__ import annotations

import re
import subprocess
import zipfile
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path

import openpyxl
from defusedxml import ElementTree
from openpyxl.formula import Tokenizer
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


MODEL_SHEETS = ("Inputs", "Scenarios", "Cost model", "Dates", "Timing", "Rounding", "Cash flow")
"""Sheets that the model's numbers pass through."""


def trial_name(sheet: str, number: int) -> str:
    """The name of that sheet's copy for one trial."""
    return f"{sheet} {number}"


def together(data: bytes, trials: Sequence[Mapping[tuple[str, str], float | str]]) -> bytes:
    """One workbook with a copy of the model's sheets for each trial, its constants replaced, without cached values.

    The formulas are the exported ones: only names and sheets in them point to the trial's own copy. One conversion then
    recalculates all trials.
    """
    old, names = openpyxl.load_workbook(BytesIO(data)), named_cells(data)
    new = openpyxl.Workbook()
    new.remove(new.worksheets[0])
    cells = [(sheet.title, cell) for sheet in old if sheet.title in MODEL_SHEETS for cell in _cells(sheet)]
    parts = {(title, cell.coordinate): _parts(cell.value) for title, cell in cells if cell.data_type == "f"}
    for number, trial in enumerate(trials):
        copies = {title: new.create_sheet(trial_name(title, number)) for title in MODEL_SHEETS}
        for title, cell in cells:
            place = (title, cell.coordinate)
            if place in parts:
                copies[title][cell.coordinate] = "=" + "".join(_moved(part, names, number) for part in parts[place])
            elif cell.data_type in ("n", "d") or title == "Scenarios":  # other texts are read by no formula
                copies[title][cell.coordinate] = trial.get(place, cell.value)
    result = BytesIO()
    new.save(result)
    return result.getvalue()


def _parts(formula: str) -> list[tuple[str, bool]]:
    """The pieces of a formula; True for those that refer to cells."""
    return [(token.value, token.subtype == "RANGE") for token in Tokenizer(formula).items]


def _moved(part: tuple[str, bool], names: Mapping[str, tuple[str, str]], number: int) -> str:
    """The piece as the trial's copy holds it: a name becomes its cell, a sheet its copy."""
    text, refers = part
    if not refers:
        return text
    if text in names:
        sheet, cell = names[text]
        return f"'{trial_name(sheet, number)}'!{cell}"
    sheet, mark, cell = text.rpartition("!")
    return f"'{trial_name(sheet.strip(chr(39)), number)}'!{cell}" if mark else text


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
