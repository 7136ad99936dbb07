"""Gates: what is measured before the money, what each result releases, and what that is worth."""

from __future__ import annotations

import math
import zlib
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from functools import cache
from itertools import pairwise
from statistics import NormalDist

import numpy as np
import pytest

from engine.answer import Gate, Option, Recommendation
from engine.choice.gates import Taken, Test, Worth, gate
from engine.context import SEED
from engine.entry import recommend
from engine.inputs.finding import Ref, Sum, finding
from engine.inputs.named import hardware
from engine.inputs.spec import Constraints, FixedLayout, Objective, Serving, Spec, Taxes
from engine.inputs.terms import SpendCommitment
from engine.money.added import SHARES
from engine.money.cost import evaluate
from engine.odds.normal import P90
from tests.engine.small_market import answer, market, offer, spec
from voice.speech import say

OFFERS = (offer("one", "h100-sxm5", 24.0), offer("two", "a100-sxm4-80", 9.0))
SHARED, NOISE, BAND = 0.6, 0.05, 0.4


def run(*, deadline_days: float = 0.0, tokens: float = 400e9, objective: Objective = "cost") -> Spec:
    """Half a trillion tokens whose step time is known badly."""
    wanted = spec(deadline_days=deadline_days)
    assert wanted.training is not None
    known = {"training.band.base": BAND, "training.shared_error": SHARED, "training.measurement_noise": NOISE}
    training = replace(wanted.training, tokens=tokens)
    return replace(wanted, training=training, assumptions=known, objective=objective)


def gated(wanted: Spec) -> tuple[Recommendation, Option, Gate]:
    found = answer(wanted, *OFFERS)
    assert found.recommended is not None
    assert found.gate is not None
    return found, found.recommended, found.gate


@cache
def z(name: str) -> np.ndarray:
    """The standard normal draws of that name, one of each of 2,000 equally likely strata, in an order drawn here anew."""
    strata = np.array([NormalDist().inv_cdf((at + 0.5) / 2000) for at in range(2000)])
    return strata[np.random.default_rng([SEED, zlib.crc32(name.encode())]).permutation(2000)]


def drawn(option: Option, pace: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Cost and days of that option, draw by draw, from its own inputs."""
    assert option.step_time_s is not None
    model = option.cost.model
    sigma = math.log(option.step_time_s.high / option.step_time_s.expected) / P90
    central = evaluate(model, {})["wall_hours"]
    costs, days = [], []
    for at in range(len(pace)):
        values: dict[str, float] = {}
        for item in model.inputs:
            if item.name == "run_hours":
                values[item.name] = item.value * math.exp(sigma * pace[at])
            elif item.low != item.high:
                values[item.name] = sampled(
                    item.value,
                    item.low,
                    item.high,
                    z(item.name)[at],
                    share=item.unit == "share" and item.name not in SHARES,
                )
        lines: Mapping[str, float] = evaluate(model, values)
        costs.append(lines["total"])
        days.append(option.days.expected * lines["wall_hours"] / central)
    return np.array(costs), np.array(days)


def sampled(value: float, low: float, high: float, at: float, *, share: bool) -> float:
    """One draw of an input of that P10, middle and P90."""
    if low > 0:
        found = value * math.exp(at * (math.log(high / value) if at > 0 else math.log(value / low)) / P90)
    else:
        found = max(value + at * (high - value if at > 0 else value - low) / P90, 0.0)
    return min(max(found, 1e-6), 1.0) if share else found


def option_of(found: Recommendation, wanted: Spec, ident: str) -> Option:
    """That option, where need be of a plan whose number of accelerators is fixed."""
    options = (found.recommended, *found.alternatives)
    known = next((one for one in options if one and one.id == ident), None)
    if known is not None:
        return known
    count = int(ident.split(":")[1])
    again = answer(replace(wanted, fixed=FixedLayout(count=count)), *OFFERS)
    return next(one for one in (again.recommended, *again.alternatives) if one and one.id == ident)


def mixed(shared: np.ndarray, own: np.ndarray) -> np.ndarray:
    return math.sqrt(SHARED) * shared + math.sqrt(1 - SHARED) * own


@pytest.mark.parametrize("deadline", [0.0, 40.0, 24.0])
def test_the_worth_is_what_the_draws_say_one_by_one(deadline: float) -> None:
    wanted = run(deadline_days=deadline)
    found, best, gate = gated(wanted)
    assert gate.outcomes
    planned = z("run_hours")
    asked = next(row for row in found.certainty if row.asked)
    undone = max(asked.cost or 0.0, best.cost.total.expected)
    cost, days = drawn(best, planned)
    now = cost + undone * (days > deadline if deadline else np.zeros(2000, dtype=bool))
    then = np.empty((len(gate.outcomes), 2000))
    for at, outcome in enumerate(gate.outcomes):
        if outcome.does == "stop":
            then[at] = undone
            continue
        option = option_of(found, wanted, outcome.option_id)
        own = z(f"layout:{option.id}")
        alike = option.accelerator == best.accelerator
        curve = mixed(planned, z("generation")) if alike else z("generation:ampere")
        cost, days = drawn(option, planned if option.id == best.id else mixed(curve, own))
        then[at] = cost + undone * (days > gate.left_days if deadline else np.zeros(2000, dtype=bool))
    assert best.step_time_s is not None
    sigma = math.log(best.step_time_s.high / best.step_time_s.expected) / P90
    measured = gate.expected * np.exp(sigma * planned + NOISE * z("canary"))
    place = np.zeros(2000, dtype=int)
    for outcome in gate.outcomes[:-1]:
        place += measured > (outcome.high or math.inf)
    worth = now.mean() - then[place, np.arange(2000)].mean() - gate.fee
    assert gate.worth == pytest.approx(worth, rel=1e-3, abs=best.cost.total.expected * 1e-4)
    assert [one.chance for one in gate.outcomes] == [pytest.approx((place == at).mean()) for at in range(len(then))]
    perfect = now.mean() - np.minimum(now, then.min(axis=0)).mean()
    assert gate.worth <= perfect + 1e-6


@pytest.mark.parametrize("deadline", [0.0, 40.0, 24.0])
def test_a_plan_made_again_with_the_measurement_chooses_what_the_gate_said(deadline: float) -> None:
    wanted = run(deadline_days=deadline)
    _, _, gate = gated(wanted)
    assert gate.measurement is not None
    limits = replace(wanted.constraints, deadline_days=gate.left_days, budget_usd=gate.left_budget)
    for outcome in gate.outcomes:
        for step in ((outcome.low or 0.0) * 1.006, (outcome.high or 0.0) * 0.999):
            if not step:
                continue
            own = replace(gate.measurement, step_time_s=step)
            again = answer(replace(wanted, constraints=limits, measured=(own,)), *OFFERS)
            chosen = again.recommended.id if again.recommended else ""
            assert chosen == outcome.option_id, (step, outcome)
            if outcome.does == "release":
                assert again.gate is not None
                assert again.gate.told[0].code == "gate.passed"


def test_the_fee_holds_the_tax_on_it_that_does_not_come_back() -> None:
    _, best, gate = gated(replace(run(deadline_days=40.0), taxes=Taxes(services=0.2, recovered=0.25)))
    assert gate.fee == pytest.approx(gate.hours * 24.0 * best.count / 8 * 1.15)


def test_ranges_follow_each_other_and_what_is_released_is_what_is_planned() -> None:
    _, best, gate = gated(run(deadline_days=40.0))
    assert gate.outcomes[0].low is None
    assert gate.outcomes[-1].high is None
    assert all(one.high == other.low for one, other in pairwise(gate.outcomes))
    assert sum(one.chance for one in gate.outcomes) == pytest.approx(1.0)
    assert {one.option_id for one in gate.outcomes if one.does == "release"} == {best.id}
    assert gate.fee == pytest.approx(gate.hours * 24.0 * best.count / 8)
    assert gate.pays
    assert gate.worth <= gate.ceiling


def test_a_wider_band_is_worth_more_to_measure_and_a_known_step_nothing() -> None:
    narrow = replace(run(), assumptions={**run().assumptions, "training.band.base": 0.02})
    found = answer(narrow, *OFFERS).gate
    assert found is not None
    assert not found.pays
    assert found.worth < gated(run())[2].worth / 10


@pytest.mark.parametrize(("provider", "deadline", "left"), [("one", 24.0, 1e5), ("two", 0.0, 3e5)])
def test_what_costs_nothing_new_is_weighed_like_everything_else(provider: str, deadline: float, left: float) -> None:
    lapses = SpendCommitment(provider=provider, left_usd=left, until=date(2026, 12, 31))
    wanted = replace(run(deadline_days=deadline), as_of=date(2026, 1, 15), start=date(2026, 2, 1))
    found, best, _ = gated(replace(wanted, spend_commitments=(lapses,)))
    everyone = (best, *found.alternatives)
    assert any(one.cost.total.expected == 0.0 for one in everyone)  # paid of money that would lapse


def test_it_says_why_nothing_is_measured_first() -> None:
    soon = answer(run(deadline_days=0.9, tokens=2e9), *OFFERS).gate
    assert soon is not None
    assert soon.told[0].code == "gate.no_room"
    assert answer(run(objective="time"), *OFFERS).gate is None
    assert all(say(one) for one in soon.told)


def test_its_sums_are_in_the_currency_of_the_plan() -> None:
    dollars = gated(run())[2]
    known = replace(market(*OFFERS), fx_usd={"EUR": (1.25, "2026-01-01")})
    euros = recommend(replace(run(), currency="EUR"), known).gate
    assert euros is not None
    assert euros.fee == pytest.approx(dollars.fee / 1.25, abs=0.01)
    assert euros.worth == pytest.approx(dollars.worth / 1.25, abs=0.01), "both are whole cents"
    sums = [value for one in euros.told for value in one.values.values() if isinstance(value, Sum)]
    assert {one.currency for one in sums} == {"EUR"}


def service(requests_per_s: float, first_ms: float) -> Spec:
    return Spec(
        name="Service",
        workload="serving",
        model="llama-3.1-8b",
        serving=Serving(requests_per_s=requests_per_s, input_tokens=1500, output_tokens=400, ttft_p95_ms=first_ms),
        constraints=Constraints(max_accelerators=256),
    )


@pytest.mark.parametrize(("requests_per_s", "first_ms"), [(60.0, 600.0), (20.0, 250.0)])
def test_a_load_test_of_one_replica_says_how_many_are_enough(requests_per_s: float, first_ms: float) -> None:
    found = answer(service(requests_per_s, first_ms), *OFFERS)
    gate, best = found.gate, found.recommended
    assert gate is not None
    assert best is not None
    assert best.serving is not None
    assert gate.measures == "rate"
    assert gate.worth <= gate.ceiling
    if not gate.outcomes:
        return
    assert all(one.high == other.low for one, other in pairwise(gate.outcomes))
    released = next((one for one in gate.outcomes if one.does == "release"), None)
    if released is not None and released.low is not None:
        held = released.low * best.serving.replicas
        assert requests_per_s <= held <= 1.5 * requests_per_s
    counts = [
        int(one.option_id.split(":")[1]) for one in gate.outcomes if one.option_id.startswith(best.id.split(":")[0])
    ]
    assert counts == sorted(counts, reverse=True), "the more one carries, the fewer are taken"


def taken(count: int, authorised: float, high: float | None, carried: float = 0.0) -> Taken:
    device = Ref("accelerator", "h100-sxm5", "H100")
    told = hardware(count, device, finding("source.bought"))
    cost = np.full(4, authorised)
    return Taken(
        high=high,
        option_id=f"h100:{count}",
        authorised=authorised,
        carried=carried or authorised,
        hardware=told,
        cost=cost,
    )


def test_neighbours_that_bind_the_same_money_are_one_result_and_what_binds_others_is_none() -> None:
    """14 and 16 accelerators were the same two servers; and a run of USD 11,013 signed half a million when a step took longer."""
    what = hardware(2, Ref("accelerator", "h100-sxm5", "H100"), finding("source.bought"))
    test = Test(measures="rate", unit="request/s", accelerator="h100-sxm5", hardware=what, shows=what, count=2, steps=0, hours=4.0,
                fee=154.0, delay_days=0.0, left_days=0.0, left_budget=0.0, expected=5.0, least=0.0)  # fmt: skip
    rows = [taken(24, 900.0, 4.0, carried=300.0), taken(16, 500.0, 5.0), taken(14, 500.0, None)]
    made = gate(test, rows, Worth(worth=9.0, ceiling=9.0, chances=(0.25, 0.5, 0.25)), "h100:16")
    assert [(one.does, one.low, one.high, one.chance) for one in made.outcomes] == [
        ("take", None, 4.0, 0.25), ("release", 4.0, None, 0.75),
    ]  # fmt: skip
    anew, released = (one.told.values["what"] for one in made.outcomes)
    assert (anew.code, released.code) == ("gate.take.signed", "gate.release")  # type: ignore[union-attr]
