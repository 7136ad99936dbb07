"""The ways to save a run on the sheet Physics: what each loses, frozen as all that follows from physics."""

from __future__ import annotations

from xlsxwriter.worksheet import Worksheet

from exports.wording import tr
from exports.writers.xlsx_book import COUNT, DECIMAL, PERCENT, Book


def write_ways(book: Book, sheet: Worksheet, top: int) -> int:
    """One row for each way; returns the next free row. Nothing where there is one way only."""
    ways = book.document.workbook.ways
    if not ways:
        return top
    book.text(sheet, top, 0, tr("Ways to save one run, each at its best interval"), "heading")
    titles: tuple[str, ...] = (
        tr("Way"),
        tr("Save every, minutes"),
        tr("Steps between"),
        tr("Time lost"),
        tr("Accelerator-hours lost"),
    )
    if any(way.cost is not None for way in ways):
        titles += (tr("Cost of them, {code}", code=book.document.currency),)
    book.header(sheet, top + 1, titles, numbers=range(1, len(titles)))
    book.high(sheet, top + 1, *((title, 12) for title in titles[1:]), bold=True)
    for row, way in enumerate(ways, start=top + 2):
        book.text(sheet, row, 0, way.name, "wrap")
        book.high(sheet, row, (way.name, 25))
        book.number(sheet, row, 1, way.interval_s / 60.0, DECIMAL)
        book.number(sheet, row, 2, way.steps, COUNT)
        book.number(sheet, row, 3, way.lost_share, PERCENT)
        book.number(sheet, row, 4, way.accelerator_hours, DECIMAL)
        if way.cost is not None:
            book.number(sheet, row, 5, way.cost, book.money)
    return top + 3 + len(ways)
