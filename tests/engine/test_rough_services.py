"""What a service or a batch roughly costs, by which all sources are ranked, is what it costs."""

from __future__ import annotations

from typing import Any

import pytest

from catalog.facts import released
from engine.context import Context
from engine.defaults import assumptions_for
from engine.entry import recommend
from engine.inputs.named import hardware_of
from engine.kinds.service.choice import cost_of
from engine.kinds.service.costs import ServingFinalist
from engine.kinds.service.pairs import priced, searched
from engine.kinds.service.standing import work_of
from planner.market import market
from planner.parse import architecture_of, spec_from
from tests.told import told

MARKET = market(released())
PICTURES: dict[str, Any] = {
    "name": "Pictures",
    "workload": "serving",
    "model": "sdxl",
    "serving": {"batch": {"requests": 100_000, "deadline_hours": 24}, "precision": "fp16"},
}
SPEECH: dict[str, Any] = {
    "name": "Speech",
    "workload": "serving",
    "model": "whisper-large-v3",
    "serving": {"requests_per_s": 0.5},
}
TWO_SITES: dict[str, Any] = {
    "name": "Two sites",
    "workload": "serving",
    "model": "llama-3.1-8b",
    "serving": {"requests_per_s": 5, "input_tokens": 1000, "output_tokens": 300},
    "operations": {"pattern": "active-active"},
}


@pytest.mark.parametrize("body", [PICTURES, SPEECH, TWO_SITES], ids=["pictures", "speech", "two sites"])
def test_all_sources_are_ranked_by_all_that_they_bill(body: dict[str, Any]) -> None:
    """Pictures sent out, the stack around a service and its stored weights were not in the sum by which sources are ranked: of three
    cards that each cost 35 dollars one that sends pictures for nothing came behind one that bills nine dollars for them."""
    spec = spec_from(body)
    context = Context(spec=spec, arch=architecture_of(spec), market=MARKET, assume=assumptions_for(spec))
    work = work_of(context)
    pairs = priced(context, work, context.supplies, searched(context, work).choices)
    first: dict[str, ServingFinalist] = {}
    for pair in pairs:
        if pair.supply.offer:
            first.setdefault(pair.supply.id, pair)
    assert len(first) >= 50
    for pair in first.values():
        exact = cost_of(context, work, pair)
        assert exact is not None
        assert pair.usd == pytest.approx(exact.usd, rel=0.01, abs=0.02), pair.supply.id


def test_no_row_of_certainty_takes_what_costs_more_than_the_recommendation() -> None:
    """At an even chance a plan named a batch for 41 dollars, where what it recommends suffices with 36; and the sum to be approved
    stood above what the recommended option needs."""
    answer = recommend(spec_from(PICTURES), MARKET)
    best = answer.recommended
    assert best is not None
    rows = {row.confidence: row for row in answer.certainty}
    assert rows[0.8].cost == pytest.approx(best.cost.at_confidence, abs=0.01)
    costs = [row.cost for row in answer.certainty if row.cost is not None]
    assert costs == sorted(costs)
    assert len(costs) == len(answer.certainty)
    assert best.chance is not None
    assert best.chance.all >= 0.9
    assert max(costs[:9]) <= best.cost.total.high * 1.005, "up to 90 % it is one of the choices"


def test_two_sites_of_two_sellers_are_told_with_both() -> None:
    """The headline, the rows of certainty and the gate named the seller of the first site alone."""
    apart = {"serving": {"requests_per_s": 40, "input_tokens": 1500, "output_tokens": 350, "ttft_p95_ms": 1500},
             "model": "qwen3-32b", "operations": {"pattern": "recovery-half"}}  # fmt: skip
    answer = recommend(spec_from(TWO_SITES | apart), MARKET)
    best = answer.recommended
    assert best is not None
    sellers = {site.offer.seller for site in best.sites}
    assert len(sellers) == 2
    assert all(name in told(answer.headline) for name in sellers)
    assert all(name in told(hardware_of(best)) for name in sellers)
    hardware = [row.hardware for row in answer.certainty if row.option_id == best.id and row.hardware]
    assert all(name in told(one) for name in sellers for one in hardware)
    alone = [one for one in answer.alternatives if len({site.offer.provider for site in one.sites}) == 1]
    assert all(told(hardware_of(one)).count(" and ") == 0 for one in alone)
