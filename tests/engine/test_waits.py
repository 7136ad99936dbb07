"""Work that waits for servers: the spread of the delivery is in the band, the chance and the curve of certainty."""

from __future__ import annotations

import math

import numpy as np
import pytest

from engine.answer import Estimate
from engine.context import SEED
from engine.money.delivery import wait_of_model
from engine.money.draws import draw
from engine.odds.normal import P90
from engine.odds.waits import NO_WAIT, Wait, chance_in_time, ended, ended_surely, sure_wait
from exports.compose import compose
from exports.composing.context import Context, Release, currency_of
from exports.composing.hazards import hazards
from exports.document import Fact
from planner.what_if.sure import sure_at
from tests.exports.real_plans import gallery_plan

WORK = Estimate(low=30.0, expected=37.0, high=53.0, unit="day")
LATE = Wait(low=91.25, expected=136.875, high=182.5)


def _drawn(wait: Wait, work: Estimate, many: int = 400_000) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Days until the end, drawn."""
    random = np.random.default_rng(11)
    z, pace = random.standard_normal((2, many))
    up, down = (math.log(end / wait.expected) / P90 for end in (wait.high, wait.low))
    waited = np.maximum(wait.expected * np.exp(np.where(z >= 0, z * up, -z * down)) - wait.ahead, 0.0)
    return np.asarray(waited + work.expected * np.exp(pace * math.log(work.high / work.expected) / P90), dtype=float)


@pytest.mark.parametrize("wait", [LATE, Wait(low=91.25, expected=136.875, high=182.5, ahead=120.0)])
@pytest.mark.parametrize("limit", [60.0, 150.0, 174.0, 200.0, 230.0])
def test_the_chance_of_both_is_what_draws_of_both_show(wait: Wait, limit: float) -> None:
    assert chance_in_time(wait, WORK, limit) == pytest.approx(np.mean(_drawn(wait, WORK) <= limit), abs=0.006)


@pytest.mark.parametrize("sure", [0.2, 0.5, 0.8, 0.9, 0.95])
def test_a_deadline_that_is_kept_so_surely_has_that_chance(sure: float) -> None:
    days = ended_surely(LATE, WORK, sure)
    assert days == pytest.approx(np.quantile(_drawn(LATE, WORK), sure), rel=0.01)
    assert chance_in_time(LATE, WORK, days) == pytest.approx(sure, abs=1e-4)


def test_the_band_of_the_end_holds_that_of_the_delivery() -> None:
    late = ended(LATE, WORK)
    low, high = np.quantile(_drawn(LATE, WORK), (0.1, 0.9))
    assert (late.low, late.high) == (pytest.approx(low, rel=0.03), pytest.approx(high, rel=0.01))
    known = ended(sure_wait(136.875), WORK)
    assert (known.low, known.high) == (pytest.approx(166.875), pytest.approx(189.875))
    assert ended(NO_WAIT, WORK) == WORK


def test_a_wait_that_is_over_before_the_start_is_none() -> None:
    early = Wait(low=30.0, expected=40.0, high=60.0, ahead=120.0)
    assert early.certain
    assert early.days == 0.0


def test_an_order_as_early_as_the_late_end_is_late_in_a_tenth() -> None:
    just = Wait(low=30.0, expected=40.0, high=60.0, ahead=60.0)
    at_once = Estimate(low=1.0, expected=1.0, high=1.001, unit="day")
    assert (just.days, just.certain) == (0.0, False)
    assert chance_in_time(just, at_once, 1.01) == pytest.approx(0.9, abs=0.02)


def test_servers_that_come_late_are_in_chance_band_and_risks() -> None:
    """97 % were told to be in time on day 200, and 190 days as the late end, of servers that take three to six months."""
    plan = gallery_plan("buy-tax-not-recovered-gbp")
    best = plan.recommendation.recommended
    assert best is not None
    assert best.probability_in_time is not None
    wait = wait_of_model(best.cost.model)
    assert wait.high == pytest.approx(182.5)
    busy = best.accelerator_hours.expected / best.count / 24.0
    assert best.days.expected == pytest.approx(wait.days + busy)
    assert best.days.high > wait.high + busy, "as late as the servers, at least"
    outcome = draw(best.cost.model, assume=None, seed=SEED)
    assert outcome.wait is not None
    assert outcome.pace is not None
    drawn = outcome.wait + outcome.work_days * outcome.pace
    assert outcome.work_days == pytest.approx(busy, rel=1e-6)
    assert best.probability_in_time == pytest.approx(np.mean(drawn <= 200.0), abs=0.03)
    context = Context(plan=plan, release=Release(), money=currency_of(plan))
    row = next(row for row in hazards(context, best) if row.kind == "delivery")
    assert row.chance == 0.1
    assert "After 6 months instead of 4.5, the work begins on" in row.text
    assert "The deadline is then missed by" in row.text
    facts = [fact for fact in compose(plan).decision.facts if isinstance(fact, Fact)]
    assert any("delivered late" in fact.label for fact in facts)
    same = sure_at(best, plan.spec, best.cost.model, best.days.expected, 0.9, budget=0.0)
    assert same.days == pytest.approx(best.days.high, rel=1e-3)
