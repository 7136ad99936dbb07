"""The floor of each format for `bench`: the same words and cells written by the usual library and nothing else.

No styles, charts, tags, contents, names or validation: what remains is what a file of this content must cost at least in
that library. python-docx and python-pptx are only installed for development; where they are missing there is no floor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from html import escape
from importlib.util import find_spec
from io import BytesIO

from exports.document import Bullets, Callout, Document, KeyFigures, Paragraph, Section, Table

LIBRARIES = {"docx": "docx", "xlsx": "openpyxl", "pdf": "reportlab", "pptx": "pptx"}
"""The library that each format's floor is written with, by the name under which it is imported."""
Rows = list[list[str]]


def floor_of(format_: str, document: Document, made: bytes) -> Callable[[], bytes] | None:
    """A function that writes the bare content; None where its library is not installed. `made` is our own file."""
    if find_spec(LIBRARIES[format_]) is None:
        return None
    if format_ == "xlsx":
        cells = _cells(made)
        return lambda: _xlsx(cells)
    if format_ == "pptx":
        slides = [(slide.headline, list(_of_blocks(slide.blocks))) for slide in document.slides]
        return lambda: _pptx(slides)
    parts = list(_parts(document))
    return (lambda: _docx(parts)) if format_ == "docx" else (lambda: _pdf(parts))


def _parts(document: Document) -> Iterator[str | Rows]:
    """All paragraphs and tables of the report in reading order."""
    yield from (document.title, document.subtitle, document.decision.sentence)
    yield [[fact.label, fact.text] for fact in document.decision.memo]
    for section in document.chapters:
        yield from _of_section(section)


def _of_section(section: Section) -> Iterator[str | Rows]:
    yield section.title
    yield from _of_blocks(section.blocks)
    for inner in section.sections:
        yield from _of_section(inner)


def _of_blocks(blocks: tuple[object, ...]) -> Iterator[str | Rows]:
    for block in blocks:
        match block:
            case Paragraph():
                yield block.text
            case Bullets():
                yield from block.items
            case Callout():
                yield f"{block.title} {block.text}"
            case KeyFigures():
                yield [[item.label, item.value, item.detail] for item in block.items]
            case Table():
                yield [[column.title for column in block.columns], *([cell.text for cell in row] for row in block.rows)]


def _docx(parts: list[str | Rows]) -> bytes:
    import docx

    made, out = docx.Document(), BytesIO()
    for part in parts:
        if isinstance(part, str):
            made.add_paragraph(part)
            continue
        table = made.add_table(rows=len(part), cols=len(part[0]))
        for row, texts in zip(table.rows, part, strict=True):
            for cell, text in zip(row.cells, texts, strict=True):
                cell.text = text
    made.save(out)
    return out.getvalue()


def _pdf(parts: list[str | Rows]) -> bytes:
    from reportlab import platypus
    from reportlab.lib.styles import getSampleStyleSheet

    style, out = getSampleStyleSheet()["BodyText"], BytesIO()
    story = []
    for part in parts:
        if isinstance(part, str):
            story.append(platypus.Paragraph(escape(part), style))
        else:
            rows = [[platypus.Paragraph(escape(text), style) for text in row] for row in part]
            story.append(platypus.Table(rows, repeatRows=1))
    platypus.SimpleDocTemplate(out).build(story)
    return out.getvalue()


def _pptx(slides: list[tuple[str, list[str | Rows]]]) -> bytes:
    import pptx
    from pptx.util import Inches

    made, out = pptx.Presentation(), BytesIO()
    for headline, parts in slides:
        slide = made.slides.add_slide(made.slide_layouts[5])
        slide.shapes.title.text = headline
        for part in parts:
            box = (Inches(1), Inches(2), Inches(8), Inches(4))
            if isinstance(part, str):
                slide.shapes.add_textbox(*box).text_frame.text = part
                continue
            table = slide.shapes.add_table(len(part), len(part[0]), *box).table
            for row, texts in enumerate(part):
                for column, text in enumerate(texts):
                    table.cell(row, column).text = text
    made.save(out)
    return out.getvalue()


def _cells(made: bytes) -> dict[str, list[tuple[int, int, object]]]:
    """Every value and formula of our own workbook by sheet."""
    import openpyxl

    book = openpyxl.load_workbook(BytesIO(made))
    return {
        sheet.title: [
            (cell.row, cell.column, cell.value) for row in sheet.iter_rows() for cell in row if cell.value is not None
        ]
        for sheet in book.worksheets
    }


def _xlsx(cells: dict[str, list[tuple[int, int, object]]]) -> bytes:
    import openpyxl

    book, out = openpyxl.Workbook(), BytesIO()
    book.remove(book.worksheets[0])
    for title, rows in cells.items():
        sheet = book.create_sheet(title)
        for row, column, value in rows:
            sheet.cell(row, column, value)
    book.save(out)
    return out.getvalue()
