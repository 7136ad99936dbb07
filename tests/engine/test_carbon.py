"""Energy and emissions, worked out by hand."""

from __future__ import annotations

import math

import pytest

from engine.answer import Estimate
from engine.inputs.finding import Finding, Ref, finding
from engine.money.carbon import energy, intensity
from tests.engine.money_samples import ASSUME, H100, SERVER
from tests.told import told


def grid(country: str) -> Finding:
    return finding("grid.country", country=Ref("country", country))


def test_energy_is_power_load_hours_and_pue() -> None:
    found = energy(
        device=H100, devices=64, hours=100.0, g_per_kwh=369.0, grid=grid("USA"), assume=ASSUME, system=SERVER
    )
    assert found.kwh.expected == pytest.approx(64 * 1.275 * 0.75 * 100 * 1.25)  # 7,650 kWh
    assert found.kg_co2e is not None
    assert found.kg_co2e.expected == pytest.approx(7650 * 0.369)
    assert told(found.grid) == "Grid of United States, location-based"


def test_without_a_server_the_device_tells_the_power() -> None:
    found = energy(device=H100, devices=1, hours=1.0, g_per_kwh=None, grid=finding("grid.unknown"), assume=ASSUME)
    assert found.kwh.expected == pytest.approx(0.7 * 1.82 * 0.75 * 1.25)


def test_an_unknown_grid_is_said_and_not_assumed() -> None:
    found = energy(device=H100, devices=8, hours=1.0, g_per_kwh=None, grid=finding("grid.unknown"), assume=ASSUME)
    assert found.kg_co2e is None
    assert found.grid.code == "grid.unknown"


def test_the_band_carries_the_hours() -> None:
    exact = energy(device=H100, devices=8, hours=10.0, g_per_kwh=100.0, grid=grid("FRA"), assume=ASSUME)
    wide = energy(
        device=H100,
        devices=8,
        hours=Estimate(low=5.0, expected=10.0, high=20.0, unit="h"),
        g_per_kwh=100.0,
        grid=grid("FRA"),
        assume=ASSUME,
    )
    assert wide.kwh.low < exact.kwh.low < exact.kwh.expected < exact.kwh.high < wide.kwh.high


def test_making_the_hardware_is_a_small_share() -> None:
    found = energy(device=H100, devices=8, hours=43_800.0, g_per_kwh=369.0, grid=grid("USA"), assume=ASSUME)
    assert found.embodied_kg == pytest.approx(8 * 164.0)
    assert found.kg_co2e is not None
    assert found.embodied_kg is not None
    assert found.embodied_kg / found.kg_co2e.expected < 0.02


def test_water_counts_the_servers_alone() -> None:
    found = energy(device=H100, devices=8, hours=10.0, g_per_kwh=1.0, grid=grid("ISL"), assume=ASSUME)
    assert found.water_l == pytest.approx(found.kwh.expected / 1.25 * 1.8)


def test_a_region_goes_before_its_country() -> None:
    table = {"us-west-2": 120.0, "USA": 369.0}
    assert intensity(table, region="us-west-2", country="USA") == 120.0
    assert intensity(table, region="us-east-1", country="USA") == 369.0
    assert intensity(table, region="x", country="") is None


@pytest.mark.parametrize("hours", [0.0, -1.0, math.nan, math.inf])
def test_impossible_hours_are_refused(hours: float) -> None:
    with pytest.raises(ValueError, match="above zero"):
        energy(device=H100, devices=8, hours=hours, g_per_kwh=1.0, grid=grid("FRA"), assume=ASSUME)
