"""The tables of docs/cost-model.md are what the engine says, and they are on that page."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from planner.engine.cost import amount_of, rented_serving, rented_training
from planner.engine.reliability import checkpoint_plan
from planner.engine.rented import DataStore
from planner.engine.result import CostModel
from tests.engine.money_samples import ASSUME, days, offer

PAGE = (Path(__file__).resolve().parents[2] / "docs/cost-model.md").read_text(encoding="utf-8")
START = date(2027, 1, 11)


def training() -> CostModel:
    """The training of the page."""
    hours = 3753 * 49.0137 / 3600
    return rented_training(
        offer=offer(option="spot", usd_per_hour=6.836),
        nodes=8,
        days=days(hours / 0.956975 / 24),
        goodput=0.956975,
        storage_gb=2963.26,
        dataset=DataStore(
            gb=60.0,
            place="object storage",
            size_source="15 billion tokens × 4 bytes",
            usd_per_gb_month=0.023,
            low=0.018,
            high=0.026,
            price_source="data.object_usd_per_tb_month",
        ),
        egress_gb=141.107,
        runs=1,
        experiment_overhead=0.0,
        start=START,
        horizon_months=0.0,
        assume=ASSUME,
    )


def serving() -> CostModel:
    """The service of the page."""
    return rented_serving(
        offer=offer(),
        nodes_by_hour=[2.0] * 8 + [3.0] * 8 + [5.0] * 8,
        nodes_peak=5,
        months=12.0,
        egress_gb_month=150.0,
        storage_gb=131.0,
        start=START,
        assume=ASSUME,
    )


@pytest.mark.parametrize(
    ("line", "amount"),
    [("compute", 2920.01), ("storage", 4.99), ("dataset", 0.10), ("egress", 12.70), ("total", 2937.80)],
)
def test_the_training_of_the_page(line: str, amount: float) -> None:
    assert amount_of(training(), line) == amount
    assert f"{amount:,.2f}" in PAGE


@pytest.mark.parametrize(
    ("line", "amount"),
    [
        ("compute", 1607168.00),
        ("balancer", 300.00),
        ("gateway", 3000.00),
        ("registry", 1440.00),
        ("monitoring", 1200.00),
        ("storage", 36.16),
        ("egress", 162.00),
        ("total", 1613306.16),
        ("monthly", 134442.18),
    ],
)
def test_the_service_of_the_page(line: str, amount: float) -> None:
    assert amount_of(serving(), line) == amount
    assert f"{amount:,.2f}" in PAGE


def test_the_goodput_of_the_page() -> None:
    found = checkpoint_plan(
        parameters_saved=70.5537e9,
        optimizer="adamw",
        method="continue",
        devices=64,
        devices_per_node=8,
        nic_bandwidth_total=8 * 400e9,
        step_time_s=49.0137,
        run_hours=51.0968,
        spot_probability_per_month=0.08,
        instances=8,
        assume=ASSUME,
    )
    assert found.interval_steps == 68
    assert found.mtbf_h == pytest.approx(25.98, abs=0.01)
    assert found.goodput.expected == pytest.approx(0.956975, abs=2e-6)
