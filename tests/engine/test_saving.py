"""Ways of saving: each reachable by an assumption, each priced in time, the better ones named."""

from __future__ import annotations

import math

import pytest

from engine.answer import Checkpoint
from engine.inputs.assumptions import Assumptions
from engine.physics.profile import FRAMEWORKS
from engine.reliability import formulas as fm
from engine.reliability.checkpoints import saving_of
from engine.reliability.saving import WAYS, Job, differential, in_background, kept_bytes, pace_of
from engine.reliability.writers import BACKGROUND_WRITERS, background_writer
from tests.engine.money_samples import ASSUME
from tests.engine.test_reliability import plan
from tests.told import told
from voice.terms import SOFTWARE

LARGE = {"devices": 1024, "instances": 128, "nic_bandwidth_total": 128 * 400e9}
JOB = Job(
    size_bytes=1e12,
    devices=1024,
    nodes=128,
    nic_bandwidth_total=128 * 400e9,
    storage_bandwidth=0.0,
    spot_probability_per_month=0.0,
    instances=128,
)


def changed(**values: float) -> Assumptions:
    """The assumptions of reliability with those values."""
    return ASSUME.override({f"reliability.{name}": value for name, value in values.items()})


def saved(way: str, **changes: object) -> Checkpoint:
    """A job of 1,024 accelerators, saved that way."""
    return plan(**{**LARGE, **changes, "assume": ASSUME.override(WAYS[way])})


def test_each_way_loses_less_than_the_one_before() -> None:
    lost = [saved(way).lost_share for way in ("waiting", "background", "two_level")]
    assert lost == sorted(lost, reverse=True)
    assert lost[2] < 0.6 * lost[0]


def test_all_ways_stand_in_the_plan_and_one_is_chosen() -> None:
    for way in WAYS:
        found = saved(way)
        assert [one.key for one in found.ways] == list(WAYS)
        assert [one.key for one in found.ways if one.chosen] == [way]
        chosen = next(one for one in found.ways if one.chosen)
        assert (chosen.interval_s, chosen.lost_share) == (
            pytest.approx(found.interval_s),
            pytest.approx(found.lost_share),
        )


def test_a_single_node_has_no_neighbour() -> None:
    found = plan(devices=8, instances=1, nic_bandwidth_total=0.0, assume=ASSUME.override(WAYS["two_level"]))
    assert found.near_interval_s == 0.0
    assert [one.key for one in found.ways] == ["waiting", "background"]


def test_two_levels_have_the_intervals_of_their_own_failures() -> None:
    pace = pace_of(JOB, ASSUME.override(WAYS["two_level"]))
    assert pace.near is not None
    near_h, far_h = pace.near.share / pace.mtbf_s, (1 - pace.near.share) / pace.mtbf_s
    near, far = fm.two_level(
        near_write=pace.near.write_s, near_hazard=near_h, far_write=pace.blocked_s, far_hazard=far_h
    )
    assert pace.near_interval_s == pytest.approx(near)
    assert pace.optimum_s == pytest.approx(max(far, pace.write_s), rel=0.02)  # Young's beside the exact one
    waste = (
        pace.near.write_s / near
        + near_h * (near / 2 + pace.near.restart_s)
        + pace.blocked_s / far
        + far_h * (far / 2 + pace.restart_s)
    )
    assert 1 - pace.goodput(far) == pytest.approx(waste, rel=0.05)


def test_differential_checkpoints_write_less_and_read_more() -> None:
    some = changed(delta_share=0.1, full_every=10)
    assert differential(some) == (pytest.approx(0.19), pytest.approx(1.45))  # (1 + 9 × 0.1) / 10, 1 + 9 / 2 × 0.1
    assert kept_bytes(1e12, 3, some) == pytest.approx(3.9e12)
    full, less = pace_of(JOB, ASSUME), pace_of(JOB, some)
    assert less.write_s == pytest.approx(0.19 * full.write_s)
    assert less.restart_s == pytest.approx(full.restart_s + 0.45 * full.write_s)
    found = plan(**LARGE, assume=some)
    assert found.full_every == 10
    assert found.lost_share < plan(**LARGE).lost_share
    assert "One checkpoint in 10 is full" in told(found.told)


def test_full_checkpoints_are_the_default() -> None:
    assert differential(ASSUME) == (1.0, 1.0)
    assert kept_bytes(5.0, 3, ASSUME) == 15.0
    assert plan().full_every == 1


def test_what_is_lost_is_said_in_hours_and_the_bandwidth_in_bytes() -> None:
    found = plan(run_hours=100.0)
    wall = 100.0 / found.goodput.expected
    assert found.lost_accelerator_hours == pytest.approx(64 * (wall - 100.0), rel=1e-6)
    assert found.write_bandwidth == pytest.approx(found.size_gb * 1e9 / found.write_s)
    assert f"{found.lost_accelerator_hours:,.0f} accelerator-hours" in told(found.told)


def test_better_ways_are_named_and_worse_ones_are_not() -> None:
    assert "written in the background" in told(saved("waiting").told)
    assert "What other ways" not in told(saved("two_level").told)
    assert "written while training goes on" in told(saved("background").told)
    assert "a copy goes to another node's memory" in told(saved("two_level").told)
    assert "What other ways" not in told(plan(method="lora", parameters_saved=1e8).told)


def test_training_waits_only_where_its_framework_has_no_writer() -> None:
    waits = {name for name in FRAMEWORKS if not background_writer(name)}
    assert waits == {"deepspeed", "deepspeed-2023", "torchrec"}
    found = {name: plan(**LARGE, framework=name) for name in FRAMEWORKS}
    assert {name for name, one in found.items() if one.way == "waiting"} == waits
    for name, one in found.items():
        assert [way.key for way in one.ways if way.chosen] == [one.way], "the plan's way is marked among the others"
        assert ("waits for storage, since" in told(one.told)) == (name in waits)
        assert SOFTWARE.get(background_writer(name), "") in told(one.told)
    assert found["deepspeed"].lost_share > found["megatron"].lost_share


def test_what_a_request_says_about_waiting_counts_more_than_the_framework() -> None:
    for framework in ("megatron", "deepspeed"):
        assert saved("waiting", framework=framework).way == "waiting"
        assert "since this framework" not in told(saved("waiting", framework=framework).told), "it was asked for"
        assert saved("background", framework=framework).way == "background"
    only_near = ASSUME.override({"reliability.two_level": 1.0})
    assert in_background(JOB, only_near), "who copies to a neighbour has an engine that need not wait"
    assert plan(**LARGE, assume=only_near, framework="deepspeed").near_interval_s > 0


@pytest.mark.parametrize("devices", [8, 64, 1024, 8192, 65_536])
@pytest.mark.parametrize("framework", [*BACKGROUND_WRITERS, "deepspeed"])
def test_saving_never_costs_more_than_the_failures_it_insures(devices: int, framework: str) -> None:
    """Llama 3.1 405B over a month: what blocks training is less than the work that failures would repeat without it."""
    hours = 720.0
    found = saving_of(
        parameters_saved=405.9e9, optimizer="adamw", devices=devices, devices_per_node=8, nic_bandwidth_total=devices * 50e9,
        step_time_s=8.0, run_hours=hours, spot_probability_per_month=0.0, instances=max(devices // 8, 1), assume=ASSUME,
        framework=framework,
    )  # fmt: skip
    pace = found.pace
    saving_s = hours * 3600.0 / found.interval_s * pace.blocked_s
    failures = hours * 3600.0 / found.goodput.expected / pace.mtbf_s
    insured_s = failures * min(found.interval_s / 2.0 + pace.restart_s, hours * 3600.0)
    assert saving_s < insured_s


def test_silent_corruption_is_told_where_it_costs_and_asks_for_an_older_checkpoint() -> None:
    assert "computes wrong" not in told(plan(devices=256, instances=32).told)
    found = plan(devices=16_384, instances=2048, nic_bandwidth_total=2048 * 400e9)
    assert "computes wrong" in told(found.told)
    assert f"{math.ceil(4 * 3600 / found.interval_s) + 1} intervals back" in told(found.told)


def test_a_background_write_bounds_the_interval_from_below() -> None:
    slow = saved("background", storage_bandwidth=2e8)
    assert slow.interval_s >= slow.write_s - 11.8
    assert math.isclose(slow.interval_s, slow.interval_steps * 11.8)
