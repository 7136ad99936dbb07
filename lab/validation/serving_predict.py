"""Predictions for measured serving rows: closed form for all of them at once, simulation where requests queue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from engine.inputs.assumptions import Assumptions
from engine.kinds.service import simulate
from engine.kinds.service.tables import NEVER_PREEMPT, replica_tables
from engine.physics.token.machine import rates_for
from engine.physics.token.memory import sequences_that_fit
from engine.physics.token.steady import Traffic, first_token_time, static_batch, token_time
from engine.physics.token.step import Numbers, Setup, decode_time, prefill_time, setup, stack
from lab.validation.row_model import text_of
from lab.validation.serving_rows import Case

Predicted = dict[str, float]
_MOST_SIMULATED = 12_000
_FOR_PROMISE = 8000
_REQUESTS_EACH = 10
_USUAL_NIC = 50e9
"""Scale-out link of one accelerator of these sources, 400 Gbit/s [byte/s]."""
_STEP_SIZES = (1024, 2048, 8192)
"""Most tokens in a step that an audited submission may have chosen."""


def numbers_of(case: Case, assume: Assumptions) -> dict[str, float]:
    """Fields of a `Setup` for one case; formats of other tools state their bits."""
    rates = rates_for(case.device, case.precision, case.engine, assume)
    numbers = setup(
        case.shape,
        rates,
        precision=case.precision,
        kv_precision=case.kv_precision,
        tp=case.tp,
        pp=case.pp,
        ep=case.ep,
        adp=case.adp,
        assume=assume,
    )
    if case.bits:
        numbers |= {"dense_bytes": case.bits / 8, "expert_bytes": case.bits / 8}
    return numbers


def _column(values: Sequence[float]) -> Numbers:
    return np.asarray(values, dtype=float)[:, None]


def fits(s: Setup, cases: Sequence[Case]) -> Numbers:
    """Sequences that fit, as the engine reserves them: the whole answer, or half of it on average."""
    share = _column([1.0 if c.engine in NEVER_PREEMPT else 0.5 for c in cases])
    context = _column([c.inputs for c in cases]) + share * _column([c.outputs for c in cases])
    return sequences_that_fit(s, context)


def closed_form(cases: Sequence[Case], assume: Assumptions) -> list[Predicted]:
    """What the steady state says of each case; times in ms, throughput in output tokens/s and accelerator."""
    if not cases:
        return []
    s = stack([numbers_of(case, assume) for case in cases])
    t = Traffic(
        input_tokens=_column([c.inputs for c in cases]),
        length=_column([c.inputs for c in cases]),
        context=_column([c.inputs + c.outputs / 2 for c in cases]),
        output_tokens=_column([c.outputs for c in cases]),
        token_budget=assume["serving.token_budget"] * s.adp,
    )
    room = np.maximum(fits(s, cases), 1.0)
    wanted = _column([c.batch or np.inf for c in cases])
    caps = _column([np.inf if c.kind == "static" else assume[f"serving.max_batch.{c.engine}"] for c in cases]) * s.adp
    batch = np.maximum(np.minimum(np.minimum(wanted, room), caps), 1.0)
    token = token_time(s, t, batch)
    begin = first_token_time(s, t, batch)
    waves = np.maximum(wanted / room, 1.0)
    first, whole = static_batch(
        s, batch=batch, input_tokens=t.input_tokens, output_tokens=t.output_tokens, token_budget=t.token_budget
    )
    local = decode_time(s, batch, _column([_local_context(c) for c in cases]))
    steps = _column([assume[c.delivery[0]] for c in cases])
    fixed = _column([assume[c.delivery[1]] for c in cases])
    alone = prefill_time(s, t.input_tokens * _column([c.pp for c in cases]), t.input_tokens)
    table = {
        "token": token,
        "begin": begin,
        "static_first": first,
        "static": whole * np.where(np.isinf(waves), 1.0, waves),
        "static_token": (whole - first) / np.maximum(t.output_tokens - 1, 1.0),
        "local": local,
        "alone": alone,
        "delivery": steps * token + fixed / 1e3,
        "room": room,
        "batch": batch,
    }
    rows = {name: values[:, 0].tolist() for name, values in table.items()}
    share = assume["serving.saturation_share"]
    return [_by_kind(case, {name: rows[name][i] for name in rows}, share) for i, case in enumerate(cases)]


def _local_context(case: Case) -> float:
    """Tokens before the one that is generated: `llama-bench` starts empty, the others after the prompt."""
    return (
        case.outputs / 2 if text_of(case.row, "scenario").startswith("llama-bench") else case.inputs + case.outputs / 2
    )


def _by_kind(case: Case, at: Mapping[str, float], share: float) -> Predicted:
    """The metrics that a row of that kind can state, and what a prompt alone takes."""
    batch, devices = at["batch"], case.devices
    prompt = {"prompt_ms": at["alone"] * 1e3}
    if case.kind == "static":
        wanted = case.batch or batch
        return prompt | {
            "output_tokens_per_s_per_gpu": wanted * case.outputs / at["static"] / devices,
            "ttft_ms": at["static_first"] * 1e3,
            "tpot_ms": at["static_token"] * 1e3,
        }
    if case.kind == "first":
        return prompt | {"ttft_ms": at["alone"] * 1e3}
    if case.kind == "local":
        rate = batch / at["local"] / devices
        return prompt | {
            "output_tokens_per_s_per_gpu": rate,
            "tpot_ms": at["local"] * 1e3,
            "ttft_ms": at["alone"] * 1e3,
        }
    each = at["token"] * case.outputs
    rate = batch * case.outputs / (each + at["begin"]) / devices
    return prompt | {
        "output_tokens_per_s_per_gpu": rate * (share if case.kind == "saturated" else 1.0),
        "tpot_ms": at["token"] * 1e3,
        "ttft_ms": (at["begin"] + at["delivery"]) * 1e3,
    }


def replica_of(case: Case, assume: Assumptions) -> simulate.Replica:
    """The replica of a case as the simulation sees it."""
    s = stack([numbers_of(case, assume)])
    context = case.inputs + case.outputs / 2
    replica = replica_tables(
        s, context=context, prompt=case.inputs, accepted=case.accepted, engine=case.engine, assume=assume
    )
    # The row ran: at least one request fits, whatever our reckoning of the memory says.
    return replace(replica, cache_tokens=max(replica.cache_tokens, 1.5 * (case.inputs + case.outputs) + 1))


def simulated(case: Case, assume: Assumptions) -> Predicted:
    """What a simulated run of the row's own length says (closed and open loops, saturation, promises)."""
    if case.pools:
        return pooled(case, assume)
    replica = replica_of(case, assume)
    if case.kind == "promise":
        return _promised(case, replica, assume)
    if case.kind == "users":
        return _most_users(case, replica, assume)
    users = round(max(case.batch, 1.0)) if case.kind == "closed" else 0
    count = min(max(10 * users, 60), _MOST_SIMULATED) if users else min(case.requests or 2000, _MOST_SIMULATED)
    return _metrics(case, replica, _one_run(case, replica, users=users, count=count, rate=case.rate), assume)


def pooled(case: Case, assume: Assumptions) -> Predicted:
    """Prompts and answers in pools of their own, a fixed number of users: each prompt is one of `n` servers' work, each
    answer a stay without a queue (mean value analysis of a closed network), whose pace depends on how many are there."""
    assert case.pools is not None
    before, after = (
        replace(case, tp=pool.tp, pp=1, ep=pool.ep, adp=pool.adp, replicas=float(pool.workers)) for pool in case.pools
    )
    users = max(case.batch * case.replicas, 1.0)
    prompt = _prompt_seconds(before, assume)
    servers = before.replicas * before.adp
    s = stack([numbers_of(after, assume)])
    context = np.array([[case.inputs + case.outputs / 2]])
    room = max(float(sequences_that_fit(s, context)[0, 0]), 1.0)
    waiting, token = 0.0, 0.0
    for _ in range(20):
        share = case.outputs * token / max(case.outputs * token + prompt + waiting, 1e-9) if token else 0.9
        batch = min(max(users * share / after.replicas, 1.0), room)
        token = float(decode_time(s, np.array([[batch]]), context)[0, 0])
        waiting = 0.5 * (waiting + _waiting(users, prompt, servers, case.outputs * token))
    cache = case.inputs * float((s.kv_full + s.kv_window)[0, 0])
    moved = cache / (case.device.nic_bandwidth or _USUAL_NIC)
    # All users start at once and each sends ten requests: a tenth of them meets that crowd, unless there is always one.
    crowd = users * prompt / (2.0 * servers)
    waiting += max(crowd - waiting, 0.0) / _REQUESTS_EACH
    first = prompt + waiting + moved + assume[case.delivery[0]] * token + assume[case.delivery[1]] / 1e3
    rate = users / (first + case.outputs * token)
    devices = before.replicas * before.devices + after.replicas * after.devices
    return {
        "output_tokens_per_s_per_gpu": rate * case.outputs / devices,
        "ttft_ms": first * 1e3,
        "tpot_ms": token * 1e3,
    }


def _prompt_seconds(case: Case, assume: Assumptions) -> float:
    """One prompt; data-parallel ranks take one each at the same time, through the experts that they share."""
    s = stack([numbers_of(case, assume)])
    inputs = np.array([[case.inputs]])
    return float(prefill_time(s, inputs * case.adp, inputs)[0, 0])


def _waiting(users: float, service: float, servers: float, stay: float) -> float:
    """Mean wait for one of several servers in a closed network with a stay elsewhere [s]: none below saturation, then what
    keeps the users in balance; around the knee the two joined as a 2-norm."""
    full = users * service / servers - service - stay
    free = service * min(users * service / (servers * (service + stay)), 1.0) ** max(servers, 1.0) / (2.0 * servers)
    return float(np.hypot(max(full, 0.0), free))


def _one_run(case: Case, replica: simulate.Replica, *, users: int, count: int, rate: float) -> simulate.Run:
    rng = np.random.default_rng(20260701)
    inputs = simulate.lengths(rng, mean=case.inputs, spread=case.spread[0], count=count)
    outputs = simulate.lengths(rng, mean=case.outputs, spread=case.spread[1], count=count)
    if users:
        return simulate.closed_loop(replica, users=users, inputs=inputs, outputs=outputs)
    arrival = simulate.gamma_arrivals(rng, rate=rate, burstiness=1.0, count=count) if rate else np.zeros(count)
    return simulate.open_loop(replica, arrival=arrival, inputs=inputs, outputs=outputs)


def _metrics(case: Case, replica: simulate.Replica, run: simulate.Run, assume: Assumptions) -> Predicted:
    token = run.tpot
    ttft = run.ttft * 1e3 + replica.pipeline_s * 1e3 + assume[case.delivery[0]] * token * 1e3 + assume[case.delivery[1]]
    rate = float(run.outputs.sum() / (run.end.max() - run.arrival.min())) / case.devices
    share = assume["serving.saturation_share"] if case.kind == "saturated" else 1.0
    return {
        "output_tokens_per_s_per_gpu": rate * share,
        "ttft_ms": float(ttft.mean()),
        "ttft_p99_ms": float(np.percentile(ttft, 99)),
        "tpot_ms": float(token.mean() * 1e3),
        "tpot_p99_ms": float(np.percentile(token, 99) * 1e3),
    }


def _holds(found: Predicted, case: Case) -> bool:
    return found["ttft_p99_ms"] <= case.limits[0] and found["tpot_p99_ms"] <= case.limits[1]


def _promised(case: Case, replica: simulate.Replica, assume: Assumptions) -> Predicted:
    """Throughput at the highest rate that holds both limits; latencies at the published rate.

    Who publishes tunes the size of a step: short ones keep the pace of answers beside long prompts.
    """
    at_rate = _metrics(case, replica, _one_run(case, replica, users=0, count=_FOR_PROMISE, rate=case.rate), assume)
    best = max(
        _highest_rate(case, replace(replica, token_budget=min(budget * case.adp, replica.token_budget)), assume)
        for budget in _STEP_SIZES
    )
    return at_rate | {"output_tokens_per_s_per_gpu": best * case.outputs / case.devices}


def _highest_rate(case: Case, replica: simulate.Replica, assume: Assumptions) -> float:
    """Requests per second that hold both limits; a thousandth of the published rate stands for none."""
    low, high = case.rate / 1000, case.rate * 8
    for _ in range(14):
        middle = (low + high) / 2
        run = _one_run(case, replica, users=0, count=_FOR_PROMISE, rate=middle)
        stable = run.end.max() <= run.arrival[-1] * 1.25 + case.limits[0] / 1e3 + case.outputs * case.limits[1] / 1e3
        if stable and _holds(_metrics(case, replica, run, assume), case):
            low = middle
        else:
            high = middle
    return low


def _most_users(case: Case, replica: simulate.Replica, assume: Assumptions) -> Predicted:
    """Throughput with as many users as hold the limits."""
    low, high = 1, 1024
    while high - low > 1:
        middle = (low + high) // 2
        run = _one_run(case, replica, users=middle, count=4 * middle, rate=0.0)
        low, high = (middle, high) if _holds(_metrics(case, replica, run, assume), case) else (low, middle)
    run = _one_run(case, replica, users=low, count=4 * low, rate=0.0)
    return {"output_tokens_per_s_per_gpu": _metrics(case, replica, run, assume)["output_tokens_per_s_per_gpu"]}
