"""The closed form of all candidates at once: what fits, the rate within the promises, and latencies of a single request."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from engine.inputs.assumptions import Assumptions
from engine.kinds.service.candidates import Candidate
from engine.kinds.service.load import ManyShares
from engine.kinds.service.tables import traffic_of
from engine.kinds.service.work import ServingWork, undrafted
from engine.physics.token.memory import sequences_that_fit
from engine.physics.token.steady import first_token_time, token_time
from engine.physics.token.step import Numbers, Setup, decode_time

GRID = 24
"""Batches tried for each candidate in the closed form."""
TAIL_TTFT = 2.2
"""p95 against mean of the time to the first token before simulation tells it (finalists are simulated)."""
TAIL_TPOT = 1.12


@dataclass(frozen=True, kw_only=True)
class Paces:
    """What each candidate does with a grid of batches, whatever is promised of it: many requests ask for the same lengths
    and differ in what they promise. Arrays of length n, and of (those that hold a request, grid)."""

    fits: Numbers
    """Sequences of the mean length that fit."""
    held: NDArray[np.intp]
    """Places of the candidates that hold a sequence of the mean length and one of the full context."""
    rate: Numbers
    """Requests per second at each batch."""
    ttft: Numbers
    """Mean time to the first token [ms]."""
    tpot: Numbers
    """Mean time between tokens [ms]."""
    answers: Numbers
    """Answers per second of those that hold a request, while each only writes answers: in its best batch."""


@dataclass(frozen=True, kw_only=True)
class Steady:
    """Closed form of many candidates: arrays of length n."""

    fits: Numbers
    """Sequences of the mean length that fit."""
    rate: Numbers
    """Highest rate within the promises [request/s]; 0 when none."""
    saturated: Numbers
    """Highest rate without promises [request/s]."""


def paces(found: list[Candidate], s: Setup, work: ServingWork, assume: Assumptions) -> Paces:
    """The pace of every candidate at every batch. `s`: their numbers, as columns."""
    t = traffic_of(work, assume)
    caps = _of_engines(found, assume, "max_batch")
    fits = np.minimum(sequences_that_fit(s, t.context), caps * s.adp)
    longest = sequences_that_fit(s, np.asarray(work.input_tokens + work.output_tokens))
    held = np.flatnonzero((fits >= 1) & (longest >= 1))
    s = Setup(**{item.name: getattr(s, item.name)[held] for item in fields(Setup)})
    batch = fits[held] ** np.linspace(0.0, 1.0, GRID)[None, :]
    plain = decode_time(s, batch, t.context)
    token = token_time(s, t, batch, plain)
    if t.accepted > 1:  # drafts are worth it in small batches: a replica runs without them where that is quicker
        token = np.minimum(token, token_time(s, traffic_of(undrafted(work), assume), batch, plain))
    begin = first_token_time(s, t, batch)
    steps, fixed = (_of_engines(found, assume, name)[held] for name in ("first_steps", "first_ms"))
    return Paces(
        fits=fits[:, 0],
        held=held,
        rate=batch / (t.output_tokens * token + begin) * assume["serving.saturation_share"],
        ttft=(begin + steps * token) * 1e3 + fixed + work.network_latency_ms,
        tpot=token * 1e3,
        answers=(batch / (t.output_tokens * plain)).max(axis=1, initial=0.0),
    )


def steady(every: Paces, work: ServingWork, shares: ManyShares) -> Steady:
    """The highest rates within the promises of the work, and without them. `shares`: what each candidate may use up of them."""
    rate, saturated = np.zeros_like(every.fits), np.zeros_like(every.fits)
    within = _within(every.ttft, every.tpot, work, shares.of(every.held))
    rate[every.held] = np.where(within, every.rate, 0.0).max(axis=1, initial=0.0)
    saturated[every.held] = every.rate.max(axis=1, initial=0.0)
    return Steady(fits=every.fits, rate=rate, saturated=saturated)


def _of_engines(found: list[Candidate], assume: Assumptions, name: str) -> Numbers:
    """That coefficient of each candidate's engine, as a column."""
    values = {engine: assume[f"serving.{name}.{engine}"] for engine in {candidate.engine for candidate in found}}
    return np.array([values[candidate.engine] for candidate in found])[:, None]


def _within(ttft: Numbers, tpot: Numbers, work: ServingWork, shares: ManyShares) -> NDArray[np.bool_]:
    """Which points hold the promises, tails allowed for."""
    held = np.ones_like(ttft, dtype=bool)
    if work.ttft_p95_ms:
        held &= ttft * TAIL_TTFT <= work.ttft_p95_ms * shares.ttft[:, None]
    if work.tpot_p95_ms:
        held &= tpot * TAIL_TPOT <= work.tpot_p95_ms * shares.tpot[:, None]
    return held
