"""Bought hardware against arithmetic that shares nothing with the engine: month by month, year by year, and the page."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from planner.engine.cost import amount_of, break_even, total_of
from planner.engine.onprem import Bridge
from planner.engine.result import CostModel
from tests.engine.money_samples import ASSUME, SERVER
from tests.engine.test_onprem import REFERENCE, purchase

PAGE = (Path(__file__).resolve().parents[2] / "docs/cost-model.md").read_text(encoding="utf-8")
RATE = 0.10


def held(months: float, **changes: Any) -> CostModel:
    """The purchase, held for so long by work that is shorter than that."""
    return purchase(**{"horizon_months": months, "hours_needed": 1000.0, **changes})


def value(model: CostModel, name: str) -> float:
    """An input of the model."""
    return next(item.value for item in model.inputs if item.name == name)


def month_index(first: str, month: str) -> int:
    """Months between two of the form 2027-01."""
    (y0, m0), (y1, m1) = (map(int, text.split("-")) for text in (first, month))
    return (y1 - y0) * 12 + m1 - m0


def worth(model: CostModel, *, without: str = "cost_of_capital") -> dict[int, float]:
    """Present value by calendar year of all payments but the cost of capital, discounted month by month."""
    found: dict[int, float] = {}
    for month in model.cash:
        paid = sum(amount for name, amount in month.by_line if name != without)
        index = month_index(model.cash[0].month, month.month)
        year = int(month.month[:4])
        found[year] = found.get(year, 0.0) + paid / (1 + RATE) ** (index / 12)
    return found


@pytest.mark.parametrize(
    "line", ["capex", "capital_year", "energy_year", "maintenance_year", "cost_year", "present_value"]
)
def test_the_purchase_of_the_page(line: str) -> None:
    assert f"{amount_of(purchase(), line):,.2f}" in PAGE


@pytest.mark.parametrize("horizon", [6.0, 18.0, 36.0, 60.0, 72.0])
def test_the_annuity_pays_interest_and_loss_of_value_to_the_cent(horizon: float) -> None:
    """A loan of the purchase at 10 %, paid by equal amounts a year, ends at the value that is left."""
    model = held(horizon)
    debt, years = amount_of(model, "capex"), value(model, "holding_years")
    whole, part = int(years), years - int(years)
    yearly, owed = amount_of(model, "capital_year"), debt
    for _ in range(whole):
        owed = owed * (1 + RATE) - yearly
    if part:  # the last part of a year pays what an annuity in arrears pays for it
        owed = owed * (1 + RATE) ** part - yearly * ((1 + RATE) ** part - 1) / RATE
    left = debt * value(model, "residual_share")
    assert owed == pytest.approx(left, rel=1e-6)


@pytest.mark.parametrize("horizon", [12.0, 36.0, 60.0])
def test_present_value_is_the_sum_of_discounted_months(horizon: float) -> None:
    """With work that carries everything, and months that are whole."""
    model = purchase(horizon_months=horizon, hours_needed=64 * 8760 * horizon / 12 * 0.8)
    by_year = worth(model)
    assert sum(by_year.values()) == pytest.approx(amount_of(model, "present_value"), abs=0.05)
    assert {year.year: year.present_value for year in model.years} == {
        year: pytest.approx(amount, abs=0.02) for year, amount in by_year.items()
    }


def test_cash_by_month_and_by_year_adds_up_to_the_total_and_is_where_it_belongs() -> None:
    model = purchase(horizon_months=36.0, hours_needed=64 * 8760 * 3 * 0.8)
    assert sum(month.opex + month.capex for month in model.cash) == pytest.approx(total_of(model), abs=0.001)
    assert model.cash[0].month == "2027-01"
    assert model.cash[-1].month == "2030-01"
    assert model.cash[0].capex == amount_of(model, "purchase")
    assert model.cash[-1].capex == amount_of(model, "residual_value") < 0
    for year in model.years:
        months = [month for month in model.cash if month.month.startswith(str(year.year))]
        assert year.opex == pytest.approx(sum(month.opex for month in months), abs=0.001)
        assert year.capex == pytest.approx(sum(month.capex for month in months), abs=0.001)


def test_value_decays_at_one_rate_whatever_the_horizon() -> None:
    """10 % at five years is 63.1 % after one, 25.1 % after three: each year loses the same share."""
    left = {years: value(held(12.0 * years), "residual_share") for years in (1, 2, 3, 5, 8)}
    assert left[5] == pytest.approx(0.10)
    assert left[3] == pytest.approx(0.2512, abs=1e-4)
    assert left[2] == pytest.approx(left[1] ** 2)
    assert left[8] == pytest.approx(0.10)  # beyond its life the hardware is bought again


def test_a_second_purchase_is_paid_when_the_horizon_outlives_the_hardware() -> None:
    model = purchase(horizon_months=120.0, hours_needed=64 * 8760 * 10 * 0.8)
    assert amount_of(model, "purchase") == pytest.approx(2 * amount_of(model, "capex"), abs=0.01)


def test_the_rental_until_delivery_is_cash_of_its_first_months_and_in_the_present_value() -> None:
    bridge = Bridge(usd_per_hour=3.0, label="Rent", source="test", date="2026-01-01")
    model = purchase(horizon_months=36.0, hours_needed=64 * 8760 * 3 * 0.8, bridge=bridge)
    # 4.5 months of 730 h, 64 accelerators, 80 % used, 3 USD
    assert amount_of(model, "bridge") == pytest.approx(4.5 / 12 * 8760 * 64 * 0.8 * 3.0, abs=0.01)
    paid = {month.month for month in model.cash for name, amount in month.by_line if name == "bridge" and amount}
    assert paid == {"2027-01", "2027-02", "2027-03", "2027-04", "2027-05"}
    plain = purchase(horizon_months=36.0, hours_needed=64 * 8760 * 3 * 0.8)
    more = amount_of(model, "present_value") - amount_of(plain, "present_value")
    assert more == pytest.approx(amount_of(model, "bridge"), abs=0.02)


def test_break_even_by_hand() -> None:
    """u* = (annuity + fixed operation) / (hours × (price − variable operation)); months = hours / use / 730."""
    even = break_even(
        cloud_usd_per_accelerator_hour=4.0, system=SERVER, nodes=8, devices=64, utilisation=0.8, assume=REFERENCE
    )
    model = purchase()
    fixed = amount_of(model, "maintenance_year") + amount_of(model, "staff_year") + amount_of(model, "transit_year")
    full = 8 * 10.2 * 1.3 * 8760 * 0.10
    idle, busy = (REFERENCE[f"onprem.{name}"] for name in ("idle_load", "busy_load"))
    variable = full * (busy - idle) / (64 * 8760)
    needed = (amount_of(model, "capital_year") + fixed + full * idle) / (64 * 8760 * (4.0 - variable))
    assert even.utilisation == pytest.approx(needed, rel=1e-6)
    operation = fixed + full * (idle + (busy - idle) * 0.8)
    hours = amount_of(model, "capex") / 64 / (4.0 - operation / (64 * 8760 * 0.8))
    assert even.hours == pytest.approx(hours, rel=1e-6)
    assert even.months == pytest.approx(hours / 0.8 / 730, rel=1e-6)
    assert even.cloud_usd_per_accelerator_hour == pytest.approx(amount_of(model, "usd_per_used_hour"), rel=1e-6)
    at_the_point = purchase(utilisation=needed, hours_needed=64 * 8760 * 5 * needed)
    assert amount_of(at_the_point, "usd_per_used_hour") == pytest.approx(4.0, rel=1e-5)


def test_start_in_the_middle_of_a_year_spreads_over_one_year_more() -> None:
    model = held(12.0, start=date(2027, 7, 1))
    assert [year.year for year in model.years] == [2027, 2028]
    assert ASSUME["onprem.wacc"] == RATE
