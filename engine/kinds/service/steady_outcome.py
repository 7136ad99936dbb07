"""First numbers of a replica at a given rate, before any simulation: means in closed form, tails by their usual ratio."""

from __future__ import annotations

import numpy as np

from engine.inputs.assumptions import Assumptions
from engine.kinds.service.capacity import Percentile, Simulated
from engine.kinds.service.closed_form import GRID, TAIL_TPOT, TAIL_TTFT
from engine.kinds.service.tables import delivery_ms, traffic_of
from engine.kinds.service.work import ServingWork
from engine.physics.token.steady import first_token_time, token_time
from engine.physics.token.step import Setup


def steady_rate(
    s: Setup, work: ServingWork, *, rate: float, most: float, engine: str, assume: Assumptions
) -> Simulated:
    """What the closed form says of one replica at that rate [request/s]: means of the steady state, with usual tails.

    The batch follows from Little's law: as many requests are in flight as arrive while one is served.
    """
    t = traffic_of(work, assume)
    batch = max(most, 1.0) ** np.linspace(0.0, 1.0, GRID)
    token, begin = token_time(s, t, batch), first_token_time(s, t, batch)
    carried = batch / (t.output_tokens * token + begin)
    at = float(np.interp(rate, np.maximum.accumulate(carried), batch))
    tpot = float(token_time(s, t, np.asarray(at))) * 1e3
    ttft = float(first_token_time(s, t, np.asarray(at))) * 1e3 + work.network_latency_ms
    ttft += float(delivery_ms(engine, np.asarray(tpot / 1e3), assume))
    e2e = ttft + tpot * max(work.output_tokens - 1, 0.0)
    return Simulated(
        ttft=_usual_tail(ttft, TAIL_TTFT),
        tpot=_usual_tail(tpot, TAIL_TPOT),
        e2e=_usual_tail(e2e, TAIL_TPOT),
        batch=at,
        output_tokens_per_s=rate * work.output_tokens,
    )


def _usual_tail(mean: float, tail: float) -> Percentile:
    """A percentile by its usual ratio to the mean; the 99th is taken as far above the 95th as that above the mean."""
    return Percentile(p50=mean, p95=mean * tail, p99=mean * tail**2, mean=mean)
