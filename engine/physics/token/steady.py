"""Steady state in closed form: a replica with B sequences always in flight, and a static batch.

TPOT = (1 − f) t(B) + f t(B + chunk), where f is the share of steps that carry a piece of a prompt. Guide/serving §3
items 2, 4 and 7. All functions broadcast over candidates and batches.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from engine.physics.token.step import Numbers, Setup, decode_time, prefill_time, step_time


@dataclass(frozen=True, kw_only=True)
class Traffic:
    """What one request asks for: mean lengths after prefix caching, and how the engine batches."""

    input_tokens: Numbers
    """Prompt tokens that must be computed."""
    length: Numbers
    """Of a prompt without a cached prefix to which its tokens would attend as much: before each of them lie half as many
    tokens in the mean."""
    context: Numbers
    """Mean tokens in the cache while decoding."""
    output_tokens: Numbers
    token_budget: Numbers
    accepted: float = 0.0
    """Tokens that one verification yields (speculative decoding); 0 = one token for each step."""


def traffic(
    *, input_tokens: float, output_tokens: float, token_budget: float, prefix_hits: float = 0.0, accepted: float = 0.0
) -> Traffic:
    """Mean request. Cached prefixes are attended to but not computed."""
    computed = max(input_tokens * (1 - prefix_hits), 1.0)
    return Traffic(
        input_tokens=np.asarray(computed),
        length=np.asarray(computed + 2 * max(input_tokens - computed, 0.0)),
        context=np.asarray(input_tokens + output_tokens / 2),
        output_tokens=np.asarray(max(output_tokens, 1.0)),
        token_budget=np.asarray(token_budget),
        accepted=accepted,
    )


DRAFTING = 0.04
"""What a drafted token takes to draft, as a share of a step of answers alone."""


def drafts(accepted: float) -> float:
    """Tokens drafted for each answer in a step so that so many are gained: half as many again."""
    return float(np.ceil(accepted * 1.5)) if accepted > 1.0 else 0.0


def tokens_per_step(t: Traffic) -> float:
    """Output tokens that a sequence gains in one step."""
    return max(t.accepted, 1.0)


def _drafting_step(s: Setup, t: Traffic, batch: Numbers, plain: Numbers) -> Numbers:
    """Seconds of a step that only decodes, drafts included; `plain`: without them."""
    if t.accepted <= 1.0:
        return plain
    drafted = drafts(t.accepted)
    verify: Numbers = plain + _extra_tokens(s, batch, batch * drafted)
    return verify * (1 + DRAFTING * drafted)


def _extra_tokens(s: Setup, batch: Numbers, extra: Numbers) -> Numbers:
    """Seconds that more tokens in the matrix products of a step cost."""
    zero = np.zeros_like(np.asarray(batch, dtype=float))
    more = step_time(s, prefill=extra, length=np.ones_like(zero), sequences=batch, context=zero)
    return more - decode_time(s, batch, zero)


def chunk_of(t: Traffic, batch: Numbers) -> Numbers:
    """Prompt tokens in a step that carries a piece of a prompt."""
    return np.maximum(np.minimum(t.input_tokens, t.token_budget - batch), np.minimum(t.input_tokens, 256.0))


def token_time(s: Setup, t: Traffic, batch: Numbers, plain: Numbers | None = None) -> Numbers:
    """Seconds between output tokens of a sequence when `batch` sequences are always in flight (TPOT). `plain`: seconds of a step
    that only decodes, without drafts, where they are known."""
    gain = tokens_per_step(t)
    plain = decode_time(s, batch, t.context) if plain is None else plain
    alone = _drafting_step(s, t, batch, plain)
    chunk = chunk_of(t, batch)
    per_step = batch * gain * t.input_tokens / t.output_tokens
    share = np.minimum(per_step / chunk, 1.0)
    carried = np.maximum(per_step, chunk)
    mixed = step_time(s, prefill=carried, length=t.length, sequences=batch, context=t.context)
    mixed = mixed + (alone - plain)
    return ((1 - share) * alone + share * mixed) / gain


def first_token_time(s: Setup, t: Traffic, batch: Numbers) -> Numbers:
    """Seconds from the start of service to the first token: the chunks of the prompt beside `batch` others."""
    chunk = chunk_of(t, batch)
    steps = np.ceil(t.input_tokens / chunk)
    others = np.maximum(batch - 1, 0.0)
    one = step_time(s, prefill=t.input_tokens / steps, length=t.length, sequences=others, context=t.context)
    return steps * one + pipeline_time(s, t.input_tokens)


def pipeline_time(s: Setup, tokens: Numbers) -> Numbers:
    """Seconds that one prompt takes longer than its share of a step: it crosses the pipeline's stages in turn."""
    return prefill_time(replace(s, pp=np.ones_like(s.pp)), tokens, tokens) - prefill_time(s, tokens, tokens)


def static_batch(
    s: Setup, *, batch: Numbers, input_tokens: Numbers, output_tokens: Numbers, token_budget: Numbers
) -> tuple[Numbers, Numbers]:
    """(seconds of prefill, seconds of the whole batch) when all sequences start and end together."""
    tokens = batch * input_tokens
    pieces = np.maximum(np.ceil(tokens / np.maximum(token_budget, input_tokens)), 1.0)
    first = pieces * prefill_time(s, tokens / pieces, input_tokens)
    rest = np.maximum(output_tokens - 1, 0.0) * decode_time(s, batch, input_tokens + output_tokens / 2)
    return first, first + rest
