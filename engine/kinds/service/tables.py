"""The replica as the simulation sees it: what a step takes by the number of tokens in it, from the one step model."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

import numpy as np

from engine.inputs.assumptions import Assumptions
from engine.kinds.service import simulate
from engine.kinds.service.candidates import Candidate
from engine.kinds.service.work import ServingWork
from engine.physics.token.machine import Rates, rates_for
from engine.physics.token.memory import sequences_that_fit, tokens_that_fit
from engine.physics.token.shape import Shape
from engine.physics.token.steady import DRAFTING, Traffic, drafts, pipeline_time, traffic
from engine.physics.token.step import (
    Numbers,
    Setup,
    exchange_time,
    layout_numbers,
    machine_numbers,
    matrix_time,
    overhead_time,
    pipeline_wait_time,
    setup,
    single,
    stack_laid,
)

NEVER_PREEMPT = frozenset({"tensorrt-llm", "triton", "tensorrt-llm-2024", "neuron", "llama.cpp"})
"""Engines that admit a request only when its whole answer fits."""
PROMPTS_FIRST = frozenset({"sglang", "tgi"})
"""Engines whose prompts run in steps of their own, while answers wait."""


def traffic_of(work: ServingWork, assume: Assumptions) -> Traffic:
    """Mean request of the work."""
    return traffic(
        input_tokens=work.input_tokens,
        output_tokens=work.output_tokens,
        token_budget=assume["serving.token_budget"],
        prefix_hits=work.prefix_hit_share,
        accepted=work.speculative_accepted,
    )


def setup_of(found: Sequence[Candidate], shape: Shape, assume: Assumptions) -> Setup:
    """All of those candidates as columns: what every layout of a device has in common is worked out once."""
    places: dict[tuple[str, str, str, str], int] = {}
    rates, machines, place, layouts = list[Rates](), list[dict[str, float]](), list[int](), list[dict[str, float]]()
    for one in found:
        key = (one.cluster.device.slug, one.precision, one.engine, one.kv_precision)
        at = places.setdefault(key, len(places))
        if at == len(rates):
            rates.append(rates_for(one.cluster.device, one.precision, one.engine, assume))
            machines.append(
                machine_numbers(shape, rates[at], precision=one.precision, kv_precision=one.kv_precision, assume=assume)
            )
        place.append(at)
        layouts.append(layout_numbers(shape, rates[at], tp=one.tp, pp=one.pp, ep=one.ep, adp=one.adp, assume=assume))
    return stack_laid(machines, np.array(place, dtype=np.intp), layouts)


def numbers_of(candidate: Candidate, shape: Shape, assume: Assumptions) -> dict[str, float]:
    """Fields of a `Setup` for one candidate."""
    rates = rates_for(candidate.cluster.device, candidate.precision, candidate.engine, assume)
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


@dataclass(kw_only=True)
class Tables:
    """Replicas as the simulation sees them, of requests of the same lengths: whatever is promised, they are the same."""

    made: dict[Hashable, simulate.Replica] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.made)

    def of(
        self, candidate: Candidate, numbers: dict[str, float], work: ServingWork, assume: Assumptions
    ) -> simulate.Replica:
        """That of a candidate with its numbers, made once for each number of accepted drafts."""
        c, accepted = candidate, work.speculative_accepted
        key = (c.cluster.device, c.engine, c.precision, c.kv_precision, c.tp, c.pp, c.ep, c.adp, accepted)
        if key not in self.made:
            self.made[key] = replica_of(numbers, work, engine=c.engine, assume=assume)
        return self.made[key]


def replica_of(numbers: dict[str, float], work: ServingWork, *, engine: str, assume: Assumptions) -> simulate.Replica:
    """The replica as the simulation sees it; built from the same step model."""
    context = work.input_tokens + work.output_tokens / 2
    return replica_tables(
        single(numbers),
        context=context,
        prompt=work.input_tokens,
        prefix=work.cached_tokens,
        accepted=work.speculative_accepted,
        engine=engine,
        assume=assume,
    )


def replica_tables(
    s: Setup, *, context: float, prompt: float, accepted: float, engine: str, assume: Assumptions, prefix: int = 0
) -> simulate.Replica:
    """Step times by number of tokens, and the seconds that a sequence and a cached token add. `prefix`: tokens before each
    prompt that lie in the cache already."""
    mean = np.asarray(context)
    most, budget = float(most_together(s, mean, engine, assume).item()), int(step_tokens(s, assume).item())
    drafted = drafts(accepted)
    longest = max(budget, int(most * (1 + drafted)))
    matrix = step_seconds(s, np.arange(longest + 1, dtype=float), most=most, drafted=drafted)
    window = np.minimum(s.window, mean) * s.kv_window / _cache_rate(s)
    return simulate.Replica(
        matrix_s=np.ascontiguousarray(matrix.reshape(-1)),
        sequence_s=float(window.item() + s.sequence_s.item()),
        context_s=float(cached_token_seconds(s).item()),
        attention_s=float(pair_seconds(s, mean).item()),
        cache_tokens=float(tokens_that_fit(s, mean).item()),
        max_batch=int(assume[f"serving.max_batch.{engine}"] * s.adp.item()),
        token_budget=budget,
        pipeline_s=float(pipeline_time(s, np.asarray(prompt)).item()),
        reserve=1.0 if engine in NEVER_PREEMPT else 0.0,
        mixed=engine not in PROMPTS_FIRST,
        gain=max(accepted, 1.0),
        drafted=drafted,
        drafting=DRAFTING * drafted,
        prefix=prefix,
    )


def most_together(s: Setup, context: Numbers, engine: str, assume: Assumptions) -> Numbers:
    """Sequences of that context that a replica works on at once: what fits, and what its engine takes."""
    caps = assume[f"serving.max_batch.{engine}"] * s.adp
    return np.floor(np.minimum(np.maximum(sequences_that_fit(s, context), 1.0), caps))


def step_tokens(s: Setup, assume: Assumptions) -> Numbers:
    """Most tokens in one step of all attention ranks."""
    return np.floor(assume["serving.token_budget"] * s.adp)


def step_seconds(s: Setup, tokens: Numbers, *, most: Numbers | float, drafted: float = 0.0) -> Numbers:
    """Seconds of a step of so many tokens, attention and drafting left out, of at most `most` answers with so many drafts
    each."""
    answers = np.minimum(tokens / (1 + drafted), most)
    busy = matrix_time(s, tokens, answers) + exchange_time(s, tokens)
    return busy + overhead_time(s, busy) + pipeline_wait_time(s, tokens, answers)


def pair_seconds(s: Setup, context: Numbers) -> Numbers:
    """Seconds of attention for each pair of a new prompt token and one before it."""
    half = np.maximum(context / 2, 1.0)
    return (s.score_full + s.score_window * np.minimum(1.0, s.window / half)) / _work_rate(s)


def cached_token_seconds(s: Setup) -> Numbers:
    """Seconds that a decoding sequence takes for each token of it in the cache."""
    return np.hypot(s.kv_full / _cache_rate(s), s.score_decode / (s.decode_attention * s.tp * s.pp * s.adp))


def _work_rate(s: Setup) -> Numbers:
    return s.attention * s.tp * s.pp * s.adp


def _cache_rate(s: Setup) -> Numbers:
    return s.kv_bandwidth * s.kv_split * s.pp * s.adp
