"""Highest rate at which a replica holds its promises and its queue stays finite, by simulation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.inputs.assumptions import Assumptions
from engine.kinds.service import disaggregated, simulate
from engine.kinds.service.disaggregated import Split
from engine.kinds.service.drawn import WARM, Drawn, drawn, p95
from engine.kinds.service.load import Shares
from engine.kinds.service.tables import delivery_ms
from engine.kinds.service.unpromised import longest_first
from engine.kinds.service.work import ServingWork
from engine.physics.token.step import Numbers

_CLOSE = 1.03
"""Rates that are tried are so far apart: equal for every promise, so that a looser one never finds a lower rate."""
_LADDER = (0, 11, 35, 71, 117, 234)
"""Steps below the top rate that are tried in turn; at the last a replica is as good as idle (a thousandth)."""
_EXACT = 1 + 1e-9
"""The same sums in another order."""
_MOST_DRAWN = 6000
"""Requests for which a saturated replica is watched at most, unless more are simulated for each rate."""
_TURNS = 4
"""So often every slot is used while a saturated replica is watched."""


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
    """Mean requests that hold a slot; those that wait for one do not count."""
    output_tokens_per_s: float


@dataclass(frozen=True, kw_only=True)
class Latencies:
    """p95 of the times to the first token and between tokens [ms]: what a replica comes to, or may come to."""

    ttft_ms: float
    tpot_ms: float


@dataclass(frozen=True, kw_only=True)
class _Sampled:
    """One simulated rate, request by request, the filling of the replica left out [ms]."""

    ttft: Numbers
    tpot: Numbers
    outputs: simulate.Integers
    run: simulate.Run


def alone(
    replica: simulate.Replica, work: ServingWork, *, engine: str, assume: Assumptions
) -> tuple[Numbers, Numbers, Numbers]:
    """(time to the first token, time between tokens, whole answer) of each request [ms] when no other is there.

    Nothing that shares the replica with others is quicker.
    """
    requests = drawn(work)
    prompts = requests.inputs[requests.judged].astype(float)
    answers = requests.outputs[requests.judged].astype(float)
    whole, rest = np.divmod(prompts, replica.token_budget)
    pieces = whole * replica.matrix_s[replica.token_budget] + np.where(
        rest > 0, replica.matrix_s[rest.astype(np.int64)], 0.0
    )
    first = pieces + replica.attention_s * prompts * (replica.prefix + prompts / 2) + replica.pipeline_s
    cached = replica.prefix + prompts + answers / 2
    step = replica.matrix_s[int(1 + replica.drafted)] * (1 + replica.drafting) + replica.sequence_s
    token = np.where(answers > 1, (step + replica.context_s * cached) / replica.gain, 0.0)
    ttft = first * 1e3 + delivery_ms(engine, token, assume) + work.network_latency_ms
    return ttft, token * 1e3, ttft + token * 1e3 * (answers - 1)


def limits_of(
    replica: simulate.Replica, work: ServingWork, shares: Shares, *, engine: str, assume: Assumptions
) -> Latencies:
    """Those shares of what is promised; where no first token is promised, what a person would wait."""
    tpot = work.tpot_p95_ms * shares.tpot if work.tpot_p95_ms else np.inf
    if work.ttft_p95_ms:
        return Latencies(ttft_ms=work.ttft_p95_ms * shares.ttft, tpot_ms=tpot)
    first, _, answer = alone(replica, work, engine=engine, assume=assume)
    longest = longest_first(p95(first), p95(answer), assume, usual=float(answer.mean()))
    return Latencies(ttft_ms=longest, tpot_ms=tpot)


def planned_share(assume: Assumptions) -> float:
    """Share of what a replica or server can do at most that a plan gives it to do."""
    return 1.0 - assume["serving.headroom"]


def saturated(replica: simulate.Replica, work: ServingWork, *, slots: float, split: Split | None = None) -> float:
    """Requests per second that a replica (a unit, if split) ends while more wait than it can take.

    A queue that arrives faster grows without end. `slots`: about how many it works on at once.
    """
    count = int(np.clip(_TURNS * slots, work.requests, max(_MOST_DRAWN, work.requests)))
    requests = drawn(work, count=count)
    if split is None:
        return _throughput(replica, requests.inputs, requests.outputs)
    prompts = _throughput(replica, requests.inputs, np.ones_like(requests.outputs))
    pool = disaggregated.decode_replica(replica, requests.inputs, requests.outputs)
    answers = _throughput(pool, np.ones_like(requests.inputs), requests.outputs)
    return min(split.prefill * prompts, split.decode * answers)


def _throughput(replica: simulate.Replica, inputs: simulate.Integers, outputs: simulate.Integers) -> float:
    """Requests per second that begin while all others wait, once the slots are filled."""
    run = simulate.open_loop(replica, arrival=np.zeros(len(inputs)), inputs=inputs, outputs=outputs)
    begun, since = np.sort(run.first), len(inputs) // 3
    lasted = float(begun[-1] - begun[since])
    return (len(inputs) - 1 - since) / lasted if lasted > 0 else np.inf


def _simulate(
    replica: simulate.Replica,
    work: ServingWork,
    *,
    rate: float,
    engine: str,
    assume: Assumptions,
    split: Split | None = None,
    stop: simulate.Stop | None = None,
) -> _Sampled:
    requests = drawn(work)
    run = _run(replica, requests, rate, split, stop)
    kept = requests.judged
    token = run.tpot[kept]
    fixed = replica.pipeline_s * 1e3 + work.network_latency_ms
    ttft = run.ttft[kept] * 1e3 + delivery_ms(engine, token, assume) + fixed
    return _Sampled(ttft=ttft, tpot=token * 1e3, outputs=requests.outputs[kept], run=run)


def _run(
    replica: simulate.Replica, requests: Drawn, rate: float, split: Split | None, stop: simulate.Stop | None
) -> simulate.Run:
    arrival, inputs, outputs = requests.arrival / rate, requests.inputs, requests.outputs
    if split is None:
        return simulate.open_loop(replica, arrival=arrival, inputs=inputs, outputs=outputs, stop=stop)
    return disaggregated.run(replica, split, arrival=arrival, inputs=inputs, outputs=outputs, stop=stop)


def _stop(
    replica: simulate.Replica, work: ServingWork, limits: Latencies, *, engine: str, assume: Assumptions
) -> simulate.Stop:
    """When a run has shown that it misses a limit: what is added to the simulated time is taken at its least."""
    least = float(delivery_ms(engine, np.asarray(0.0), assume)) + replica.pipeline_s * 1e3 + work.network_latency_ms
    count = work.requests - int(work.requests * WARM)
    return simulate.Stop(
        judged=int(work.requests * WARM),
        first_s=(limits.ttft_ms - least) / 1e3 * _EXACT,
        token_s=limits.tpot_ms / 1e3 * _EXACT,
        allowed=count - int(0.95 * count) - 1,
    )


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
        batch=run.slot_s / busy,
        output_tokens_per_s=float(run.outputs.sum() / busy) * (split.prefill if split else 1),
    )


def _percentile(values: Numbers) -> Percentile:
    p50, high, p99 = np.percentile(values, (50, 95, 99))
    return Percentile(p50=float(p50), p95=float(high), p99=float(p99), mean=float(values.mean()))


def reached(
    replica: simulate.Replica,
    work: ServingWork,
    *,
    rate: float,
    limits: Latencies,
    engine: str,
    assume: Assumptions,
    split: Split | None = None,
) -> Latencies | None:
    """What the replica comes to at that rate, in simulation; None where that is beyond the limits."""
    stop = _stop(replica, work, limits, engine=engine, assume=assume)
    found = _simulate(replica, work, rate=rate, engine=engine, assume=assume, split=split, stop=stop)
    if found.run.stopped:
        return None
    came = Latencies(ttft_ms=p95(found.ttft), tpot_ms=p95(found.tpot))
    return came if came.ttft_ms <= limits.ttft_ms and came.tpot_ms <= limits.tpot_ms else None


def capacity_rate(
    replica: simulate.Replica,
    work: ServingWork,
    *,
    top: float,
    shares: Shares,
    engine: str,
    assume: Assumptions,
    split: Split | None = None,
) -> tuple[float, Latencies | None]:
    """Highest rate [request/s] up to `top` that stays within the limits, to 3 %, and what it comes to; 0 and None when
    not even an idle replica does."""
    limits = limits_of(replica, work, shares, engine=engine, assume=assume)

    def at(step: int) -> Latencies | None:
        rate = top * _CLOSE**-step
        return reached(replica, work, rate=rate, limits=limits, engine=engine, assume=assume, split=split)

    failed, best = -1, None
    for step in _LADDER:
        best = at(step)
        if best is not None:
            break
        failed = step
    if best is None:
        return 0.0, None
    while step - failed > 1:
        middle = (step + failed) // 2
        came = at(middle)
        step, failed, best = (step, middle, best) if came is None else (middle, failed, came)
    return top * _CLOSE**-step, best
