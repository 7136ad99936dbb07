"""Prefill and decode in pools of their own: rate matching, cache transfer, simulation of the two pools in turn.

Worth it where the time between tokens binds: prompts then no longer share steps with answers. Rates match when
n_p r_p = n_d r_d (guide/serving §3 item 11); the cache of a prompt crosses the scale-out or scale-up link once.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from engine.kinds.service import simulate
from engine.physics.token.steady import Traffic
from engine.physics.token.step import Setup, context_of, decode_time, prefill_time

MOST = 6
"""Largest pool of one unit [replica]."""
_BUSY = 0.7
"""Share of time that a prefill replica works in the closed form; simulation decides."""


@dataclass(frozen=True, kw_only=True)
class Split:
    """One unit of a disaggregated service: replicas that digest prompts, replicas that write answers."""

    prefill: int
    decode: int
    transfer_s: float
    """Seconds in which the cache of a mean prompt reaches its decode replica."""

    @property
    def replicas(self) -> int:
        """Replicas in the unit."""
        return self.prefill + self.decode


def transfer_time(s: Setup, input_tokens: float, bandwidth: float) -> float:
    """Seconds to send the cache of one prompt over the links of all accelerators of a replica."""
    tokens = np.asarray(input_tokens)
    bytes_each = float(tokens * s.kv_full + context_of(s.window, tokens) * s.kv_window)
    return bytes_each / (bandwidth * float(s.tp) * float(s.pp))


def prefill_rate(s: Setup, t: Traffic) -> float:
    """Prompts per second of one replica that does nothing else."""
    return _BUSY / float(prefill_time(s, t.input_tokens, t.length))


def decode_rate(s: Setup, t: Traffic, *, most: float, tpot_s: float) -> float:
    """Answers per second of one replica that does nothing else, at the largest batch that keeps the pace."""
    batch = np.maximum(most, 1.0) ** np.linspace(0.0, 1.0, 48)
    step = decode_time(s, batch, t.context)
    kept = step <= tpot_s if tpot_s else np.ones_like(step, dtype=bool)
    return float(np.where(kept, batch / (t.output_tokens * step), 0.0).max())


def saturated_rate(s: Setup, t: Traffic, split: Split, *, most: float) -> float:
    """Requests per second of a unit beyond which a queue before one of its pools grows without end.

    Prompts share steps up to the token budget; answers run in the largest batch, whatever their pace.
    """
    together = np.maximum(t.input_tokens, t.token_budget)
    prompts = together / (t.input_tokens * prefill_time(s, together, t.length))
    return min(split.prefill * float(prompts), split.decode * decode_rate(s, t, most=most, tpot_s=0.0))


def split_for(
    s: Setup, t: Traffic, *, most: float, tpot_s: float, bandwidth: float, demand: float = 0.0, spare: int = 0
) -> Split | None:
    """The unit that wastes least; None when a single answer is already too slow or nothing joins the pools.

    Of all pools up to `MOST` replicas those that need fewest for the demand [request/s], `spare` units of them idle; then
    the one with the highest rate per replica, the smaller one of equals.
    """
    answers = decode_rate(s, t, most=most, tpot_s=tpot_s)
    prompts = prefill_rate(s, t)
    if answers <= 0 or bandwidth <= 0:
        return None

    def worth(pools: tuple[int, int]) -> tuple[float, float, int]:
        rate, size = min(pools[0] * prompts, pools[1] * answers), sum(pools)
        held = (math.ceil(demand / rate) + spare) * size if demand else 0
        return held, -round(rate / size, 9), size

    best = min(((p, d) for p in range(1, MOST + 1) for d in range(1, MOST + 1)), key=worth)
    seconds = transfer_time(s, float(t.input_tokens), bandwidth)
    return Split(prefill=best[0], decode=best[1], transfer_s=seconds)


def run(
    replica: simulate.Replica,
    split: Split,
    *,
    arrival: simulate.Floats,
    inputs: simulate.Integers,
    outputs: simulate.Integers,
    stop: simulate.Stop | None = None,
) -> simulate.Run:
    """One prefill and one decode replica of the unit under their shares of its load, as one run.

    `arrival` holds the times of the whole unit. Tokens after the first wait for the transfer and for a decode slot;
    the decode pool reads the prompt's cache at its mean length.
    """
    first_pool = simulate.open_loop(
        replica, arrival=arrival * split.prefill, inputs=inputs, outputs=np.ones_like(outputs), stop=stop
    )
    if first_pool.stopped:
        return first_pool
    handed = first_pool.end + split.transfer_s
    order = np.argsort(handed, kind="stable")
    held = decode_replica(replica, inputs, outputs)
    # Both pools see the unit's load, each stretched to its own number of replicas.
    stretched = handed[order] * (split.decode / split.prefill)
    second_pool = simulate.open_loop(held, arrival=stretched, inputs=np.ones_like(inputs), outputs=outputs[order])
    answer = np.empty_like(handed)
    answer[order] = second_pool.end - second_pool.arrival
    given = first_pool.first
    return simulate.Run(
        arrival=first_pool.arrival,
        first=given,
        end=given + split.transfer_s + answer,
        outputs=outputs,
        steps=first_pool.steps + second_pool.steps,
        preempted=second_pool.preempted,
        slot_s=second_pool.slot_s * split.prefill / split.decode,
    )


def decode_replica(
    replica: simulate.Replica, inputs: simulate.Integers, outputs: simulate.Integers
) -> simulate.Replica:
    """A replica that only writes answers: prompts of the mean length lie in its cache already."""
    mean, answer = float(inputs.mean()) + replica.prefix, float(outputs.mean())
    return replace(
        replica,
        sequence_s=replica.sequence_s + replica.context_s * mean,
        cache_tokens=replica.cache_tokens * answer / (mean + answer),
        pipeline_s=0.0,
        mixed=True,
        prefix=0,
    )
