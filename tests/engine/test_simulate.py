"""The event simulation against closed forms, and against itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.kinds.service import simulate
from engine.kinds.service.simulate import Replica, closed_loop, gamma_arrivals, lengths, open_loop

BASE = Replica(
    matrix_s=0.008 + 1e-5 * np.arange(2049),
    sequence_s=0.0,
    context_s=2e-8,
    attention_s=0.0,
    cache_tokens=100_000.0,
    max_batch=256,
    token_budget=2048,
    reserve=0.0,
)


def fixed(value: int, count: int) -> simulate.Integers:
    return np.full(count, value, dtype=np.int64)


def drawn(count: int, seed: int = 1) -> tuple[simulate.Integers, simulate.Integers]:
    rng = np.random.default_rng(seed)
    return lengths(rng, mean=300, spread=0.5, count=count), lengths(rng, mean=60, spread=0.5, count=count)


def test_a_lonely_request_takes_one_prompt_step_and_one_step_for_each_further_token() -> None:
    run = open_loop(BASE, arrival=np.array([0.0, 100.0]), inputs=fixed(500, 2), outputs=fixed(3, 2))
    prompt = BASE.matrix_s[500]
    step = BASE.matrix_s[1]
    assert run.ttft == pytest.approx([prompt, prompt])
    assert run.tpot[0] == pytest.approx(step + 2e-8 * 501.5, rel=1e-6)


def test_single_token_answers_queue_like_m_d_1() -> None:
    """Pollaczek–Khinchine with constant service: mean wait = ρ s / (2 (1 − ρ))."""
    service = float(BASE.matrix_s[2048])
    load, count = 0.7, 40_000
    arrival = gamma_arrivals(np.random.default_rng(5), rate=load / service, burstiness=1.0, count=count)
    run = open_loop(BASE, arrival=arrival, inputs=fixed(2048, count), outputs=fixed(1, count))
    assert float(run.ttft.mean()) == pytest.approx(service * (1 + load / (2 * (1 - load))), rel=0.05)


def test_a_full_closed_loop_gives_users_tokens_each_step() -> None:
    run = closed_loop(BASE, users=16, inputs=fixed(1, 400), outputs=fixed(200, 400))
    rate = run.outputs.sum() / run.end.max()
    step = BASE.matrix_s[16] + 2e-8 * 16 * 100
    assert float(rate) == pytest.approx(16 / step, rel=0.03)


def test_compiled_and_plain_loop_agree() -> None:
    inputs, outputs = drawn(300)
    arrival = gamma_arrivals(np.random.default_rng(3), rate=40.0, burstiness=2.0, count=300)
    run = open_loop(replace(BASE, cache_tokens=6000.0), arrival=arrival, inputs=inputs, outputs=outputs)
    first, end = np.zeros(300), np.zeros(300)
    simulate._loop(
        arrival.copy(),
        inputs,
        outputs,
        0,
        BASE.matrix_s,
        0.0,
        2e-8,
        0.0,
        6000.0,
        256,
        2048,
        0.0,
        True,
        1.0,
        0.0,
        0.0,
        0,
        outputs,
        0,
        1e9,
        1e9,
        0,
        first,
        end,
    )
    assert np.array_equal(run.first, first)
    assert np.array_equal(run.end, end)
    assert run.preempted > 0


def test_the_same_seed_gives_the_same_draw() -> None:
    assert np.array_equal(drawn(50)[0], drawn(50)[0])
    assert not np.array_equal(drawn(50)[0], drawn(50, seed=2)[0])


def test_lengths_have_the_asked_mean_and_spread() -> None:
    values = lengths(np.random.default_rng(0), mean=800, spread=0.7, count=200_000)
    assert values.mean() == pytest.approx(800, rel=0.02)
    assert values.std() / values.mean() == pytest.approx(0.7, rel=0.03)


def test_gamma_arrivals_have_the_asked_rate_and_burstiness() -> None:
    gaps = np.diff(gamma_arrivals(np.random.default_rng(0), rate=5.0, burstiness=3.0, count=200_000))
    assert gaps.mean() == pytest.approx(0.2, rel=0.02)
    assert (gaps.std() / gaps.mean()) ** 2 == pytest.approx(3.0, rel=0.05)


def test_prompts_first_delays_answers_under_way() -> None:
    inputs, outputs = drawn(400)
    together = closed_loop(BASE, users=32, inputs=inputs, outputs=outputs)
    apart = closed_loop(replace(BASE, mixed=False), users=32, inputs=inputs, outputs=outputs)
    assert apart.tpot.mean() > together.tpot.mean()


def test_reserving_whole_answers_never_preempts() -> None:
    inputs, outputs = drawn(400)
    run = closed_loop(replace(BASE, cache_tokens=5000.0, reserve=1.0), users=64, inputs=inputs, outputs=outputs)
    assert run.preempted == 0
    assert closed_loop(replace(BASE, cache_tokens=5000.0), users=64, inputs=inputs, outputs=outputs).preempted > 0


@settings(max_examples=40, deadline=None)
@given(
    cache=st.floats(1500, 50_000),
    users=st.integers(0, 80),
    batch=st.integers(1, 64),
    budget=st.integers(64, 2048),
    reserve=st.sampled_from([0.0, 0.5, 1.0]),
    mixed=st.booleans(),
    seed=st.integers(0, 1000),
)
def test_every_request_ends_after_its_first_token(
    cache: float, users: int, batch: int, budget: int, reserve: float, mixed: bool, seed: int
) -> None:
    """Whatever the limits: nothing is lost, nothing answers before it arrived, and time only grows."""
    replica = replace(BASE, cache_tokens=cache, max_batch=batch, token_budget=budget, reserve=reserve, mixed=mixed)
    inputs, outputs = drawn(60, seed)
    if users:
        run = closed_loop(replica, users=users, inputs=inputs, outputs=outputs)
    else:
        arrival = gamma_arrivals(np.random.default_rng(seed), rate=30.0, burstiness=1.0, count=60)
        run = open_loop(replica, arrival=arrival, inputs=inputs, outputs=outputs)
    assert (run.first > run.arrival).all()
    assert (run.end >= run.first).all()
    assert run.steps >= int(outputs.max())


def test_drafts_shorten_answers_and_leave_prompts_as_they_are() -> None:
    """Prompts are not drafted: a full step of them took twice as long beside drafts, and no promise of a first token held."""
    drafting = replace(BASE, gain=2.0, drafted=3.0, drafting=0.12)
    plain, quick = (closed_loop(one, users=1, inputs=fixed(2000, 4), outputs=fixed(201, 4)) for one in (BASE, drafting))
    assert quick.ttft == pytest.approx(plain.ttft)
    step = BASE.matrix_s[4] * 1.12 + 2e-8 * 2100
    assert quick.tpot == pytest.approx(np.full(4, step / 2), rel=0.02)


def test_an_answer_with_drafts_leaves_the_cache_as_it_found_it() -> None:
    """Sent back and taken up again, each holds and reads what it should: what is held is nothing at the end."""
    inputs, outputs = drawn(400)
    tight = replace(BASE, gain=2.4, drafted=4.0, cache_tokens=6000.0)
    arrival = gamma_arrivals(np.random.default_rng(3), rate=60.0, burstiness=2.0, count=400)
    run = open_loop(tight, arrival=arrival, inputs=inputs, outputs=outputs)
    assert run.preempted > 0
    assert (run.end > run.first - 1e-12).all()
    late = open_loop(tight, arrival=arrival[-1:] + 1e4, inputs=inputs[-1:], outputs=outputs[-1:])
    both = open_loop(
        tight,
        arrival=np.concatenate([arrival, arrival[-1:] + 1e4]),
        inputs=np.concatenate([inputs, inputs[-1:]]),
        outputs=np.concatenate([outputs, outputs[-1:]]),
    )
    assert both.tpot[-1] == pytest.approx(late.tpot[-1], rel=1e-9)


def test_a_prefix_in_the_cache_is_attended_to_read_and_held() -> None:
    """32,000 tokens of which 95 % lie in the cache were simulated as prompts of 1,600."""
    short = replace(BASE, attention_s=1e-9)
    cached = replace(short, prefix=30_000)
    whole = replace(short, cache_tokens=1e9)
    plain, prefix, computed = (
        closed_loop(one, users=1, inputs=fixed(tokens, 3), outputs=fixed(101, 3))
        for one, tokens in ((short, 1600), (cached, 1600), (whole, 31_600))
    )
    assert plain.ttft[0] < prefix.ttft[0] < computed.ttft[0]
    assert prefix.ttft[0] - plain.ttft[0] == pytest.approx(1e-9 * 1600 * 30_000)
    assert prefix.tpot[0] == pytest.approx(computed.tpot[0], rel=1e-6)
    room = replace(cached, cache_tokens=70_000.0)
    two = closed_loop(room, users=8, inputs=fixed(1600, 40), outputs=fixed(101, 40))
    assert two.slot_s / two.end.max() == pytest.approx(2.0, abs=0.1), "two of 31,700 tokens fit, not forty"
