"""What a service or a batch roughly costs, by which all sources are ranked, is what it costs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from catalog.facts import released
from engine.context import Context
from engine.defaults import assumptions_for
from engine.entry import recommend
from engine.inputs.named import hardware_of
from engine.kinds.service.costs import ServingFinalist, priced_model
from engine.kinds.service.pairs import priced, searched
from engine.kinds.service.prospects import prospects
from engine.kinds.service.rough import Billing
from engine.kinds.service.sizing import least_of
from engine.kinds.service.standing import work_of
from engine.kinds.service.sums import held_pairs, likely_of, sums_of
from engine.money.caused import caused
from engine.money.decision import decision_of
from engine.odds.normal import upto
from planner.market import market
from planner.request.parse import architecture_of, spec_from
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
        exact = caused(priced_model(context, work, pair), decision_of(context))
        assert pair.usd == pytest.approx(exact, rel=0.01, abs=0.02), pair.supply.id


DAY_AND_NIGHT: dict[str, Any] = {
    "name": "By hour",
    "workload": "serving",
    "model": "llama-3.1-8b",
    "serving": {"requests_per_s": 40, "input_tokens": 1000, "output_tokens": 300, "load_curve": [0.2, 1.0, 0.6, 0.1]},
    "taxes": {"services": 0.19, "recovered": 0.5},
    "horizon_months": 24,
    "owned": [{"accelerator": "h100-sxm5", "count": 8}],
}


DOCUMENTS: dict[str, Any] = {
    "name": "Documents",
    "workload": "serving",
    "model": "llama-3.1-8b",
    "serving": {"input_tokens": 800, "output_tokens": 200, "batch": {"requests": 3e6, "deadline_hours": 60}},
    "taxes": {"services": 0.19, "recovered": 0.5},
    "owned": [{"accelerator": "h100-sxm5", "count": 8}],
}


@pytest.mark.parametrize(
    ("body", "apart"),
    [(DAY_AND_NIGHT, 0.0), (TWO_SITES, 0.0), (DOCUMENTS, 1e-12)],
    ids=["by hour, some bought", "two sites", "a batch"],
)
def test_all_at_once_it_costs_what_it_does_one_by_one(body: dict[str, Any], apart: float) -> None:
    """On demand, spot, committed and bought: a service to the last bit, a batch but for powers that are taken of whole arrays."""
    spec = spec_from(body)
    context = Context(spec=spec, arch=architecture_of(spec), market=MARKET, assume=assumptions_for(spec))
    work, supplies, level = work_of(context), context.supplies, upto(context.assume["select.confidence"])
    field, billing = prospects(work, supplies.clusters, assume=context.assume), Billing(context=context, work=work)
    sources = [[one for one in supplies.supplies if one.cluster == at] for at in range(len(supplies.clusters))]
    sums = sums_of(billing, field, sources)
    for at, (every, rows) in enumerate(zip(sources, sums.ranked, strict=True)):
        for found, choices in (
            (sums.least, [least_of(field, rows)]),
            (sums.likely, [likely_of(field, row) for row in rows[:1]]),
        ):
            pairs = [pair for some in choices for pair in held_pairs(billing, every, some)]
            least = min((pair.at(level) for pair in pairs), default=math.inf)
            assert found[at] == pytest.approx(least, rel=apart, abs=0.0)
    assert np.isfinite(sums.likely).sum() >= 20


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
