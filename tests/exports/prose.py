"""Every sentence that a reader of a plan meets: on the page, in the terminal, in the answer of the API, in four documents."""

from __future__ import annotations

import html
import io
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import docx
import openpyxl
import pptx

from exports.render import render
from planner.body import estimate_body
from planner.frozen.snapshot import Plan
from planner.summary import summary_lines

_NO_SENTENCES = {"Sources", "Catalog", "Prices"}
"""Sheets that name identifiers on purpose."""
_FORMULAS = {"expression", "paid"}
"""Keys of the API whose text is written in the names of inputs and lines."""
_HIDDEN = re.compile(r"<(script|style|head|svg)\b.*?</\1>|<!--.*?-->", re.DOTALL)
_BLOCK = re.compile(r"</?(?:p|div|li|ul|ol|td|th|tr|h\d|dt|dd|dl|section|summary|details|figcaption|caption|option|label|"
                    r"button|a|text|span|br|small|select|table|thead|tbody|nav|form|input|title|desc)\b[^>]*>")  # fmt: skip


def of_terminal(plan: Plan) -> Iterator[str]:
    """Lines of the command's answer; spaces align its columns."""
    return (" ".join(line.split()) for line in summary_lines(plan))


def of_json(plan: Plan) -> Iterator[str]:
    """Strings of the API's answer that hold several words: a single one is a key or a name."""
    return (text for text in _strings(estimate_body(plan)) if " " in text)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _strings(item) if key not in _FORMULAS else ()
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _strings(item)


def of_page(page: str) -> Iterator[str]:
    """What stands between two marks of layout, marks of style removed."""
    for piece in _BLOCK.split(_HIDDEN.sub("", page)):
        text = " ".join(html.unescape(re.sub(r"<[^>]*>", "", piece)).split(" ")).strip()
        if text:
            yield re.sub(r"\s*\n\s*", " ", text)


def of_word(plan: Plan) -> Iterator[str]:
    """Paragraphs and cells."""
    document = docx.Document(io.BytesIO(render(plan, "docx")))
    yield from (paragraph.text for paragraph in document.paragraphs)
    yield from (cell.text for table in document.tables for row in table.rows for cell in row.cells)


def of_slides(plan: Plan) -> Iterator[str]:
    """Paragraphs and cells of slides, and their notes."""
    for slide in pptx.Presentation(io.BytesIO(render(plan, "pptx"))).slides:
        for shape in slide.shapes:
            if shape.has_text_frame:
                yield from (paragraph.text for paragraph in shape.text_frame.paragraphs)
            if shape.has_table:
                yield from (cell.text for row in shape.table.rows for cell in row.cells)
        if slide.has_notes_slide and slide.notes_slide.notes_text_frame:
            yield slide.notes_slide.notes_text_frame.text


def of_workbook(plan: Plan) -> Iterator[str]:
    """Text of cells that are no formulas."""
    # A cell that is one word with an underscore is a name that formulas use.
    for sheet in openpyxl.load_workbook(io.BytesIO(render(plan, "xlsx"))).worksheets:
        if sheet.title not in _NO_SENTENCES:
            for row in sheet.iter_rows(values_only=True):
                yield from (cell for cell in row if isinstance(cell, str) and not cell.startswith("=") and " " in cell)


def of_pdf(plan: Plan, folder: Path) -> Iterator[str]:
    """Pages as running text."""
    (folder / "plan.pdf").write_bytes(render(plan, "pdf"))
    command = ["pdftotext", "-raw", str(folder / "plan.pdf"), "-"]
    text = subprocess.run(command, capture_output=True, check=True).stdout.decode()
    return (" ".join(page.split()) for page in text.split("\f"))
