"""The Excel file: the plan's cost model as live formulas, each with the value it has in the plan.

Written with XlsxWriter, which stores formula and value together, so that viewers that do not calculate show numbers.
Equal documents give equal bytes: the only date in the file is the catalog's.
"""

from __future__ import annotations

from exports.document import Document
from exports.wording import tr
from exports.writers.xlsx_alternatives import write_alternatives
from exports.writers.xlsx_book import Book
from exports.writers.xlsx_candidates import write_candidates
from exports.writers.xlsx_cash import write_cash
from exports.writers.xlsx_charts import colour, insert, styled
from exports.writers.xlsx_checks import write_checks
from exports.writers.xlsx_inputs import write_inputs
from exports.writers.xlsx_levers import write_levers
from exports.writers.xlsx_model import write_model
from exports.writers.xlsx_pages import write_physics, write_sources
from exports.writers.xlsx_sensitivity import Sensitivity, write_sensitivity
from exports.writers.xlsx_summary import open_summary, write_summary
from exports.writers.xlsx_timing import write_timing


def write(document: Document, *, paper: str = "A4") -> bytes:
    """The file of that document; paper is A4 or Letter."""
    book = Book(document, paper)
    summary = open_summary(book)
    inputs = model = timing = cash = sensitivity = None
    if document.workbook.model:
        inputs = write_inputs(book)
        model = write_model(book, inputs)
        timing = write_timing(book, model) if document.workbook.months else None
        cash = write_cash(book, model, inputs, timing) if timing else None
    candidates = write_candidates(book, model, inputs)
    beside = write_alternatives(book, model, inputs, timing, cash) if model and inputs and timing and cash else None
    if model and inputs:
        sensitivity = write_sensitivity(book, model, inputs)
        if sensitivity:
            _tornado(book, sensitivity)
    write_levers(book)
    frozen = write_physics(book)
    write_sources(book)
    checks = write_checks(book, model, timing, cash, inputs, candidates, beside)
    write_summary(book, summary, frozen, model=model, inputs=inputs, cash=cash, candidates=candidates, checks=checks)
    summary.activate()
    return book.close()


def _tornado(book: Book, rows: Sensitivity) -> None:
    """The tornado chart over the live table of the sheet."""
    chart = book.file.add_chart({"type": "bar"})
    name = rows.sheet.get_name()
    for label, column, fill in (
        (tr("Low end of the input"), 5, colour(0)),
        (tr("High end of the input"), 6, colour(0, "highlight")),
    ):
        chart.add_series(
            {
                "name": label,
                "categories": [name, rows.first, 0, rows.last, 0],
                "values": [name, rows.first, column, rows.last, column],
                "fill": {"color": fill},
                "gap": 40,
                "overlap": 100,
            }
        )
    styled(chart, tr("Change of the total, {code}", code=book.document.currency), "", "", lying=True)
    insert(rows.sheet, rows.last + 2, 0, chart, rows.alt, width=900, height=380)
