"""Among costs that count as equal nothing leads that another option beats: one rule for runs, batches and services."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from engine.answer import Option
from engine.choice.near_equal import Entry, equal_to_least, leader_first, leading, room
from engine.entry import glance, recommend
from engine.inputs.hardware import Market
from engine.inputs.spec import BatchJob, Constraints, Serving, Spec, Training
from tests.engine.small_market import market, offer
from tests.told import told

NEAR = 0.02
SEEDS = range(300)


def drawn(seed: int) -> list[Entry]:
    """Options whose costs lie within a few percent of each other: some on demand, some signed, some in time by little."""
    pick = random.Random(seed)
    return [
        Entry(
            cost=1000.0 * (1.0 + pick.choice([0.0, 0.004, 0.011, 0.019, 0.021, pick.uniform(0.0, 0.05)])),
            count=pick.choice([2, 4, 8, 16, 64]),
            pace=pick.choice([10.0, 10.1, 12.0, 20.0, 40.0]),
            signed=pick.choice([0.0, 0.0, 500.0, 2000.0]),
            chance=pick.choice([0.8, 0.83, 0.9, 0.99]),
        )
        for _ in range(pick.randint(1, 9))
    ]


def given_up(one: Entry, other: Entry) -> bool:
    """Is the first dearer and clearly slower than the other, and neither clearly less to sign nor clearly surer?"""
    slower, less, surer = (
        one.pace / other.pace > 1.02,
        other.signed > one.signed * 1.02,
        one.chance - other.chance > 0.05,
    )
    return one.cost >= other.cost and slower and not less and not surer


def test_what_leads_is_never_dearer_and_slower_for_nothing() -> None:
    for seed in SEEDS:
        entries = drawn(seed)
        leader = entries[leading(entries, NEAR)]
        assert not [other for other in entries if given_up(leader, other)]
        assert leader.cost <= min(one.cost for one in entries) * (1.0 + NEAR)


def test_of_what_nothing_beats_the_smallest_leads() -> None:
    for seed in SEEDS:
        entries = drawn(seed)
        leader = entries[leading(entries, NEAR)]
        equal = [one for one in entries if one.cost <= min(each.cost for each in entries) * (1.0 + NEAR)]
        free = [one for one in equal if not any(given_up(one, other) for other in equal)]
        assert (leader.count, leader.cost) == min((one.count, one.cost) for one in free)
        assert leader_first(entries, lambda one: one, NEAR)[0] == leader


def test_of_two_the_one_leads_that_has_the_room() -> None:
    """Thresholds of prices and of steps are solved by `room`; it must change sides where the choice does."""
    for seed in SEEDS:
        one, other = (drawn(seed) + drawn(seed + 1000))[:2]
        if one.count == other.count:
            assert room(one, other, NEAR) == 0.0
            continue
        for share in (-1e-6, 1e-6):
            moved = replace(one, cost=other.cost * (1.0 + room(one, other, NEAR)) * (1.0 + share))
            assert leading([moved, other], NEAR) == (1 if share > 0 else 0), seed


def test_a_cluster_of_half_the_size_gives_way_to_one_that_is_cheaper_and_twice_as_fast() -> None:
    """Forty runs under a limit: 4 × B200 for 413 days led 8 for 207 that cost 1.6 % less."""
    slow = Entry(cost=198_718.0, count=4, pace=412.8)
    assert leading([slow, Entry(cost=195_599.0, count=8, pace=207.2)], NEAR) == 1
    assert leading([replace(slow, signed=0.0), Entry(cost=195_599.0, count=8, pace=207.2, signed=1e6)], NEAR) == 0


def test_what_is_cheaper_only_because_it_is_paid_later_gives_way_to_what_is_done_sooner() -> None:
    """Forty runs without a limit: 2 × B200 for 839 days are worth 1.7 % less than 8 for 210, and 6 % more is paid for them."""
    slow = Entry(cost=191_066.0, count=2, pace=838.8, paid=213_550.0)
    fast = Entry(cost=194_298.0, count=8, pace=210.0, paid=200_419.0)
    assert leading([slow, fast], NEAR) == 1
    assert leading([slow, replace(fast, paid=220_000.0)], NEAR) == 0
    assert leading([slow, replace(fast, signed=1e6)], NEAR) == 0
    assert leading([slow, replace(fast, cost=196_000.0)], NEAR) == 0  # beyond what counts as equal


def sold(seed: int) -> Market:
    """A market whose prices make costs meet: two sizes of two accelerators, rented by the hour and signed for."""
    pick = random.Random(seed)
    offers = [
        offer(f"{slug}-{n}-{term}", slug, price * pick.uniform(0.97, 1.03), option=term)
        for slug, price in (("h100-sxm5", 24.0), ("a100-sxm4-80", 11.0))
        for term in ("on_demand", "spot")
        for n in range(2)
    ]
    return market(*offers)


WORK = {
    "run": {"workload": "training", "training": Training(method="continue", tokens=2e9)},
    "batch": {"workload": "serving", "serving": Serving(batch=BatchJob(requests=2e7, deadline_hours=400.0))},
    "service": {
        "workload": "serving",
        "serving": Serving(requests_per_s=40.0, input_tokens=1500, output_tokens=300, ttft_p95_ms=2000, tpot_p95_ms=50),
    },
}


def entry(option: Option) -> Entry:
    served = option.serving
    assert option.chance
    return Entry(
        cost=option.cost.npv_at_confidence,
        count=option.count,
        pace=served.ttft_ms.p95.expected if served and not option.ends else option.days.expected,
        signed=option.cost.signed.total,
        paid=option.cost.at_confidence,
        chance=1.0 if served else option.chance.all,
    )


@pytest.mark.parametrize("kind", WORK)
@pytest.mark.parametrize("seed", range(8))
def test_no_recommendation_gives_up_money_and_time_for_nothing(kind: str, seed: int) -> None:
    asked = Spec(name="Any", model="llama-3.1-8b", constraints=Constraints(max_accelerators=64), **WORK[kind])  # type: ignore[arg-type]
    market_ = sold(seed)
    answer = recommend(asked, market_)
    best = answer.recommended
    assert best
    able = [one for one in answer.alternatives if one.keeps_limits]
    assert not [one.id for one in able if given_up(entry(best), entry(one))]
    quick = glance(asked, market_).best
    assert quick
    assert quick.id == best.id


@pytest.mark.parametrize("kind", WORK)
def test_a_dearer_choice_says_why_it_leads(kind: str) -> None:
    """Whoever reads that another option costs less, if little, reads what the choice has that it has not."""
    asked = Spec(name="Any", model="llama-3.1-8b", constraints=Constraints(max_accelerators=64), **WORK[kind])  # type: ignore[arg-type]
    for seed in range(24):
        answer = recommend(asked, sold(seed))
        best = answer.recommended
        assert best
        least = min((one.cost.ranked_by for one in answer.alternatives if one.keeps_limits), default=1e18)
        found = [reason for reason in best.reasons if reason.code == "reason.near_equal"]
        assert bool(found) == (least < best.cost.ranked_by * (1.0 - 1e-3)), seed
        assert all("which counts as equal: " in told(reason) for reason in found)


def test_what_costs_a_little_less_than_nothing_counts_as_equal_to_itself() -> None:
    """A commitment may pay what would else be lost: of options that cost less than nothing none was the least."""
    entries = [Entry(cost=-0.5, count=8, pace=10.0), Entry(cost=40.0, count=4, pace=10.0)]
    assert equal_to_least(entries, 0.02) == [0]
    assert leading(entries, 0.02) == 0
