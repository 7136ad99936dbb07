"""Models that answer a sample at a time: batching, compilation, latency under the load that arrives."""

from __future__ import annotations

from dataclasses import replace

from planner.engine.serving.samples import at_rate, sample_of, server, service_time
from tests.engine.serving_helpers import ASSUME, H100, RESNET50, service

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
