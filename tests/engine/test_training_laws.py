"""Laws that hold whatever the coefficients: more of a good thing never hurts."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.inputs.architecture import Architecture
from engine.inputs.hardware import Cluster, Device
from engine.kinds.training.best import search
from tests.engine.devices import A100, H100, LLAMA_8B, LLAMA_70B, QWEN_MOE
from tests.engine.training_helpers import ASSUME, work

SLOW = settings(max_examples=12, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
DEVICES = st.sampled_from([H100, A100])
MODELS = st.sampled_from([LLAMA_8B, LLAMA_70B, QWEN_MOE])
FACTORS = st.floats(1.0, 8.0)


def times(device: Device, arch: Architecture, nic: float = 25e9) -> dict[int, float]:
    """Best step time by count on up to eight nodes."""
    cluster = Cluster(device=device, devices_per_node=8, nic_bandwidth=nic, max_devices=64)
    rows = search(work(arch, sequence_length=4096), [cluster], max_count=64, assume=ASSUME).rows
    return dict(zip(rows.count.tolist(), rows.run_time_s.tolist(), strict=True))


def never_slower(better: dict[int, float], worse: dict[int, float]) -> bool:
    # Rounding the number of steps to whole ones may cost one step.
    return set(worse) <= set(better) and all(better[count] <= worse[count] * 1.002 for count in worse)


@SLOW
@given(device=DEVICES, arch=MODELS, factor=FACTORS)
def test_more_memory_bandwidth_is_never_slower(device: Device, arch: Architecture, factor: float) -> None:
    faster = replace(device, memory_bandwidth=device.memory_bandwidth * factor)
    assert never_slower(times(faster, arch), times(device, arch))


@SLOW
@given(device=DEVICES, arch=MODELS, factor=FACTORS)
def test_more_network_is_never_slower(device: Device, arch: Architecture, factor: float) -> None:
    linked = replace(device, scaleup_bandwidth=device.scaleup_bandwidth * factor)
    assert never_slower(times(linked, arch, nic=25e9 * factor), times(device, arch))


@SLOW
@given(device=DEVICES, arch=MODELS, factor=FACTORS)
def test_more_memory_never_loses_a_candidate(device: Device, arch: Architecture, factor: float) -> None:
    larger = replace(device, memory_bytes=device.memory_bytes * factor)
    assert never_slower(times(larger, arch), times(device, arch))


@SLOW
@given(device=DEVICES, arch=MODELS, factor=FACTORS)
def test_more_arithmetic_is_never_slower(device: Device, arch: Architecture, factor: float) -> None:
    faster = replace(device, dense_flops={name: value * factor for name, value in device.dense_flops.items()})
    assert never_slower(times(faster, arch), times(device, arch))


@SLOW
@given(tokens=st.floats(1e9, 1e12), arch=MODELS)
def test_twice_the_tokens_take_twice_the_time_within_a_step(tokens: float, arch: Architecture) -> None:
    cluster = Cluster(device=H100, devices_per_node=8, nic_bandwidth=50e9, max_devices=64)
    once = search(work(arch, tokens=tokens), [cluster], max_count=64, assume=ASSUME).rows
    twice = search(work(arch, tokens=2 * tokens), [cluster], max_count=64, assume=ASSUME).rows
    for place in range(len(once)):
        assert twice.run_time_s[place] == pytest.approx(2 * once.run_time_s[place], abs=1.001 * once.step_time_s[place])
