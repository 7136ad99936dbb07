"""What an Excel workbook may hold, whoever reads it: cells, where they lie, and how much stands beside them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from incoming.package import DANGER, MIB, Limits, Refused, Work, check_package

MOST_BYTES: Final = 5 * MIB
MOST_CELLS: Final = 300_000
MOST_OTHER: Final = 60_000
"""Elements that are no cell or text: readers make an object for each style, rule and name."""
MOST_MERGED: Final = 20_000
"""Cells under merged ranges of one workbook: readers make an object for each."""
_OF_CELLS: Final = frozenset(("c", "v", "f", "is", "t", "si", "row"))
_CELL: Final = re.compile(r"([A-Z]{1,3})([1-9][0-9]{0,6})")
LIMITS: Final = Limits(
    what="workbook",
    save="save it again as .xlsx without a password",
    packed=MOST_BYTES,
    unpacked=48 * MIB,
    parts=300,
    elements=1_000_000,
    needs=("[Content_Types].xml", "xl/workbook.xml"),
    danger=(*DANGER, ("embeddings/", "embedded files"), (".exe", "programs"), (".js", "programs")),
)


@dataclass(kw_only=True)
class Cells:
    """What the parts of one workbook may still take. Refused for what lies far outside, and for more than that."""

    rows: int
    columns: int
    links: bool = False
    """May cells hold links to elsewhere? They are not followed."""
    cells: int = MOST_CELLS
    other: int = MOST_OTHER
    merged: int = MOST_MERGED

    def look(self, name: str, tag: str, attributes: dict[str, str]) -> None:
        """Counts that element of that part."""
        if name.startswith("xl/worksheets/"):
            self._look_in_sheet(name, tag, attributes)
        if tag in ("Override", "Default") and "macro" in attributes.get("ContentType", "").lower():
            raise Refused("The workbook holds macros: save it as .xlsx.")
        if tag == "Relationship" and attributes.get("TargetMode", "").lower() == "external" and not self.links:
            raise Refused(f"The workbook refers to something outside itself (“{name[:60]}”): remove the link.")
        if tag in ("ddeLink", "oleLink", "oleObject", "control"):
            raise Refused(f"The workbook holds a live link or object (“{name[:60]}”): remove it.")
        self.other -= tag not in _OF_CELLS
        if min(self.cells, self.other, self.merged) < 0:
            raise Refused(
                f"The workbook has too many cells (more than {MOST_CELLS:,}), styles or merged ranges: leave only what is "
                "needed in it and upload it again."
            )

    def _look_in_sheet(self, name: str, tag: str, attributes: dict[str, str]) -> None:
        if tag == "row":
            self._check_row(name, attributes.get("r", ""))
        elif tag == "c":
            self.cells -= 1
            if "r" in attributes:
                self._place(name, attributes["r"])
        elif tag == "mergeCell":
            first, _, last = attributes.get("ref", "").partition(":")
            (top, left), (bottom, right) = self._place(name, first), self._place(name, last or first)
            self.merged -= (abs(bottom - top) + 1) * (abs(right - left) + 1)

    def _check_row(self, name: str, number: str) -> None:
        if number and not (number.isascii() and number.isdigit() and len(number) < 8 and int(number) <= self.rows):
            raise _outside(name, f"row {number[:12]}")

    def _place(self, name: str, address: str) -> tuple[int, int]:
        """Row and column of the cell; one far down or right makes readers fill everything above it."""
        found, column = _CELL.fullmatch(address), 0
        for letter in found[1] if found else "":
            column = column * 26 + ord(letter) - 64
        if not found or int(found[2]) > self.rows or column > self.columns:
            raise _outside(name, address[:12] or "without address")
        return int(found[2]), column


def check_workbook(data: bytes, cells: Cells, *, work: Work | None = None) -> None:
    """Raise Refused unless those bytes are a workbook without anything that runs, fetches, or swells when opened."""
    check_package(data, LIMITS, look=cells.look, work=work)


def _outside(name: str, where: str) -> Refused:
    return Refused(
        f"The workbook has a cell outside its tables ({where} in “{name[:60]}”): delete the rows and columns around the table."
    )
