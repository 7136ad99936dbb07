"""How sure a plan must be, how sure it is, and what more certainty costs."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from engine.answer import Chance, Option, Recommendation
from engine.choice.certain import STEPS, Taken
from engine.choice.certain import told as told_rows
from engine.choice.sure import Asked, is_sure
from engine.defaults import ASKED, assumptions_for, check_spec
from engine.entry import recommend
from engine.inputs.spec import Confidence, Constraints, Serving, Spec, SpecError
from engine.kinds.service.load import (
    Shares,
    carried,
    devices_of,
    given,
    longest_prompt,
    parts_of,
    promise_for,
    shares_of,
)
from engine.kinds.service.work import ServingWork
from engine.money.draws import Draws, draw, kept_with, normals, time_needed
from engine.odds.chances import chance_within
from engine.odds.normal import P90
from engine.odds.serving import first_sigma, log_sigma, prefill_sigma
from engine.supply import Supply
from tests.engine.devices import H100, LLAMA_8B
from tests.engine.serving_helpers import ASSUME, service
from tests.engine.small_market import OFFERS, answer, market, offer, spec

LEVELS = (0.5, 0.8, 0.9, 0.95)


def asked(wanted: Spec, sure: float) -> Spec:
    """The same, that sure."""
    return replace(wanted, confidence=Confidence(all=sure))


def test_one_number_or_two_say_how_sure_and_memory_takes_half_of_the_rest() -> None:
    assert Confidence().fits == 0.97
    assert Confidence(all=0.99).fits == pytest.approx(0.995)
    assume = assumptions_for(asked(spec(), 0.9))
    assert (assume["select.confidence"], assume["select.fits"]) == (0.9, 0.97)
    assert assume.get("select.confidence").source == ASKED
    assert assumptions_for(spec()).get("select.confidence").source != ASKED


def test_how_sure_is_said_once() -> None:
    twice = replace(asked(spec(), 0.9), assumptions={"select.confidence": 0.7})
    with pytest.raises(SpecError) as error:
        check_spec(twice)
    assert [fault.path for fault in error.value.faults] == ["assumptions.select.confidence"]
    check_spec(replace(asked(spec(), 0.9), assumptions={"select.confidence": 0.9}))


def test_all_limits_and_the_memory_must_each_be_sure_enough() -> None:
    odds = Chance(all=0.85, deadline=0.88, memory=0.98)
    assert is_sure(odds, Asked(all=0.85, fits=0.98))
    assert not is_sure(odds, Asked(all=0.86, fits=0.9))
    assert not is_sure(odds, Asked(all=0.5, fits=0.99))
    assert is_sure(Chance(all=1.0), Asked(all=0.99, fits=0.99)), "what has no limit keeps all of them"


def test_a_limit_kept_with_some_probability_is_the_least_such_limit() -> None:
    values = np.arange(1.0, 101.0)
    for sure in LEVELS:
        limit = kept_with(values, sure)
        assert np.mean(values <= limit) >= sure > np.mean(values <= limit - 1.0)


def test_time_needs_to_be_surer_where_the_slow_draws_are_not_the_dear_ones() -> None:
    pace = np.linspace(0.5, 1.5, 1000)
    slow_is_dear = Draws(total=pace, days=None, cash=pace * 100.0, authorised=pace * 100.0, pace=pace)
    assert time_needed(slow_is_dear, 0.8, 1000.0) == pytest.approx(0.8)
    assert time_needed(slow_is_dear, 0.8, 130.0) == pytest.approx(0.8), "the fast ones are the cheap ones"
    slow_is_cheap = replace(slow_is_dear, cash=100.0 * (2.0 - pace))
    assert time_needed(slow_is_cheap, 0.8, 140.0) == pytest.approx(0.9, abs=2e-3)
    assert time_needed(slow_is_cheap, 0.8, 120.0) is None, "the budget alone holds in seven of ten"


def _requests(count: int) -> list[Spec]:
    """Runs with a deadline and a budget, some tight, some loose."""
    rng, found = random.Random(18), []
    for _ in range(count):
        wanted = spec(deadline_days=rng.choice((4.0, 8.0, 15.0)), budget_usd=rng.choice((20e3, 24e3, 30e3)))
        assert wanted.training is not None
        training = replace(wanted.training, tokens=rng.choice((8e9, 20e9)))
        found.append(asked(replace(wanted, training=training), rng.choice(LEVELS)))
    return found


def test_what_is_recommended_is_kept_as_often_as_was_asked() -> None:
    """In 20,000 draws that the choice has not seen: time and money from the cost model itself."""
    seen = 0
    for wanted in _requests(8):
        best = answer(wanted, *OFFERS).recommended
        if best is None:
            continue
        seen += 1
        assert _kept(best, wanted) >= wanted.confidence.all - 0.01
    assert seen >= 4


def _kept(best: Option, wanted: Spec) -> float:
    assert best.step_time_s is not None
    assert best.chance is not None
    assert best.chance.memory is not None
    limits = wanted.constraints
    spread = np.log(best.days.high / best.days.expected) / 1.2815515655446004
    days = best.days.expected * np.exp(np.random.default_rng(5).standard_normal(20_000) * spread)
    step = np.log(best.step_time_s.high / best.step_time_s.expected) / 1.2815515655446004
    outcome = draw(best.cost.model, log_sigma_time=float(step), seed=5, draws=20_000)
    assert outcome.pace is not None
    # The same draw is slow in time and in money.
    slow = np.sort(days)[np.argsort(np.argsort(outcome.pace))]
    both = (slow <= limits.deadline_days) & (outcome.cash <= limits.budget_usd)
    return float(np.mean(both)) * best.chance.memory


def test_more_certainty_never_costs_less_and_its_row_is_the_answer_that_asks_for_it() -> None:
    wanted = spec(deadline_days=6.0)
    found = answer(wanted)
    assert found.recommended is not None
    assert [row.confidence for row in found.certainty if not row.between] == [0.5, 0.6, 0.8, 0.9, 0.95]
    assert [row.confidence for row in found.certainty] == list(STEPS)
    assert [row.option_id for row in found.certainty if row.asked] == [found.recommended.id]
    costs = [row.cost for row in found.certainty if row.cost is not None]
    assert all(less <= more for less, more in pairwise(costs))
    assert [row.confidence for row in found.certainty if row.extrapolated] == [0.95]
    for row in found.certainty:
        other = answer(asked(wanted, row.confidence)).recommended
        assert (other.id if other else "") == row.option_id
        assert row.chance == (other.chance.all if other and other.chance else None)
        assert row.chance is None or row.chance >= row.confidence - 1e-9


def test_chances_are_no_better_together_than_alone() -> None:
    best = answer(spec(deadline_days=6.0, budget_usd=40e3)).recommended
    assert best is not None
    assert best.chance is not None
    alone = (best.chance.deadline, best.chance.budget, best.chance.memory)
    assert all(one is not None and best.chance.all <= one for one in alone)
    assert best.chance.deadline == best.probability_in_time
    assert best.memory.probability_fits == pytest.approx(best.chance.memory)
    assert best.sure


def test_a_request_that_nothing_keeps_so_surely_says_how_sure_one_can_be() -> None:
    free = answer(spec(deadline_days=6.0)).recommended
    assert free is not None
    tight = spec(deadline_days=6.0, budget_usd=free.cost.total.expected * 0.98, accelerators=("h100-sxm5",))
    found = answer(asked(tight, 0.95), offer("one", "h100-sxm5", 24.0))
    assert not found.feasible
    changes = [change for way in found.nearest for change in way.changes if change.field == "confidence.all"]
    for change in changes:
        bold = replace(tight, confidence=Confidence(all=change.needed.value))  # type: ignore[union-attr]
        assert answer(bold, offer("one", "h100-sxm5", 24.0)).feasible


def test_promises_leave_more_room_the_surer_they_must_be() -> None:
    shares = [_share(service(kept=sure), 0.0) for sure in LEVELS]
    assert shares[0].ttft == shares[0].tpot == ASSUME["serving.slo_margin"]
    assert all(less.ttft > more.ttft for less, more in pairwise(shares))
    assert all(less.tpot >= more.tpot for less, more in pairwise(shares))
    assert all(one.ttft <= one.tpot for one in shares), "tails are less certain than the pace"


def _share(work: ServingWork, prompt: float) -> Shares:
    """What a plan may use up on an H100 where the prompt alone is that part of the promise."""
    return shares_of(devices_of([H100]), work, ASSUME, prompt_ms=np.array([prompt * work.ttft_p95_ms]))[0]


@pytest.mark.parametrize("sure", LEVELS[1:])
@pytest.mark.parametrize("tokens", [500.0, 100_000.0])
def test_a_first_token_that_is_mostly_its_prompt_is_known_better(sure: float, tokens: float) -> None:
    """What may be used up rises with the prompt's part and is kept exactly as surely as is asked."""
    work = service(kept=sure, input_tokens=tokens)
    prompts = [0.0, 0.05, 0.2, 0.4, 0.6, 0.9]
    shares = [_share(work, prompt).ttft for prompt in prompts]
    assert all(less <= more for less, more in pairwise(shares))
    assert shares[0] < shares[-1]
    parts = parts_of(H100, work, tokens=longest_prompt(work))
    assert parts.prompt < parts.wait
    for prompt, share in zip(prompts, shares, strict=True):
        sigma = first_sigma(parts.prompt, parts.wait, prompt / share)
        assert chance_within(1.0, share, share * math.exp(P90 * sigma)) == pytest.approx(sure, abs=1e-6)


def test_prompts_longer_than_any_that_was_measured_are_known_less_well() -> None:
    lengths = (1_000.0, 32_768.0, 65_536.0, 131_072.0, 1e7)
    sigmas = [prefill_sigma(H100, tokens) for tokens in lengths]
    assert sigmas[0] == sigmas[1] < sigmas[2] < sigmas[3] < sigmas[4]
    assert sigmas[4] == log_sigma(H100, "ttft_tail"), "no better than a wait, and no worse"


def test_the_promise_that_an_idle_replica_keeps_is_kept_by_it() -> None:
    work = service(kept=0.9)
    for prompt in (0.0, 30.0, 200.0):
        least = promise_for(H100, work, ASSUME, first_ms=210.0, prompt_ms=prompt)
        promised = replace(work, ttft_p95_ms=least)
        share = shares_of(devices_of([H100]), promised, ASSUME, prompt_ms=np.array([prompt]))[0].ttft
        assert least * share == pytest.approx(210.0, rel=1e-6)


def test_replicas_carry_the_peak_as_surely_as_is_asked() -> None:
    carry = [carried(H100, service(sure=sure), ASSUME) for sure in LEVELS]
    assert carry[0] == 1.0
    assert all(less < more for less, more in pairwise(carry))
    assert given(0.9, 1.0, 1.05) == 0.9, "the room for its queue is enough"
    assert given(0.9, 1.0, 1.25) == 0.8


def _service(sure: float, *, budget_usd: float = 0.0, **serving: Any) -> Recommendation:
    """A year of an 8B model at that load and promise, that sure."""
    asked_for = Serving(**{"requests_per_s": 20.0, "input_tokens": 1500.0, "output_tokens": 300.0, **serving})
    wanted = Spec(
        name="Service",
        workload="serving",
        model=LLAMA_8B,
        serving=asked_for,
        constraints=Constraints(max_accelerators=256, budget_usd=budget_usd),
        confidence=Confidence(all=sure),
        horizon_months=12.0,
    )
    return recommend(wanted, market(*OFFERS))


def _services(count: int) -> list[dict[str, float]]:
    """Loads with a promise that is loose, tight or none."""
    rng = random.Random(80)
    return [
        {
            "requests_per_s": rng.choice((1.0, 12.0, 90.0)),
            "input_tokens": rng.choice((300.0, 2000.0, 12000.0)),
            "ttft_p95_ms": rng.choice((0.0, 250.0, 800.0, 3000.0)),
            "tpot_p95_ms": rng.choice((0.0, 20.0, 60.0)),
        }
        for _ in range(count)
    ]


@pytest.mark.parametrize("serving", _services(8), ids=str)
def test_a_service_is_as_sure_as_was_asked_or_says_that_it_is_at_risk(serving: dict[str, float]) -> None:
    costs, gone = [], False
    for sure in LEVELS:
        best = _service(sure, **serving).recommended
        assert best is None or not gone, "what can be planned surely can be planned boldly"
        if best is None:
            gone = True
            continue
        assert best.chance is not None
        at_risk = [found.code for found in best.warnings if found.code == "warning.at_risk"]
        assert at_risk or best.chance.all >= sure - 0.01
        assert not at_risk or best.chance.all < sure
        assert best.chance.capacity is not None
        assert best.chance.capacity >= sure - 0.01, "the load is carried in any case"
        costs.append(
            best.cost.suffices
        )  # of two that cost the same as surely, the one that is bought costs more at central values
    assert all(less <= more * 1.001 for less, more in pairwise(costs)), costs


@pytest.mark.parametrize("serving", _services(4), ids=str)
def test_rows_of_a_service_cost_more_the_surer_and_hold_what_is_recommended(serving: dict[str, float]) -> None:
    found = _service(0.8, **serving)
    costs = [row.cost for row in found.certainty if row.cost is not None]
    assert costs == sorted(costs)
    reached = [row.cost is not None for row in found.certainty]
    assert reached == sorted(reached, reverse=True)
    if found.recommended is not None:
        at_risk = any(one.code == "warning.at_risk" for one in found.recommended.warnings)
        (row,) = [row for row in found.certainty if row.asked]
        assert row.option_id == ("" if at_risk else found.recommended.id)


def test_a_promise_that_nothing_keeps_so_surely_is_planned_and_said_to_be_at_risk() -> None:
    """An idle replica keeps it in expectation: its band alone is no reason to refuse it."""
    loose = _service(0.5, ttft_p95_ms=3000.0, input_tokens=12000.0).recommended
    assert loose is not None
    assert loose.serving is not None
    found = [_service(sure, ttft_p95_ms=250.0, input_tokens=12000.0) for sure in LEVELS]
    risky = [
        one for one in found if one.recommended and any(w.code == "warning.at_risk" for w in one.recommended.warnings)
    ]
    assert risky, "the surest degrees are out of reach"
    best = risky[-1].recommended
    assert best is not None
    assert best.chance is not None
    assert best.chance.promise is not None
    assert 0.5 <= best.chance.promise < 0.95
    assert best.keeps_limits
    assert [row.cost for row in risky[-1].certainty if row.asked] == [None]
    own = [row for row in risky[-1].certainty if row.option_id == best.id]
    (planned,) = [row for row in own if row.confidence == pytest.approx(best.chance.all, abs=0.01)]
    assert planned.cost is not None


def test_a_loose_budget_makes_a_service_hardly_dearer() -> None:
    free = _service(0.8, ttft_p95_ms=800.0).recommended
    assert free is not None
    held = _service(0.8, budget_usd=free.cost.total.expected * 3.0, ttft_p95_ms=800.0).recommended
    assert held is not None
    assert held.cost.total.expected <= free.cost.total.expected * 1.15


def test_no_hardware_has_no_shares() -> None:
    """An engine that runs nowhere leaves no candidate, and is refused instead of failing."""
    assert not len(shares_of(devices_of([]), service(ttft_p95_ms=500.0), ASSUME, prompt_ms=np.array([])).ttft)


def test_what_many_draws_keep_is_kept_by_as_many_others() -> None:
    """A limit from 2,000 draws of one input suffices for the stated share of all there are, not just of those drawn."""
    assert answer(spec()).recommended is not None
    z = normals("run_hours", 20260701, 2000)
    assert len(set(z.tolist())) == 2000
    for sure in LEVELS:
        assert 0.5 * math.erfc(-kept_with(z, sure) / math.sqrt(2.0)) == pytest.approx(sure, abs=1e-3)
    other = normals("goodput", 20260701, 2000)
    assert abs(np.corrcoef(z, other)[0, 1]) < 4.0 / math.sqrt(2000.0), "inputs are drawn apart from each other"


@pytest.mark.parametrize("sure", [0.55, 0.8])
def test_a_promise_that_is_kept_is_no_excuse_for_a_budget_that_is_not(sure: float) -> None:
    """A budget that holds exactly as surely as is asked leaves nothing for the promise: it is refused, or all of it is kept."""
    free = _service(sure, ttft_p95_ms=3000.0)
    (row,) = [row for row in free.certainty if row.confidence == sure]
    assert row.cost is not None
    for room in (1.0, 1.02, 1.2):
        best = _service(sure, ttft_p95_ms=3000.0, budget_usd=row.cost * room).recommended
        if best is None:
            continue
        assert best.chance is not None
        assert best.chance.all >= sure - 1e-9
        assert "warning.at_risk" not in [found.code for found in best.warnings]


def test_what_is_asked_for_costs_what_its_option_does_whatever_the_less_sure_rows_take() -> None:
    """Half as sure, weeks of porting had led to a dearer option, and its sum was shown for the cheaper one that was asked for."""
    device = market(*OFFERS).devices["h100-sxm5"]
    supply = Supply(kind="on_prem", id="s", device=device, cluster=0)
    sums = (
        (0.5, "dear", 130.0),
        (0.6, "cheap", 105.0),
        (0.8, "cheap", 120.0),
        (0.9, "cheap", 118.0),
        (0.95, "other", 300.0),
    )
    taken = [
        Taken(confidence=sure, supply=supply, option_id=name, count=8, usd=usd, authorised=usd, days=10.0, chance=0.9)
        for sure, name, usd in sums
    ]
    rows = told_rows(taken, Asked(all=0.8, fits=0.97))
    assert [(row.option_id, row.cost) for row in rows] == [
        ("cheap", 105.0),
        ("cheap", 105.0),
        ("cheap", 120.0),
        ("cheap", 120.0),
        ("other", 300.0),
    ]
