"""An option that an assumption on the length of runs keeps out says so wherever it is shown, and by which assumption."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.answer import Option, TooLong
from engine.choice.patience import PROGRAMME, RUN
from exports.compose import compose
from planner.frozen.snapshot import Plan, freeze
from planner.presenters.badge import badge_of
from tests.exports.samples import training_plan
from tests.exports.walking import texts


def _with(found: TooLong) -> tuple[Plan, Option]:
    """The sample with its cheapest alternative kept out by that alone, and that alternative."""
    plan = training_plan()
    first, *rest = sorted(plan.recommendation.alternatives, key=lambda option: option.cost.ranked_by)
    total = replace(first.cost.total, low=900.0, expected=1000.0, high=1100.0)
    cost = replace(first.cost, total=total, at_confidence=1050.0, npv_at_confidence=1050.0)
    slow = replace(first, meets_deadline=True, meets_budget=True, cost=cost, too_long=found)
    return freeze(plan.spec, replace(plan.recommendation, alternatives=(slow, *rest))), slow


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (TooLong(assumption=RUN, days=420.0, most=365.0), "a single run takes 420 days and may last at most 365 days"),
        (TooLong(assumption=PROGRAMME, days=1710.0, most=1095.0), "its runs take 1,710 days together"),
    ],
)
def test_page_1_names_the_assumption_that_excludes_the_cheapest(found: TooLong, words: str) -> None:
    plan, slow = _with(found)
    facts = {fact.key: fact.text for fact in compose(plan).decision.facts}
    assert words in facts["rejected"].replace("\u00a0", " ")
    assert f"(assumption {found.assumption})" in facts["rejected"]
    assert badge_of(slow, plan.spec).words == "Runs too long"


def test_the_tables_do_not_say_that_it_keeps_the_limits() -> None:
    plan, _ = _with(TooLong(assumption=RUN, days=420.0, most=365.0))
    text = " ".join(texts(compose(plan)))
    assert "runs too long" in text
    assert "All options in the table keep the limits of the request." not in text
