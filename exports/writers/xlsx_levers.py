"""Sheet Levers: what could be given up, signed or brought along for less money, as it was weighed beside the plan."""

from __future__ import annotations

from xlsxwriter.worksheet import Worksheet

from exports.document import Table
from exports.wording import tr
from exports.writers.xlsx_book import WHOLE_MONEY, Book

SHEET = "Levers"
_TOP = 3
_UNIT = 14.0
"""Characters of a column for each share of the table's width."""


def write_levers(book: Book) -> None:
    """One row for each; no sheet where none was weighed, or none saves anything."""
    table = book.document.workbook.levers
    if table is None:
        return
    sheet = book.sheet(SHEET)
    book.title(sheet, tr("Levers"), f"{table.caption}. {tr('Frozen: they do not follow the inputs.')}")
    widths = tuple(_UNIT * column.share for column in table.columns)
    titles, first = tuple(column.title for column in table.columns), table.rows[0]
    numbers = [index for index, cell in enumerate(first) if cell.value is not None]
    muted = [index for index, cell in enumerate(first) if cell.value is None and index > numbers[0]]
    book.header(sheet, _TOP, titles, numbers=numbers, widths=widths, muted=muted)
    _rows(book, sheet, table, widths)
    last = _TOP + 1 + len(table.rows)
    sheet.merge_range(last + 1, 0, last + 1, len(widths) - 1, "", book.style("wrap"))
    book.text(sheet, last + 1, 0, table.note, "wrap")
    book.high(sheet, last + 1, (table.note, sum(widths) - 4))
    sheet.freeze_panes(_TOP + 1, 1)
    sheet.repeat_rows(_TOP)
    sheet.print_area(0, 0, last + 1, len(widths) - 1)


def _rows(book: Book, sheet: Worksheet, table: Table, widths: tuple[float, ...]) -> None:
    for at, row in enumerate(table.rows, _TOP + 1):
        for index, cell in enumerate(row):
            if cell.value is not None:
                book.number(sheet, at, index, cell.value, WHOLE_MONEY)
            else:
                book.text(sheet, at, index, cell.text, "label" if index == 0 else "wrap" if index == 1 else "muted")
        book.high(sheet, at, *((cell.text, width - 3) for cell, width in zip(row, widths, strict=True)))
