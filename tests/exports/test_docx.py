"""Word files: structure, fields, charts and bytes; and what must not get in."""

from __future__ import annotations

import io
import re
from functools import cache
from pathlib import Path

import docx
import pytest
from defusedxml import ElementTree

from exports.compose import compose
from exports.document import Figure, Section, Table
from exports.writers.docx import write
from tests.exports import office, samples
from tests.exports.documents import CHARTS, document, hostile

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


@cache
def full() -> bytes:
    """The document with every kind of block."""
    return write(document())


def body() -> ElementTree.Element:
    return ElementTree.fromstring(office.parts_of(full())["word/document.xml"])


def text_of(element: ElementTree.Element) -> str:
    return "".join(item.text or "" for item in element.iter(f"{W}t"))


def style_of(paragraph: ElementTree.Element) -> str:
    named = paragraph.find(f"{W}pPr/{W}pStyle")
    return "" if named is None else named.get(f"{W}val", "")


def paragraphs(style: str) -> list[str]:
    return [text_of(item) for item in body().iter(f"{W}p") if re.fullmatch(style, style_of(item))]


def test_python_docx_reads_it_with_its_properties() -> None:
    read = docx.Document(io.BytesIO(full()))
    assert read.core_properties.title == "Support assistant, continued pre-training"
    assert read.core_properties.author == "Sextant"
    assert read.core_properties.created.isoformat() == "2026-11-01T00:00:00+00:00"


def test_the_same_document_gives_the_same_bytes() -> None:
    assert write(document()) == full()
    assert office.dates_of(full()) == {(1980, 1, 1, 0, 0, 0)}


@pytest.mark.parametrize("name", sorted(samples.ALL))
def test_every_sample_plan_has_no_schema_error(name: str, tmp_path: Path) -> None:
    plan = samples.huge_plan(200) if name == "huge" else samples.ALL[name]()
    assert office.schema_errors(write(compose(plan)), tmp_path / "plan.docx") == []


def test_every_block_and_the_hostile_document_have_no_schema_error(tmp_path: Path) -> None:
    assert office.schema_errors(full(), tmp_path / "full.docx") == []
    assert office.schema_errors(write(hostile()), tmp_path / "hostile.docx") == []


def test_headings_are_numbered_styles_and_the_contents_name_them() -> None:
    wanted = ["Options considered", "Why this one", "Charts", "Support assistant, continued pre-training"]
    assert paragraphs(r"Heading\d") == wanted
    entries = [entry.partition("  ") for entry in paragraphs(r"TOC\d")]
    assert [title for _, _, title in entries] == wanted
    assert [number for number, _, _ in entries] == ["1", "1.1", "2", "3"]
    styles = office.parts_of(full())["word/styles.xml"].decode()
    assert styles.count('<w:numId w:val="3"/>') == 2


def test_contents_link_to_bookmarks_that_exist() -> None:
    anchors = [item.get(f"{W}anchor") for item in body().iter(f"{W}hyperlink")]
    marks = {item.get(f"{W}name") for item in body().iter(f"{W}bookmarkStart")}
    assert len(anchors) == 4
    assert set(anchors) == marks


def test_tables_and_figures_are_counted_in_fields() -> None:
    captions = [text for text in paragraphs("Caption") if text.startswith(("Table ", "Figure "))]
    figures = [f"Figure {number}. {chart.finding}" for number, chart in enumerate(CHARTS, 1)]
    assert captions == ["Table 1. Options by cost", *figures]
    fields = [item.text or "" for item in body().iter(f"{W}instrText")]
    assert sum("SEQ Figure" in field for field in fields) == len(CHARTS)
    assert not any("updateFields" in part for part in map(str, office.parts_of(full())))


def test_tables_repeat_their_header_and_keep_rows_whole() -> None:
    table = next(
        item
        for item in body().iter(f"{W}tbl")
        if "Options by cost" in str(item.find(f"{W}tblPr/{W}tblCaption").get(f"{W}val"))
    )
    rows = table.findall(f"{W}tr")
    assert rows[0].find(f"{W}trPr/{W}tblHeader") is not None
    assert all(row.find(f"{W}trPr/{W}cantSplit") is not None for row in rows)
    grid = [int(item.get(f"{W}w", "0")) for item in table.iter(f"{W}gridCol")]
    assert sum(grid) == int(table.find(f"{W}tblPr/{W}tblW").get(f"{W}w"))
    assert {style_of(cell.find(f"{W}p")) for cell in rows[1].findall(f"{W}tc")} == {"TableText", "TableNumber"}


def test_no_paragraph_stands_for_air() -> None:
    running = list(body()[0].findall(f"{W}p"))
    assert len(running) > 20
    assert [item for item in running if not text_of(item) and item.find(f".//{W}drawing") is None] == []


def test_every_chart_is_native_editable_and_described() -> None:
    parts = office.parts_of(full())
    charts = office.charts_of(parts, "word")
    assert len(charts) == len(CHARTS)
    for chart in charts:
        pairs = office.cached_and_sheet(parts, chart)
        assert pairs, chart
        assert all(shown == stored for shown, stored in pairs), chart
    said = re.findall(r'<wp:docPr [^>]*descr="([^"]+)"', parts["word/document.xml"].decode())
    assert [text.startswith(chart.finding) for text, chart in zip(said, CHARTS, strict=True)] == [True] * len(CHARTS)


def test_axis_ids_are_unsigned_and_agree() -> None:
    for body_ in office.charts_of(office.parts_of(full()), "word").values():
        ids = re.findall(rb'<c:axId val="([^"]+)"', body_)
        crossed = re.findall(rb'<c:crossAx val="([^"]+)"', body_)
        assert all(found.isdigit() for found in ids)
        assert set(ids) == set(crossed)


def test_header_footer_language_and_nothing_foreign() -> None:
    parts = office.parts_of(full())
    foot = parts["word/footer1.xml"].decode()
    assert " PAGE " in foot
    assert " NUMPAGES " in foot
    assert "3f2a3f2a3f2a" in foot
    assert "Draft, not approved" in parts["word/header1.xml"].decode()
    assert b'w:lang w:val="en-GB"' in parts["word/styles.xml"]
    assert not [name for name in parts if "stylesWithEffects" in name or "media/" in name]
    assert office.missing_targets(parts) == []


def test_paper_sizes() -> None:
    letter = office.parts_of(write(document(), paper="Letter"))["word/document.xml"]
    assert b'<w:pgSz w:w="12240" w:h="15840"/>' in letter
    assert b'<w:pgSz w:w="11906" w:h="16838"/>' in office.parts_of(full())["word/document.xml"]
    with pytest.raises(KeyError):
        write(document(), paper="B5")


def test_hostile_text_is_text() -> None:
    parts = office.parts_of(write(hostile()))
    assert office.external_targets(parts) == []
    title, *_, full, _ = (item.text for item in docx.Document(io.BytesIO(write(hostile()))).paragraphs)
    assert title.startswith('=HYPERLINK("http://evil.example","pay") <b>a & b</b> <img src="/etc/passwd"/>')
    assert title[:-1] in full, "the whole title stands at the end"
    assert "東京の計画 مرحبا" in full


def test_all_tables_and_figures_of_a_plan_are_there() -> None:
    made = compose(samples.training_plan())
    blocks = [block for section in made.sections for inner in (section, *section.sections) for block in inner.blocks]
    figures = [block for block in blocks if isinstance(block, Figure)]
    tables = [block for block in blocks if isinstance(block, Table)]
    parts = office.parts_of(write(made))
    text = "".join(re.findall(r"<w:t[^>]*>([^<]*)</w:t>", parts["word/document.xml"].decode()))
    assert len(office.charts_of(parts, "word")) == len(figures) > 3
    for table in tables:
        for row in table.rows:
            for cell in row:
                assert office_text(cell.text) in text
    assert all(isinstance(section, Section) for section in made.sections)


def office_text(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
