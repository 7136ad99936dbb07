"""The chapter on changes since the last version: request, prices, answer."""

from __future__ import annotations

import re
from dataclasses import replace
from io import BytesIO

import pikepdf
import pytest

from engine.inputs.currency import Currency as MoneyOf
from exports.compose import compose
from exports.composing.changes import Earlier, earlier, since
from exports.composing.context import Context, Release, currency_of
from exports.document import Paragraph, Section, Table
from exports.numbers import Currency
from exports.render import render
from planner.frozen.snapshot import Plan, freeze
from planner.in_currency import plan_in
from tests.exports.office import parts_of
from tests.exports.samples import ALL, infeasible_plan, serving_plan, training_plan


def as_earlier(plan: Plan) -> Earlier:
    """That plan as the version before."""
    return earlier(plan, plan.recommendation.alternatives)


def chapter(now: Plan, before: Plan) -> Section:
    """The chapter of those two plans."""
    found = since(Context(plan=now, release=Release(), money=Currency()), as_earlier(before))
    assert found
    return found


def since_of(now: Plan, before: Plan) -> Section:
    """The same, each plan in its own currency."""
    found = since(Context(plan=now, release=Release(), money=currency_of(now)), as_earlier(before))
    assert found
    return found


def lead(section: Section) -> str:
    block = section.blocks[0]
    assert isinstance(block, Paragraph)
    return block.text


def rows(section: Section, name: str) -> list[tuple[str, ...]]:
    """The texts of that table."""
    tables = [block for block in section.blocks if isinstance(block, Table) and block.id == name]
    return [tuple(cell.text for cell in row) for table in tables for row in table.rows]


def cheaper(plan: Plan) -> Plan:
    """The plan as it would be with a smaller budget, a lower price and a lower cost."""
    best = plan.recommendation.recommended
    assert best
    assert best.offer
    total = best.cost.total
    cost = replace(best.cost, total=replace(total, low=total.low / 2, expected=total.expected / 2, high=total.high / 2))
    offer = replace(best.offer, usd_per_hour=best.offer.usd_per_hour / 2)
    answer = replace(plan.recommendation, recommended=replace(best, cost=cost, offer=offer))
    limits = replace(plan.spec.constraints, budget_usd=1_000_000.0)
    return freeze(replace(plan.spec, constraints=limits), answer)


def test_inputs_prices_and_results_that_changed() -> None:
    before, now = training_plan(), cheaper(training_plan())
    section = chapter(now, before)
    assert [row[0] for row in rows(section, "changed-inputs")] == ["Budget, USD"]
    assert len(rows(section, "changed-prices")) == 1
    results = {row[0]: row[1:] for row in rows(section, "changed-results")}
    assert set(results) == {"Expected cost", "Cost, 80% band"}
    assert "1 input and 1 price changed" in lead(section).replace("\u00a0", " ")
    assert before.short_hash in lead(section)
    assert "falls from" in lead(section)
    assert "(50%)" in lead(section)


def test_the_same_plan_says_so() -> None:
    section = chapter(training_plan(), training_plan())
    assert len(section.blocks) == 1
    assert "no input and no price changed. The expected cost stays" in lead(section)


@pytest.mark.parametrize(("old", "new"), [("USD", "EUR"), ("EUR", "USD"), ("EUR", "JPY")])
def test_plans_of_two_currencies_are_compared_in_one_at_a_rate_that_is_told(old: str, new: str) -> None:
    """The same plan twice: its cost does not move with the currency in which it is told."""
    rates = {"USD": 1.0, "EUR": 0.8, "JPY": 160.0}

    def told_in(code: str) -> Plan:
        money = MoneyOf(code=code, rate=rates[code], date="2026-08-10")  # type: ignore[arg-type]
        return training_plan() if code == "USD" else plan_in(training_plan(), money)

    text = lead(since_of(told_in(new), told_in(old))).replace("\u00a0", " ")
    share = re.search(r"\(([\d.]+)%\)", text)
    assert "stays at" in text or (share and float(share[1]) < 1e-3)
    assert f"The earlier plan is in {old}: 1 {old} = {rates[new] / rates[old]:g} {new}, rate of 10 August 2026." in text


@pytest.mark.parametrize(
    ("now", "before", "words"),
    [
        (training_plan(), infeasible_plan(), "now something is"),
        (infeasible_plan(), training_plan(), "Nothing is feasible any more"),
        (infeasible_plan(), infeasible_plan(), "as before"),
        (serving_plan(), training_plan(), "The expected cost"),
    ],
)
def test_other_kinds_of_answer(now: Plan, before: Plan, words: str) -> None:
    assert words in lead(chapter(now, before))


def test_the_chapter_stands_before_the_glossary_only_with_an_earlier_version() -> None:
    plain = [section.id for section in compose(training_plan()).sections]
    assert "changes" not in plain
    later = [section.id for section in compose(training_plan(), previous=as_earlier(serving_plan())).sections]
    assert later == [*plain[:-1], "changes", plain[-1]]


@pytest.mark.parametrize("format_", ["docx", "pdf"])
def test_reports_print_it(format_: str) -> None:
    before, now = ALL["training"](), cheaper(ALL["training"]())
    told, untold = (chapters(render(now, format_, previous=row), format_) for row in (as_earlier(before), None))
    assert "Changes since the last version" in told
    assert "Changes since the last version" not in untold


def chapters(data: bytes, format_: str) -> str:
    """The names of a file's chapters, one after the other."""
    if format_ == "docx":
        return parts_of(data)["word/document.xml"].decode()
    with pikepdf.open(BytesIO(data)) as pdf, pdf.open_outline() as outline:
        return "; ".join(item.title for item in outline.root)


def test_the_workbook_is_the_same_with_and_without_an_earlier_version() -> None:
    assert render(training_plan(), "xlsx", previous=as_earlier(serving_plan())) == render(training_plan(), "xlsx")


def test_a_superseded_version_can_be_printed() -> None:
    assert compose(training_plan(), state="superseded").state_text == "Superseded by a newer version"
