"""What a plan says: complete, in sentences, with the right numbers, for every kind of answer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from importlib import import_module
from typing import Any

import pytest

from engine.answer import Option, Recommendation
from engine.inputs.finding import Sum
from exports.brand import Rate
from exports.compose import compose
from exports.composing.context import Release, layout, replicas, shown_in, state_text
from exports.composing.finish import slack
from exports.composing.hazards import interruptions
from exports.document import (
    MAX_HEADLINE,
    MAX_SLIDE_BULLET,
    MAX_SLIDE_BULLETS,
    MAX_SLIDE_ROWS,
    MAX_TABLE_ROWS,
    Bullets,
    Document,
    Figure,
    Section,
    Table,
    slide_cell,
)
from exports.formats import FORMATS
from exports.numbers import Currency, long_date
from exports.render import render
from planner.frozen.snapshot import Plan
from planner.price_age import price_day
from tests.exports.samples import ALL, hostile_plan, infeasible_plan, serving_plan, tiny_plan, training_plan
from tests.exports.walking import texts

NAMES = ("training", "serving", "tiny", "hostile", "infeasible")


def best_of(plan: Plan) -> Option:
    """The recommended option of a feasible plan."""
    assert plan.recommendation.recommended
    return plan.recommendation.recommended


def with_best(plan: Plan, **changes: Any) -> Plan:
    """The plan with its recommended option changed."""
    answer: Recommendation = replace(plan.recommendation, recommended=replace(best_of(plan), **changes))
    return replace(plan, recommendation=answer)


def said(document: Document) -> str:
    """Everything that Word, PDF and slides print."""
    return "\n".join(texts((document.decision, document.sections, document.slides))).replace("\u00a0", " ")


def fact(document: Document, key: str) -> str:
    """One row of the decision block."""
    return next(row.text for row in document.decision.facts if row.key == key).replace("\u00a0", " ")


def written(day: date | str | None) -> str:
    """The day as documents write it: 28 January 2027."""
    assert day
    return long_date(date.fromisoformat(day) if isinstance(day, str) else day)


def every_section(document: Document) -> Iterator[Section]:
    """Chapters and their parts."""
    for section in document.sections:
        yield section
        yield from section.sections


@pytest.mark.parametrize("name", NAMES)
def test_no_text_is_empty_boilerplate(name: str) -> None:
    words = said(compose(ALL[name]()))
    assert not re.search(
        r"N/A|None\b|\bnan\b|TBD|lorem|\{|\}",
        words.replace("None of", "").replace("None within", "").replace("{=1}", ""),
    )
    assert not re.search(r"(?<![\d.,])1 (days|servers|hours|months|candidates|options|replicas|steps|prices)\b", words)
    if name != "hostile":
        assert not re.search(r"\.\.|  | ,| \.(?!\d)|;\.", words)


@pytest.mark.parametrize("name", NAMES)
def test_equal_plans_give_equal_documents(name: str) -> None:
    assert compose(ALL[name]()) == compose(ALL[name]())


def sure_cost(plan: Plan) -> float:
    """What suffices as surely as the plan was asked to be: more than is expected, and so what is approved."""
    (cost,) = [one.cost for one in plan.recommendation.certainty if one.asked and one.confidence == 0.8]
    assert cost is not None
    assert cost > best_of(plan).cost.total.expected
    return cost


def test_page_one_answers_the_six_questions() -> None:
    plan, document = training_plan(), compose(training_plan())
    best, days, total = best_of(plan), best_of(plan).days, best_of(plan).cost.total
    hardware, likely = f"{best.count} × {best.accelerator_name}", best.cost.expected_holds
    assert likely is not None
    assert 0.1 < likely < 0.5
    assert (
        fact(document, "ask")
        == f"Approve up to USD {sure_cost(plan):,.0f} to rent {hardware} on demand for a run and its experiments, "
        f"{days.expected:.3g} days in all, from {written(plan.start)}. "
        f"The central estimate of USD {total.expected:,.0f} suffices with a probability of {likely:.0%}, "
        f"USD {sure_cost(plan):,.0f} with 80%. "
        f"Valid for prices of {written(price_day(best))}."
    )
    split = best.parallelism
    assert fact(document, "recommendation").startswith(f"{hardware} ({best.nodes} servers of 8): TP {split.tp} × ")
    assert f"DP {split.dp}, ZeRO {split.zero_stage}, BF16." in fact(document, "recommendation")
    band = f"(80% band {days.low:.3g}–{days.high:.3g} days)"
    assert f"{written(best.finish)}, after {days.expected:.3g} days {band}" in fact(document, "finish")
    assert f"met, with {21 - days.high:.3g} days to spare even at the pessimistic end" in fact(document, "finish")
    assert fact(document, "cost").startswith(f"USD {total.expected:,.0f} (80% band USD ")
    assert "Budget USD 400,000: kept" in fact(document, "cost")
    dearer = plan.recommendation.alternatives[0]
    assert fact(document, "rejected").startswith(f"{dearer.count} × {dearer.accelerator_name} at ")
    chart = [point.cost for point in plan.recommendation.frontier if point.feasible]
    denied = "No option is cheaper at that confidence." in fact(document, "rejected")
    assert denied is (min(chart) > 0.999 * total.expected), "what is denied is not in the chart"
    assert fact(document, "drivers").count(";") == 2
    offers = {option.offer for option in (best, *plan.recommendation.alternatives) if option.offer}
    assert f"{len(offers)} prices of {len({offer.provider for offer in offers})} providers" in fact(
        document, "evidence"
    )
    assert plan.short_hash in fact(document, "state")


def test_a_service_promises_latency_instead_of_a_date() -> None:
    document, best = compose(serving_plan()), best_of(serving_plan())
    assert best.serving
    assert "promised 800 ms: kept" in fact(document, "finish")
    sure = best.serving.ttft_ms.p95.high <= 800
    assert ("promised 800 ms: kept even at the pessimistic end" in fact(document, "finish")) == sure
    assert fact(document, "ask").startswith(
        f"Approve up to USD {sure_cost(serving_plan()):,.0f} over 12 months to rent {best.count} × {best.accelerator_name}"
    )
    assert replicas(best).replace("\u00a0", " ") in fact(document, "recommendation")
    assert {section.id for section in every_section(document)} >= {"topology", "latency", "scaling", "token-price"}
    assert "Model FLOP" not in said(document)


def test_a_refusal_says_what_would_make_it_feasible() -> None:
    document = compose(infeasible_plan())
    assert not document.feasible
    assert document.workbook.model is None
    first = infeasible_plan().recommendation.nearest[0]
    assert first.field == "constraints.budget_usd"
    needed = first.changes[0].needed
    assert isinstance(needed, Sum)
    assert fact(document, "needed").startswith(f"Raise the budget from USD 5,000 to USD {needed.amount:,.0f}: ")
    assert [section.id for section in document.sections][:1] == ["options"]
    assert "cost" not in {section.id for section in document.sections}


def test_missing_parts_are_left_out_not_named() -> None:
    document = compose(tiny_plan())
    found = {section.id for section in every_section(document)}
    assert found.isdisjoint({"flips", "prices", "own-or-rent"})
    assert {"options", "cost", "design", "risks", "evidence", "glossary"} <= found
    assert "already owned" in fact(document, "break_even")
    answer = tiny_plan().recommendation
    bare = replace(answer, rejected=(), advice=(), assumptions=(), drivers=())
    emptied = with_best(replace(tiny_plan(), recommendation=bare), checkpoint=None, reasons=(), warnings=())
    found = {section.id for section in every_section(compose(emptied))}
    assert found.isdisjoint({"operations", "left-out", "checkpoints", "assumptions"})
    assert {"options", "cost", "design", "risks", "evidence", "glossary"} <= found


@pytest.mark.parametrize(
    ("expected", "high", "words", "tone"),
    [
        (10, 20, "met, with 1 days to spare even at the pessimistic end", "good"),
        (10, 21, "met, with 0 ms to spare even at the pessimistic end", "good"),
        (10, 24, "met at the expected pace, missed by 3 days at the pessimistic end", "warning"),
        (26, 30, "missed by 5 days", "bad"),
    ],
)
def test_deadline_in_words(expected: float, high: float, words: str, tone: str) -> None:
    text, shown = slack(21, expected, high)
    # One day is said in hours, and no time at all as exactly kept.
    words = words.replace("1 days", "24 hours").replace("met, with 0 ms to spare even at", "just met at")
    assert (text.replace("\u00a0", " "), shown) == (words, tone)


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (0.01, "an interruption during the run is unlikely"),
        (0.41, "the chance of an interruption during the run is 34%"),
        (1.0, "about one interruption is expected during the run"),
        (7.3, "about 7 interruptions are expected during the run"),
    ],
)
def test_interruptions_in_words(count: float, words: str) -> None:
    assert interruptions(count) == words


def test_a_broken_budget_is_said() -> None:
    plan = training_plan()
    total = best_of(plan).cost.total
    between, below = (total.expected + total.high) / 2, total.expected / 2
    tight = replace(plan, spec=replace(plan.spec, constraints=replace(plan.spec.constraints, budget_usd=between)))
    missing = Currency().rounded(total.high - between).replace("\u00a0", " ")
    assert f"kept at central values, exceeded by {missing} at the pessimistic end" in fact(compose(tight), "cost")
    over = replace(plan, spec=replace(plan.spec, constraints=replace(plan.spec.constraints, budget_usd=below)))
    missing = Currency().rounded(total.expected - below).replace("\u00a0", " ")
    assert f"exceeded by {missing}" in fact(compose(over), "cost")


def test_replicas_count_the_spare_apart() -> None:
    best = best_of(serving_plan())
    assert best.serving
    service = replace(best.serving, replicas=6, spare_replicas=1, accelerators_per_replica=2)
    best = replace(best, serving=service, count=14, parallelism=replace(best.parallelism, tp=2))
    assert replicas(best).replace("\u00a0", " ") == "6 replicas and 1 spare"
    assert layout(best).replace("\u00a0", " ") == "TP 2, 6 replicas and 1 spare"


def test_state_in_words() -> None:
    assert state_text(Release()) == "Draft, not approved"
    assert state_text(Release(state="approved", version=3, by="N. Ada")) == "Version 3, approved by N. Ada"


def test_another_currency_converts_every_amount() -> None:
    document = compose(shown_in(training_plan(), Rate("EUR", 0.5, "2026-12-01", "treasury")))
    assert document.currency == "EUR"
    best = best_of(training_plan())
    assert fact(document, "ask").startswith(f"Approve up to EUR {sure_cost(training_plan()) / 2:,.0f} to rent")
    charts = [
        block.chart for section in every_section(document) for block in section.blocks if isinstance(block, Figure)
    ]
    lines = next(chart for chart in charts if chart.id == "cost-lines")
    assert lines.y_label == "EUR"
    compute = next(line.amount for line in best.cost.model.lines if line.name == "compute")
    assert lines.series[0].values[0] == pytest.approx(compute / 2, abs=0.01)


@pytest.mark.parametrize("name", [*NAMES, pytest.param("huge", marks=pytest.mark.slow)])
def test_nothing_overflows(name: str) -> None:
    document = compose(ALL[name]())
    for section in every_section(document):
        for block in section.blocks:
            if isinstance(block, Table):
                assert len(block.rows) <= MAX_TABLE_ROWS + 1
                assert all(len(row) == len(block.columns) for row in block.rows)
            if isinstance(block, Figure):
                assert 20 < len(block.alt) <= 600
    assert len({slide.headline for slide in document.slides}) == len(document.slides)
    for slide in document.slides:
        assert 0 < len(slide.headline) <= MAX_HEADLINE
        assert slide.notes
        assert len(slide.blocks) <= 2
        for block in slide.blocks:
            if isinstance(block, Bullets):
                assert len(block.items) <= MAX_SLIDE_BULLETS
                assert max(map(len, block.items)) <= 2 * MAX_SLIDE_BULLET
            if isinstance(block, Table):
                assert len(block.rows) <= MAX_SLIDE_ROWS
                for row in block.rows:
                    assert all(len(cell.text) <= slide_cell(block, index) for index, cell in enumerate(row))


@pytest.mark.parametrize("name", ["training", "serving", pytest.param("huge", marks=pytest.mark.slow)])
def test_a_deck_has_six_to_twelve_slides(name: str) -> None:
    assert 6 <= len(compose(ALL[name]()).slides) <= 12


def test_hostile_text_stays_text_and_short() -> None:
    document = compose(hostile_plan())
    # The model itself stays as it was frozen: the workbook's writer cleans its labels.
    book = replace(document.workbook, model=None, drivers=())
    everything = list(texts(replace(document, sheets=book)))
    assert max(len(line) for text in everything for line in text.split("\n")) <= 2000, "notes are a line for each fact"
    assert not any(
        re.search("[\x00-\x09\x0b-\x1f\ud800-\udfff\u202a-\u202e\u2066-\u2069]", text) for text in everything
    )
    assert re.fullmatch(r"[a-z0-9-]+", document.file_stem)


def test_headline_numbers_agree_everywhere() -> None:
    document = compose(training_plan())
    amount = document.decision.figures.items[0].value
    assert amount in document.decision.sentence
    assert amount in document.slides[1].headline
    (table,) = _tables(document, "options")
    place = next(index for index, column in enumerate(table.columns) if column.title.startswith("Cost,"))
    assert amount.replace("USD\u00a0", "") in [row[place].text for row in table.rows]
    assert document.workbook.candidates[0].total == pytest.approx(best_of(training_plan()).cost.total.expected)


def _tables(document: Document, name: str) -> list[Table]:
    return [
        block
        for section in every_section(document)
        for block in section.blocks
        if isinstance(block, Table) and block.id == name
    ]


def test_cost_table_adds_up() -> None:
    table = _tables(compose(training_plan()), "cost-lines")[0]
    amounts = [row[3].value or 0.0 for row in table.rows]
    assert sum(amounts[:-1]) == pytest.approx(amounts[-1])
    assert table.rows[0][1].text == "Instances (number) × Hours paid for each instance × Price of one instance-hour"


def test_candidates_reproduce_their_totals() -> None:
    for name in ("training", "serving", "infeasible"):
        for row in compose(ALL[name]()).workbook.candidates:
            assert round(round(row.quantity * row.price_usd, 2) + row.other, 2) == pytest.approx(row.total, abs=0.006)


@pytest.mark.parametrize("name", ["training", "infeasible"])
def test_only_excel_needs_what_its_sheets_hold(name: str) -> None:
    whole, lean = compose(ALL[name]()), compose(ALL[name](), sheets=False)
    assert lean == replace(whole, sheets=None)
    with pytest.raises(ValueError, match="without its workbook"):
        _ = lean.workbook
    for format_ in FORMATS:
        write = import_module(f"exports.writers.{format_}").write
        assert render(ALL[name](), format_) == write(whole)
