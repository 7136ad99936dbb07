"""One choice wholly described: memory, where the time goes, percentiles at the peak, hours of a day, scaling."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from engine.answer import Autoscale, Estimate, Memory, Part, Percentiles
from engine.inputs.assumptions import Assumptions
from engine.inputs.finding import Finding, Quantity, Ref, finding
from engine.inputs.hardware import Device
from engine.inputs.named import device_ref, part
from engine.kinds.service.bounds import idle
from engine.kinds.service.candidates import Candidate
from engine.kinds.service.capacity import Percentile, Simulated, simulate_rate
from engine.kinds.service.choices import serving_replicas
from engine.kinds.service.load import longest_prompt, parts_of
from engine.kinds.service.outcome import ServingChoice, ServingDetail, ServingPhysics
from engine.kinds.service.samples import describe_samples
from engine.kinds.service.starting import start_seconds
from engine.kinds.service.steady_outcome import steady_rate
from engine.kinds.service.tables import delivery_ms, numbers_of, replica_of, traffic_of
from engine.kinds.service.unpromised import unpromised
from engine.kinds.service.work import ServingWork, is_batch
from engine.odds.serving import MEASURED_PLATFORMS, band, first_sigma, log_sigma
from engine.physics.token.machine import compute_share, exchange_rests_on, platform_of, weights_rest_on
from engine.physics.token.memory import sequence_bytes, sequences_that_fit, weight_bytes
from engine.physics.token.shape import shape_of
from engine.physics.token.steady import Traffic, first_token_time, token_time
from engine.physics.token.step import (
    Setup,
    cache_time,
    exchange_time,
    matrix_time,
    overhead_time,
    prefill_attention_time,
    prefill_time,
    single,
    stack,
)


def describe(
    work: ServingWork,
    choice: ServingChoice,
    assume: Assumptions,
    *,
    simulated: bool = True,
    whole: bool = True,
) -> ServingDetail:
    """Everything a plan says about the choice, money left out. Unless `simulated`, latencies are of the steady state;
    unless `whole`, what a normal day is like is left out, which a live panel does not show."""
    if not work.language:
        return describe_samples(work, choice, assume)
    work = replace(work, speculative_accepted=choice.accepted)
    candidate = Candidate(
        cluster=choice.cluster,
        engine=choice.engine,
        precision=choice.precision,
        kv_precision=choice.kv_precision,
        tp=choice.layout.tp,
        pp=choice.layout.pp,
        ep=choice.layout.ep,
        adp=choice.layout.dp,
    )
    numbers = numbers_of(candidate, shape_of(work.arch), assume)
    s, t = single(numbers), traffic_of(work, assume)
    rate = rate_of_replica(work, choice)
    if simulated:
        replica = replica_of(numbers, work, engine=choice.engine, assume=assume)
        outcome = simulate_rate(replica, work, rate=rate, engine=choice.engine, assume=assume, split=choice.split)
    else:
        outcome = steady_rate(s, work, rate=rate, most=choice.max_batch, engine=choice.engine, assume=assume)
    normal = _normal(s, numbers, work, choice, assume, simulated=simulated) if whole else None
    batch = min(max(outcome.batch, 1.0), float(choice.max_batch))
    share = input_share(s, t, batch)
    prompt = float(idle([candidate], stack([numbers]), work, assume).prompt_ms[0])
    return ServingDetail(
        layout=choice.layout,
        precision=choice.precision,
        kv_precision=choice.kv_precision,
        engine=choice.engine,
        memory=memory_of(s, choice, work, assume),
        time=tuple(_first_token_parts(s, t, batch, outcome, work, choice, assume)),
        result=replace(_physics(s, t, work, choice, outcome, batch, prompt, assume), simulated=simulated),
        tokens_per_s=_total_rate(work, choice, rate),
        accelerator_hours=hours_of(choice, moe=work.arch.moe is not None),
        input_share=share,
        log_sigma=log_sigma(choice.cluster.device, "throughput", moe=work.arch.moe is not None),
        because=_because(choice),
        warnings=tuple(_warnings(work, choice, s, assume)),
        normal_ms=normal,
        **amounts(work),
    )


def _normal(
    s: Setup,
    numbers: dict[str, float],
    work: ServingWork,
    choice: ServingChoice,
    assume: Assumptions,
    *,
    simulated: bool,
) -> float | None:
    """p95 of the first token [ms] at the peak while nothing is down and all replicas that serve share the load."""
    every = serving_replicas(choice)
    if is_batch(work) or every <= choice.replicas or not simulated:
        return None
    replica = replica_of(numbers, work, engine=choice.engine, assume=assume)
    rate = work.requests_per_s / every
    return simulate_rate(replica, work, rate=rate, engine=choice.engine, assume=assume, split=choice.split).ttft.p95


def rate_of_replica(work: ServingWork, choice: ServingChoice) -> float:
    """Requests per second of one replica at the peak; a batch runs it at capacity."""
    if is_batch(work):
        return choice.rate_per_replica * 0.98
    return work.requests_per_s / choice.replicas


def amounts(work: ServingWork) -> dict[str, float]:
    """Requests and tokens of a batch, or of a day of a service."""
    if work.batch is not None:
        requests = work.batch.requests
    else:
        mean = sum(work.load_curve) / len(work.load_curve) if work.load_curve else 1.0
        requests = work.requests_per_s * 86400 * mean
    return {
        "requests": requests,
        "input_tokens": requests * work.input_tokens,
        "output_tokens": requests * work.output_tokens,
    }


def answered(work: ServingWork) -> float:
    """Output tokens of a batch, or of a day of a service; samples of a model that is no language model."""
    return amounts(work)["output_tokens" if work.language else "requests"]


def hours_of(choice: ServingChoice, *, moe: bool) -> Estimate:
    """Accelerator-hours of a batch, or of a day of a service; the band is that of the throughput."""
    sigma = log_sigma(choice.cluster.device, "throughput", moe=moe)
    return band(choice.accelerator_hours, sigma, "accelerator·h")


def input_share(s: Setup, t: Traffic, batch: float) -> float:
    """Share of accelerator time that prompts take: prefill seconds of a request against its share of decode steps."""
    alone = matrix_time(s, t.input_tokens, np.asarray(1.0)) + exchange_time(s, t.input_tokens)
    prompt = float(prefill_time(s, t.input_tokens, t.length)) - float(overhead_time(s, alone))
    token = float(token_time(s, t, np.asarray(batch)))
    whole = float(t.output_tokens) * token / batch
    return min(max(prompt / max(whole, 1e-12), 0.01), 0.99)


def memory_of(s: Setup, choice: ServingChoice, work: ServingWork, assume: Assumptions) -> Memory:
    """Bytes on one accelerator: what is used adds up to the total, with what stays free to what the device has."""
    device = choice.cluster.device
    count = choice.layout.tp * choice.layout.pp * choice.layout.dp
    weights = float(weight_bytes(s)) / count / 1e9
    held = min(
        float(sequences_that_fit(s, traffic_of(work, assume).context)), assume[f"serving.max_batch.{choice.engine}"]
    )
    cache = held * float(sequence_bytes(s, traffic_of(work, assume).context)) / count / 1e9
    workspace = assume["serving.workspace_gb"]
    claimed = float(s.memory) / 1e9
    spare = max(claimed - weights - cache, 0.0)
    reserve = device.memory_bytes / 1e9 - claimed - workspace
    parts = (
        Part(key="weights", label=part("memory.weights"), value=weights, unit="GB", because=("input:precision",)),
        Part(key="kv_cache", label=part("memory.kv_cache"), value=cache, unit="GB", because=("input:kv_precision",)),
        Part(key="free", label=part("memory.free_for_contexts"), value=spare, unit="GB"),
        Part(
            key="context",
            label=part("memory.context"),
            value=workspace,
            unit="GB",
            because=("serving.workspace_gb",),
        ),
        Part(key="kept_free", label=part("memory.kept_free"), value=reserve, unit="GB", because=("serving.kv_share",)),
    )
    used = weights + cache + workspace
    total = Estimate(low=used * 0.95, expected=used, high=min(used * 1.05, device.memory_bytes / 1e9), unit="GB")
    return Memory(parts=parts, total_gb=total, capacity_gb=device.memory_bytes / 1e9)


def _first_token_parts(
    s: Setup,
    t: Traffic,
    batch: float,
    outcome: Simulated,
    work: ServingWork,
    choice: ServingChoice,
    assume: Assumptions,
) -> Iterator[Part]:
    """Mean time to the first token, piece by piece [ms]; the queue is what simulation adds to the service."""
    tokens, length = t.input_tokens, t.length
    zero = np.asarray(0.0)
    busy = matrix_time(s, tokens, np.asarray(1.0)) + exchange_time(s, tokens)
    compute = float(matrix_time(s, tokens, np.asarray(1.0)) + prefill_attention_time(s, tokens, length)) * 1e3
    exchange = float(exchange_time(s, tokens)) * 1e3
    overhead = float(overhead_time(s, busy)) * 1e3 + float(
        delivery_ms(choice.engine, np.asarray(outcome.tpot.mean / 1e3), assume)
    )
    queue = max(outcome.ttft.mean - work.network_latency_ms - compute - exchange - overhead, float(zero))
    device = choice.cluster.device
    exchanged = exchange_rests_on(device, choice.engine) if exchange > 0.0 else ()
    for key, word, value, because in (
        ("network", "network", work.network_latency_ms, ("input:network_latency_ms",)),
        ("queue", "slot", queue, ("input:requests_per_s",)),
        ("compute", "prompt", compute, (compute_share(device, choice.precision),)),
        ("communication", "exchange", exchange, exchanged),
        ("overhead", "delivery", overhead, (f"serving.first_ms.{choice.engine}",)),
    ):
        yield Part(key=key, label=part(f"latency.{word}"), value=value, unit="ms", because=because)


def _physics(
    s: Setup,
    t: Traffic,
    work: ServingWork,
    choice: ServingChoice,
    outcome: Simulated,
    batch: float,
    prompt_ms: float,
    assume: Assumptions,
) -> ServingPhysics:
    device = choice.cluster.device
    moe = work.arch.moe is not None
    rate = rate_of_replica(work, choice)
    per_gpu = rate * float(t.output_tokens) / choice.accelerators_per_replica
    return ServingPhysics(
        replicas=choice.replicas,
        spare_replicas=choice.spare_replicas,
        accelerators_per_replica=choice.accelerators_per_replica,
        engine=choice.engine,
        kv_precision=choice.kv_precision,
        max_batch=choice.max_batch,
        batch_at_peak=min(outcome.batch, float(choice.max_batch)),
        utilisation=rate / choice.rate_per_replica,
        requests_per_s_per_replica=band(choice.rate_per_replica, log_sigma(device, "throughput", moe=moe), "request/s"),
        ttft_ms=_first(outcome.ttft, device, work, prompt_ms),
        tpot_ms=_banded(outcome.tpot, log_sigma(device, "tpot", moe=moe), log_sigma(device, "tpot", moe=moe)),
        e2e_ms=_banded(outcome.e2e, log_sigma(device, "tpot", moe=moe), log_sigma(device, "tpot", moe=moe)),
        output_tokens_per_s_per_gpu=band(per_gpu, log_sigma(device, "throughput", moe=moe), "token/s"),
        autoscale=autoscale(s, choice, assume),
        bound=bound_of(s, t, batch, choice, outcome, work),
        simulated=True,
    )


def _first(p: Percentile, device: Device, work: ServingWork, prompt_ms: float) -> Percentiles:
    """Each with its band: the prompt alone, at its 95th percentile, is known better than the rest."""
    parts = parts_of(device, work, tokens=longest_prompt(work))
    usual = min(log_sigma(device, "ttft", moe=work.arch.moe is not None), parts.wait)
    share = prompt_ms / p.p95
    middle, high = first_sigma(parts.prompt, usual, share), first_sigma(parts.prompt, parts.wait, share)
    highest = first_sigma(parts.prompt, parts.wait, prompt_ms / p.p99)
    return Percentiles(p50=band(p.p50, middle, "ms"), p95=band(p.p95, high, "ms"), p99=band(p.p99, highest, "ms"))


def _banded(p: Percentile, middle: float, tail: float) -> Percentiles:
    return Percentiles(p50=band(p.p50, middle, "ms"), p95=band(p.p95, tail, "ms"), p99=band(p.p99, tail, "ms"))


def autoscale(s: Setup, choice: ServingChoice, assume: Assumptions) -> Autoscale:
    """Fewest and most replicas over the day, and the seconds until a new one answers (guide §3 item 9)."""
    curve = choice.replicas_by_hour or (choice.replicas + choice.spare_replicas,)
    seconds = start_seconds(float(weight_bytes(s)), assume)
    return Autoscale(
        min=min(curve), max=max(*curve, choice.replicas + choice.spare_replicas), warmup_s=round(seconds, 1)
    )


def bound_of(s: Setup, t: Traffic, batch: float, choice: ServingChoice, outcome: Simulated, work: ServingWork) -> str:
    """What one would have to improve first: kv, queue, compute, bandwidth or network."""
    if batch >= 0.9 * choice.max_batch:
        return "kv"
    size = np.asarray(batch)
    tokens = size * (1 + t.input_tokens / t.output_tokens)
    parts = {
        "network": float(exchange_time(s, tokens)),
        "queue": float(overhead_time(s, matrix_time(s, tokens, size) + exchange_time(s, tokens))),
        "bandwidth": float(cache_time(s, size, t.context)) + float(matrix_time(s, np.asarray(1.0), np.asarray(1.0))),
        "compute": float(matrix_time(s, tokens, size))
        - float(matrix_time(s, np.asarray(1.0), np.asarray(1.0)))
        + float(prefill_attention_time(s, size * t.input_tokens / t.output_tokens, t.length)),
    }
    waiting = outcome.ttft.p95 > 3 * float(first_token_time(s, t, size)) * 1e3
    if work.ttft_p95_ms and waiting and outcome.ttft.p95 > 0.8 * work.ttft_p95_ms:
        return "queue"
    return max(parts, key=lambda name: parts[name])


def _total_rate(work: ServingWork, choice: ServingChoice, rate: float) -> Estimate:
    sigma = log_sigma(choice.cluster.device, "throughput", moe=work.arch.moe is not None)
    return band(rate * choice.replicas * work.output_tokens, sigma, "token/s")


def _because(choice: ServingChoice) -> tuple[str, ...]:
    slug = choice.cluster.device.slug
    platform = platform_of(choice.cluster.device)
    return (
        f"device:{slug}",
        *weights_rest_on(choice.cluster.device, choice.precision, choice.engine),
        "serving.kv_share",
        f"serving.layer_us.{choice.engine}",
        f"serving.platform_compute.{platform}",
    )


_REDUCED = ("fp8", "int8", "int4", "nvfp4", "mxfp4", "q4", "q8")
"""Formats of weights that may change answers."""
_FEW_SEQUENCES = 4


def _warnings(work: ServingWork, choice: ServingChoice, s: Setup, assume: Assumptions) -> Iterator[Finding]:
    device = choice.cluster.device
    if platform_of(device) not in MEASURED_PLATFORMS:
        yield finding("warning.unmeasured.service", accelerator=device_ref(device))
    if choice.precision in _REDUCED and choice.precision != work.arch.published_format:
        yield finding("warning.reduced", precision=Ref("precision", choice.precision))
    if work.speculative_accepted > 1:
        yield finding("warning.drafts", tokens=work.speculative_accepted)
    if choice.split is not None:
        yield finding(
            "warning.pools",
            prefill=choice.split.prefill,
            decode=choice.split.decode,
            transfer=Quantity(choice.split.transfer_s * 1e3, "ms"),
        )
    longest = float(sequences_that_fit(s, np.asarray(work.input_tokens + work.output_tokens)))
    if longest < _FEW_SEQUENCES:
        yield finding("warning.few_sequences", count=_FEW_SEQUENCES)
    if not work.ttft_p95_ms and not is_batch(work):
        yield unpromised(assume)
    if math.isinf(choice.ttft_p95_ms):
        yield finding("warning.not_simulated")


def drafts_left_off(work: ServingWork, choice: ServingChoice) -> Iterator[Finding]:
    """That the drafts which the request offers are not used: they take as much as they gain."""
    if work.speculative_accepted > 1 and choice.accepted <= 1:
        yield finding("reason.drafts_left_off", tokens=work.speculative_accepted)
