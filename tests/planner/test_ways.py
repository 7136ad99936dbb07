"""What each way to save loses: the planned one says what the plan says, whatever an hour really costs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.answer import Option
from lab.timings import TRAINING
from planner.estimate import estimate
from planner.market import market_from_files
from planner.ways import ways_of
from tests.exports.samples import serving_plan, training_plan


@pytest.fixture(scope="module")
def options() -> tuple[Option, ...]:
    """Spot with its hours on demand, part of an instance, on demand: all that the catalog sells."""
    answer = estimate(TRAINING, market_from_files()).recommendation
    assert answer.recommended
    return (answer.recommended, *answer.alternatives)


def test_the_planned_way_loses_what_the_plan_says(options: tuple[Option, ...]) -> None:
    seen = 0
    for option in options:
        point, losses = option.checkpoint, ways_of(option)
        assert point
        for loss in losses:
            if loss.way.chosen:
                seen += 1
                assert loss.steps == point.interval_steps
                assert loss.accelerator_hours == pytest.approx(point.lost_accelerator_hours, rel=1e-9)
                assert loss.cost == pytest.approx(point.lost_cost, abs=0.005)
    assert seen > 10


def test_an_hour_costs_what_the_cost_model_pays_for_it(options: tuple[Option, ...]) -> None:
    """Not the price in the list: spot falls back to on demand, and one device of an instance pays for the instance."""
    dearer = 0
    for option in options:
        lines = {line.name: line.amount for line in option.cost.model.lines}
        assert option.offer
        paid = sum(lines.get(name, 0.0) for name in ("compute", "fallback", "spares", "managed"))
        each = paid / (option.count * lines["programme_hours"])
        dearer += each > 1.05 * option.offer.usd_per_hour / option.offer.devices
        for loss in ways_of(option):
            assert loss.cost == pytest.approx(loss.accelerator_hours * each, rel=1e-3)
    assert dearer > 5


def test_ways_stand_to_each_other_by_what_they_lose(options: tuple[Option, ...]) -> None:
    for option in options:
        losses = ways_of(option)
        shares = {loss.way.key: loss.way.lost_share for loss in losses}
        computing = {loss.accelerator_hours * (1 - loss.way.lost_share) / loss.way.lost_share for loss in losses}
        assert max(computing) == pytest.approx(min(computing), rel=1e-9), "the same computing by each"
        assert sorted(losses, key=lambda loss: loss.accelerator_hours) == sorted(
            losses, key=lambda loss: shares[loss.way.key]
        )


def test_nothing_to_choose_from_is_no_table() -> None:
    service, run = serving_plan().recommendation.recommended, training_plan().recommendation.recommended
    assert service
    assert run
    assert run.checkpoint
    one = replace(run, checkpoint=replace(run.checkpoint, ways=run.checkpoint.ways[:1]))
    assert ways_of(service) == ways_of(one) == ()
