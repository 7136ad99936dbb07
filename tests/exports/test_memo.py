"""Page 1 suffices to decide, what is printed behind it follows the sum, and each risk has a chance, a sum and an owner."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO

import docx
import openpyxl
import pikepdf
import pytest

from exports.brand import Rate
from exports.compose import compose
from exports.composing.context import shown_in
from exports.composing.hazard import OWNERS, TAIL, Hazard, at_least_once, ranked
from exports.composing.hazards import hazards
from exports.composing.proportion import APPENDICES_FROM_USD, CHAPTERS_FROM_USD
from exports.composing.risk_rows import owner_name
from exports.document import MAX_BOARD, Document, Slide, Table
from exports.render import render
from planner.asked import Issue
from planner.asked.approval import authorised
from planner.asked.signs import valid_until
from planner.frozen.snapshot import Plan
from tests.exports.real_plans import best_of, gallery_plan
from tests.exports.samples import tiny_plan, training_plan
from tests.exports.test_hazards import context_of

STRIP = ("committed", "cash", "exit", "prices", "valid")
LARGE = ("serve-buy-jpy", "train-tpu-commitment", "train-70b-on-demand-eur", "serve-assistant-office-hours")
PEOPLE = Issue(owner="Petra", approver="Paula")


def scaled(plan: Plan, sum_: float) -> Plan:
    """The plan whose approval is asked for about that sum [its currency]: certainty and lines of the total scaled alike."""
    best = best_of(plan)
    factor = sum_ / authorised(plan, best)
    total = best.cost.total
    less = replace(total, low=total.low * factor, expected=total.expected * factor, high=total.high * factor)
    rows = tuple(
        one if one.cost is None else replace(one, cost=one.cost * factor) for one in plan.recommendation.certainty
    )
    answer = replace(
        plan.recommendation, recommended=replace(best, cost=replace(best.cost, total=less)), certainty=rows
    )
    return replace(plan, recommendation=answer)


def slide_of(document: Document, name: str) -> Slide:
    return next(slide for slide in document.slides if slide.id == name)


@pytest.mark.parametrize("name", LARGE)
def test_page_one_has_what_is_signed_the_choice_three_risks_and_the_next_step(name: str) -> None:
    plan = gallery_plan(name)
    memo = {fact.key: fact for fact in compose(plan, issue=PEOPLE).decision.memo}
    assert {
        "ask",
        "request",
        "recommendation",
        "cost",
        "next",
        "state",
        *(f"sign_{key}" for key in STRIP),
    } <= memo.keys()
    carried = memo.get("sign_share", memo["sign_cash"])
    assert "This work carries" in f"{carried.label}: {carried.text}", (
        "a row of its own, or at the end of what is paid by month"
    )
    assert ("sign_share" in memo) == bool(best_of(plan).cost.signed.rest)
    assert "Owner: Petra. Approved by: Paula. Issued: " in memo["sign_valid"].text
    risks = [fact for key, fact in memo.items() if key.startswith("risk") or key == "room"]
    assert len(risks) >= min(3, len(hazards(context_of(plan), best_of(plan))))
    assert all("owner " in fact.text and "Chance " in fact.text for fact in risks if fact.key != "room")


@pytest.mark.parametrize("name", LARGE)
def test_what_page_one_has_no_room_for_opens_the_chapters(name: str) -> None:
    document = compose(gallery_plan(name))
    assert document.decision.memo + document.decision.further == document.decision.facts
    behind = document.behind
    assert (behind is not None) == bool(document.decision.further)
    if behind is not None:
        assert document.chapters == (behind, *document.sections)
        [table] = behind.blocks
        assert isinstance(table, Table)
        assert [row[0].text for row in table.rows] == [fact.label for fact in document.decision.further]


def test_the_first_sheet_of_the_workbook_has_the_same_rows() -> None:
    plan = gallery_plan("train-70b-on-demand-eur")
    sheet = openpyxl.load_workbook(BytesIO(render(plan, "xlsx")), data_only=True)["Summary"]
    rows = {str(row[0].value): str(row[1].value) for row in sheet.iter_rows(max_col=2)}
    for fact in compose(plan).decision.facts:
        assert rows[fact.label] == fact.text, fact.key


def test_a_workbook_names_nobody_and_an_approved_one_does_not_say_that_nobody_approved() -> None:
    plan = training_plan()
    assert render(plan, "xlsx", issue=PEOPLE) == render(plan, "xlsx")
    assert render(plan, "docx", issue=PEOPLE) != render(plan, "docx")
    draft, approved = (
        next(fact.text for fact in compose(plan, state=state).decision.facts if fact.key == "sign_valid")
        for state in ("draft", "approved")
    )
    assert "Approved by: nobody yet." in draft
    assert "Approved by" not in approved


@pytest.mark.parametrize(
    ("part", "printed"),
    [
        (CHAPTERS_FROM_USD * 0.9, {"behind"}),
        (CHAPTERS_FROM_USD * 1.1, {"behind", "options", "cost", "risks"}),
        (APPENDICES_FROM_USD * 1.1, {"options", "cost", "risks", "design", "operations", "evidence", "glossary"}),
    ],
)
def test_what_is_printed_follows_the_sum(part: float, printed: set[str]) -> None:
    whole = compose(training_plan())
    document = compose(scaled(training_plan(), part))
    names = {chapter.id for chapter in document.chapters}
    assert printed <= names
    assert bool(document.left_out) == (part < APPENDICES_FROM_USD)
    assert not names & set(document.left_out)
    assert {one.id for one in document.sections} == {one.id for one in whole.sections}, (
        "the workbook takes its charts there"
    )
    if document.left_out:
        assert document.behind
        said = document.behind.blocks[-1].text  # type: ignore[union-attr]
        assert "page of the plan and in the API" in said
        assert all(f"“{one.title}”" in said for one in document.sections if one.id in document.left_out)


def test_the_sum_counts_in_the_currency_of_the_plan() -> None:
    plan = shown_in(training_plan(), Rate("EUR", 0.5, "2026-12-01", "treasury"))
    assert context_of(plan).money.of(1.0) == 0.5
    assert "cost" not in {one.id for one in compose(scaled(plan, CHAPTERS_FROM_USD * 0.49)).chapters}
    assert "cost" in {one.id for one in compose(scaled(plan, CHAPTERS_FROM_USD * 0.51)).chapters}
    assert not compose(scaled(plan, APPENDICES_FROM_USD * 0.51)).left_out


def test_a_small_sum_makes_a_short_file() -> None:
    plan = tiny_plan()
    assert authorised(plan, best_of(plan)) < CHAPTERS_FROM_USD
    with pikepdf.open(BytesIO(render(plan, "pdf"))) as pdf:
        assert len(pdf.pages) <= 2
    rows = docx.Document(BytesIO(render(plan, "docx"))).paragraphs
    heads = [row.text for row in rows if row.style and (row.style.name or "").lower().startswith("heading")]
    assert heads == ["Behind the decision"]


def test_risks_are_ordered_by_chance_times_money_what_breaks_the_service_first_and_the_unknown_last() -> None:
    rows = [
        Hazard(kind="capacity", text="a", stake=900.0),
        Hazard(kind="promise", text="b", chance=0.2),
        Hazard(kind="pace", text="c", stake=100.0, chance=0.5),
        Hazard(kind="price", text="d", stake=1000.0, chance=TAIL),
        Hazard(kind="choice", text="e"),
        Hazard(kind="promise", text="f", chance=0.05),
    ]
    assert [row.text for row in ranked(rows)] == ["b", "d", "c", "f", "a", "e"]


def test_what_happens_often_happens_at_least_once() -> None:
    assert at_least_once(0.0, 1.0) == 0.0
    assert at_least_once(0.1, 1.0) == pytest.approx(0.0952, abs=1e-4)
    assert at_least_once(7.3, 1.0) > 0.999


@pytest.mark.parametrize("name", LARGE)
def test_the_chapter_and_the_slide_tell_chance_money_and_owner_of_each_risk(name: str) -> None:
    plan = gallery_plan(name)
    document, context = compose(plan, issue=PEOPLE), context_of(plan)
    told = [row for row in hazards(context, best_of(plan)) if row.kind not in {"weakness", "choice"}]
    warnings = next(part for one in document.sections for part in one.sections if part.id == "warnings")
    table = next(block for block in warnings.blocks if isinstance(block, Table))
    assert [column.title for column in table.columns][:2] == ["Risk", "Chance"]
    assert [row[4].text for row in table.rows] == [row.text for row in told]
    for cells, row in zip(table.rows, told, strict=True):
        assert (cells[1].text == "not known") == (row.chance is None)
        assert (cells[2].text == "not known") == (row.stake is None)
        assert cells[3].text == ("Petra" if row.owner == "plan" else owner_name(context, row))
        assert row.kind in OWNERS
    [shown] = slide_of(document, "risks").blocks
    assert isinstance(shown, Table)
    assert [row[0].text for row in shown.rows][: len(told)] == [row[0].text for row in table.rows][: len(shown.rows)]


@pytest.mark.parametrize("name", LARGE)
def test_the_board_reads_what_it_signs_the_choice_the_risks_and_the_steps(name: str) -> None:
    document = compose(gallery_plan(name))
    board = [slide.id for slide in document.slides if not slide.headline.startswith("Appendix: ")]
    assert board[:3] == ["cover", "decision", "signed"]
    assert {"options", "risks"} <= set(board)
    assert board[-1] == "next"
    assert len(board) <= MAX_BOARD
    [table] = slide_of(document, "signed").blocks
    assert isinstance(table, Table)
    assert [row[0].text for row in table.rows][1:] == [
        fact.label for fact in document.decision.facts if fact.key.startswith("sign_")
    ]


@pytest.mark.parametrize("name", LARGE)
def test_the_next_step_has_a_day_that_the_prices_outlive(name: str) -> None:
    plan = gallery_plan(name)
    step = next(fact.text for fact in compose(plan).decision.memo if fact.key == "next").replace("\u00a0", " ")
    until = valid_until(plan)
    day = min(filter(None, (until, plan.start if plan.spec.start else None)), default=None)
    if day is not None:
        assert f"by {day.day} {day:%B %Y}" in step


def test_numbers_of_a_risk_are_those_of_the_cost_model() -> None:
    plan = training_plan()
    price = next(row for row in hazards(context_of(plan), best_of(plan)) if row.kind == "price")
    assert price.chance == TAIL
    assert price.weight == pytest.approx(TAIL * (price.stake or 0.0))
    assert context_of(plan).money.rounded(price.stake or 0.0) in price.text


def test_the_deck_is_as_long_as_the_sum_is_worth() -> None:
    small, large = compose(tiny_plan()), compose(training_plan())
    assert [slide.id for slide in small.slides] == ["cover", "decision", "signed", "options", "risks", "next"]
    assert len(large.slides) > len(small.slides)
    assert any(slide.headline.startswith("Appendix") for slide in large.slides)
