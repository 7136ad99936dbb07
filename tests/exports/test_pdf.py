"""PDF files: conformance, structure, page numbers, fonts, scripts; and what must not get in."""

from __future__ import annotations

import io
import re
import subprocess
import sys
import zlib
from functools import cache
from pathlib import Path

import page as validator
import pikepdf
import pytest
from pikepdf import Name, Pdf

from exports.compose import compose
from exports.writers import pdf_fonts, pdf_text
from exports.writers.pdf import column, layout, write
from exports.writers.pdf_boxes import ContentsBox
from exports.writers.pdf_finish import _saved, _with_clear_ends
from exports.writers.pdf_scripts import visual
from exports.writers.pdf_table import FactsBox
from exports.writers.pdf_text import Style, break_lines, line_width, words_of
from tests.exports import samples
from tests.exports.documents import CHARTS, a_table, document, hostile


@cache
def full() -> bytes:
    return write(document())


def opened(data: bytes) -> Pdf:
    return pikepdf.open(io.BytesIO(data))


def roles(data: bytes) -> list[str]:
    """The roles of all structure elements in reading order."""
    with opened(data) as pdf:
        return list(_walk(pdf.Root.StructTreeRoot.K))


def _walk(element: pikepdf.Object) -> list[str]:
    if not isinstance(element, pikepdf.Dictionary) or "/S" not in element:
        return []
    found = [str(element.S)[1:]]
    for kid in element.get("/K", pikepdf.Array()):
        found += _walk(kid)
    return found


def conformance_failures(data: bytes, path: Path) -> list[str]:
    path.write_bytes(data)
    reports = [validator.validate_pdf(str(path), profile=profile) for profile in ("ua1", "2a")]
    return [failure.rule_id for report in reports for failure in report.failures]


@pytest.mark.parametrize("name", sorted(samples.ALL))
def test_every_sample_plan_conforms_to_ua1_and_a2a(name: str, tmp_path: Path) -> None:
    plan = samples.huge_plan(200) if name == "huge" else samples.ALL[name]()
    assert conformance_failures(write(compose(plan)), tmp_path / "plan.pdf") == []


def test_every_block_the_hostile_document_and_letter_conform(tmp_path: Path) -> None:
    for data in (full(), write(hostile()), write(document(), paper="Letter")):
        assert conformance_failures(data, tmp_path / "plan.pdf") == []


def test_the_same_document_gives_the_same_bytes() -> None:
    assert write(document()) == full()


def test_streams_do_not_end_in_a_carriage_return() -> None:
    content = next(text for text in (b"%" * number for number in range(1, 257)) if zlib.compress(text)[-1:] == b"\r")
    pdf = Pdf.new()
    pdf.add_blank_page()
    pdf.pages[0].obj.Contents = pdf.make_indirect(pikepdf.Stream(pdf, content))
    before = _saved(pdf, pikepdf.ObjectStreamMode.generate)
    after = _with_clear_ends(before)
    assert b"\r\nendstream" in before
    assert b"\r\nendstream" not in after
    with opened(after) as read:
        assert read.pages[0].obj.Contents.read_bytes() == content + b" "


def test_paper_sizes() -> None:
    with opened(write(document(), paper="Letter")) as pdf:
        assert [float(edge) for edge in pdf.pages[0].mediabox] == [0, 0, 612, 792]
    with pytest.raises(KeyError):
        write(document(), paper="B5")


def test_structure_has_headings_tables_lists_figures_and_contents() -> None:
    found = roles(full())
    assert found[0] == "Document"
    assert found.count("H1") == 5
    assert found.count("Figure") == len(CHARTS)
    assert found.count("TOCI") == found.count("Link") == 4
    assert found.count("LI") == found.count("Lbl") == found.count("LBody") == 5
    assert {"Table", "TR", "TH", "TD"} <= set(found)


def test_figures_say_their_finding_and_header_cells_their_scope() -> None:
    with opened(full()) as pdf:
        items = [item for item in pdf.objects if isinstance(item, pikepdf.Dictionary) and "/S" in item]
        said = [str(item.Alt) for item in items if Name.Figure == item.S]
        scopes = {str(item.A.Scope) for item in items if item.S == Name.TH}
    assert [text.startswith(chart.finding) for text, chart in zip(said, CHARTS, strict=True)] == [True] * len(CHARTS)
    assert scopes == {"/Column", "/Row"}


def test_contents_lead_to_the_page_they_name_and_to_the_outline() -> None:
    made = compose(samples.training_plan())
    pages = layout(made)
    (contents,) = (placed.box for page in pages for placed in page if isinstance(placed.box, ContentsBox))
    with opened(write(made)) as pdf:
        outline = pdf.open_outline()
        entries = [item for root in outline.root for item in (root, *root.children)]
        index = {page.obj.objgen: number for number, page in enumerate(pdf.pages, 1)}
        targets = {entry.title: index[_page_of(pdf, entry)] for entry in entries}
        links = [note for page in pdf.pages for note in page.obj.get("/Annots", [])]
        assert len(pages) == len(pdf.pages)
    named = {f"{line.number}  {line.title}": contents.pages[line.key] for line in contents.lines}
    assert len(named) == len(links) > 10
    assert {title: page for title, page in targets.items() if title in named} == named


def _page_of(pdf: Pdf, entry: pikepdf.OutlineItem) -> tuple[int, int]:
    """The page that an outline entry leads to."""
    place = entry.destination
    if not isinstance(place, pikepdf.Array):
        place = (
            pdf.Root.Dests[str(place)] if "/Dests" in pdf.Root else pikepdf.NameTree(pdf.Root.Names.Dests)[str(place)]
        )
    return place[0].objgen


@pytest.mark.parametrize("name", ["training", "serving", "tiny", "hostile", "infeasible"])
def test_page_one_holds_the_whole_decision(name: str) -> None:
    made = compose(samples.ALL[name]())
    for paper in ("A4",) if name == "hostile" else ("A4", "Letter"):
        facts = layout(made, paper=paper)[0][-1].box
        assert isinstance(facts, FactsBox)
        assert facts.facts == made.decision.memo


def test_no_box_leaves_its_page() -> None:
    for plan in (samples.hostile_plan(), samples.huge_plan(200)):
        for page in layout(compose(plan)):
            width, height = column("A4")
            assert page[-1].offset + page[-1].box.height(width) <= height + 0.1


def test_a_long_table_repeats_its_header_as_an_artifact() -> None:
    one = document(rows=50)
    assert a_table(50).total
    found = roles(write(one))
    assert found.count("TR") == 50 + 1 + 4, "rows, header once, four facts"


def test_fonts_are_embedded_subsets_and_map_to_unicode() -> None:
    with opened(write(hostile())) as pdf:
        fonts = [
            item for item in pdf.objects if isinstance(item, pikepdf.Dictionary) and item.get("/Type") == Name.Font
        ]
        assert fonts
        for font in fonts:
            assert re.match(r"/[A-Z]{6}\+", str(font.BaseFont))
            assert "/FontFile2" in font.FontDescriptor
            assert "/ToUnicode" in font


def test_hostile_text_opens_no_door() -> None:
    with opened(write(hostile())) as pdf:
        actions = [str(note.A.S) for page in pdf.pages for note in page.obj.get("/Annots", []) if "/A" in note]
        images = [
            item for item in pdf.objects if isinstance(item, pikepdf.Stream) and item.get("/Subtype") == Name.Image
        ]
        assert not {"/URI", "/Launch", "/JavaScript"} & set(actions)
        assert images == []
        assert len(pdf.attachments) == 0


def test_shaped_words_carry_the_text_that_was_typed() -> None:
    with opened(write(hostile())) as pdf:
        content = b"".join(page.obj.Contents.read_bytes() for page in pdf.pages)
    for typed in ("مرحبا ", "שלום "):
        assert typed.encode("utf-16-be").hex().upper().encode() in content


def test_arabic_letters_join_and_run_from_right_to_left() -> None:
    assert visual("مرحبا") == "\ufe8e\ufe92\ufea3\ufeae\ufee3"
    assert visual("לום") == "םול"
    assert visual("(שלום)") == "(םולש)"
    assert visual("א123") == "123א"
    assert visual("سلام") == "\ufee1\ufefc\ufeb3", "lam and alef are one sign"


def test_characters_without_a_glyph_show_their_code_point() -> None:
    (word,) = words_of("한", False)
    assert word.runs[0].text == "[U+D55C]"
    assert word.runs[0].actual == "한"


@pytest.mark.needs_poppler
def test_japanese_is_drawn_from_the_optional_font_and_copies_right(tmp_path: Path) -> None:
    assert {run.font for word in words_of("東京の計画", False) for run in word.runs} == {"ipaexg"}
    assert not [name for name in sys.modules if name.startswith("matplotlib_fontja")], "the package is not imported"
    path = tmp_path / "plan.pdf"
    path.write_bytes(write(hostile()))
    said = subprocess.run(["pdftotext", str(path), "-"], capture_output=True, check=True).stdout.decode()
    assert "東京の計画" in said


def test_without_the_optional_font_japanese_shows_its_code_points(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_fonts, "cjk_font", lambda: None)
    for remembered in (pdf_fonts._chosen, pdf_text._words_in):
        remembered.cache_clear()
    (word,) = words_of("東", False)
    assert word.runs[0].text == "[U+6771]"
    for remembered in (pdf_fonts._chosen, pdf_text._words_in):
        remembered.cache_clear()


def test_lines_never_exceed_their_room() -> None:
    style = Style(size=9, leading=12, colour="000000")
    for text in ("W" * 300, "gpu_8x_a100_80gb_sxm4 us-east-1", "a b " * 50, "東京" * 40, "مرحبا بالعالم " * 20):
        for room in (30.0, 84.0, 300.0):
            lines = break_lines(text, style, room)
            assert all(line_width(line, style) <= max(room, 60) + 0.1 for line in lines), (text, room)
    broken = break_lines("gpu_8x_a100_80gb_sxm4", style, 60)
    assert broken[0][0].runs[0].text.endswith("_")
    (first, *_) = break_lines("180,000–301,000", style, width_of("180,000–301", style))
    assert first[0].runs[-1].text == "180,000–", "a number is not broken at its comma"


def width_of(text: str, style: Style) -> float:
    return line_width(list(words_of(text, style.bold)), style)
