"""Page 1 holds the whole decision, whatever the plan is called."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from engine.answer import Evidence
from engine.inputs.finding import finding
from engine.odds.evidence_told import told_of
from exports.compose import compose
from exports.composing.risk_rows import MOST_ON_PAGE_ONE
from exports.document import MAX_TITLE
from exports.numbers import Currency, chance
from exports.render import render
from exports.writers.pdf import layout
from exports.writers.pdf_boxes import TextBox
from planner.frozen.snapshot import Plan
from tests.exports.samples import ALL, hostile_plan, serving_plan, tiny_plan, training_plan

NAMES = ("training", "serving", "tiny", "hostile", "infeasible")


def first_page(path: Path, folder: Path) -> str:
    """The text of page 1 of that PDF or Word file."""
    if path.suffix != ".pdf":
        profile = f"-env:UserInstallation=file://{folder}/profile"
        command = ["soffice", profile, "--headless", "--convert-to", "pdf", "--outdir", str(folder), str(path)]
        subprocess.run(command, check=True, capture_output=True, timeout=120)
        path = path.with_suffix(".pdf")
    return subprocess.run(
        ["pdftotext", "-layout", "-l", "1", str(path), "-"], check=True, capture_output=True, text=True
    ).stdout


@pytest.mark.needs_libreoffice
@pytest.mark.needs_poppler
@pytest.mark.parametrize("paper", ["A4", "Letter"])
@pytest.mark.parametrize("name", NAMES)
def test_page_1_of_word_ends_with_the_last_row_of_the_decision(name: str, paper: str, tmp_path: Path) -> None:
    plan = ALL[name]()
    path = tmp_path / "plan.docx"
    path.write_bytes(render(plan, "docx", paper=paper))

    page = first_page(path, tmp_path)

    assert f"Plan {plan.short_hash}" in " ".join(page.split()), "the text of the last row"


def test_a_long_title_is_shortened_on_page_1_and_stands_whole_at_the_end() -> None:
    plan = training_plan()
    long = "The plan of the plans that " * 7
    document = compose(replace(plan, spec=replace(plan.spec, name=long)))
    boxes = [placed.box for page in layout(document) for placed in page]
    texts = [box.text for box in boxes if isinstance(box, TextBox)]

    assert len(document.title) > MAX_TITLE
    assert texts[0] == document.heading
    assert len(texts[0]) <= MAX_TITLE
    assert texts[-2] == f"Full title: {document.title}"
    assert document.plan_hash in texts[-1]


def test_a_short_title_is_not_said_again() -> None:
    assert [line.partition(":")[0] for line in compose(training_plan()).colophon] == ["Plan hash (SHA-256)"]
    assert len(compose(hostile_plan()).colophon) == 2


def test_little_head_room_takes_the_place_of_the_last_hazard() -> None:
    plan = serving_plan()
    best = plan.recommendation.recommended
    assert best
    assert best.serving
    full = replace(best, serving=replace(best.serving, utilisation=0.97), warnings=(finding("warning.four_bits"),))
    narrow = compose(replace(plan, recommendation=replace(plan.recommendation, recommended=full)))
    rows = [fact for fact in narrow.decision.memo if fact.key.startswith("risk") or fact.key == "room"]

    assert [row.label for row in rows[:1]] == ["Head room"]
    assert 4 <= len(rows) <= MOST_ON_PAGE_ONE, "the three largest at least"
    assert len(narrow.decision.memo) <= 19


def test_weak_evidence_stands_on_page_1_with_its_figures() -> None:
    plan = training_plan()
    best = plan.recommendation.recommended
    assert best
    weak = Evidence(level="near", about="precision", name="NVFP4", rows=10, median_error=0.328, coverage=0.5, weak=True)
    told = replace(weak, told=told_of(weak, widened=True, lacks={}))
    doubted = replace(plan.recommendation, recommended=replace(best, evidence=told))
    row = next(fact for fact in compose(replace(plan, recommendation=doubted)).decision.facts if fact.key == "evidence")
    assert row.tone == "warning"
    assert "32.8%" in row.text
    assert "50% of them" in row.text


def test_a_plan_without_any_other_option_says_so() -> None:
    plan = tiny_plan()
    facts = {fact.key: fact.text for fact in compose(plan).decision.facts}
    assert plan.recommendation.alternatives == ()
    assert facts["rejected"] == "No other option does this work with what the request allows."

    alone = replace(plan, recommendation=replace(plan.recommendation, rejected=()))
    facts = {fact.key: fact.text for fact in compose(alone).decision.facts}
    assert facts["rejected"] == "No other option was found, and none was left out."


def test_both_kinds_of_tokens_stand_with_their_price() -> None:
    """Told alone, the price of output tokens would not add up to the cost beside it."""
    plan = serving_plan()
    best = plan.recommendation.recommended
    assert best
    assert best.serving
    cost = next(fact.text for fact in compose(plan).decision.facts if fact.key == "cost")
    tokens = (best.serving.price_per_million_input, best.serving.price_per_million_output)
    paid_in, paid_out = (Currency().price(price.expected) for price in tokens)
    assert f"{paid_in} for a million input tokens and {paid_out} for a million output tokens" in cost
    free = replace(best.serving, price_per_million_input=replace(best.serving.price_per_million_input, expected=0.0))
    only = replace(plan, recommendation=replace(plan.recommendation, recommended=replace(best, serving=free)))
    cost = next(fact.text for fact in compose(only).decision.facts if fact.key == "cost")
    assert f"a month, and {paid_out} for a million output tokens" in cost


def test_page_1_says_how_sure_what_fails_first_and_what_less_and_more_certainty_cost() -> None:
    plan = training_plan()
    best = plan.recommendation.recommended
    assert best
    fact = next(fact for fact in compose(plan).decision.memo if fact.key == "certainty")
    assert best.chance
    alone = {
        "the deadline": best.chance.deadline,
        "the budget": best.chance.budget,
        "fitting into memory": best.chance.memory,
    }
    first = min((value, name) for name, value in alone.items() if value is not None)[1]
    assert f"{first} fails first" in fact.text
    assert "asked: 80%" in fact.text
    rows = {one.confidence: one for one in plan.recommendation.certainty}
    for level, words in ((0.6, "At 60%: at most "), (0.95, "At 95%, extrapolated: at most ")):
        cost = rows[level].cost
        assert cost is not None
        assert f"{words}{Currency().amount(cost)}" in fact.text
    assert fact.tone == "plain"

    less = replace(best, chance=replace(best.chance, all=0.7, deadline=0.71))
    weak = compose(replace(plan, recommendation=replace(plan.recommendation, recommended=less, certainty=())))
    fact = next(fact for fact in weak.decision.memo if fact.key == "certainty")
    assert fact.tone == "warning"
    assert fact.text.endswith("the deadline fails first (holds 71%).")


@pytest.mark.parametrize("sample", [serving_plan, tiny_plan])
def test_how_sure_stands_on_page_1_of_other_plans(sample: Callable[[], Plan]) -> None:
    plan = sample()
    best = plan.recommendation.recommended
    assert best
    assert best.chance
    text = next(fact.text for fact in compose(plan).decision.facts if fact.key == "certainty")
    assert chance(best.chance.all) in text.replace("Over", "over") or "No limit is set" in text
