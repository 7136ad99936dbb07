"""What a plan rests on: prices with their terms, sources by their meaning, the assumptions that its own numbers name."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from typing import Any

from engine.answer import Estimate
from engine.defaults import default_assumptions
from engine.inputs.assumptions import resting_on
from engine.inputs.origin import origin
from exports.compose import compose
from exports.composing.assumptions import leading
from exports.composing.context import Context, Release, currency_of
from exports.composing.evidence import Citations
from exports.document import Document, Paragraph, Section, Table
from exports.text import CELL_LIMIT, upper_first
from planner.frozen.snapshot import Plan
from planner.telling import sourced
from tests.exports.samples import huge_plan, training_plan
from voice.speech import say


def part(document: Document, name: str) -> Section:
    """The chapter, or part of one, with that id."""
    return next(found for chapter in document.sections for found in (chapter, *chapter.sections) if found.id == name)


def table(document: Document, name: str) -> Table:
    return next(block for block in part(document, name).blocks if isinstance(block, Table))


def context_of(plan: Plan) -> Context:
    return Context(plan=plan, release=Release(), money=currency_of(plan))


def with_best(plan: Plan, **changes: Any) -> Plan:
    best = plan.recommendation.recommended
    assert best
    return replace(plan, recommendation=replace(plan.recommendation, recommended=replace(best, **changes)))


def test_two_prices_of_one_machine_are_told_apart_by_their_terms() -> None:
    plan = training_plan()
    best = plan.recommendation.recommended
    assert best
    assert best.offer
    spot = replace(best, id="s", offer=replace(best.offer, id="s", option="spot", usd_per_hour=9.0))
    twice = replace(plan, recommendation=replace(plan.recommendation, alternatives=(spot,)))

    rows = [[cell.text for cell in row] for row in table(compose(twice), "prices").rows]

    assert [row[0] for row in rows] == [rows[0][0]] * 2
    assert [row[1] for row in rows] == ["on\u00a0demand", "spot"]
    day = date.fromisoformat(best.offer.price_date)
    assert rows[0][3].replace("\u00a0", " ") == f"{day.day} {day:%B %Y}", "dates are written as everywhere"


def test_a_source_names_assumptions_by_what_they_mean() -> None:
    known = training_plan().recommendation.assumptions
    meaning, cited = say(known[0].told), Citations(numbers={})
    two = origin("sized.token", units=3, each=4, which=known[0].told)

    assert sourced(resting_on(known[0])) == f"Assumption “{meaning}”: {sourced(known[0].source)}"
    assert sourced(two) == f"3 tokens × 4 bytes (assumption “{meaning}”)"
    assert cited.cite(two).text == "[1]"
    assert sourced("gpuhunt, prices of chips") == "gpuhunt, prices of chips"


def test_the_assumptions_that_the_plan_s_numbers_name_come_alone_and_those_that_were_changed_first() -> None:
    plan = training_plan()
    one, *_, last = known = plan.recommendation.assumptions
    named = with_best(plan, days=Estimate(low=1.0, expected=2.0, high=3.0, unit="day", because=(one.id,)))
    changed = replace(named, spec=replace(plan.spec, assumptions={last.id: 1.0}))

    assert len(known) > 2
    assert leading(context_of(changed))[:2] == (last, one)
    assert table(compose(changed), "assumptions").rows[0][0].text == upper_first(say(last.told))
    assert "further assumption" in table(compose(changed), "assumptions").note


def test_what_was_left_out_most_often_comes_first_and_only_smaller_counts_are_not_shown() -> None:
    document = compose(huge_plan(20))
    rows = table(document, "left-out").rows
    counts = [row[1].value for row in rows]
    lead = next(block.text for block in part(document, "left-out").blocks if isinstance(block, Paragraph))

    assert counts == sorted(counts, key=lambda count: -(count or 0))
    assert counts[0] == 300
    assert rows[0][0].text.lower() in lead, "the reason that the lead calls the most frequent"


def test_every_assumption_is_understood_where_it_stands_alone() -> None:
    """Tables sort them: “the same for one node” stood below the time that a restart takes."""
    for item in default_assumptions().all():
        assert not re.match(r"(?i)(the )?(same|these|those)\b|added\b", say(item.told)), item.id
        assert len(say(item.told)) <= CELL_LIMIT, item.id
