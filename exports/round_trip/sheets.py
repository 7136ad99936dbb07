"""A workbook as plain values: its plan hash, sheets, names and cells, read with openpyxl after the package was checked.

What somebody uploads is read in a process of its own; what we have just written ourselves is not.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Context
from io import BytesIO
from typing import Any

import openpyxl
from openpyxl.cell.read_only import EmptyCell
from openpyxl.worksheet._read_only import ReadOnlyWorksheet

from incoming.apart import read_apart
from incoming.package import Refused
from incoming.workbook import Cells, check_workbook

Value = str | float | bool | None
Place = tuple[str, str]
"""Sheet and cell, (“Inputs”, “B5”)."""
_STRINGS = re.compile(r'("[^"]*")')
_NUMBER = re.compile(r"(?<![A-Z0-9_$.])\d+(?:\.\d+)?(?:E[+-]?\d+)?(?![A-Z0-9_.(!:])")
"""A number of a formula that is no part of a name or an address."""
_KEPT = Context(prec=15)
"""The digits that spreadsheets keep."""
_QUOTED_SHEET = re.compile(r"'([A-Za-z]+)'!")


@dataclass(frozen=True, kw_only=True)
class Sheets:
    """What of a workbook is compared."""

    plan: str
    """SHA-256 of the plan that the file says it was written from."""
    renderer: str
    """Version of the writers that made it; empty where the file does not say."""
    look: str
    """SHA-256 of the team's look that it was written in; empty for ours."""
    titles: tuple[str, ...]
    names: dict[str, str]
    cells: dict[Place, Value]
    formulas: dict[Place, str]
    open_cells: frozenset[Place]
    """Cells that may be edited."""


MOST_ROWS = 20_000
MOST_COLUMNS = 100


def read_upload(data: bytes) -> Sheets:
    """The workbook that somebody has uploaded. Refused when it is hostile, damaged or no workbook."""
    found = read_apart("exports.round_trip.sheets:plain", data)
    return Sheets(
        plan=found["plan"],
        renderer=found["renderer"],
        look=found["look"],
        titles=tuple(found["titles"]),
        names=found["names"],
        cells={(sheet, cell): value for sheet, cell, value in found["cells"]},
        formulas={(sheet, cell): text for sheet, cell, text in found["formulas"]},
        open_cells=frozenset((sheet, cell) for sheet, cell in found["open_cells"]),
    )


def plain(data: bytes) -> dict[str, Any]:
    """The same as JSON carries it. Refused for what is larger, or other, than any workbook of ours."""
    check_workbook(data, Cells(rows=MOST_ROWS, columns=MOST_COLUMNS))
    found = read(data)
    return {
        "plan": found.plan,
        "renderer": found.renderer,
        "look": found.look,
        "titles": found.titles,
        "names": found.names,
        "cells": [(*place, value) for place, value in found.cells.items()],
        "formulas": [(*place, text) for place, text in found.formulas.items()],
        "open_cells": sorted(found.open_cells),
    }


def read(data: bytes) -> Sheets:
    """The workbook of those checked bytes. Refused when openpyxl cannot make sense of it."""
    try:
        # Row by row: a workbook of thousands of options as objects would need several times the memory.
        book = openpyxl.load_workbook(BytesIO(data), read_only=True, keep_links=False)
        cells: dict[Place, Value] = {}
        formulas: dict[Place, str] = {}
        open_cells: set[Place] = set()
        for sheet in book.worksheets:
            _read_sheet(sheet, cells, formulas, open_cells)
        own = {item.name: str(item.value) for item in book.custom_doc_props.props}
        names = {name: _formula(str(item.attr_text)) for name, item in book.defined_names.items()}
    except Refused:
        raise
    except Exception as error:  # a damaged file fails anywhere inside the library, with any exception
        raise Refused("The workbook cannot be read: export it again and change only the inputs.") from error
    return Sheets(
        plan=own.get("Plan", ""),
        renderer=own.get("Renderer", ""),
        look=own.get("Look", ""),
        titles=tuple(sheet.title for sheet in book.worksheets),
        names=names,
        cells=cells,
        formulas=formulas,
        open_cells=frozenset(open_cells),
    )


def _read_sheet(
    sheet: ReadOnlyWorksheet, cells: dict[Place, Value], formulas: dict[Place, str], open_cells: set[Place]
) -> None:
    sheet.reset_dimensions()  # what the file says of its own size is not asked
    for row in sheet.iter_rows():
        for cell in row:
            if isinstance(cell, EmptyCell):
                continue
            place = (sheet.title, cell.coordinate)
            if cell.data_type == "f":
                text = cell.value if isinstance(cell.value, str) else getattr(cell.value, "text", "") or "?"
                formulas[place] = _formula(str(text))
            elif cell.value is not None:
                cells[place] = _value(cell.value)
            if cell.has_style and not cell.protection.locked:
                open_cells.add(place)


def _value(value: object) -> Value:
    """A constant as a number, truth value or text; dates as text."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return float(value)
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    return str(value).replace("\r\n", "\n").replace("_x000D_", "").rstrip()


def _formula(text: str) -> str:
    """The formula as every program writes it: no spaces and capitals outside texts, no quotes that a name does not need, numbers
    with the 15 digits that spreadsheets keep."""
    parts = _STRINGS.split(text.removeprefix("="))
    plain = [part if part.startswith('"') else _QUOTED_SHEET.sub(r"\1!", part) for part in parts]
    return "".join(part if part.startswith('"') else _in_digits(re.sub(r"\s+", "", part).upper()) for part in plain)


def _in_digits(text: str) -> str:
    return _NUMBER.sub(lambda found: str(_KEPT.create_decimal(found[0]).normalize(_KEPT)), text)


def same(first: Value, second: Value) -> bool:
    """Equal texts, or numbers that agree to the 15 digits that spreadsheets keep."""
    if isinstance(first, float) and isinstance(second, float):
        return math.isclose(first, second, rel_tol=1e-12, abs_tol=1e-12)
    return first == second
