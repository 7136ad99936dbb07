"""No service runs into a queue that never ends: language models and samples, with a promise of either kind or none."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from engine.inputs.architecture import Architecture
from engine.kinds.service import ServingWork, describe, search, simulate
from engine.kinds.service.candidates import Candidate
from engine.kinds.service.capacity import alone, planned_share
from engine.kinds.service.disaggregated import run as run_pools
from engine.kinds.service.drawn import drawn, p95
from engine.kinds.service.outcome import ServingChoice
from engine.kinds.service.samples import _level, at_rate
from engine.kinds.service.tables import numbers_of, replica_of
from engine.physics.token.shape import shape_of
from tests.engine.devices import LLAMA_8B, NODES, T4_NODE
from tests.engine.serving_helpers import ASSUME, QWEN3_32B, RESNET50, service
from tests.told import told

ENCODER = Architecture(
    slug="encoder", name="Encoder", family="bert", layers=24, hidden=1024, heads=16, kv_heads=16, head_dim=64, ffn=4096,
    vocab=30522, positions=512, token_types=2,
)  # fmt: skip
COUNT = 12_000
SAMPLES = {
    "vision": RESNET50,
    "encoder": ENCODER,
    "diffusion": replace(RESNET50, modality="diffusion", generic_parameters=2.6e9, flops_per_sample=6e12),
    "speech": replace(RESNET50, modality="audio", generic_parameters=1.5e9, flops_per_sample=4e12),
}


def unpromised(seed: int) -> ServingWork:
    """A random service of a language model without a promised first token: long answers, long prompts, bursts."""
    random = Random(seed)
    return service(
        arch=random.choice([LLAMA_8B, QWEN3_32B]),
        requests_per_s=random.choice([0.3, 1.8, 2.0, 9.0]),
        input_tokens=random.choice([200.0, 2000.0, 20_000.0]),
        output_tokens=random.choice([100.0, 1000.0, 6000.0]),
        length_spread=random.choice([0.0, 0.5, 1.0]),
        burstiness=random.choice([1.0, 3.0]),
        ttft_p95_ms=0.0,
        tpot_p95_ms=random.choice([0.0, 30.0, 60.0]),
        framework=random.choice(["vllm", "tensorrt-llm"]),
        requests=500,
    )


def replica_for(work: ServingWork, choice: ServingChoice) -> simulate.Replica:
    """What was chosen, as the simulation sees it."""
    layout = choice.layout
    candidate = Candidate(
        cluster=choice.cluster, engine=choice.engine, precision=choice.precision, kv_precision=choice.kv_precision,
        tp=layout.tp, pp=layout.pp, ep=layout.ep, adp=layout.dp,
    )  # fmt: skip
    numbers = numbers_of(candidate, shape_of(work.arch), ASSUME)
    return replica_of(numbers, work, engine=choice.engine, assume=ASSUME)


def waits(work: ServingWork, choice: ServingChoice, count: int) -> simulate.Floats:
    """Seconds to the first token of so many requests at the peak, in order of arrival."""
    replica = replica_for(work, choice)
    requests = drawn(replace(work, seed=7), count=count)
    arrival = requests.arrival / (work.requests_per_s / choice.replicas)
    if choice.split:
        return run_pools(replica, choice.split, arrival=arrival, inputs=requests.inputs, outputs=requests.outputs).ttft
    return simulate.open_loop(replica, arrival=arrival, inputs=requests.inputs, outputs=requests.outputs).ttft


@pytest.mark.parametrize("seed", range(14))
def test_the_queue_of_a_language_model_does_not_grow(seed: int) -> None:
    work = unpromised(seed)
    choices = search(work, (NODES,), assume=ASSUME).choices
    assert choices
    choice = choices[0]
    detail = describe(work, choice, ASSUME)
    first, _, answer = alone(replica_for(work, choice), work, engine=choice.engine, assume=ASSUME)
    patience = max(10_000.0, 0.1 * answer.mean())
    assert detail.result.ttft_ms.p95.expected <= p95(first) + patience, "more than ten seconds and a tenth of an answer"
    assert detail.result.batch_at_peak <= detail.result.max_batch
    assert detail.result.utilisation < 1
    *early, late = np.array_split(waits(work, choice, COUNT), 6)
    lasted = COUNT / (work.requests_per_s / choice.replicas)
    assert late.mean() <= 2 * np.mean([part.mean() for part in early]) + 0.02 * lasted, "the queue grows"


@pytest.mark.parametrize("seed", range(14))
def test_no_service_is_given_more_than_it_can_do_less_the_headroom(seed: int) -> None:
    work = unpromised(seed)
    for choice in search(work, (NODES,), assume=ASSUME).choices:
        assert work.requests_per_s <= choice.replicas * choice.rate_per_replica
        if not work.tpot_p95_ms:
            share = work.requests_per_s / choice.replicas / choice.rate_per_replica
            assert share <= 1
    tight = search(work, (NODES,), assume=ASSUME.override({"serving.headroom": 0.4})).choices
    loose = search(work, (NODES,), assume=ASSUME.override({"serving.headroom": 0.01})).choices
    assert tight[0].accelerators >= loose[0].accelerators


@pytest.mark.parametrize("kind", SAMPLES)
@pytest.mark.parametrize("rate", [0.2, 5.0, 200.0])
@pytest.mark.parametrize("promise", [0.0, 20_000.0])
def test_samples_are_served_with_capacity_to_spare(kind: str, rate: float, promise: float) -> None:
    work = service(
        arch=SAMPLES[kind], requests_per_s=rate, input_tokens=400.0, ttft_p95_ms=promise, tpot_p95_ms=0.0,
        framework="auto",
    )  # fmt: skip
    choices = search(work, (NODES, replace(T4_NODE, max_devices=1024)), assume=ASSUME).choices
    assert choices
    for choice in choices:
        detail = describe(work, choice, ASSUME)
        device = choice.cluster.device
        one = at_rate(
            work, device, precision=choice.precision, level=_level(device), rate=rate / choice.replicas,
            most=choice.max_batch, assume=ASSUME,
        )  # fmt: skip
        assert one.rate * one.service_s / one.batch <= planned_share(ASSUME) + 1e-9
        assert detail.result.utilisation <= 1 + 1e-9
        assert detail.result.batch_at_peak <= detail.result.max_batch
        idle = at_rate(work, device, precision=choice.precision, level=_level(device), rate=1e-6, assume=ASSUME)
        whole = idle.service_s * 1e3
        longest = promise or min(whole * ASSUME["serving.unpromised_wait"], whole + max(10_000.0, whole / 10))
        assert detail.result.ttft_ms.p95.expected <= longest * (1 + 1e-6)
        assert bool(promise) != any("stays free at the peak" in line for line in map(told, detail.warnings))
