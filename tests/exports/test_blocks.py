"""A block's end is a deadline of its own: for how long it is booked, how likely the work outlasts it, and what more days cost."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from engine.answer import Option
from exports.composing.blocks import outlasted
from exports.composing.hazards import hazards
from planner.asked.blocks import block_days, outlasts
from planner.estimate import estimate
from planner.frozen.snapshot import Plan
from planner.market import market_from_files
from planner.request.parse import spec_from
from tests.exports.real_plans import best_of
from tests.exports.samples import training_plan
from tests.exports.test_hazards import context_of
from tests.exports.test_time_model import TRAINING
from tests.planner.test_authorised import said

P90 = 1.2815515655446004


@cache
def blocks(day_steps_until: float = 14.0) -> Plan:
    """A run of weeks for which AWS sells blocks, in whole weeks beyond so many days, and nothing else is to be had."""
    market = market_from_files()
    aws = (one for one in market.offers if (one.provider, one.option) == ("aws", "on_demand"))
    sold = next(one for one in aws if one.device == "h100-sxm5" and one.devices == 8)
    block = replace(sold, id="aws/block", option="capacity_block", usd_per_hour=20.0, day_steps_until=day_steps_until)
    asked = {
        **TRAINING,
        "training": {"tokens": 1.8e11},
        "constraints": {"deadline_days": 60, "max_accelerators": 16, "accelerators": ["h100-sxm5"]},
    }
    return estimate(spec_from(asked), replace(market, offers=(block,), systems=()))


def _within(plan: Plan, days: float) -> tuple[Plan, Option]:
    """The plan whose work takes more than that many days in one of ten cases."""
    best = best_of(plan)
    short = replace(best, days=replace(best.days, high=days))
    return replace(plan, recommendation=replace(plan.recommendation, recommended=short)), short


def test_the_days_that_are_booked_stand_where_they_are_approved() -> None:
    plan = blocks()
    days = round(block_days(best_of(plan)))
    assert days % 7 == 0
    assert days >= best_of(plan).days.expected
    assert f"in advance for {days} days of 8" in said(plan)
    assert block_days(best_of(training_plan())) == 0.0


@pytest.mark.parametrize(("steps", "more"), [(14.0, 7), (0.0, 1)])
def test_what_outlasts_the_block_is_a_risk_with_its_chance_and_the_price_of_the_next_days(
    steps: float, more: int
) -> None:
    plan, best = _within(blocks(steps), 1.2 * block_days(best_of(blocks(steps))))
    days = block_days(best)
    drawn = np.exp(
        np.log(best.days.expected)
        + np.log(best.days.high / best.days.expected) / P90 * np.random.default_rng(3).standard_normal(200_000)
    )
    risk = next(one for one in hazards(context_of(plan), best) if one.kind == "block")
    assert risk.chance == pytest.approx(float(np.mean(drawn > days)), abs=0.003)
    price = next(item.value for item in best.cost.model.inputs if item.name == "price_per_instance_hour")
    assert risk.stake == pytest.approx(more * 24 * price, rel=0.02)
    assert risk.owner == "purchasing"
    assert f"{days:.0f}\u00a0days" in risk.text
    assert {7: "7\u00a0days", 1: "24\u00a0hours"}[more] in risk.text


def test_a_block_that_holds_the_work_is_no_risk() -> None:
    plan, best = _within(blocks(), best_of(blocks()).days.expected * 1.0001)
    assert outlasts(best) < 1e-6
    assert outlasted(context_of(plan), best) is None
    assert outlasted(context_of(training_plan()), best_of(training_plan())) is None


def test_a_pessimistic_run_that_outlasts_its_block_says_so_and_not_what_computing_alone_adds() -> None:
    booked = block_days(best_of(blocks()))
    for high, beyond in ((booked - 0.5, False), (booked + 1.0, True)):
        plan, best = _within(blocks(), high)
        [pace] = [row for row in hazards(context_of(plan), best) if row.kind == "pace"]
        assert ("that are booked" in pace.text) == beyond
        assert ("computing alone adds" in pace.text) != beyond


def test_a_block_is_advised_as_a_block() -> None:
    rules = {one.rule for one in blocks().recommendation.advice}
    assert "source.block" in rules
    assert "source.occasional" not in rules
