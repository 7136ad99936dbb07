"""Bought and owned hardware against the reference cluster of the cost model, worked out by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from engine.answer import CostModel
from engine.inputs.currency import Currency
from engine.money.cash import payments
from engine.money.converted import model_in
from engine.money.cost import CostError, amount_of, banded, bought, break_even, drivers, evaluate, owned, total_of
from engine.money.formulas import annuity, break_even_hours
from engine.money.own_around import Around
from engine.money.site import staff_of
from tests.engine.money_samples import ASSUME, H100, SERVER
from tests.told import told

REFERENCE = ASSUME.override(
    {
        "onprem.network_share": 0.19 / 0.81,
        "onprem.busy_load": 0.75,
        "onprem.idle_load": 0.75,
        "onprem.least_fte": 1.0,
        "onprem.nodes_per_fte": 1e9,
        "onprem.few_nodes_per_fte": 1.0,
    }
)


def purchase(**changes: Any) -> CostModel:
    """Eight servers of 270,000 USD for five years at 80 %, changed."""
    plain: dict[str, Any] = {
        "system": SERVER,
        "nodes": 8,
        "devices": 64,
        "hours_needed": 64 * 8760 * 5 * 0.8,
        "horizon_months": 60.0,
        "utilisation": 0.8,
        "start": date(2027, 1, 1),
        "assume": REFERENCE,
    }
    return bought(**{**plain, **changes})


def test_the_reference_cluster_costs_what_the_hand_calculation_says() -> None:
    """The hand calculation knows neither freight nor removal."""
    model = purchase(assume=REFERENCE.override({"onprem.freight_share": 0.0, "onprem.disposal_per_rack_unit": 0.0}))
    assert amount_of(model, "capex") == 2879466.67
    assert amount_of(model, "capital_year") == pytest.approx(712431.11, abs=0.02)
    assert amount_of(model, "energy_year") == 69694.56
    assert amount_of(model, "maintenance_year") == 108000.00
    assert amount_of(model, "cost_year") == pytest.approx(1096125.67, abs=0.02)
    assert amount_of(model, "usd_per_used_hour") == pytest.approx(2.4439, abs=0.0001)


def test_work_that_uses_all_hours_carries_all_cost() -> None:
    model = purchase()
    assert amount_of(model, "own_share") == pytest.approx(1.0)
    assert total_of(model) == pytest.approx(5 * amount_of(model, "cost_year"), abs=0.05)


def test_work_carries_its_hours_at_the_used_rate() -> None:
    model = purchase(hours_needed=100_000.0)
    assert total_of(model) == pytest.approx(100_000 * amount_of(model, "usd_per_used_hour"), rel=1e-6)


def test_one_job_without_a_horizon_pays_the_whole_purchase() -> None:
    model = purchase(hours_needed=64 * 24 * 21.0, horizon_months=0.0)
    assert amount_of(model, "purchase") == amount_of(model, "capex")
    assert amount_of(model, "residual_value") == 0.0
    assert total_of(model) > amount_of(model, "capex")


def test_a_short_horizon_costs_more_per_hour_than_a_long_one() -> None:
    rates = [amount_of(purchase(horizon_months=months), "usd_per_used_hour") for months in (12.0, 36.0, 60.0)]
    assert rates == sorted(rates, reverse=True)


def test_a_horizon_beyond_the_life_buys_again() -> None:
    model = purchase(horizon_months=120.0, hours_needed=64 * 8760 * 10 * 0.8)
    assert amount_of(model, "purchase") == pytest.approx(2 * amount_of(model, "capex"), abs=0.02)


def test_rented_space_replaces_the_power_bill() -> None:
    model = purchase(assume=REFERENCE.override({"onprem.hosted": 1.0}))
    assert amount_of(model, "energy_year") == 0.0
    assert amount_of(model, "hosting_year") == 8 * 10.2 * 150 * 12
    assert "hosted" not in [bar.name for bar in drivers(model)]


def test_capital_without_interest_is_straight_line() -> None:
    model = purchase(assume=REFERENCE.override({"onprem.wacc": 0.0}))
    left = (2_879_466.67 * 0.1) - 8 * 8 * 50  # a tenth of what is bought, without its freight, less the removal
    assert amount_of(model, "capital_year") == pytest.approx((amount_of(model, "capex") - left) / 5, abs=0.01)
    assert amount_of(model, "cost_of_capital") == pytest.approx(0.0, abs=0.05)


def test_owned_hardware_costs_energy_and_upkeep_but_no_capital() -> None:
    model = owned(
        device=H100, devices=16, hours_needed=16 * 100.0, start=date(2027, 1, 1), assume=ASSUME, system=SERVER
    )
    assert "capex" not in {line.kind for line in model.lines}
    assert amount_of(model, "energy") == 198.90  # 1,600 h × 1.275 kW × 0.75 × 1.3 × 0.10
    assert amount_of(model, "maintenance") == 308.22  # 1,600 h × 33,750 × 0.05 / 8,760
    assert amount_of(model, "staff") == 60.88  # 1,600 h / 8 / 75 × 200,000 / 8,760
    assert amount_of(model, "transit") == 68.49  # 100 h / 8,760 × 6,000
    assert total_of(model) == 636.49


def test_owned_hardware_without_a_listed_server_uses_the_device() -> None:
    model = owned(device=H100, devices=8, hours_needed=80.0, start=date(2027, 1, 1), assume=ASSUME)
    assert amount_of(model, "kwh") == pytest.approx(80 * 0.7 * 1.82 * 0.75 * 1.3)


def test_bought_hardware_is_converted_line_by_line() -> None:
    dollars = purchase()
    model = model_in(dollars, Currency(code="EUR", rate=0.9, date="2026-12-01"), date(2027, 1, 1))
    assert total_of(model) == pytest.approx(total_of(dollars) * 0.9, abs=0.01 * len(model.lines))
    assert amount_of(model, "capex") == pytest.approx(amount_of(dollars, "capex") * 0.9, abs=0.03)
    hour = next(line for line in model.lines if line.name == "usd_per_used_hour")
    assert (hour.unit, hour.amount) == ("EUR/h", pytest.approx(amount_of(dollars, "usd_per_used_hour") * 0.9, rel=1e-5))
    paid = sum(payments(model).values())
    assert sum(month.opex + month.capex for month in model.cash) == pytest.approx(paid, abs=1e-6)


def test_break_even_is_where_both_cost_the_same() -> None:
    point = break_even(
        cloud_per_accelerator_hour=6.88, system=SERVER, nodes=8, devices=64, utilisation=0.6, assume=ASSUME
    )
    assert point.utilisation is not None
    at_break_even = purchase(utilisation=point.utilisation, assume=ASSUME)
    assert amount_of(at_break_even, "usd_per_used_hour") == pytest.approx(6.88, rel=1e-3)
    assert "no demand beyond this work" in told(point.told)
    assert point.owning_pays is None


def test_cheap_rental_is_never_beaten() -> None:
    point = break_even(
        cloud_per_accelerator_hour=0.5, system=SERVER, nodes=8, devices=64, utilisation=0.6, assume=ASSUME
    )
    assert point.utilisation is None
    assert "any utilisation" in told(point.told)


def test_faster_owned_hardware_lowers_the_break_even() -> None:
    plain: dict[str, Any] = {"system": SERVER, "nodes": 8, "devices": 64, "utilisation": 0.6, "assume": ASSUME}
    even = break_even(cloud_per_accelerator_hour=4.0, **plain)
    faster = break_even(cloud_per_accelerator_hour=4.0, throughput_ratio=1.5, **plain)
    assert even.utilisation is not None
    assert faster.utilisation is not None
    assert faster.utilisation < even.utilisation


def test_the_price_of_the_server_drives_the_cost() -> None:
    names = [bar.name for bar in drivers(purchase(assume=ASSUME))]
    assert "price_per_server" in names[:4]
    band = banded(purchase(assume=ASSUME), seed=1)
    assert band.low < band.expected < band.high


@pytest.mark.parametrize("name", ["nodes", "devices", "hours_needed", "utilisation"])
@pytest.mark.parametrize("value", [0, -1, math.nan])
def test_impossible_numbers_are_refused_by_name(name: str, value: float) -> None:
    with pytest.raises(CostError, match=name):
        purchase(**{name: value})


def test_a_server_without_a_price_is_refused() -> None:
    with pytest.raises(CostError, match="price_low_usd"):
        purchase(system=replace(SERVER, price_low_usd=0.0))


def test_staff_follows_the_number_of_servers() -> None:
    """Their share of a person while they are few, the least staff of a cluster, then by number; never less for more."""
    people = [
        amount_of(purchase(nodes=nodes, devices=8 * nodes, assume=ASSUME), "staff_fte") for nodes in range(1, 200)
    ]
    assert people == sorted(people)
    assert people[0] == pytest.approx(1 / 15)
    assert people[1] == pytest.approx(2 / 15)
    assert people[7] == people[30] == 0.5
    assert people[149] == pytest.approx(2.0)
    for nodes, each in enumerate(people, start=1):
        assert staff_of(nodes, ASSUME) == pytest.approx(each)


def test_one_server_needs_no_network_among_servers() -> None:
    """Its accelerators are joined inside it; two and more are a cluster, and a share that the request sets counts in any case."""
    one, two = (purchase(nodes=nodes, devices=8 * nodes, assume=ASSUME) for nodes in (1, 2))
    assert amount_of(one, "network") == 0.0
    assert amount_of(two, "network") == pytest.approx(amount_of(two, "server_cost") * ASSUME["onprem.network_share"])
    said = purchase(nodes=1, devices=8, assume=ASSUME.override({"onprem.network_share": 0.04}))
    assert amount_of(said, "network") == pytest.approx(amount_of(said, "server_cost") * 0.04)


def test_installation_follows_the_rack_units() -> None:
    rack = purchase(system=replace(SERVER, rack_units=48.0), nodes=1, devices=72)
    assert amount_of(rack, "installation") == 48 * 625


@pytest.mark.parametrize("nodes", [1, 2, 10])
def test_what_stands_on_a_desk_needs_no_rack_no_line_and_a_share_of_a_person(nodes: int) -> None:
    desk = replace(SERVER, rack_units=0.0, devices=1, price_low_usd=4000.0, price_high_usd=5000.0, max_power_w=145.0)
    apart = {"assume": ASSUME, "around": Around(joined=False), "nodes": nodes, "devices": nodes}
    model = purchase(system=desk, **apart)
    for line in ("installation", "network", "transit"):
        assert amount_of(model, line) == 0.0, line
    assert amount_of(model, "staff_fte") == pytest.approx(nodes / 80)
    assert amount_of(model, "cost_year") < amount_of(model, "server_cost")
    paid = purchase(system=desk, **{**apart, "assume": ASSUME.override({"onprem.transit_usd_year": 900.0})})
    assert amount_of(paid, "transit_year") == 900.0


def test_computers_that_work_on_one_job_together_are_a_cluster() -> None:
    desk = replace(SERVER, rack_units=0.0, devices=1)
    model = purchase(system=desk, nodes=8, devices=8, assume=ASSUME)
    assert amount_of(model, "network") > 0
    assert amount_of(model, "transit") > 0
    assert amount_of(model, "staff_fte") == 0.5


def test_an_owned_computer_on_a_desk_pays_no_line_of_its_own() -> None:
    desk = replace(SERVER, rack_units=0.0, devices=1)
    model = owned(device=H100, devices=1, hours_needed=8760.0, start=date(2027, 1, 1), assume=ASSUME, system=desk)
    assert amount_of(model, "transit") == 0.0
    assert amount_of(model, "staff") == 200_000 / 80


def test_textbook_annuity_and_break_even() -> None:
    assert annuity(300_000, rate=0.1, years=3, residual=0.2) == pytest.approx(102507.55, abs=0.01)
    assert annuity(300_000, rate=0.0, years=3, residual=0.2) == pytest.approx(80_000)
    assert break_even_hours(833_806, owned_per_hour=0.87, rented_per_hour=98.32) == pytest.approx(8556.2, abs=0.1)
    assert break_even_hours(1.0, owned_per_hour=2.0, rented_per_hour=1.0) == math.inf


@pytest.mark.parametrize("months", [6.0, 24.0, 48.0, 90.0])
def test_a_service_typed_to_other_months_is_the_service_of_these_months(months: float) -> None:
    """Its hours, the years of demand, how long servers are held and what is left of them follow from one number."""

    def of(length: float) -> CostModel:
        around = Around(stored_gb=500.0, months=length)
        return purchase(hours_needed=40_000.0 * length, horizon_months=length, around=around, cash=False)

    typed, asked = evaluate(of(30.0), {"months": months}), of(months)
    for line in asked.lines:
        assert typed[line.name] == pytest.approx(line.amount, rel=1e-9, abs=1e-9), line.name
    assert amount_of(asked, "accelerator_hours") == pytest.approx(40_000.0 * months)


@pytest.mark.parametrize("horizon", [14.0, 48.0, 130.0])
def test_a_horizon_typed_in_is_the_horizon_that_is_asked_for(horizon: float) -> None:
    """A run of over a year within it; a horizon that is shorter than the run lasts as long as that."""
    hours = {"hours_needed": 64 * 8760 * 1.5}
    typed = evaluate(purchase(horizon_months=30.0, cash=False, **hours), {"horizon_months": horizon})
    asked = purchase(horizon_months=horizon, cash=False, **hours)
    for line in asked.lines:
        assert typed[line.name] == pytest.approx(line.amount, rel=1e-9, abs=1e-9), line.name
    assert typed["horizon_years"] == max(horizon / 12, 1.5)
