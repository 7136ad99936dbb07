"""What a reader of ten more plans had to ask about, held over plans of the gallery."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import pytest

from engine.context import Context
from engine.kinds.training.reasons import _larger as larger
from exports.compose import compose
from exports.composing.rivals import rejected
from exports.composing.words import told
from exports.document import Document
from planner.frozen.snapshot import Plan
from planner.summary import summary_lines
from tests.exports.real_plans import best_of, gallery_plan
from tests.exports.test_hazards import context_of


def facts(plan: Plan) -> dict[str, str]:
    return {fact.key: fact.text for fact in compose(plan).decision.facts}


def test_what_needs_another_vendors_software_is_no_more_of_the_same() -> None:
    """24 × MI300X would cost 2 % less and be done in half the time, before weeks of porting."""
    plan = gallery_plan("lora-405b-gbp")
    answer, best = plan.recommendation, best_of(plan)
    moved = next(point for point in answer.frontier if point.ported and point.feasible)
    assert not best.porting
    cost = 0.985 * best.cost.ranked_by
    near = replace(moved, npv_at_confidence=cost, days=best.days.expected / 2, on_frontier=True)
    same = replace(near, ported=False)
    name = told(near.label)
    for point, said in ((near, False), (same, True)):
        shown = replace(plan, recommendation=replace(answer, frontier=(point,)))
        assert (name in rejected(context_of(shown), best)) is said
        asked = cast("Context", SimpleNamespace(spec=plan.spec))
        assert bool(list(larger(asked, best, (), (point,)))) is said


@pytest.mark.parametrize(("name", "code"), [("lora-405b-gbp", "GBP"), ("serve-moe-inr", "INR")])
def test_a_plan_in_another_currency_says_at_which_rate_and_of_which_day(name: str, code: str) -> None:
    plan = gallery_plan(name)
    money, prices = plan.recommendation.currency, facts(plan)["sign_prices"]
    assert money.code == code
    assert f"One US dollar counts as {round(money.rate, 5):.6g} {code}" in prices
    assert f"the rate of {int(money.date[8:])} " in prices


def test_page_1_says_what_a_spare_replica_costs_that_the_availability_does_not_need() -> None:
    plan = gallery_plan("serve-moe-inr")
    best = best_of(plan)
    assert best.standing
    [alone] = [one for one in best.standing.patterns if one.pattern == "n"]
    assert alone.holds
    assert alone.pattern_cost
    assert alone.pattern_cost < 0.6 * best.cost.total.expected
    text = facts(plan)["standing"]
    for part in ("kept spare", "99.58%", "less"):
        assert part in text
    spared = {one.pattern_cost for one in best.standing.patterns if one.pattern in ("spares", "n+1", "n+n")}
    assert spared == {best.cost.total.expected}


def test_a_spare_replica_that_is_needed_is_told_as_before() -> None:
    plan = gallery_plan("serve-residency-uk")
    assert best_of(plan).serving
    assert "standing" not in facts(plan)
    said = texts(compose(plan))
    assert "kept less surely than planned: refuse early" in said
    assert "promise breaks" not in said
    assert "These rules apply: GDPR." in said


def texts(document: Document) -> str:
    """All that stands in its chapters."""
    return repr(document.sections)


def test_what_is_rented_is_advised_in_its_own_terms() -> None:
    plan = gallery_plan("train-capacity-block-weeks")
    best = best_of(plan)
    assert best.offer
    said = texts(compose(plan))
    assert "On demand or a capacity block" not in said
    rules = {one.rule for one in plan.recommendation.advice}
    assert ("source.block" in rules) == (best.offer.option == "capacity_block")
    assert ("source.occasional" in rules) == (best.offer.option == "on_demand")
    assert "12,500,000" not in said


def test_a_hosted_api_that_costs_less_is_on_page_1_on_the_slides_and_on_the_command_line() -> None:
    plan = gallery_plan("serve-hosted-api")
    best = best_of(plan)
    assert best.serving
    assert best.serving.api_break_even
    document = compose(plan)
    said = told(best.serving.api_break_even)
    assert "less than this option" in said
    assert said in [fact.text for fact in document.decision.memo]
    slide = next(one for one in document.slides if one.id == "decision")
    assert "cost USD" in repr(slide.blocks)
    assert "on the hosted API" in repr(slide.blocks)
    assert said.replace("\xa0", " ") in "\n".join(summary_lines(plan)).replace("\xa0", " ")
    assert "serve.api-cheaper" in {one.rule for one in plan.recommendation.advice}


@pytest.mark.parametrize("name", ["serve-residency-uk", "serve-moe-inr"])
def test_an_answer_names_the_assumptions_that_its_time_was_reckoned_with(name: str) -> None:
    """One accelerator exchanges nothing, and products in FP8 reach the share of FP8."""
    best = best_of(gallery_plan(name))
    assert best.serving
    named = {part.key: part.because for part in best.time}
    alone = best.serving.accelerators_per_replica == 1
    exchange = next(part.value for part in best.time if part.key == "communication")
    assert bool(named["communication"]) == (exchange > 0.0)
    assert not alone or not named["communication"]
    share = "fp8" if best.precision == "fp8" else "fp16"
    assert named["compute"] == (f"serving.compute_share.{share}",)
    assert "serving.allreduce_us" not in named["communication"]  # of engines before 2025


def test_two_sums_that_hold_with_one_chance_say_what_tells_them_apart() -> None:
    bought, rented = gallery_plan("serve-buy-jpy"), gallery_plan("serve-residency-uk")
    assert best_of(bought).kind == "on_prem"
    apart = "the sum to authorise counts neither"
    assert apart in facts(bought)["ask"]
    assert apart not in facts(rented)["ask"]
    assert "that month’s costs taken off" in facts(bought)["sign_cash"]
