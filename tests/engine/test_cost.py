"""Rented hardware: every amount here was worked out by hand from prices, hours and instances."""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np
import pytest

from engine.answer import CostModel
from engine.inputs.currency import Currency
from engine.money.arrays import over_arrays
from engine.money.converted import model_in
from engine.money.cost import (
    CostError,
    amount_of,
    banded,
    draw,
    drivers,
    evaluate,
    money_draws,
    probability,
    rented_serving,
    rented_training,
    total_of,
)
from engine.money.expressions import Expression
from engine.money.lines import dollars, given, settled
from tests.engine.money_samples import ASSUME, days, offer
from tests.told import told

START = date(2027, 1, 11)


def training(**changes: Any) -> CostModel:
    """Ten wall days on four instances, changed."""
    plain: dict[str, Any] = {
        "offer": offer(),
        "nodes": 4,
        "days": days(10.0),
        "storage_gb": 1000.0,
        "egress_gb": 140.0,
        "runs": 1,
        "experiment_overhead": 0.0,
        "start": START,
        "horizon_months": 0.0,
        "assume": ASSUME,
        "goodput": 0.95,
    }
    return rented_training(**{**plain, **changes})


def serving(**changes: Any) -> CostModel:
    """A year of two instances by night and four by day, changed."""
    plain: dict[str, Any] = {
        "offer": offer(),
        "nodes_by_hour": [2.0] * 12 + [4.0] * 12,
        "nodes_peak": 4,
        "months": 12.0,
        "egress_gb_month": 100.0,
        "storage_gb": 200.0,
        "start": START,
        "assume": ASSUME,
    }
    return rented_serving(**{**plain, **changes})


def test_a_run_costs_its_instances_hours_storage_and_egress() -> None:
    model = training()
    assert amount_of(model, "wall_hours") == pytest.approx(240.0)
    assert amount_of(model, "compute") == 52838.40  # 4 × 240 h × 55.04
    assert amount_of(model, "storage") == 7.56  # 1,000 GB × 0.023 × 240/730
    assert amount_of(model, "egress") == 12.60  # 140 GB × 0.09
    assert total_of(model) == 52858.56


def test_failures_lengthen_the_run_and_its_cost() -> None:
    run = {item.name: item.value for item in training().inputs}["run_hours"]
    assert run == pytest.approx(228.0)
    assert evaluate(training(), {"goodput": 0.475})["compute"] == pytest.approx(2 * 52838.40)


def test_the_total_is_the_sum_of_rounded_lines() -> None:
    model = training(storage_gb=333.3, egress_gb=77.7)
    leaves = [line.amount for line in model.lines if line.schedule != "none"]
    assert total_of(model) == round(sum(leaves), 2)
    assert all(round(line.amount, 2) == line.amount for line in model.lines if line.unit == "USD")


def test_a_programme_costs_every_run_and_the_experiments() -> None:
    model = training(runs=3, experiment_overhead=0.5)
    assert amount_of(model, "compute") == pytest.approx(3.5 * 52838.40)
    assert amount_of(model, "egress") == pytest.approx(3 * 12.60)
    assert amount_of(model, "final_run") == pytest.approx(total_of(model) / 3.5, abs=0.01)


def test_a_commitment_is_paid_for_its_whole_term() -> None:
    model = training(offer=offer(option="commit_1y", term_months=12, usd_per_hour=30.0))
    assert amount_of(model, "paid_hours") == 8760
    assert amount_of(model, "compute") == 4 * 8760 * 30.0


def test_other_work_carries_its_share_of_a_commitment() -> None:
    committed = offer(option="commit_1y", term_months=12, usd_per_hour=30.0)
    model = training(offer=committed, horizon_months=12.0, utilisation=0.5)
    # 240 own hours, and half of the other 8,520 used by others: 240/4,500 of the year.
    assert amount_of(model, "compute") == pytest.approx(4 * 8760 * 30.0 * 240 / 4500, abs=0.01)


def test_a_run_longer_than_the_term_buys_a_second_one() -> None:
    model = training(days=days(400.0), offer=offer(option="commit_1y", term_months=12))
    assert amount_of(model, "paid_hours") == 2 * 8760


def test_a_capacity_block_is_paid_in_whole_days_in_advance() -> None:
    model = training(days=days(9.2), offer=offer(option="capacity_block"))
    assert amount_of(model, "paid_hours") == 240
    assert model.cash[0].month == "2027-01"
    assert model.cash[0].opex > amount_of(model, "compute")


def test_a_managed_service_adds_its_premium() -> None:
    assume = ASSUME.override({"cost.managed_premium": 0.15})
    assert amount_of(training(assume=assume), "managed") == 7925.76
    assert "managed" not in [line.name for line in training().lines]


def test_each_line_is_converted_then_rounded_then_summed() -> None:
    model = model_in(training(), Currency(code="EUR", rate=0.9, date="2026-12-01"), date(2027, 1, 1))
    leaves = [line for line in model.lines if line.schedule != "none"]
    assert {line.unit for line in leaves} == {"EUR"}
    assert amount_of(model, "total") == pytest.approx(sum(line.amount for line in leaves), abs=1e-9)
    assert amount_of(model, "total") == pytest.approx(47572.70, abs=0.02)  # 52,858.56 × 0.9 = 47,572.704
    assert evaluate(model, {"fx_rate": 1.1})["total"] == pytest.approx(58144.42, abs=0.02)


def test_a_currency_without_small_coin_has_none() -> None:
    model = model_in(training(), Currency(code="JPY", rate=161.2, date="2026-12-01"), date(2027, 1, 1))
    amounts = [line.amount for line in model.lines if line.unit == "JPY"]
    assert amounts
    assert all(amount == int(amount) for amount in amounts)
    assert all(month.opex == int(month.opex) for month in model.cash)
    assert sum(month.opex + month.capex for month in model.cash) == amount_of(model, "total")


def test_a_service_pays_what_the_autoscaler_holds() -> None:
    model = serving()
    assert amount_of(model, "instance_hours") == 3 * 12 * 730
    assert amount_of(model, "compute") == 1446451.20  # 26,280 × 55.04
    assert amount_of(model, "egress") == 108.00
    assert amount_of(model, "storage") == 55.20
    assert amount_of(model, "monthly") == round(total_of(model) / 12, 2)


def test_a_committed_service_pays_its_peak_around_the_clock_and_whole_terms() -> None:
    model = serving(offer=offer(option="commit_3y", term_months=36, usd_per_hour=25.0))
    assert amount_of(model, "instance_hours") == 4 * 36 * 730
    assert amount_of(model, "compute") == 4 * 36 * 730 * 25.0


@pytest.mark.parametrize("goodput", [0.0, -1.0, float("nan"), float("inf")])
def test_a_goodput_that_makes_no_cost_is_refused_by_name(goodput: float) -> None:
    with pytest.raises(CostError, match="goodput"):
        training(goodput=goodput)


def test_infinite_days_are_refused() -> None:
    with pytest.raises(CostError, match="days"):
        training(days=days(float("inf")))


def test_an_unknown_price_is_refused_and_never_zero() -> None:
    with pytest.raises(CostError, match="usd_per_hour"):
        training(offer=offer(usd_per_hour=0.0))


def test_a_division_by_zero_names_the_line() -> None:
    with pytest.raises(CostError, match="monthly") as refused:
        settled([given("months", 0.0, "", "test")], [dollars("monthly", "1 / months")])
    assert told(refused.value.told) == "“Cost of one month” has no value: check months."


def test_names_that_clash_are_refused() -> None:
    with pytest.raises(CostError, match="twice"):
        settled([given("a", 1.0, "", "test")], [dollars("a", "1 + 1")])


def test_an_unknown_change_is_named() -> None:
    with pytest.raises(CostError, match="no input “prise”"):
        evaluate(training(), {"prise": 1.0})


def test_arrays_and_numbers_give_the_same_amounts() -> None:
    for model in (training(), serving(), training(offer=offer(option="commit_1y", term_months=12))):
        values: dict[str, Any] = {item.name: np.full(3, item.value) for item in model.inputs}
        for line in model.lines:
            values[line.name] = over_arrays(line.expression)(values)
            assert values[line.name] == pytest.approx(line.amount, abs=0.006)


@pytest.mark.parametrize(
    "text", ["ceil(a) + min(a, b, 3)", "if_(a > b, a, b) - -a", "max(a, 1) ** 2 / b", "round(a * b)"]
)
def test_the_array_grammar_is_the_scalar_grammar(text: str) -> None:
    values = {"a": 2.345, "b": 1.5}
    whole = {name: np.array([value, value]) for name, value in values.items()}
    assert over_arrays(text)(whole) == pytest.approx(Expression(text).evaluate(values))


def test_the_band_holds_the_central_value_and_widens_with_time() -> None:
    fresh = training(offer=offer(price_date=START.isoformat()))
    narrow, wide = (banded(fresh, log_sigma_time=sigma, assume=ASSUME, seed=1) for sigma in (0.05, 0.3))
    assert narrow.low < narrow.expected < narrow.high
    assert narrow.expected == wide.expected == total_of(training())
    assert wide.high - wide.low > 3 * (narrow.high - narrow.low)


def test_the_same_seed_gives_the_same_draws_and_another_one_others() -> None:
    first, again, other = (money_draws(training(), log_sigma_time=0.1, assume=ASSUME, seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_an_input_range_is_its_tenth_and_ninetieth_percentile() -> None:
    model = settled([given("a", 100.0, "USD", "test", low=80.0, high=150.0)], [dollars("total", "a")])
    values = money_draws(model, seed=3, draws=200_000)
    assert np.percentile(values, [10, 50, 90]) == pytest.approx([80.0, 100.0, 150.0], rel=0.01)


def test_probabilities_follow_the_limit() -> None:
    found = draw(training(), log_sigma_time=0.1, assume=ASSUME, seed=1)
    assert found.days is not None
    assert probability(found.days, 10.0) == pytest.approx(0.5, abs=0.05)
    assert probability(found.total, 1.0) == 0.0
    assert probability(found.total, 0.0) is None


def test_the_largest_driver_comes_first() -> None:
    bars = drivers(training(), log_sigma_time=0.3)
    widths = [abs(bar.high_change - bar.low_change) for bar in bars]
    assert bars[0].name == "run_hours"
    assert widths == sorted(widths, reverse=True)
    assert len(bars) <= 8
