"""A team's own Word and PowerPoint templates: taken over where they are safe, refused with one sentence where not."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from exports.brand import Brand
from exports.branding.deck import deck_template as deck_of
from exports.branding.package import MOST_BYTES
from exports.branding.word import word_template as word_of
from exports.render import render
from incoming.package import Refused
from tests.exports.brands import deck_template, word_template
from tests.exports.office import external_targets, missing_targets, parts_of, schema_errors
from tests.exports.samples import training_plan

TAKEN = {"word": word_of, "deck": deck_of}


def with_part(data: bytes, name: str, content: bytes) -> bytes:
    """The file with one part more, or another one in its place."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.namelist():
            if entry != name:
                new.writestr(entry, old.read(entry))
        new.writestr(name, content)
    return out.getvalue()


def changed(data: bytes, name: str, old: bytes, new: bytes) -> bytes:
    """The file with those bytes of a part replaced."""
    content = parts_of(data)[name]
    assert old in content
    return with_part(data, name, content.replace(old, new))


def test_word_takes_styles_header_and_footer_over(tmp_path: Path) -> None:
    data = render(training_plan(), "docx", brand=Brand(word=word_template()))
    parts = parts_of(data)
    styles = parts["word/styles.xml"].decode()
    assert "96143C" in styles
    assert "Georgia" in styles
    assert 'w:styleId="FactLabel"' in styles, "our own styles join the template's"
    header, footer = parts["word/header1.xml"].decode(), parts["word/footer2.xml"].decode()
    assert "r:embed" in header
    assert "Registered in Bonn" in footer
    assert "NUMPAGES" in footer, "the page and the plan's hash stay on every page"
    assert "Text of the template" not in parts["word/document.xml"].decode()
    assert not external_targets(parts)
    assert not missing_targets(parts)
    assert not schema_errors(data, tmp_path / "plan.docx")
    assert data == render(training_plan(), "docx", brand=Brand(word=word_template())), "equal bytes each time"


def test_headings_keep_their_numbers_in_a_template() -> None:
    styles = parts_of(render(training_plan(), "docx", brand=Brand(word=word_template())))["word/styles.xml"].decode()
    heading = styles[styles.index('w:styleId="Heading1"') :]
    assert '<w:numId w:val="3"/>' in heading[: heading.index("</w:style>")]


def test_powerpoint_takes_master_and_layouts_over(tmp_path: Path) -> None:
    data = render(training_plan(), "pptx", brand=Brand(slides=deck_template()))
    parts = parts_of(data)
    assert sorted(name for name in parts if name.startswith("ppt/slideLayouts/s")) == [
        f"ppt/slideLayouts/slideLayout{number}.xml" for number in (1, 2, 3)
    ]
    assert 'type="twoObj"' in parts["ppt/slideLayouts/slideLayout3.xml"].decode()
    assert not external_targets(parts)
    assert not missing_targets(parts)
    assert not schema_errors(data, tmp_path / "plan.pptx")
    assert data == render(training_plan(), "pptx", brand=Brand(slides=deck_template()))


@pytest.mark.parametrize(
    ("kind", "data", "words"),
    [
        ("word", b"not a zip", "cannot be read"),
        ("word", b"x" * (MOST_BYTES + 1), "at most 4 MiB"),
        ("word", with_part(word_template(), "word/vbaProject.bin", b"x"), "macros"),
        ("deck", with_part(deck_template(), "ppt/activeX/activeX1.xml", b"<a/>"), "controls"),
        ("word", with_part(word_template(), "word/styles.xml", b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'), "entities"),
        ("word", with_part(word_template(), "word/big.xml", b"<a>" + b" " * 30_000_000 + b"</a>"), "packed tighter"),
        ("word", with_part(word_template(), "../out.xml", b"<a/>"), "leads outside"),
        ("word", with_part(word_template(), "word/more.xml", b"<a><b></a>"), "damaged"),
        ("word", deck_template(), "no Word document"),
        ("deck", word_template(), "no presentation"),
        ("deck", deck_template(dark=True), "dark background"),
        ("deck", deck_template(wide=False), "16 : 9"),
    ],
    ids=("no-zip", "large", "macros", "controls", "entities", "bomb", "path", "damaged", "no-word", "no-deck", "dark", "4-3"),
)  # fmt: skip
def test_what_is_not_safe_is_refused_with_one_sentence(kind: str, data: bytes, words: str) -> None:
    with pytest.raises(Refused, match=words) as caught:
        TAKEN[kind](data)
    assert "\n" not in str(caught.value)


def test_a_link_to_elsewhere_in_what_is_taken_is_refused() -> None:
    outside = changed(
        word_template(),
        "word/_rels/header1.xml.rels",
        b"Target=",
        b'TargetMode="External" Target=',
    )
    with pytest.raises(Refused, match="outside the file"):
        word_of(outside)


@pytest.mark.parametrize("address", [b"https://elsewhere.example/x.png", b"\\\\server\\share\\x.png"])
def test_an_address_in_an_old_drawing_is_refused(address: bytes) -> None:
    drawing = b'<w:r><w:pict><v:shape><v:imagedata src="%b"/></v:shape></w:pict></w:r></w:p>' % address
    with pytest.raises(Refused, match="outside the file"):
        word_of(changed(word_template(), "word/header1.xml", b"</w:p>", drawing))


def test_a_part_that_was_not_looked_at_is_not_taken() -> None:
    hidden = b'<!DOCTYPE a [<!ENTITY b "c">]><w:styles xmlns:w="x">&b;</w:styles>'
    data = with_part(word_template(), "word/styles.dat", hidden)
    with pytest.raises(Refused, match="lacks its part"):
        word_of(changed(data, "word/_rels/document.xml.rels", b'"styles.xml"', b'"styles.dat"'))


def test_a_field_that_reads_something_is_refused() -> None:
    field = b'<w:fldSimple w:instr="INCLUDETEXT secret.txt"/></w:p>'
    with pytest.raises(Refused, match="field"):
        word_of(changed(word_template(), "word/footer1.xml", b"</w:p>", field))


def test_a_picture_that_is_none_is_refused() -> None:
    name = next(name for name in parts_of(word_template()) if name.startswith("word/media/"))
    with pytest.raises(Refused, match="picture"):
        word_of(with_part(word_template(), name, b"<svg onload='x'/>"))
