"""Only what a provider sells is planned: blocks in its sizes, no longer than its longest, and no fewer than its least."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from catalog.facts import released
from engine.answer import Recommendation
from engine.choice.sold import longest_hours, sizes_sold
from engine.entry import glance, recommend
from engine.inputs.hardware import Access
from engine.inputs.spec import FixedLayout, Spec
from planner.market import market as market_of
from tests.engine.small_market import market, offer, spec

BLOCK = offer("one", "h100-sxm5", 8.0, option="capacity_block")
KEY = "one/capacity_block"
AWS = Access(sizes=(1, 2, 4, 8, 16, 32, 64), most_instances=64, most_days=182, day_steps_until=14)
ASKED = replace(spec(accelerators=("h100-sxm5",), max_accelerators=256))


def _answer(asked: Spec, access: Access) -> Recommendation:
    return recommend(asked, replace(market(BLOCK), access={KEY: access}))


def _instances(found: Recommendation) -> set[int]:
    options = [one for one in (found.recommended, *found.alternatives) if one is not None and one.offer is not None]
    return {-(-one.count // one.offer.devices) for one in options if one.offer}


def test_sizes_in_between_are_not_sold() -> None:
    counts = np.array([1, 8, 9, 16, 24, 512, 520])
    held = sizes_sold(AWS, accelerators=counts, per_instance=8)
    assert held.tolist() == [True, True, True, True, False, True, False]
    assert sizes_sold(Access(), accelerators=counts, per_instance=8).all()
    most = sizes_sold(Access(most_instances=2), accelerators=counts, per_instance=8)
    assert most.tolist() == [True, True, True, True, False, False, False]
    least = sizes_sold(Access(least_accelerators=16), accelerators=counts, per_instance=8)
    assert least.tolist() == [False, False, False, True, True, True, True]
    assert longest_hours(AWS) == 182 * 24
    assert longest_hours(Access()) == float("inf")


@pytest.mark.parametrize("days", [0.5, 1.0, 2.0])
def test_a_plan_books_only_blocks_that_are_sold(days: float) -> None:
    asked = replace(ASKED, constraints=replace(ASKED.constraints, deadline_days=days))
    free, held = _answer(asked, Access()), _answer(asked, Access(sizes=(1, 4, 16)))
    assert _instances(free) - {1, 4, 16}
    assert held.recommended
    assert _instances(held) <= {1, 4, 16}
    seen = glance(asked, replace(market(BLOCK), access={KEY: Access(sizes=(1, 4, 16))}))
    assert seen.best
    assert seen.best.count == held.recommended.count


def test_an_asked_size_that_nobody_sells_is_refused_with_the_sizes_that_are_sold() -> None:
    three = replace(ASKED, fixed=FixedLayout(count=24))
    assert _answer(three, Access()).feasible
    refused = _answer(three, AWS)
    assert not refused.feasible
    (why,) = (one for one in refused.rejected if one.code == "unsold_size")
    assert why.count > 0
    assert why.nearest
    assert "1, 2, 4, 8, 16, 32, 64" in str(why.nearest.values)


def test_work_that_outlasts_the_longest_block_is_not_planned_in_one() -> None:
    free = _answer(ASKED, Access())
    assert free.recommended
    held = _answer(ASKED, Access(most_days=1))
    days = [one.days.expected for one in (held.recommended, *held.alternatives) if one]
    assert all(one < 1 for one in days)
    assert "too_long" in {one.code for one in held.rejected}


def test_fewer_than_the_least_are_not_planned() -> None:
    held = _answer(ASKED, Access(least_accelerators=64))
    assert held.recommended
    assert held.recommended.count >= 64


def test_the_release_knows_what_aws_sells() -> None:
    access = market_of(released()).access
    assert access["aws/capacity_block"].sizes == AWS.sizes
    assert access["aws/capacity_block/u"].sizes == ()
    assert (access["aws/capacity_block"].most_days, access["aws/capacity_block/u"].most_days) == (182, 182)
    assert access["aws/on_demand/p"].sizes == ()
