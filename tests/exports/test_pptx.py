"""PowerPoint files: layouts, placeholders, native charts, notes, and text that stays in its boxes."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from pptx import Presentation
from pptx.presentation import Presentation as Deck
from pptx.shapes.base import BaseShape
from pptx.util import Emu

from exports.compose import compose
from exports.document import Bullets, Document, Slide
from exports.writers.pptx import write
from exports.writers.text_fit import lines
from planner.frozen.snapshot import Plan, freeze
from tests.exports import office, samples
from tests.exports.documents import document, hostile
from tests.exports.real_plans import gallery_plan
from tests.exports.samples import training_plan


@cache
def full() -> bytes:
    return write(document())


def next_steps_of(made: Document) -> Slide:
    """The last slide before the appendix."""
    return next(slide for slide in made.slides if slide.id == "next")


def decks() -> dict[str, Deck]:
    """Our own document, the hostile one, and all sample plans."""
    made = {"full": document(), "attack": hostile()}
    for name, plan in samples.ALL.items():
        made[name] = compose(samples.huge_plan(200) if name == "huge" else plan())
    return {name: Presentation(io.BytesIO(write(one))) for name, one in made.items()}


def test_the_same_document_gives_the_same_bytes() -> None:
    assert write(document()) == full()
    assert office.dates_of(full()) == {(1980, 1, 1, 0, 0, 0)}


def test_it_is_wide_and_has_its_own_theme_and_layouts() -> None:
    deck = Presentation(io.BytesIO(full()))
    assert deck.slide_width / deck.slide_height == pytest.approx(16 / 9)
    assert [layout.name for layout in deck.slide_layouts] == ["Cover", "Finding", "Finding, two parts"]
    assert b'<a:theme xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" name="Sextant">' in full_part(
        "theme1"
    )


def full_part(name: str) -> bytes:
    return next(body for part, body in office.parts_of(full()).items() if part.endswith(f"{name}.xml"))


@pytest.mark.parametrize("name", sorted(samples.ALL))
def test_every_sample_plan_has_no_schema_error(name: str, tmp_path: Path) -> None:
    plan = samples.huge_plan(200) if name == "huge" else samples.ALL[name]()
    assert office.schema_errors(write(compose(plan)), tmp_path / "plan.pptx") == []


def test_all_parts_are_there_and_nothing_is_outside() -> None:
    for one in (full(), write(hostile())):
        parts = office.parts_of(one)
        assert office.missing_targets(parts) == []
        assert office.external_targets(parts) == []


def test_headlines_are_titles_and_notes_carry_the_sources() -> None:
    deck, slides = Presentation(io.BytesIO(full())), document().slides
    assert [slide.shapes.title.text_frame.text for slide in deck.slides] == [slide.headline for slide in slides]
    assert all("Source: catalog" in slide.notes_slide.notes_text_frame.text for slide in deck.slides)


def test_charts_are_native_editable_and_described() -> None:
    parts = office.parts_of(full())
    charts = office.charts_of(parts, "ppt")
    shown = [shape for slide in Presentation(io.BytesIO(full())).slides for shape in slide.shapes if shape.has_chart]
    assert len(charts) == len(shown) == 7
    for chart in charts:
        assert all(cached == stored for cached, stored in office.cached_and_sheet(parts, chart)), chart
    assert all(shape._element.xpath(".//p:cNvPr/@descr") for shape in shown)
    assert all(shape.is_placeholder for shape in shown)


def test_shape_ids_are_unique_and_no_placeholder_is_empty() -> None:
    for name, deck in decks().items():
        for slide in deck.slides:
            ids = [shape.shape_id for shape in slide.shapes]
            assert len(ids) == len(set(ids)), name
            blank = [shape.name for shape in slide.placeholders if shape.has_text_frame and not shape.text_frame.text]
            assert blank == [], name


def test_nothing_overflows_in_any_sample() -> None:
    for name, deck in decks().items():
        for number, slide in enumerate(deck.slides, 1):
            for shape in slide.shapes:
                where = f"{name}, slide {number}, {shape.name}"
                assert shape.left >= 0, where
                assert shape.left + shape.width <= deck.slide_width, where
                assert shape.top + shape.height <= deck.slide_height, where
                assert _need(shape) <= Emu(shape.height).pt * 1.001, where


def _need(shape: BaseShape) -> float:
    """Height that the text or table needs [pt]."""
    if shape.has_table:
        return max(sum(_row_needs(shape)), sum(Emu(row.height).pt for row in shape.table.rows))
    if not shape.has_text_frame or not shape.text_frame.text:
        return 0.0
    box = shape.text_frame._txBody.bodyPr
    edge = sum(int(box.get(name, 0)) for name in ("lIns", "rIns")) / 12700
    used = sum(int(box.get(name, 0)) for name in ("tIns", "bIns")) / 12700
    for paragraph in shape.text_frame.paragraphs:
        size = max((run.font.size.pt for run in paragraph.runs if run.font.size), default=9.0)
        bold = any(run.font.bold for run in paragraph.runs)
        used += lines(paragraph.text, size, Emu(shape.width).pt - edge, bold=bold) * size * 1.2
    return used


def _row_needs(shape: BaseShape) -> list[float]:
    rows = []
    for row in shape.table.rows:
        needs = []
        for cell, column in zip(row.cells, shape.table.columns, strict=True):
            run = next(iter(cell.text_frame.paragraphs[0].runs), None)
            size = run.font.size.pt if run else 9.0
            needs.append(lines(cell.text_frame.text, size, Emu(column.width).pt - 14.4, bold=True) * size * 1.2 + 7.2)
        rows.append(max(needs))
    return rows


def test_text_is_at_least_nine_points() -> None:
    for name, deck in decks().items():
        xml = "".join(body.decode() for body in (slide.part.blob for slide in deck.slides))
        assert min(int(size) for size in re.findall(r'<a:rPr [^>]*sz="(\d+)"', xml)) >= 900, name


@pytest.mark.parametrize("name", sorted(set(samples.ALL) - {"hostile"}))
def test_no_headline_is_cut(name: str) -> None:
    plan = samples.huge_plan(200) if name == "huge" else samples.ALL[name]()
    assert [slide.headline for slide in compose(plan).slides if slide.headline.endswith("…")] == []


def owned(name: str) -> Plan:
    """The training sample on accelerators of that name that the team has."""
    plan = samples.training_plan()
    best = plan.recommendation.recommended
    assert best
    own = replace(best, kind="owned", offer=None, accelerator_name=name, cost=replace(best.cost, cloud=None))
    return freeze(plan.spec, replace(plan.recommendation, recommended=own))


def test_the_choice_is_said_whole_however_long_its_name() -> None:
    """A headline that ends within “which keep all limits” says nothing."""
    for name in ("NVIDIA H100 SXM5 80GB", "An accelerator whose makers gave it a name of many words and letters"):
        plan = owned(name)
        keeping = 1 + sum(option.keeps_limits for option in plan.recommendation.alternatives)
        slide = next(slide for slide in compose(plan).slides if slide.id == "options")
        assert slide.headline.endswith(f" is the cheapest, 80% sure, of {keeping} options that keep all limits")


def test_next_steps_fit_hardware_that_the_team_has() -> None:
    slide = next_steps_of(compose(owned("H100 SXM")))
    bullets = slide.blocks[0]
    assert slide.headline == "Next steps"
    assert isinstance(bullets, Bullets)
    assert not any("price" in item or "Reserve" in item for item in bullets.items)


@pytest.mark.parametrize(
    ("terms", "said", "unsaid"),
    [
        ("spot", "promises no capacity", ("reserve", "sign")),
        ("on_demand", "confirm the price in writing", ("sign", "term")),
        ("commit_3y", "sign for", ("spot", "promises no capacity")),
        ("capacity_block", "ahead", ("spot", "sign")),
        ("lease", "sign for", ("spot", "ask whether")),
    ],
)
def test_next_steps_name_an_owner_and_do_only_what_the_terms_allow(
    terms: Any, said: str, unsaid: tuple[str, ...]
) -> None:
    """A plan for spot capacity asked to reserve it and to have its price confirmed: neither can be done."""
    plan = training_plan()
    best = plan.recommendation.recommended
    assert best is not None
    assert best.offer is not None
    changed = replace(best, offer=replace(best.offer, option=terms))
    slide = next_steps_of(compose(replace(plan, recommendation=replace(plan.recommendation, recommended=changed))))
    bullets = slide.blocks[0]
    assert isinstance(bullets, Bullets)
    assert all(item.partition(":")[0] in {"Approver", "Purchasing", "Finance", "Engineering"} for item in bullets.items)
    text = " ".join(bullets.items)
    assert said in text
    assert not [word for word in unsaid if word in text]


@pytest.mark.parametrize("name", ["owned-too-small-hybrid", "finetune-7b-eur"])
def test_what_finance_keeps_free_is_what_is_asked_to_be_approved(name: str) -> None:
    """The central estimate was to be kept free, beside the sum asked for that suffices as surely as the plan has to be."""
    told = compose(gallery_plan(name))
    assert told.decision
    (ask,) = [fact.text for fact in told.decision.facts if fact.key == "ask"]
    steps = next_steps_of(told).blocks[0]
    assert isinstance(steps, Bullets)
    (finance,) = [item for item in steps.items if item.startswith("Finance")]
    found = re.match(r"Approve up to (\w+\s[\d,]+)", ask)
    assert found
    assert f"keep {found[1]} free" in finance


def test_hostile_names_stay_text() -> None:
    deck = Presentation(io.BytesIO(write(hostile())))
    assert deck.slides[0].shapes.title.text_frame.text.startswith('=HYPERLINK("http://evil.example","pay") <b>a & b')
    assert not any("_x00" in body.decode("utf-8", "ignore") for body in office.parts_of(write(hostile())).values())
