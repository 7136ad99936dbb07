"""Bought hardware against arithmetic that shares nothing with the engine: month by month, year by year, and the page."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from engine.answer import CostModel
from engine.money.cost import amount_of, break_even
from engine.money.delivery import Bridge, Delivery
from tests.engine.money_samples import ASSUME, SERVER
from tests.engine.test_onprem import REFERENCE, purchase

PAGE = (Path(__file__).resolve().parents[2] / "docs/cost-model.md").read_text(encoding="utf-8")
RATE = 0.10


def held(months: float, **changes: Any) -> CostModel:
    """The purchase, held for so long by work that is shorter than that."""
    return purchase(**{"horizon_months": months, "hours_needed": 1000.0, **changes})


def month_index(first: str, month: str) -> int:
    """Months between two of the form 2027-01."""
    (y0, m0), (y1, m1) = (map(int, text.split("-")) for text in (first, month))
    return (y1 - y0) * 12 + m1 - m0


def worth(model: CostModel) -> dict[int, float]:
    """Present value by calendar year of all payments, discounted month by month."""
    found: dict[int, float] = {}
    for month in model.cash:
        paid = sum(amount for _, amount in month.by_line)
        index = month_index(model.cash[0].month, month.month)
        year = int(month.month[:4])
        found[year] = found.get(year, 0.0) + paid / (1 + RATE) ** (index / 12)
    return found


@pytest.mark.parametrize(
    "line",
    ["freight", "capex", "value_left", "disposal_cost", "capital_year", "energy_year", "maintenance_year", "cost_year"],
)
def test_the_purchase_of_the_page(line: str) -> None:
    assert f"{amount_of(purchase(), line):,.2f}" in PAGE


@pytest.mark.parametrize("horizon", [6.0, 18.0, 36.0, 60.0, 72.0])
def test_the_annuity_pays_interest_and_loss_of_value_to_the_cent(horizon: float) -> None:
    """A loan of the purchase at 10 %, paid by equal amounts a year, ends at the value that is left."""
    model = held(horizon)
    debt, years = amount_of(model, "capex"), amount_of(model, "holding_years")
    whole, part = int(years), years - int(years)
    yearly, owed = amount_of(model, "capital_year"), debt
    for _ in range(whole):
        owed = owed * (1 + RATE) - yearly
    if part:  # the last part of a year pays what an annuity in arrears pays for it
        owed = owed * (1 + RATE) ** part - yearly * ((1 + RATE) ** part - 1) / RATE
    left = amount_of(model, "value_left") - amount_of(model, "disposal_cost")
    assert owed == pytest.approx(left, rel=1e-6)


@pytest.mark.parametrize("horizon", [12.0, 36.0, 60.0])
def test_present_value_is_the_sum_of_discounted_months(horizon: float) -> None:
    """With work that carries everything, from the first of a month: C − rC/(1+i)^L + O·L/U·(1 − (1+i)^−U)/(1 − (1+i)^−1/12), but for
    the unequal lengths of months. U: the years that its hours are at full pace, in which it pays its share of running."""
    model = purchase(horizon_months=horizon, hours_needed=64 * 8760 * horizon / 12 * 0.8)
    by_year, years = worth(model), horizon / 12
    left = (amount_of(model, "residual_value") + amount_of(model, "disposal")) / (1 + RATE) ** years
    used = 0.8 * years
    months = (1 - (1 + RATE) ** -used) / (1 - (1 + RATE) ** (-1 / 12))
    closed = amount_of(model, "capex") + left + amount_of(model, "operation_year") * years / used / 12 * months
    assert sum(by_year.values()) == pytest.approx(closed, rel=1e-4)
    assert {year.year: year.present_value for year in model.years} == {
        year: pytest.approx(amount, abs=0.02) for year, amount in by_year.items()
    }


@pytest.mark.parametrize("part", [1.0, 0.25])
def test_cash_is_the_whole_purchase_and_no_cost_of_capital_whatever_share_the_work_carries(part: float) -> None:
    """Nobody pays a quarter of a server, nor interest to himself: both stood in the cash flow of the share."""
    model = purchase(horizon_months=36.0, hours_needed=64 * 8760 * 3 * 0.8 * part)
    assert model.cash[0].month == "2027-01"
    assert model.cash[-1].month == "2030-01"
    assert model.cash[0].capex == amount_of(model, "capex")
    whole = (amount_of(model, "capex") - amount_of(model, "freight")) * amount_of(model, "value_share")
    assert model.cash[-1].capex == pytest.approx(8 * 8 * 50 - whole, abs=0.005)
    running = sum(month.opex for month in model.cash)
    assert running == pytest.approx(3 * part * amount_of(model, "operation_year"), abs=0.05)
    names = {name for month in model.cash for name, amount in month.by_line if amount}
    assert "cost_of_capital" not in names
    for year in model.years:
        months = [month for month in model.cash if month.month.startswith(str(year.year))]
        assert year.opex == pytest.approx(sum(month.opex for month in months), abs=0.001)
        assert year.capex == pytest.approx(sum(month.capex for month in months), abs=0.001)


def test_value_decays_at_one_rate_whatever_the_horizon() -> None:
    """10 % at five years is 63.1 % after one, 25.1 % after three: each year loses the same share."""
    left = {years: amount_of(held(12.0 * years), "value_share") for years in (1, 2, 3, 5, 8)}
    assert left[5] == pytest.approx(0.10)
    assert left[3] == pytest.approx(0.2512, abs=1e-4)
    assert left[2] == pytest.approx(left[1] ** 2)
    assert left[8] == pytest.approx(0.10)  # beyond its life the hardware is bought again


def test_a_second_purchase_is_paid_when_the_horizon_outlives_the_hardware() -> None:
    model = purchase(horizon_months=120.0, hours_needed=64 * 8760 * 10 * 0.8)
    assert amount_of(model, "purchase") == pytest.approx(2 * amount_of(model, "capex"), abs=0.01)
    bought = {month.month: paid for month in model.cash if (paid := dict(month.by_line).get("purchase"))}
    assert bought == {month: pytest.approx(amount_of(model, "capex")) for month in ("2027-01", "2032-01")}


def test_the_rental_until_delivery_and_the_servers_are_two_phases_of_one_plan() -> None:
    """Work at its full pace: what runs before the delivery is rented, what runs after it is owned, and nothing is both."""
    hours = 64 * 10_000.0
    delivery = Delivery(bridge=Bridge(usd_per_hour=3.0, source="test", date="2026-01-01"))
    model = purchase(horizon_months=36.0, hours_needed=hours, delivery=delivery)
    assert amount_of(model, "acceptance_hours") == pytest.approx(730.0)
    lead = 4.5 / 12 * 8760
    assert amount_of(model, "rented_hours") == pytest.approx(64 * lead)
    assert amount_of(model, "owned_hours") == pytest.approx(hours - 64 * lead)
    assert amount_of(model, "bridge") == pytest.approx(64 * lead * 3.0, abs=0.01)
    share = (hours - 64 * lead) / (64 * (3 * 8760 - lead) * 0.8)
    assert amount_of(model, "own_share") == pytest.approx(share)
    rent = {month.month for month in model.cash for name, amount in month.by_line if name == "bridge" and amount}
    assert rent == {"2027-01", "2027-02", "2027-03", "2027-04", "2027-05"}
    bought = [month.month for month in model.cash if month.capex]
    assert bought == ["2027-04", "2030-01"], "paid on delivery, a month before they are accepted"
    energy = [month.month for month in model.cash for name, amount in month.by_line if name == "energy" and amount]
    assert energy[0] == "2027-05"


def test_servers_ordered_before_the_start_are_there_so_much_earlier() -> None:
    bridge = Bridge(usd_per_hour=3.0, source="test", date="2026-01-01")
    soon, there = (
        purchase(horizon_months=36.0, hours_needed=640_000.0, delivery=Delivery(bridge=bridge, ahead_months=ahead))
        for ahead in (1.5, 9.0)
    )
    assert amount_of(soon, "lead_hours") == pytest.approx(3 / 12 * 8760)
    assert amount_of(there, "bridge") == amount_of(there, "acceptance_hours") == 0.0
    assert amount_of(there, "held_years") == pytest.approx(3.0)


def test_break_even_by_hand() -> None:
    """u* = (annuity + fixed operation) / (hours × (price − variable operation)); months = hours / use / 730."""
    even = break_even(
        cloud_per_accelerator_hour=4.0, system=SERVER, nodes=8, devices=64, utilisation=0.8, assume=REFERENCE
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
    assert even.cloud_per_accelerator_hour == pytest.approx(amount_of(model, "usd_per_used_hour"), rel=1e-6)
    at_the_point = purchase(utilisation=needed, hours_needed=64 * 8760 * 5 * needed)
    assert amount_of(at_the_point, "usd_per_used_hour") == pytest.approx(4.0, rel=1e-5)


def test_start_in_the_middle_of_a_year_spreads_over_one_year_more() -> None:
    model = held(12.0, start=date(2027, 7, 1))
    assert [year.year for year in model.years] == [2027, 2028]
    assert ASSUME["onprem.wacc"] == RATE
