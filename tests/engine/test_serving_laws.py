"""Laws that a serving plan keeps whatever the numbers: more memory, tighter promises, vanishing load, other seeds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.inputs.hardware import Cluster
from engine.kinds.service import describe, search
from engine.kinds.service.candidates import Candidate
from engine.kinds.service.capacity import simulate_rate
from engine.kinds.service.closed_form import paces, steady
from engine.kinds.service.load import devices_of, shares_of
from engine.kinds.service.sizing import with_seed
from engine.kinds.service.tables import numbers_of, replica_of, traffic_of
from engine.physics.token.memory import sequences_that_fit
from engine.physics.token.shape import shape_of
from engine.physics.token.steady import first_token_time, token_time
from engine.physics.token.step import decode_time, pipeline_wait_time, single, stack
from tests.engine.devices import H100, MIXTRAL, NODES
from tests.engine.serving_helpers import ASSUME, QWEN3_32B, service

SHAPE = shape_of(QWEN3_32B)


def replica(*, tp: int = 2, memory: float = H100.memory_bytes, engine: str = "vllm") -> Candidate:
    cluster = replace(NODES, device=replace(H100, memory_bytes=memory))
    return Candidate(cluster=cluster, engine=engine, precision="fp8", kv_precision="fp8", tp=tp, pp=1, ep=1, adp=1)


def fewest(ttft: float, tpot: float) -> int:
    """Replicas of the best choice; a large number when none holds."""
    found = search(service(ttft_p95_ms=ttft, tpot_p95_ms=tpot, requests=300), (NODES,), assume=ASSUME)
    return min((c.accelerators for c in found.choices), default=10_000)


@settings(max_examples=50, deadline=None)
@given(memory=st.floats(20e9, 200e9), more=st.floats(0, 100e9), tp=st.sampled_from([1, 2, 4, 8]))
def test_more_memory_never_lowers_the_feasible_batch(memory: float, more: float, tp: int) -> None:
    context = np.asarray(1900.0)
    small = single(numbers_of(replica(tp=tp, memory=memory), SHAPE, ASSUME))
    large = single(numbers_of(replica(tp=tp, memory=memory + more), SHAPE, ASSUME))
    assert sequences_that_fit(large, context) >= sequences_that_fit(small, context)


@pytest.mark.parametrize(
    ("loose", "tight"), [((2000, 100), (800, 100)), ((800, 60), (800, 30)), ((800, 30), (400, 20))]
)
def test_a_tighter_promise_never_needs_fewer_accelerators(loose: tuple[int, int], tight: tuple[int, int]) -> None:
    assert fewest(*tight) >= fewest(*loose)


@settings(max_examples=40, deadline=None)
@given(batch=st.floats(1, 500), more=st.floats(0, 500), context=st.floats(1, 30_000))
def test_a_larger_batch_never_takes_a_shorter_step(batch: float, more: float, context: float) -> None:
    s = single(numbers_of(replica(), SHAPE, ASSUME))
    length = np.asarray(context)
    assert decode_time(s, np.asarray(batch + more), length) >= decode_time(s, np.asarray(batch), length)


def test_vanishing_load_gives_the_latency_of_one_request() -> None:
    work = service(requests_per_s=0.001, length_spread=0.0, requests=40)
    numbers = numbers_of(replica(), SHAPE, ASSUME)
    outcome = simulate_rate(
        replica_of(numbers, work, engine="vllm", assume=ASSUME), work, rate=1e-4, engine="vllm", assume=ASSUME
    )
    s, t = single(numbers), traffic_of(work, ASSUME)
    alone = float(decode_time(s, np.asarray(1.0), t.context)) * 1e3
    first = float(first_token_time(s, t, np.asarray(1.0))) * 1e3
    delivery = outcome.tpot.p50 * ASSUME["serving.first_steps.vllm"] + ASSUME["serving.first_ms.vllm"]
    assert outcome.tpot.p50 == pytest.approx(alone, rel=0.02)
    assert outcome.ttft.p50 == pytest.approx(first + delivery, rel=0.02)


def test_simulated_saturation_agrees_with_the_closed_form() -> None:
    """With every slot taken, tokens per second are batch ÷ time between tokens."""
    work = service(length_spread=0.0)
    candidate = replica(tp=1)
    numbers = numbers_of(candidate, SHAPE, ASSUME)
    s, t = single(numbers), traffic_of(work, ASSUME)
    shares = shares_of(devices_of([candidate.cluster.device]), work, ASSUME, prompt_ms=np.zeros(1))
    closed = steady(paces([candidate], stack([numbers]), work, ASSUME), work, shares)
    rate = float(closed.saturated[0]) * 0.9
    outcome = simulate_rate(
        replica_of(numbers, work, engine="vllm", assume=ASSUME), work, rate=rate, engine="vllm", assume=ASSUME
    )
    expected = float(token_time(s, t, np.asarray(outcome.batch))) * 1e3
    assert outcome.tpot.mean == pytest.approx(expected, rel=0.15)


def test_the_recommendation_holds_with_another_seed_and_ten_times_the_requests() -> None:
    work = service(requests=2000)
    best = search(work, (NODES,), assume=ASSUME).choices[0]
    again = describe(with_seed(work, seed=99, requests=20_000), best, ASSUME)
    assert again.result.ttft_ms.p95.expected <= work.ttft_p95_ms
    assert again.result.tpot_ms.p95.expected <= work.tpot_p95_ms


def test_experts_are_read_as_they_are_touched() -> None:
    """A mixture's step grows with the batch faster than a dense model's, until every expert is touched."""
    candidate = replica(tp=2)
    s = single(numbers_of(candidate, shape_of(MIXTRAL), ASSUME))
    one, eight, many = (float(decode_time(s, np.asarray(float(b)), np.asarray(100.0))) for b in (1, 8, 64))
    assert eight > 1.5 * one
    assert many < 2.5 * eight


def test_more_tensor_ranks_than_the_fabric_joins_use_the_host_bus() -> None:
    bridged = replace(H100, scaleup_domain=2)
    joined = single(numbers_of(replica(tp=4), SHAPE, ASSUME))
    cluster = Cluster(device=bridged, devices_per_node=8, nic_bandwidth=0.0, max_devices=8)
    wide = single(numbers_of(replace(replica(tp=4), cluster=cluster), SHAPE, ASSUME))
    assert float(wide.link) < float(joined.link)


def test_batches_in_a_pipeline_wait_for_the_stage_with_the_head() -> None:
    """A lonely sequence waits for nobody; with every stage busy, each further batch costs a step and a head."""
    flat = single(numbers_of(replica(tp=1), SHAPE, ASSUME))
    deep = single(numbers_of(replace(replica(tp=1), pp=4), SHAPE, ASSUME))
    one, many = np.asarray(1.0), np.asarray(512.0)
    assert pipeline_wait_time(flat, many, many) == 0
    assert pipeline_wait_time(deep, one, one) == 0
    assert pipeline_wait_time(deep, many, many) > 3 * deep.step_s


def test_small_exchanges_are_quicker_in_engines_with_kernels_of_their_own() -> None:
    new, old = (
        single(numbers_of(replica(tp=8, engine=engine), SHAPE, ASSUME))
        for engine in ("tensorrt-llm", "tensorrt-llm-2024")
    )
    assert new.link_latency < old.link_latency
    assert new.link == old.link
