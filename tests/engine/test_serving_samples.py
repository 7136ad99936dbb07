"""Models that answer a sample at a time: batching, compilation, latency under the load that arrives."""

from __future__ import annotations

from dataclasses import replace

import pytest

from catalog.presets import find_model
from engine.kinds.service import describe, search
from engine.kinds.service.samples import at_rate, latency_of, server, service_time
from engine.physics.samples import sample_of
from planner.market import market_from_files
from tests.engine.devices import H100, NODES
from tests.engine.serving_helpers import ASSUME, QWEN3_32B, RESNET50, service

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


def test_a_diffusion_sample_is_many_passes_with_the_text_and_without_it() -> None:
    image = replace(RESNET50, modality="diffusion")
    assert sample_of(image, 1.0, ASSUME).operations == 2 * 30 * sample_of(RESNET50, 1.0, ASSUME).operations


LATENCIES = {"none": (1, "none"), "static": (16, "static"), "dynamic": (16, "dynamic")}


def p95(batching: str, share: float) -> float:
    """Latency [s] of a server of ResNet-50 at that share of what it can do in batches of sixteen."""
    batch, kind = LATENCIES[batching]
    sample = sample_of(RESNET50, 1.0, ASSUME)
    seconds, full = (
        service_time(sample, H100, precision="fp16", batch=size, level="tensorrt", assume=ASSUME)
        for size in (batch, 16)
    )
    return latency_of(batch, seconds, share * 16 / full, kind)[1]


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


def test_a_recommender_reads_the_rows_it_looks_up_not_its_tables() -> None:
    """MLPerf Inference v5.1: 45,202 queries/s of about 270 pairs on one H100 are 12 million pairs/s (8-bit)."""
    arch = find_model("dlrm-dcnv2")
    work = replace(WORK, arch=arch, ttft_p95_ms=60.0)
    rate = server(work, H100, precision="fp16", level="tensorrt", batching="dynamic", assume=ASSUME).rate
    assert 12.2e6 / 4 < rate < 12.2e6 * 2
    assert arch.tables is not None
    twice = replace(arch, tables=replace(arch.tables, rows=arch.tables.rows // 2))
    sample, other = sample_of(arch, 1.0, ASSUME), sample_of(twice, 1.0, ASSUME)
    times = [
        service_time(one, H100, precision="fp16", batch=4096, level="tensorrt", assume=ASSUME)
        for one in (sample, other)
    ]
    assert times[0] == times[1]
    assert other.weights < sample.weights


@pytest.mark.parametrize(
    ("slug", "batch", "measured"),
    [("l4", 32, 5.50), ("l40s", 64, 18.26), ("h200-sxm", 256, 67.0), ("b200-sxm", 256, 90.7), ("b300-sxm", 256, 94.8)],
)
def test_speech_is_written_token_by_token(slug: str, batch: int, measured: float) -> None:
    """Whisper large-v3, segments of 30 s, samples/s of one accelerator: MLPerf Inference v5.1 and v6.0, Offline, FP16."""
    device = market_from_files().devices[slug]
    arch = find_model("whisper-large-v3")
    sample = sample_of(arch, 1.0, ASSUME)
    seconds = service_time(sample, device, precision="fp16", batch=batch, level="tensorrt", assume=ASSUME)
    assert measured / 2 < batch / seconds < measured * 2
    at_once = service_time(
        sample_of(replace(arch, decoder=None), 1.0, ASSUME),
        device,
        precision="fp16",
        batch=batch,
        level="tensorrt",
        assume=ASSUME,
    )
    assert seconds > 1.5 * at_once


def test_a_small_card_is_bound_by_what_decoding_reads() -> None:
    """A T4 has the memory rate of an L4, on which MLPerf measured 165 times real time: never 200 times, as was planned."""
    work = replace(WORK, arch=find_model("whisper-large-v3"), ttft_p95_ms=0.0)
    t4 = market_from_files().devices["t4"]
    rate = server(work, t4, precision="fp16", level="tensorrt", batching="dynamic", assume=ASSUME).rate
    assert 15.0 < 30.0 * rate < 165.0


def _warned(tokens: float) -> set[str]:
    encoder = replace(QWEN3_32B, slug="encoder", layers=24, hidden=1024, token_types=2, positions=512, max_sequence=0)
    work = service(
        arch=encoder, requests_per_s=200.0, input_tokens=tokens, output_tokens=1.0, tpot_p95_ms=0.0, framework="auto"
    )
    choice = search(work, (NODES,), assume=ASSUME).choices[0]
    return {item.code for item in describe(work, choice, ASSUME).warnings}


def test_an_encoder_says_that_it_cuts_a_long_text() -> None:
    """Texts of 8,000 tokens were planned as 512 without a word."""
    assert _warned(400.0) == set()
    assert _warned(8000.0) == {"warning.cut"}
