"""Pools for prompts and answers, drafts as a choice, local runtimes, engine factors, nearest measured rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from engine.inputs.hardware import Cluster
from engine.kinds.service import ServingChoice, ServingWork, describe, search
from engine.kinds.service.candidates import Candidate
from engine.kinds.service.capacity import capacity_rate, simulate_rate
from engine.kinds.service.disaggregated import MOST, Split, decode_rate, prefill_rate, split_for, transfer_time
from engine.kinds.service.load import Shares
from engine.kinds.service.measured import distance, measured_rows, nearest_rows
from engine.kinds.service.sizing import with_seed
from engine.kinds.service.tables import numbers_of, replica_of, traffic_of
from engine.physics.token.engines import comparison, engine_advice
from engine.physics.token.machine import ENGINES_OF_RUNTIME
from engine.physics.token.shape import shape_of
from engine.physics.token.step import single
from tests.engine.devices import H100, NODES, T4
from tests.engine.serving_helpers import ASSUME, QWEN3_32B, service
from tests.told import told

LONG = service(
    precision="fp8",
    requests_per_s=40.0,
    input_tokens=4000.0,
    output_tokens=300.0,
    ttft_p95_ms=2000.0,
    tpot_p95_ms=20.0,
    requests=800,
)
REPLICA = Candidate(cluster=NODES, engine="vllm", precision="fp8", kv_precision="fp8", tp=4, pp=1, ep=1, adp=1)
NUMBERS = numbers_of(REPLICA, shape_of(QWEN3_32B), ASSUME)
GEFORCE = replace(
    T4,
    slug="rtx-4090",
    name="NVIDIA GeForce RTX 4090",
    generation="ada",
    release_year=2022,
    memory_bytes=24 * 2**30,
    memory_bandwidth=1.008e12,
    dense_flops={"fp32": 82.6e12, "fp16": 165.2e12, "bf16": 165.2e12, "fp8": 330.3e12, "int8": 330.3e12},
)
MAC = replace(
    T4,
    slug="apple-m4-max",
    name="Apple M4 Max",
    vendor="Apple",
    generation="m4",
    runtime="metal",
    memory_bytes=48 * 2**30,
    memory_bandwidth=546e9,
    dense_flops={"fp32": 18e12, "fp16": 18e12},
)
DESK = service(
    precision="q4",
    requests_per_s=0.02,
    input_tokens=500.0,
    framework="auto",
    ttft_p95_ms=30_000.0,
    tpot_p95_ms=200.0,
    requests=100,
    spare_replicas=0,
)


def best(work: ServingWork, cluster: Cluster = NODES) -> ServingChoice:
    return search(work, (cluster,), assume=ASSUME).choices[0]


def test_rates_of_the_pools_match() -> None:
    s, t = single(NUMBERS), traffic_of(LONG, ASSUME)
    split = split_for(s, t, most=200.0, tpot_s=0.0176, bandwidth=300e9)
    assert split is not None
    prompts = split.prefill * prefill_rate(s, t)
    answers = split.decode * decode_rate(s, t, most=200.0, tpot_s=0.0176)
    assert 0.6 < prompts / answers < 1 / 0.6
    assert split.prefill <= MOST
    assert split.decode <= MOST


def test_the_cache_of_a_prompt_crosses_at_the_speed_of_the_links() -> None:
    s = single(NUMBERS)
    # 64 layers × 2 × 8 heads × 128 values in one byte, over four links of 10 GB/s
    assert transfer_time(s, 1000.0, 10e9) == pytest.approx(1000 * 64 * 2 * 8 * 128 / 40e9, rel=1e-6)


def test_without_links_or_pace_there_are_no_pools() -> None:
    s, t = single(NUMBERS), traffic_of(LONG, ASSUME)
    assert split_for(s, t, most=200.0, tpot_s=0.0176, bandwidth=0.0) is None
    assert split_for(s, t, most=200.0, tpot_s=1e-6, bandwidth=300e9) is None
    assert best(replace(LONG, tpot_p95_ms=0.0)).split is None


def test_pools_are_chosen_where_the_pace_binds_and_pay_there() -> None:
    choice = best(LONG)
    assert choice.split is not None
    assert choice.accelerators_per_replica == choice.split.replicas * choice.layout.tp
    together = simulated_rate(None) / 4
    assert choice.rate_per_replica / choice.accelerators_per_replica > 1.08 * together
    detail = describe(LONG, choice, ASSUME)
    assert detail.result.tpot_ms.p95.expected <= LONG.tpot_p95_ms
    assert detail.result.ttft_ms.p95.expected <= LONG.ttft_p95_ms
    assert any("pools of their own" in line for line in map(told, detail.warnings))
    assert sum(p.value for p in detail.memory.parts) == pytest.approx(detail.memory.capacity_gb)


def test_pools_hold_with_another_seed_and_ten_times_the_requests() -> None:
    choice = best(replace(LONG, requests=2000))
    again = describe(with_seed(LONG, seed=99, requests=20_000), choice, ASSUME)
    assert choice.split is not None
    assert again.result.ttft_ms.p95.expected <= LONG.ttft_p95_ms
    assert again.result.tpot_ms.p95.expected <= LONG.tpot_p95_ms


def simulated_rate(split: Split | None) -> float:
    replica = replica_of(NUMBERS, LONG, engine="vllm", assume=ASSUME)
    shares = Shares(ttft=0.88, tpot=0.88)
    return capacity_rate(replica, LONG, top=30.0, shares=shares, engine="vllm", assume=ASSUME, split=split)[0]


def test_answers_in_a_pool_of_their_own_keep_a_steadier_pace() -> None:
    replica = replica_of(NUMBERS, LONG, engine="vllm", assume=ASSUME)
    mixed, apart = (
        simulate_rate(replica, LONG, rate=rate, engine="vllm", assume=ASSUME, split=split)
        for rate, split in ((4.0, None), (8.0, Split(prefill=1, decode=1, transfer_s=0.001)))
    )
    assert apart.tpot.p95 / apart.tpot.p50 < mixed.tpot.p95 / mixed.tpot.p50


def test_drafts_are_left_out_where_they_cost_more_than_they_bring() -> None:
    eager = service(requests_per_s=400.0, tpot_p95_ms=0.0, ttft_p95_ms=4000.0, speculative_accepted=1.2, requests=400)
    assert best(eager).accepted == 0.0
    assert best(replace(eager, requests_per_s=1.0, speculative_accepted=2.5)).accepted == 2.5


@pytest.mark.parametrize("device", [GEFORCE, MAC])
def test_desks_are_offered_quantised_weights(device: object) -> None:
    cluster = Cluster(device=device, devices_per_node=1, nic_bandwidth=0.0, max_devices=1)  # type: ignore[arg-type]
    choice = best(DESK, cluster)
    assert choice.engine == "llama.cpp"
    assert choice.precision in ("q4", "q8")
    assert any("GGUF" in line for line in map(told, describe(DESK, choice, ASSUME).warnings))


def test_data_centres_are_not_offered_desk_runtimes() -> None:
    found = search(service(framework="auto"), (NODES,), assume=ASSUME)
    assert all(choice.engine != "llama.cpp" for choice in found.choices)


@pytest.mark.parametrize("runtime", sorted(ENGINES_OF_RUNTIME))
def test_engine_factors_have_interval_and_date(runtime: str) -> None:
    found = engine_advice(replace(H100, runtime=runtime), ENGINES_OF_RUNTIME[runtime][0])
    assert [one.engine for one in found if one.chosen] == [ENGINES_OF_RUNTIME[runtime][0]]
    assert {*ENGINES_OF_RUNTIME[runtime]} <= {one.engine for one in found}
    for one in found:
        assert 0 < one.low <= one.factor <= one.high
        assert one.date[:3] == "202"


def test_engines_are_compared_in_words() -> None:
    assert "TensorRT-LLM 1.37 (1.23–1.37, 2025-09)" in told(comparison(H100, "vllm"))
    assert comparison(replace(H100, runtime="neuron"), "neuron") == ()


def test_nearest_measured_rows_are_shown_nearest_first() -> None:
    choice = best(service())
    rows = nearest_rows(service(), choice)
    assert len(rows) == 3
    assert [one.distance for one in rows] == sorted(one.distance for one in rows)
    assert all(one.row.value > 0 and one.row.source for one in rows)
    least = min(distance(row, service(), choice) for row in measured_rows())
    assert rows[0].distance == pytest.approx(least, abs=0.01)


def test_a_row_of_the_same_configuration_is_at_no_distance() -> None:
    row = next(r for r in measured_rows() if r.accelerator == "h100-sxm5" and r.engine == "tensorrt-llm")
    choice = replace(best(service()), engine=row.engine, precision=row.precision, accelerators_per_replica=row.devices)
    arch = replace(QWEN3_32B, slug=row.model)
    work = service(arch=arch, input_tokens=row.input_tokens, output_tokens=row.output_tokens)
    far = distance(row, work, choice)
    assert far == pytest.approx(abs(np.log(row.active / arch.active_parameters)))
    assert not nearest_rows(replace(work, input_tokens=1e9), choice)


@pytest.mark.parametrize("ttft_p95_ms", [0.0, 20_000.0])
def test_pools_serve_no_more_prompts_than_they_can_digest(ttft_p95_ms: float) -> None:
    """Without a strict promise for the first token nothing held their queue back: pools were sized for twice what the
    peak of their accelerators allows, and the first token of an overloaded service came after half an hour."""
    work = replace(LONG, input_tokens=6000.0, output_tokens=60.0, ttft_p95_ms=ttft_p95_ms, tpot_p95_ms=12.0)
    pools = [choice for choice in search(work, (NODES,), assume=ASSUME).choices if choice.split is not None]
    assert pools
    for choice in pools:
        assert choice.split is not None
        peak = choice.split.prefill * choice.layout.tp * H100.dense_flops[choice.precision]
        assert choice.rate_per_replica * work.input_tokens * 2 * QWEN3_32B.parameters < 0.8 * peak
        assert describe(work, choice, ASSUME).result.ttft_ms.p95.expected < 20_000
