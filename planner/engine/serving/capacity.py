"""Highest rate at which a replica holds its promises: closed form for all candidates, simulation for finalists."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from planner.engine import simulate
from planner.engine.assumptions import Assumptions
from planner.engine.serving import disaggregated
from planner.engine.serving.candidates import Candidate
from planner.engine.serving.disaggregated import Split
from planner.engine.serving.machine import Rates, rates_for
from planner.engine.serving.memory import sequences_that_fit, tokens_that_fit
from planner.engine.serving.shape import Shape
from planner.engine.serving.steady import Traffic, pipeline_time, traffic
from planner.engine.serving.step import (
    Numbers,
    Setup,
    exchange_time,
    matrix_time,
    overhead_time,
    pipeline_wait_time,
    setup,
    single,
)
from planner.engine.serving.work import ServingWork

NEVER_PREEMPT = frozenset({"tensorrt-llm", "triton", "tensorrt-llm-2024", "neuron", "llama.cpp"})
"""Engines that admit a request only when its whole answer fits."""
PROMPTS_FIRST = frozenset({"sglang", "tgi"})
"""Engines whose prompts run in steps of their own, while answers wait."""
LEAST = 0.02
"""Share of the saturated rate that is tried last: a replica that misses its promise there is of no use."""
_CLOSE = 1.03
"""Bracket at which the search for a rate stops."""
_WARM = 0.1
"""Share of simulated requests that are left out while the replica fills."""


@dataclass(frozen=True, kw_only=True)
class Percentile:
    """p50, p95 and p99 of a simulated run, and its mean [ms]."""

    p50: float
    p95: float
    p99: float
    mean: float


@dataclass(frozen=True, kw_only=True)
class Simulated:
    """One simulated rate."""

    ttft: Percentile
    tpot: Percentile
    e2e: Percentile
    batch: float
    """Mean requests in service."""
    output_tokens_per_s: float


def traffic_of(work: ServingWork, assume: Assumptions) -> Traffic:
    """Mean request of the work."""
    return traffic(
        input_tokens=work.input_tokens,
        output_tokens=work.output_tokens,
        token_budget=assume["serving.token_budget"],
        prefix_hits=work.prefix_hit_share,
        accepted=work.speculative_accepted,
    )


def numbers_of(
    candidate: Candidate,
    shape: Shape,
    assume: Assumptions,
    known: dict[tuple[str, str, str], Rates] | None = None,
) -> dict[str, float]:
    """Fields of a `Setup` for one candidate. `known` keeps the rates of a device for the next one."""
    key = (candidate.cluster.device.slug, candidate.precision, candidate.engine)
    rates = known.get(key) if known else None
    if rates is None:
        rates = rates_for(candidate.cluster.device, candidate.precision, candidate.engine, assume)
    if known is not None:
        known[key] = rates
    return setup(
        shape,
        rates,
        precision=candidate.precision,
        kv_precision=candidate.kv_precision,
        tp=candidate.tp,
        pp=candidate.pp,
        ep=candidate.ep,
        adp=candidate.adp,
        assume=assume,
    )


def delivery_ms(engine: str, token_s: Numbers, assume: Assumptions) -> Numbers:
    """Milliseconds between the first token and its arrival at the client, network left out."""
    return assume[f"serving.first_steps.{engine}"] * token_s * 1e3 + assume[f"serving.first_ms.{engine}"]


def replica_of(numbers: dict[str, float], work: ServingWork, *, engine: str, assume: Assumptions) -> simulate.Replica:
    """The replica as the simulation sees it; built from the same step model."""
    context = work.input_tokens + work.output_tokens / 2
    return replica_tables(
        single(numbers),
        context=context,
        prompt=work.input_tokens,
        accepted=work.speculative_accepted,
        engine=engine,
        assume=assume,
    )


def replica_tables(
    s: Setup, *, context: float, prompt: float, accepted: float, engine: str, assume: Assumptions
) -> simulate.Replica:
    """Step times by number of tokens, and the seconds that a sequence and a cached token add."""
    mean = np.asarray(context)
    ranks = s.adp.item()
    most = int(min(max(float(sequences_that_fit(s, mean).item()), 1.0), assume[f"serving.max_batch.{engine}"] * ranks))
    budget = int(assume["serving.token_budget"] * ranks)
    tokens = np.arange(budget + 1, dtype=float)
    gain = max(accepted, 1.0)
    drafted = float(np.ceil(accepted * 1.5)) if accepted > 1 else 0.0
    width = tokens * (1 + drafted)
    answers = np.minimum(tokens, most)
    busy = matrix_time(s, width, answers) + exchange_time(s, width)
    matrix = busy + overhead_time(s, busy) + pipeline_wait_time(s, width, answers)
    half = np.maximum(mean / 2, 1.0)
    pair = (s.score_full + s.score_window * np.minimum(1.0, s.window / half)) / _work_rate(s)
    window = np.minimum(s.window, mean) * s.kv_window / _cache_rate(s)
    cached = np.hypot(s.kv_full / _cache_rate(s), s.score_decode / (s.decode_attention * s.tp * s.pp * s.adp))
    return simulate.Replica(
        matrix_s=np.ascontiguousarray((matrix * (1 + 0.04 * drafted) / gain).reshape(-1)),
        sequence_s=float((window.item() + s.sequence_s.item()) / gain),
        context_s=float(cached.item() / gain),
        attention_s=float(pair.item()),
        cache_tokens=float(tokens_that_fit(s, mean).item()),
        max_batch=int(assume[f"serving.max_batch.{engine}"] * ranks),
        token_budget=budget,
        pipeline_s=float(pipeline_time(s, np.asarray(prompt)).item()),
        reserve=1.0 if engine in NEVER_PREEMPT else 0.0,
        mixed=engine not in PROMPTS_FIRST,
    )


def _work_rate(s: Setup) -> Numbers:
    return s.attention * s.tp * s.pp * s.adp


def _cache_rate(s: Setup) -> Numbers:
    return s.kv_bandwidth * s.kv_split * s.pp * s.adp


@lru_cache(maxsize=64)
def _draw(
    seed: int, count: int, burstiness: float, inputs: float, outputs: float, spread: float
) -> tuple[simulate.Floats, simulate.Integers, simulate.Integers]:
    """(arrival times at one request per second, input lengths, output lengths), the same for every candidate."""
    rng = np.random.default_rng(seed)
    arrival = simulate.gamma_arrivals(rng, rate=1.0, burstiness=burstiness, count=count)
    return (
        arrival,
        simulate.lengths(rng, mean=inputs, spread=spread, count=count),
        simulate.lengths(rng, mean=outputs, spread=spread, count=count),
    )


@dataclass(frozen=True, kw_only=True)
class _Sampled:
    """One simulated rate, request by request, the filling of the replica left out [ms]."""

    ttft: Numbers
    tpot: Numbers
    outputs: simulate.Integers
    run: simulate.Run


def _simulate(
    replica: simulate.Replica,
    work: ServingWork,
    *,
    rate: float,
    engine: str,
    assume: Assumptions,
    split: Split | None = None,
) -> _Sampled:
    computed = max(work.input_tokens * (1 - work.prefix_hit_share), 1.0)
    arrival, inputs, outputs = _draw(
        work.seed, work.requests, work.burstiness, computed, work.output_tokens, work.length_spread
    )
    if split is None:
        run = simulate.open_loop(replica, arrival=arrival / rate, inputs=inputs, outputs=outputs)
    else:
        run = disaggregated.run(replica, split, arrival=arrival / rate, inputs=inputs, outputs=outputs)
    kept = slice(int(len(inputs) * _WARM), None)
    token = run.tpot[kept]
    fixed = replica.pipeline_s * 1e3 + work.network_latency_ms
    ttft = run.ttft[kept] * 1e3 + delivery_ms(engine, token, assume) + fixed
    return _Sampled(ttft=ttft, tpot=token * 1e3, outputs=outputs[kept], run=run)


def simulate_rate(
    replica: simulate.Replica,
    work: ServingWork,
    *,
    rate: float,
    engine: str,
    assume: Assumptions,
    split: Split | None = None,
) -> Simulated:
    """Percentiles at an arrival rate [request/s] of one replica (of one unit if split); deterministic by `work.seed`."""
    sampled = _simulate(replica, work, rate=rate, engine=engine, assume=assume, split=split)
    run = sampled.run
    busy = float(run.end.max() - run.arrival[0])
    return Simulated(
        ttft=_percentile(sampled.ttft),
        tpot=_percentile(sampled.tpot),
        e2e=_percentile(sampled.ttft + sampled.tpot * (sampled.outputs - 1)),
        batch=float((run.end - run.arrival).sum() / busy),
        output_tokens_per_s=float(run.outputs.sum() / busy) * (split.prefill if split else 1),
    )


def _percentile(values: Numbers) -> Percentile:
    p50, p95, p99 = np.percentile(values, (50, 95, 99))
    return Percentile(p50=float(p50), p95=float(p95), p99=float(p99), mean=float(values.mean()))


def keeps(
    replica: simulate.Replica,
    work: ServingWork,
    *,
    rate: float,
    margin: float,
    engine: str,
    assume: Assumptions,
    split: Split | None = None,
) -> bool:
    """Are both promises kept with the margin at that rate, in simulation?"""
    return holds(_simulate(replica, work, rate=rate, engine=engine, assume=assume, split=split), work, margin)


def holds(sampled: _Sampled, work: ServingWork, margin: float) -> bool:
    """Are both promises kept with the margin?"""
    if work.ttft_p95_ms and _p95(sampled.ttft) > work.ttft_p95_ms * margin:
        return False
    return not work.tpot_p95_ms or _p95(sampled.tpot) <= work.tpot_p95_ms * margin


def _p95(values: Numbers) -> float:
    """95th percentile without sorting everything."""
    place = int(0.95 * len(values))
    return float(np.partition(values, place)[place])


def capacity_rate(
    replica: simulate.Replica,
    work: ServingWork,
    *,
    guess: float,
    top: float,
    engine: str,
    assume: Assumptions,
    split: Split | None = None,
) -> float:
    """Highest rate [request/s] up to `top` that holds the promises with the margin, within 3 %; 0 when none does.

    Starts at the closed form's rate; where even a fiftieth of the saturated rate misses a promise, none holds it.
    """
    margin = assume["serving.slo_margin"]

    def kept(rate: float) -> bool:
        return keeps(replica, work, rate=rate, margin=margin, engine=engine, assume=assume, split=split)

    trial = min(max(guess, top * LEAST), top)
    if kept(trial):
        low, high = trial, min(trial * 1.4, top)
        while kept(high):
            if high >= top:
                return top
            low, high = high, min(high * 1.4, top)
    else:
        low, high = top * LEAST, trial
        if not kept(low):
            return 0.0
    while high / low > _CLOSE:
        middle = (low * high) ** 0.5
        low, high = (middle, high) if kept(middle) else (low, middle)
    return low
