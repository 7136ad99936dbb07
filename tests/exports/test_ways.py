"""The ways to save a run are told alike in the four files: the same shares, hours and cost, the planned one marked."""

from __future__ import annotations

import re
from dataclasses import replace
from io import BytesIO
from typing import Any

import openpyxl
import pytest

from engine.answer import Checkpoint
from exports.compose import compose
from exports.composing.ways import ways_line
from exports.document import MAX_SLIDE_BULLET, Bullets, Document, Table
from exports.numbers import percent
from exports.render import render
from planner.frozen.snapshot import Plan, freeze
from planner.presenters import present
from planner.ways import ways_of
from tests.exports.office import parts_of
from tests.exports.samples import serving_plan, training_plan
from tests.exports.walking import texts


def with_point(**changes: Any) -> Plan:
    """The plan with another checkpoint."""
    plan = training_plan()
    best = plan.recommendation.recommended
    assert best
    assert best.checkpoint
    point = replace(best.checkpoint, **changes)
    return freeze(plan.spec, replace(plan.recommendation, recommended=replace(best, checkpoint=point)))


def point_of(plan: Plan) -> Checkpoint:
    best = plan.recommendation.recommended
    assert best
    assert best.checkpoint
    return best.checkpoint


def table(document: Document) -> Table | None:
    """The table in the chapter on the design."""
    parts = [part for section in document.sections for part in section.sections if part.id == "checkpoints"]
    found = [block for part in parts for block in part.blocks if isinstance(block, Table) and block.id == "ways"]
    return found[0] if found else None


def test_the_report_says_what_the_page_says() -> None:
    plan = training_plan()
    shown, rows = table(compose(plan)), present(plan).ways
    assert shown
    assert [cells[2].text for cells in shown.rows] == [row.lost for row in rows]
    assert [cells[3].text for cells in shown.rows] == [row.hours for row in rows]
    assert [f"USD\u00a0{cells[4].text}" for cells in shown.rows] == [row.cost for row in rows]
    assert [cells[0].text.removesuffix(" (as planned)") for cells in shown.rows] == [row.label for row in rows]
    assert [row.chosen for row in rows].index(True) == shown.highlight == 1
    assert "as planned" in shown.rows[1][0].text
    steps = f"{point_of(plan).interval_steps:,} steps"
    assert shown.rows[1][1].text.replace("\u00a0", " ").endswith(steps)


def test_word_and_excel_hold_them() -> None:
    plan = training_plan()
    shown = table(compose(plan))
    assert shown
    word = re.sub(r"<[^>]+>", " ", parts_of(render(plan, "docx"))["word/document.xml"].decode())
    assert all(cell.text in word.replace("&apos;", "'").replace("&#39;", "'") for row in shown.rows for cell in row)
    sheet = openpyxl.load_workbook(BytesIO(render(plan, "xlsx")))["Physics"]
    found = [row for row in sheet.iter_rows(values_only=True) if row[0] in {cells[0].text for cells in shown.rows}]
    best = plan.recommendation.recommended
    assert best
    losses = ways_of(best)
    assert len(found) == len(losses) == 3
    for row, loss in zip(found, losses, strict=True):
        told = (loss.way.interval_s / 60, loss.steps, loss.way.lost_share, loss.accelerator_hours, loss.cost)
        assert row[1:6] == pytest.approx(told, rel=1e-12)


def test_a_slide_says_it_in_one_line() -> None:
    slide = next(slide for slide in compose(training_plan()).slides if slide.id == "checkpoints")
    lines = [item for block in slide.blocks if isinstance(block, Bullets) for item in block.items]
    waiting, background, _ = (percent(way.lost_share) for way in point_of(training_plan()).ways)
    said = f"Time lost: {waiting} if training waits for storage; {background} in the background, as planned"
    assert lines[-1].startswith(said)
    assert len(lines[-1]) <= MAX_SLIDE_BULLET


def test_hours_without_a_price_have_no_column_for_it() -> None:
    shown = table(compose(with_point(lost_cost=0.0)))
    assert shown
    assert [len(row) for row in shown.rows] == [4, 4, 4] == [len(shown.columns)] * 3
    assert "pays" not in shown.note


@pytest.mark.parametrize(
    "plan", [with_point(ways=()), with_point(ways=point_of(training_plan()).ways[:1]), serving_plan()]
)
def test_one_way_is_no_choice(plan: Plan) -> None:
    document = compose(plan)
    best = plan.recommendation.recommended
    assert best
    assert table(document) is None
    assert ways_line(best) == ""
    assert document.workbook.ways == ()
    assert not any("Ways to save" in text for text in texts(document))
