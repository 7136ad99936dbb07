"""The requests that every candidate is tried with: arrival times and lengths, drawn once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from engine.kinds.service import simulate
from engine.kinds.service.work import ServingWork

WARM = 0.1
"""Share of simulated requests that are left out while the replica fills."""


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """Requests in order of arrival."""

    arrival: simulate.Floats
    """Times at one request a second."""
    inputs: simulate.Integers
    """Prompt tokens that must be computed."""
    outputs: simulate.Integers

    @property
    def judged(self) -> slice:
        """The requests whose latencies count."""
        return slice(int(len(self.inputs) * WARM), None)


def drawn(work: ServingWork, *, count: int = 0) -> Drawn:
    """The requests of that work, `count` of them (as many as it says by default); the same for every candidate."""
    cached = work.input_tokens - work.computed_tokens
    return _drawn(
        work.seed,
        count or work.requests,
        work.burstiness,
        work.computed_tokens,
        work.output_tokens,
        work.length_spread,
        work.window - cached if work.window else np.inf,
    )


@lru_cache(maxsize=64)
def _drawn(
    seed: int, count: int, burstiness: float, inputs: float, outputs: float, spread: float, window: float
) -> Drawn:
    """`window`: tokens of prompt and answer together that the model can hold."""
    rng = np.random.default_rng(seed)
    arrival = simulate.gamma_arrivals(rng, rate=1.0, burstiness=burstiness, count=count)
    prompts = simulate.lengths(rng, mean=inputs, spread=spread, count=count, most=max(window - outputs, 1.0))
    room = np.maximum(window - prompts, 1.0)
    answers = simulate.lengths(rng, mean=outputs, spread=spread, count=count, most=room)
    return Drawn(arrival=arrival, inputs=prompts, outputs=answers)


def p95(values: simulate.Floats) -> float:
    """95th percentile without sorting everything."""
    place = int(0.95 * len(values))
    return float(np.partition(values, place)[place])
