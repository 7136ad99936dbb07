"""Cash by calendar month: always adding up to the total, to the cent."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from engine.answer import CostModel
from engine.money.cash import add_months, hours_by_month, split_units
from engine.money.cost import amount_of, bought, rented_serving, rented_training, total_of
from tests.engine.money_samples import ASSUME, SERVER, days, offer


def run(start: date, wall: float, **changes: object) -> CostModel:
    """A run on three instances from that day."""
    return rented_training(
        offer=offer(**changes),
        nodes=3,
        days=days(wall),
        storage_gb=777.0,
        egress_gb=33.0,
        runs=1,
        experiment_overhead=0.1,
        start=start,
        horizon_months=0.0,
        assume=ASSUME,
        goodput=0.93,
    )


def paid(model: CostModel) -> float:
    return round(sum(month.opex + month.capex for month in model.cash), 2)


@pytest.mark.parametrize("wall", [0.3, 7.0, 31.0, 100.7])
@pytest.mark.parametrize("option", ["on_demand", "spot", "commit_1y", "capacity_block"])
def test_months_add_up_to_the_total(wall: float, option: str) -> None:
    model = run(date(2027, 1, 28), wall, option=option, term_months=12 if option == "commit_1y" else 0)
    assert paid(model) == total_of(model)


def service(start: date, months: float, *, interactive: bool = True) -> CostModel:
    """Two instances from that day."""
    return rented_serving(
        offer=offer(), nodes_by_hour=[2.0], nodes_peak=2, months=months, egress_gb_month=1.0, storage_gb=1.0, start=start,
        assume=ASSUME, interactive=interactive,
    )  # fmt: skip


@pytest.mark.parametrize("start", [date(2026, 12, 30), date(2027, 1, 1), date(2027, 2, 14)])
def test_a_service_pays_its_days_in_each_calendar_month(start: date) -> None:
    """A year from 30 December has two days in the year of its start, and ends on 29 December."""
    model = service(start, 12.0)
    ends = add_months(start, 12)
    for month in model.cash:
        first = date.fromisoformat(f"{month.month}-01")
        days_of_it = (min(ends, add_months(first, 1)) - max(start, first)).days
        assert month.opex == pytest.approx(total_of(model) * days_of_it / 365, abs=0.02), month.month
    assert model.cash[-1].month == f"{ends - timedelta(days=1):%Y-%m}"
    assert paid(model) == total_of(model)


def test_a_batch_pays_until_its_last_hour() -> None:
    model = service(date(2027, 1, 31), 48.0 / 730.0, interactive=False)
    assert [month.month for month in model.cash] == ["2027-01", "2027-02"]
    assert model.cash[0].opex == pytest.approx(total_of(model) / 2, abs=0.02)


def test_hours_fall_into_the_months_in_which_they_pass() -> None:
    assert hours_by_month(date(2027, 1, 31), 48.0) == {"2027-01": 24.0, "2027-02": 24.0}


def test_a_purchase_is_paid_at_once_and_its_rest_comes_back_at_the_end() -> None:
    model = bought(
        system=SERVER,
        nodes=1,
        devices=8,
        hours_needed=8 * 8760 * 0.6,
        horizon_months=12.0,
        utilisation=0.6,
        start=date(2027, 3, 15),
        assume=ASSUME,
    )
    assert model.cash[0].capex > 0 > model.cash[-1].capex
    assert model.cash[-1].month == "2028-03"
    assert paid(model) == round(total_of(model) - amount_of(model, "cost_of_capital"), 2)


@pytest.mark.parametrize(("amount", "weights"), [(100, [1, 1, 1]), (-7, [2.0, 1.0]), (1, [0.2, 0.3, 0.5]), (0, [1.0])])
def test_cents_are_split_without_loss(amount: int, weights: list[float]) -> None:
    parts = split_units(amount, weights)
    assert sum(parts) == amount
    assert all(abs(part - amount * weight / sum(weights)) < 1 for part, weight in zip(parts, weights, strict=True))


def test_the_last_day_of_a_month_stays_within_the_next() -> None:
    assert add_months(date(2027, 1, 31), 1) == date(2027, 2, 28)
    assert add_months(date(2027, 11, 30), 3) == date(2028, 2, 29)
