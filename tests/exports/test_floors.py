"""The floor that `bench` compares with holds the same words as our own files."""

from __future__ import annotations

from io import BytesIO

import docx
import openpyxl
import pikepdf
import pptx
import pytest

from exports.compose import compose
from exports.document import Document
from exports.floors import LIBRARIES, floor_of
from exports.render import render
from tests.exports.samples import training_plan


def floor(name: str) -> tuple[Document, bytes, bytes]:
    """The document, our file and the bare one."""
    document, made = compose(training_plan()), render(training_plan(), name)
    write = floor_of(name, document, made)
    assert write
    return document, made, write()


def test_word_floor_has_every_table_and_paragraph() -> None:
    document, made, bare = floor("docx")
    ours, floors = docx.Document(BytesIO(made)), docx.Document(BytesIO(bare))
    assert len(floors.tables) >= len(ours.tables) - 1, "key figures are no table of the floor"
    assert any(document.decision.sentence in row.text for row in floors.paragraphs)


def test_excel_floor_has_every_cell() -> None:
    _, made, bare = floor("xlsx")
    ours, floors = openpyxl.load_workbook(BytesIO(made)), openpyxl.load_workbook(BytesIO(bare))
    assert floors.sheetnames == ours.sheetnames
    assert floors["Cost model"]["B5"].value == ours["Cost model"]["B5"].value


def test_pdf_and_powerpoint_floors_have_pages() -> None:
    document, _, bare = floor("pdf")
    with pikepdf.open(BytesIO(bare)) as pdf:
        assert len(pdf.pages) > 3
    _, _, deck = floor("pptx")
    assert len(pptx.Presentation(BytesIO(deck)).slides) == len(document.slides)


def test_without_the_library_there_is_no_floor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(LIBRARIES, "docx", "no_such_library")
    assert floor_of("docx", compose(training_plan()), b"") is None
