"""The closed form of all candidates at once: what fits, the rate within the promises, and latencies of a single request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from engine.inputs.assumptions import Assumptions
from engine.kinds.service.candidates import Candidate
from engine.kinds.service.load import Shares, of_each, shares_of
from engine.kinds.service.tables import traffic_of
from engine.kinds.service.work import ServingWork
from engine.physics.token.memory import sequences_that_fit
from engine.physics.token.steady import first_token_time, token_time
from engine.physics.token.step import Numbers, Setup, stack

GRID = 24
"""Batches tried for each candidate in the closed form."""
TAIL_TTFT = 2.2
"""p95 against mean of the time to the first token before simulation tells it (finalists are simulated)."""
TAIL_TPOT = 1.12


@dataclass(frozen=True, kw_only=True)
class Steady:
    """Closed form of many candidates: arrays of length n."""

    fits: Numbers
    """Sequences of the mean length that fit."""
    longest: Numbers
    """Sequences of the full context that fit."""
    rate: Numbers
    """Highest rate within the promises [request/s]; 0 when none."""
    batch: Numbers
    saturated: Numbers
    """Highest rate without promises [request/s]."""


def steady(
    found: list[Candidate],
    numbers: list[dict[str, float]],
    work: ServingWork,
    assume: Assumptions,
    stacked: Setup | None = None,
) -> Steady:
    """Closed form for all candidates at once. `stacked`: their numbers as arrays, where they are known already."""
    s = stacked or stack(numbers)
    t = traffic_of(work, assume)
    caps = _of_engines(found, assume, "max_batch")
    fits = np.minimum(sequences_that_fit(s, t.context), caps * s.adp)
    longest = sequences_that_fit(s, np.asarray(work.input_tokens + work.output_tokens))
    top = np.maximum(fits, 1.0)
    batch = top ** np.linspace(0.0, 1.0, GRID)[None, :]
    token = token_time(s, t, batch)
    begin = first_token_time(s, t, batch)
    rate = batch / (t.output_tokens * token + begin) * assume["serving.saturation_share"]
    steps, fixed = _of_engines(found, assume, "first_steps"), _of_engines(found, assume, "first_ms")
    ttft = (begin + steps * token) * 1e3 + fixed + work.network_latency_ms
    tpot = token * 1e3
    shares = of_each((one.cluster.device for one in found), lambda device: shares_of(device, work, assume))
    held = (fits >= 1) & (longest >= 1) & _within(ttft, tpot, work, shares)
    allowed = np.where(held, rate, 0.0)
    best = np.argmax(allowed, axis=1)
    rows = np.arange(len(found))
    return Steady(
        fits=fits[:, 0],
        longest=longest[:, 0],
        rate=allowed[rows, best],
        batch=batch[rows, best],
        saturated=np.where((fits >= 1) & (longest >= 1), rate, 0.0).max(axis=1),
    )


def _of_engines(found: list[Candidate], assume: Assumptions, name: str) -> Numbers:
    """That coefficient of each candidate's engine, as a column."""
    values = {engine: assume[f"serving.{name}.{engine}"] for engine in {candidate.engine for candidate in found}}
    return np.array([values[candidate.engine] for candidate in found])[:, None]


def _within(ttft: Numbers, tpot: Numbers, work: ServingWork, shares: Sequence[Shares]) -> NDArray[np.bool_]:
    """Which points hold the promises, tails allowed for."""
    held = np.ones_like(ttft, dtype=bool)
    if work.ttft_p95_ms:
        held &= ttft * TAIL_TTFT <= work.ttft_p95_ms * np.array([one.ttft for one in shares])[:, None]
    if work.tpot_p95_ms:
        held &= tpot * TAIL_TPOT <= work.tpot_p95_ms * np.array([one.tpot for one in shares])[:, None]
    return held
