"""Models that answer a sample at a time: batching, compilation, latency under the load that arrives."""

from __future__ import annotations

from dataclasses import replace

import pytest

from planner.engine.serving.samples import _latency, at_rate, sample_of, server, service_time
from tests.engine.devices import H100
from tests.engine.serving_helpers import ASSUME, RESNET50, service

WORK = service(arch=RESNET50, requests_per_s=1000.0, ttft_p95_ms=30.0, tpot_p95_ms=0.0, framework="auto")


def rate(batching: str, level: str = "tensorrt") -> float:
    return server(WORK, H100, precision="fp16", level=level, batching=batching, assume=ASSUME).rate


def test_batching_raises_the_rate_that_holds_the_promise() -> None:
    assert rate("dynamic") > 3 * rate("none")
    assert rate("dynamic") >= rate("static")


def test_compilation_raises_the_rate() -> None:
    assert rate("dynamic", "eager") < rate("dynamic", "compiled") < rate("dynamic", "tensorrt")


def test_a_larger_batch_takes_longer_but_less_for_each_sample() -> None:
    sample = sample_of(RESNET50, 1.0, ASSUME)
    one, many = (
        service_time(sample, H100, precision="fp16", batch=b, level="tensorrt", assume=ASSUME) for b in (1, 64)
    )
    assert one < many < 64 * one


def test_little_load_is_answered_by_single_samples() -> None:
    quiet = at_rate(WORK, H100, precision="fp16", level="tensorrt", rate=1.0, assume=ASSUME)
    busy = at_rate(WORK, H100, precision="fp16", level="tensorrt", rate=20_000.0, assume=ASSUME)
    assert quiet.batch == 1
    assert busy.batch > 1
    assert quiet.latency_ms[1] < busy.latency_ms[1]


def test_a_diffusion_sample_is_many_passes() -> None:
    image = replace(RESNET50, modality="diffusion")
    assert sample_of(image, 1.0, ASSUME).operations == 30 * sample_of(RESNET50, 1.0, ASSUME).operations


LATENCIES = {"none": (1, "none"), "static": (16, "static"), "dynamic": (16, "dynamic")}


def p95(batching: str, share: float) -> float:
    """Latency [s] of a server of ResNet-50 at that share of what it can do in batches of sixteen."""
    batch, kind = LATENCIES[batching]
    sample = sample_of(RESNET50, 1.0, ASSUME)
    seconds, full = (
        service_time(sample, H100, precision="fp16", batch=size, level="tensorrt", assume=ASSUME)
        for size in (batch, 16)
    )
    return _latency(batch, seconds, share * 16 / full, kind)[1]


def test_a_static_batch_waits_until_it_is_full_at_little_load() -> None:
    """A dynamic batch takes what waits; a static one of sixteen waits for fifteen others."""
    assert p95("static", 0.05) > 2 * p95("dynamic", 0.05)
    assert p95("static", 0.7) == pytest.approx(p95("dynamic", 0.7), rel=0.5)


def test_single_samples_are_quickest_while_the_load_is_small() -> None:
    assert p95("none", 0.02) < p95("dynamic", 0.02) < p95("static", 0.02)


@pytest.mark.parametrize("batching", ["none", "static", "dynamic"])
@pytest.mark.parametrize("level", ["eager", "compiled", "tensorrt"])
def test_every_level_and_way_of_batching_holds_its_promise(batching: str, level: str) -> None:
    one = server(WORK, H100, precision="fp16", level=level, batching=batching, assume=ASSUME)
    assert one.rate > 0
    assert one.latency_ms[0] <= one.latency_ms[1] <= one.latency_ms[2]
    assert one.latency_ms[1] <= WORK.ttft_p95_ms
    assert one.batch == 1 or batching != "none"


def test_a_closed_loop_of_one_client_gets_one_sample_after_the_other() -> None:
    """One sample in flight: the rate is the reciprocal of its service time, which no open loop may exceed."""
    sample = sample_of(RESNET50, 1.0, ASSUME)
    alone = service_time(sample, H100, precision="fp16", batch=1, level="tensorrt", assume=ASSUME)
    single = server(
        replace(WORK, ttft_p95_ms=0.0), H100, precision="fp16", level="tensorrt", batching="none", assume=ASSUME
    )
    assert 0.5 / alone < single.rate < 1 / alone
