"""Failures and checkpoints against published figures and the laws they must keep."""

from __future__ import annotations

import math
from typing import Any

import pytest

from engine.answer import Checkpoint
from engine.reliability import formulas as fm
from engine.reliability.checkpoints import FLEETS, CannotProgress, checkpoint_bytes, checkpoint_plan, saving_of
from tests.engine.money_samples import ASSUME
from tests.told import told


def plan(**changes: Any) -> Checkpoint:
    """Llama 3.1 70B on eight nodes for 500 hours, changed."""
    plain: dict[str, Any] = {
        "parameters_saved": 70.55e9,
        "optimizer": "adamw",
        "method": "pretrain",
        "devices": 64,
        "devices_per_node": 8,
        "nic_bandwidth_total": 8 * 400e9,
        "step_time_s": 11.8,
        "run_hours": 500.0,
        "spot_probability_per_month": 0.0,
        "instances": 8,
        "assume": ASSUME,
    }
    given = {**plain, **changes}
    words = {name: given.pop(name) for name in ("method", "provider") if name in given}
    return checkpoint_plan(saving_of(**given), assume=given["assume"], **words)


@pytest.mark.parametrize(("mtbf_min", "published"), [(24 * 60, 117.0), (6 * 60, 57.0), (15.0, 9.1)])
def test_daly_gives_his_published_optima(mtbf_min: float, published: float) -> None:
    assert fm.daly(5.0, mtbf_min) == pytest.approx(published, rel=0.006)


@pytest.mark.parametrize("ratio", [1e-12, 1e-6, 0.003, 0.1, 0.5, 2.0, 20.0, 40.0])
def test_the_exact_optimum_is_the_best_interval(ratio: float) -> None:
    interval = fm.exact_optimum(ratio, 1.0)
    best = fm.goodput(interval, write=ratio, mtbf=1.0)
    assert 0 < interval <= 1
    for other in (interval * 0.99, interval * 1.01):
        assert fm.goodput(other, write=ratio, mtbf=1.0) <= best * (1 + 1e-12)


def test_the_exact_optimum_nears_young_when_saving_is_cheap() -> None:
    assert fm.exact_optimum(1e-8, 1.0) == pytest.approx(fm.young(1e-8, 1.0), rel=1e-3)


def test_daly_gives_up_where_saving_takes_longer_than_failures() -> None:
    assert fm.daly(2.0, 1.0) == 1.0


def test_llama_3_fails_every_three_hours() -> None:
    mtbf_h = fm.mtbf(16_384, device_mtbf=65_000.0, job_hazard=0.071)
    assert mtbf_h == pytest.approx(3.09, rel=0.01)


def test_spot_hazard_gives_back_the_monthly_probability() -> None:
    hourly = fm.spot_hazard(0.2)
    assert 1 - math.exp(-hourly * 730) == pytest.approx(0.2)
    assert fm.spot_hazard(0.2, instances=8, burst=2.0) == pytest.approx(16 * hourly)


@pytest.mark.parametrize("probability", [-0.1, 1.0, math.nan])
def test_an_impossible_probability_is_refused(probability: float) -> None:
    with pytest.raises(ValueError, match="interruption probability"):
        fm.spot_hazard(probability)


def test_a_background_checkpoint_waits_for_its_write() -> None:
    interval, waste = fm.asynchronous(snapshot=6.0, persist=180.0, mtbf=10_800.0, restart=600.0)
    assert interval == pytest.approx(360.0)
    assert waste == pytest.approx(0.10556, abs=1e-5)
    assert fm.asynchronous(snapshot=6.0, persist=900.0, mtbf=10_800.0)[0] == 900.0


def test_two_levels_have_intervals_of_their_own() -> None:
    near, far = fm.two_level(near_write=2.0, near_hazard=1e-4, far_write=60.0, far_hazard=1e-6)
    assert near == pytest.approx(200.0)
    assert far == pytest.approx(math.sqrt(2 * 60 / 1e-6))


def test_spares_grow_with_the_fleet() -> None:
    few, many = (fm.spares_needed(nodes, mtbf=8000.0, repair=24.0) for nodes in (8, 2048))
    assert few == 1
    assert many > 6


def test_effective_training_time_is_metas_formula() -> None:
    ettr = fm.ettr_meta(nodes=256, failures_per_node_day=0.0065, restart_s=600.0, interval_s=3600.0, write_s=60.0)
    assert ettr == pytest.approx(0.93814, abs=1e-5)


def test_sizes_follow_the_optimizer() -> None:
    assert checkpoint_bytes(70.55e9, optimizer="adamw") == pytest.approx(987.7e9)
    assert checkpoint_bytes(1.0, optimizer="adam8bit") == 8.0
    with pytest.raises(ValueError, match="adamw"):
        checkpoint_bytes(1.0, optimizer="lion")


def test_the_plan_saves_in_whole_steps_near_the_optimum() -> None:
    found = plan()
    assert found.interval_s == pytest.approx(found.interval_steps * 11.8)
    optimum = fm.exact_optimum(found.write_s, found.mtbf_h * 3600)
    assert found.interval_s == pytest.approx(optimum, abs=11.8)
    assert found.size_gb == pytest.approx(987.7)
    assert found.storage_gb == pytest.approx(3 * 987.7)


def test_write_time_is_bound_by_the_narrowest_path() -> None:
    assert plan().write_s == pytest.approx(987.7e9 / (8 * 2e9))
    assert plan(nic_bandwidth_total=1e9).write_s == pytest.approx(987.7)
    assert plan(storage_bandwidth=100e9).write_s == pytest.approx(9.877)


def test_the_curve_has_its_lowest_point_at_the_plan() -> None:
    found = plan()
    lowest = min(found.curve, key=lambda point: point[1])
    assert lowest[0] == pytest.approx(found.interval_s, rel=0.2)
    assert found.curve[0][1] > lowest[1] < found.curve[-1][1]
    assert lowest[1] == pytest.approx(found.lost_share, abs=1e-3)


def test_the_goodput_band_holds_its_centre() -> None:
    share = plan().goodput
    assert 0 < share.low < share.expected < share.high <= 1
    assert plan().lost_share == pytest.approx(1 - share.expected)


def test_more_accelerators_and_spot_lose_more() -> None:
    large = plan(devices=4096, instances=512, nic_bandwidth_total=512 * 400e9)
    assert large.mtbf_h < plan().mtbf_h
    assert plan(spot_probability_per_month=0.2).goodput.expected < plan().goodput.expected


def test_background_writing_loses_less() -> None:
    background = ASSUME.override({"reliability.asynchronous": 1.0})
    assert plan(assume=background).lost_share < plan().lost_share


def test_fleets_differ_in_how_often_they_fail() -> None:
    found = {name: plan(assume=ASSUME.override(values)).mtbf_h for name, values in FLEETS.items()}
    assert found["new"] < found["mature"]


def test_the_sentence_says_minutes_steps_and_loss() -> None:
    found = plan(spot_probability_per_month=0.1)
    assert f"{found.interval_steps:,} steps" in told(found.told)
    assert "minutes" in told(found.told)
    assert "notice" in told(found.told)
    assert "adapters" in told(plan(method="lora", parameters_saved=1e8).told)


def test_adapters_are_saved_far_more_often_than_the_whole_state() -> None:
    assert plan(method="lora", parameters_saved=1e8).write_s < 0.1


def test_a_job_that_cannot_progress_is_refused() -> None:
    with pytest.raises(CannotProgress):
        plan(devices=100_000, devices_per_node=8, nic_bandwidth_total=1e8, instances=12_500)


def test_a_run_shorter_than_its_interval_saves_at_its_end() -> None:
    found = plan(run_hours=0.1)
    assert found.interval_s <= 0.1 * 3600 + 11.8


def test_steps_longer_than_the_optimum_are_each_saved() -> None:
    assert plan(step_time_s=10_000.0).interval_steps == 1


@pytest.mark.parametrize("name", ["step_time_s", "run_hours", "parameters_saved"])
@pytest.mark.parametrize("value", [0.0, -1.0, math.nan, math.inf])
def test_impossible_numbers_are_refused(name: str, value: float) -> None:
    with pytest.raises(ValueError, match="finite number above zero"):
        plan(**{name: value})
