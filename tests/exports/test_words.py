"""What documents say: the engine's sentences in good English, sources once, ten slides at most."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.answer import CostInput, CostLine, CostModel
from engine.inputs.finding import Finding, Typed, finding
from exports.compose import compose
from exports.cost_values import labels_of
from exports.document import MAX_BOARD, Bullets, Figure, Table
from exports.writers.pdf import layout
from exports.writers.pdf_boxes import TextBox
from exports.writers.pdf_table import FactsBox
from tests.exports.prose import of_terminal
from tests.exports.real_plans import gallery_plan
from tests.exports.samples import ALL, infeasible_plan, training_plan
from tests.exports.walking import texts

EACH = [pytest.param(name, marks=pytest.mark.slow) if name == "huge" else name for name in ALL]


@pytest.mark.parametrize("name", EACH)
def test_a_deck_has_eight_slides_and_physics_behind_them(name: str) -> None:
    deck = compose(ALL[name]()).slides
    board = [slide for slide in deck if not slide.headline.startswith("Appendix: ")]
    assert board == list(deck[: len(board)])
    assert len(board) <= MAX_BOARD
    assert board[-1].id == "next"
    assert not {"design", "latency", "checkpoints"} & {slide.id for slide in board}
    figures = [block for slide in deck for block in slide.blocks if isinstance(block, Figure)]
    assert bool(figures) == (name != "tiny"), "charts are worth it where the sum is"


def test_a_refusal_without_points_shows_its_reasons_as_a_chart() -> None:
    plan = infeasible_plan()
    memory = next(group for group in plan.recommendation.rejected if group.code == "memory")
    slow = replace(memory, code="time", count=memory.count // 3, reason=finding("left_out.latency"))
    bare = replace(plan, recommendation=replace(plan.recommendation, frontier=(), rejected=(memory, slow)))
    slide = next(slide for slide in compose(bare).slides if slide.id == "front")
    assert "left out for one reason" in slide.headline


def test_each_source_is_printed_once() -> None:
    parts = {part.id: part for section in compose(training_plan()).sections for part in section.sections}
    tables = [block for name in ("prices", "inputs") for block in parts[name].blocks if isinstance(block, Table)]
    sources = parts["cited"].blocks[0]
    assert isinstance(sources, Bullets)
    named = {row[-1].text for table in tables for row in table.rows}
    numbers = {text for text in named if text.startswith("[")}
    assert len(set(sources.items)) == len(sources.items) == len(numbers) > 0
    assert sources.ordered
    assert numbers == {f"[{number}]" for number in range(1, len(sources.items) + 1)}


def test_no_reason_is_cut_off() -> None:
    cells = [
        cell.text
        for section in compose(training_plan()).sections
        if section.id == "operations"
        for block in section.blocks
        if isinstance(block, Table)
        for row in block.rows
        for cell in row
    ]
    assert cells
    assert not [text for text in cells if text.endswith("…")]


def test_reasons_in_a_list_have_no_full_stop_inside() -> None:
    plan = infeasible_plan()
    near = {fact.key: fact.text for fact in compose(plan).decision.facts}
    assert "rejected" not in near, "what does not fit is not why options fail that run"
    alone = replace(plan, recommendation=replace(plan.recommendation, alternatives=()))
    facts = {fact.key: fact.text for fact in compose(alone).decision.facts}
    assert ". (" not in facts["rejected"]
    assert facts["rejected"].endswith(").")
    assert facts["rejected"][0].isupper()


@pytest.mark.parametrize("name", EACH)
@pytest.mark.parametrize("paper", ["A4", "Letter"])
def test_the_decision_fits_page_one_of_the_pdf(name: str, paper: str) -> None:
    made = compose(ALL[name]())
    pages = layout(made, paper=paper)
    boxes = [placed.box for placed in pages[0]]
    assert any(isinstance(box, FactsBox) and box.facts[-1].key == "state" for box in boxes)
    second = next(placed.box for placed in pages[1] if isinstance(placed.box, TextBox))
    assert second.text == ("Contents" if len(made.chapters) > 1 else "Behind the decision")


def _told(text: str) -> Finding:
    """A label in words of its own."""
    return finding("told", text=Typed(text))


def test_formulas_in_words_tell_apart_what_has_one_name() -> None:
    """“Instances = Instances × price” would be no formula; a comma in a name would end a part of one."""
    model = CostModel(
        inputs=(
            CostInput(name="servers", told=_told("Servers"), unit="", value=1.0, low=1.0, high=1.0, source="plan"),
            CostInput(
                name="room",
                told=_told("1 in rented space, 0 at home"),
                unit="",
                value=1.0,
                low=1.0,
                high=1.0,
                source="plan",
            ),
        ),
        lines=(
            CostLine(
                name="price", told=_told("Servers"), expression="servers * 2", amount=2.0, kind="capex", schedule="none"
            ),
            CostLine(
                name="capex", told=_told("Purchase"), expression="price", amount=2.0, kind="total", schedule="none"
            ),
            CostLine(
                name="paid",
                told=_told("Purchase"),
                expression="capex / 2",
                amount=1.0,
                kind="capex",
                schedule="upfront",
            ),
            CostLine(name="total", told=_told("Total"), expression="paid", amount=1.0, kind="total", schedule="none"),
        ),
        total="total",
        cash=(),
    )
    assert labels_of(model) == {
        "servers": "Servers (number)",
        "room": "“1 in rented space, 0 at home”",
        "price": "Servers (USD)",
        "capex": "Purchase (whole)",
        "paid": "Purchase (share)",
        "total": "Total",
    }


def test_leased_servers_stand_on_the_own_site() -> None:
    """Documents and command line said `own-site`, the name that the market gives to that place."""
    plan = gallery_plan("serve-leased-servers")
    said = [*texts(compose(plan)), *of_terminal(plan)]
    assert [text for text in said if "Acme Leasing, own site" in text]
    assert not [text for text in said if "own-site" in text]
