"""A search is made once for everything that only ranks, and again for everything that changes physics."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planner.engine import remember
from planner.engine.hardware import Cluster
from tests.engine.devices import A100, H100


@pytest.fixture(autouse=True)
def _fresh() -> None:
    remember.forget()


CLUSTER = Cluster(device=H100, devices_per_node=8, nic_bandwidth=50e9, max_devices=64)


def test_the_same_key_is_made_once() -> None:
    made: list[int] = []
    for _ in range(3):
        remember.remembered("key", lambda: made.append(1))
    assert made == [1]


def test_old_results_are_forgotten() -> None:
    for number in range(remember.KEPT + 1):
        remember.remembered(number, str)
    again: list[int] = []
    remember.remembered(0, lambda: again.append(1))
    assert again == [1]


@pytest.mark.parametrize(
    "changed",
    [
        replace(CLUSTER, devices_per_node=4),
        replace(CLUSTER, nic_bandwidth=25e9),
        replace(CLUSTER, max_devices=128),
        replace(CLUSTER, device=A100),
        replace(CLUSTER, device=replace(H100, memory_bytes=141e9)),
        replace(CLUSTER, device=replace(H100, dense_flops={**H100.dense_flops, "bf16": 1e15})),
    ],
)
def test_other_physics_is_another_key(changed: Cluster) -> None:
    base = remember.search_key("training", "work", (CLUSTER,), {})
    assert remember.search_key("training", "work", (changed,), {}) != base
    assert remember.search_key("training", "work", (CLUSTER,), {"reliability.restart_s": 1.0}) != base
    assert remember.search_key("training", "other", (CLUSTER,), {}) != base
    assert remember.search_key("training", "work", (replace(CLUSTER),), {}) == base
