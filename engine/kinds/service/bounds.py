"""What no replica can beat, for all candidates at once: latencies of an idle one, and the rate of a saturated one.

Both are bounds of the simulation, not estimates: a candidate that they rule out needs none.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from engine.inputs.assumptions import Assumptions
from engine.kinds.service.candidates import Candidate
from engine.kinds.service.capacity import planned_share
from engine.kinds.service.closed_form import Paces
from engine.kinds.service.drawn import drawn, p95
from engine.kinds.service.pools import POOLING, may_pool, pool_rate
from engine.kinds.service.tables import (
    cached_token_seconds,
    pair_seconds,
    step_seconds,
    step_tokens,
    traffic_of,
)
from engine.kinds.service.work import ServingWork, undrafted
from engine.physics.token.memory import sequences_that_fit
from engine.physics.token.steady import DRAFTING, drafts, pipeline_time
from engine.physics.token.step import Numbers, Setup

Indices = NDArray[np.intp]
_EXACT = 1 - 1e-9
"""The same sums in another order."""


@dataclass(frozen=True, kw_only=True)
class Idle:
    """p95 over the lengths of the requests on a replica that has nothing else to do: arrays of length n [ms]."""

    ttft_ms: Numbers
    tpot_ms: Numbers
    prompt_ms: Numbers
    """Of the first token, the prompt alone, without drafts."""


def idle(found: list[Candidate], s: Setup, work: ServingWork, assume: Assumptions) -> Idle:
    """What each candidate needs for requests that come alone, with drafts or without, whichever is quicker."""
    one = _idle(found, s, work, assume)
    if work.speculative_accepted <= 1:
        return one
    plain = _idle(found, s, undrafted(work), assume)
    return replace(
        plain, ttft_ms=np.minimum(one.ttft_ms, plain.ttft_ms), tpot_ms=np.minimum(one.tpot_ms, plain.tpot_ms)
    )


def _idle(found: list[Candidate], s: Setup, work: ServingWork, assume: Assumptions) -> Idle:
    requests = drawn(work)
    prompts = requests.inputs[requests.judged].astype(float)
    answers = requests.outputs[requests.judged].astype(float)
    context = np.asarray(work.input_tokens + work.output_tokens / 2)
    drafted, gain = drafts(work.speculative_accepted), max(work.speculative_accepted, 1.0)
    prefix = work.cached_tokens
    long, budget = p95(prompts), step_tokens(s, assume)
    engines = _by_engine(found, s, context, assume)
    whole, rest = np.divmod(long, budget)
    sizes = np.concatenate([budget, rest, np.full_like(rest, 1 + drafted)], axis=1)
    steps = step_seconds(s, sizes, most=engines.most, drafted=drafted)
    first = whole[:, 0] * steps[:, 0] + np.where(rest[:, 0] > 0, steps[:, 1], 0.0)
    pairs = long * (prefix + long / 2)
    first = first + (pair_seconds(s, context) * pairs + pipeline_time(s, np.asarray(work.input_tokens)))[:, 0]
    window = np.minimum(s.window, context) * s.kv_window / (s.kv_bandwidth * s.kv_split * s.pp * s.adp)
    token = (steps[:, 2] * (1 + DRAFTING * drafted) + (window + s.sequence_s)[:, 0]) / gain
    cached = np.where(answers > 1, prefix + prompts + answers / 2, 0.0)
    held = p95(cached)
    # In a pool of their own answers read the cache of a prompt of mean length.
    if may_pool(work):
        pooled = prefix + float(drawn(work).inputs.mean()) + p95(answers) / 2
        held_all = np.where(engines.pools, min(held, pooled), held)
    else:
        held_all = np.full(len(found), held)
    least = token * float((answers > 1).all())
    return Idle(
        ttft_ms=(first * 1e3 + engines.steps * least * 1e3 + engines.fixed + work.network_latency_ms) * _EXACT,
        tpot_ms=(token + cached_token_seconds(s)[:, 0] / gain * held_all) * 1e3 * _EXACT,
        prompt_ms=first * 1e3,
    )


@dataclass(frozen=True, kw_only=True)
class _Engines:
    """What depends on the engine of each candidate."""

    most: Numbers
    steps: Numbers
    fixed: Numbers
    pools: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]


def _by_engine(found: list[Candidate], s: Setup, context: Numbers, assume: Assumptions) -> _Engines:
    names = [candidate.engine for candidate in found]
    caps = {name: assume[f"serving.max_batch.{name}"] for name in set(names)}
    most = np.array([caps[name] for name in names])[:, None] * s.adp
    return _Engines(
        most=np.floor(np.minimum(np.maximum(sequences_that_fit(s, context), 1.0), most)),
        steps=np.array([assume[f"serving.first_steps.{name}"] for name in names]),
        fixed=np.array([assume[f"serving.first_ms.{name}"] for name in names]),
        pools=np.array([name in POOLING for name in names], dtype=bool),
    )


def pooled_rate(closed: Paces, found: list[Candidate], s: Setup, work: ServingWork, assume: Assumptions) -> Numbers:
    """Requests per second of each candidate as its share of a unit of pools, at most; 0 where there are none."""
    rate = np.zeros(len(found))
    if may_pool(work):
        pooling = np.array([found[row].engine in POOLING and found[row].adp == 1 for row in closed.held], dtype=bool)
        able = closed.held[pooling]
        part = Setup(**{item.name: getattr(s, item.name)[able] for item in fields(Setup)})
        rate[able] = pool_rate(part, traffic_of(undrafted(work), assume), closed.answers[pooling])
    return rate


def most_rate(saturated: Numbers, pooled: Numbers, work: ServingWork, assume: Assumptions) -> Numbers:
    """Requests per second that each candidate may be given at most: as one replica, or as its share of a unit of pools.

    A batch has no queue to keep short and runs saturated.
    """
    return np.maximum(saturated, pooled) * planned_share(assume) if work.requests_per_s else saturated
