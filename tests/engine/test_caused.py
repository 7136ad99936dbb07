"""What options are ranked by: the present value of the cash that the work causes, one sum for ranking, verdict and arrays."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import pytest

from engine.answer import CostModel, Option, Recommendation
from engine.context import ALONE, NOBODY, Context
from engine.defaults import assumptions_for
from engine.entry import recommend
from engine.inputs.known import Known
from engine.inputs.spec import Owned, Spec
from engine.money.bought_many import bought_sums
from engine.money.buying import bought_model
from engine.money.cash import hours_by_month, month_end, paid_by_month
from engine.money.caused import caused, discounts
from engine.money.cost import cash_needed, draw, total_of
from engine.money.dated import dated
from engine.money.decision import Decision
from engine.money.delivery import waits_for_servers
from engine.money.lines import amount_of
from engine.money.signed import budgeted, signed_of
from engine.money.ways import keeps, way_of, worth_of
from planner.market import market_from_files
from planner.request.parse import architecture_of, spec_from
from tests.engine.test_ledger import KINDS, case

MARKET = market_from_files()
KNOWN = Known()
NEAR = 1.0 + 1e-9
RUN = {
    "name": "Own runs", "workload": "training", "model": "llama-3.1-8b", "as_of": "2026-11-22", "horizon_months": 30,
    "training": {"tokens": 400e9, "runs": 2},
    "constraints": {"deadline_days": 300, "accelerators": ["h100-sxm5"]},
    "operations": {"security": ["air-gapped"]},
}  # fmt: skip


def context_of(wanted: Spec) -> Context:
    return Context(spec=wanted, arch=architecture_of(wanted), market=MARKET, assume=assumptions_for(wanted))


def planned(**changes: object) -> Recommendation:
    return recommend(spec_from({**RUN, **changes}), MARKET, known=KNOWN)


def chosen(found: Recommendation) -> Option:
    assert found.recommended is not None
    return found.recommended


def inputs(model: CostModel) -> dict[str, float]:
    return {item.name: item.value for item in model.inputs}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_one_sum_for_the_ranking_and_the_verdict(kind: str, seed: int) -> None:
    one = case(kind, "USD", seed)
    decision = Decision(as_of=one.as_of, start=one.start, rate=0.1)
    side_by_side = worth_of(dated(one.model, start=one.start, as_of=one.as_of), on=one.as_of, rate=0.1)
    assert caused(one.model, decision) == pytest.approx(side_by_side, rel=1e-9, abs=0.01)


def test_what_keeping_forgoes_is_in_it() -> None:
    wanted = spec_from({**RUN, "operations": {}, "constraints": {"accelerators": ["h100-sxm5"]}})
    sold = replace(wanted, owned=(Owned(accelerator="h100-sxm5", count=16, resale_usd=9000.0),))
    kept = replace(wanted, owned=(Owned(accelerator="h100-sxm5", count=16),))
    for asked in (sold, kept):
        found = recommend(asked, MARKET)
        own = next(one for one in (found.recommended, *found.alternatives) if one and one.kind == "owned")
        flow = dated(own.cost.model, start=date(2026, 11, 22), as_of=date(2026, 11, 22))
        assert own.cost.npv == pytest.approx(worth_of(flow, on=date(2026, 11, 22), rate=0.1), abs=0.01)
        # 144,000 less what 16 of them sell for when the work is done.
        assert (own.cost.npv > total_of(own.cost.model) + 5000) == (asked is sold)


@pytest.mark.parametrize("hours", [0.5, 100.0, 745.0, 9000.0, 40_000.0])
@pytest.mark.parametrize("after", [0.0, 1234.0])
def test_hours_are_worth_what_their_months_are(hours: float, after: float) -> None:
    decision = Decision(as_of=date(2026, 11, 22), start=date(2027, 1, 11), rate=0.1)
    whole, before = (hours_by_month(decision.start, span) for span in (after + hours, after))
    parts = {month: part - (before.get(month, 0.0) if after else 0.0) for month, part in whole.items()}
    exact = sum(part * decision.on(month_end(month)) for month, part in parts.items()) / hours
    assert float(decision.spread(hours, after=after)) == pytest.approx(exact, rel=1e-6)
    assert float(decision.later(30.0)) == pytest.approx(decision.on(decision.start + timedelta(days=30)))


@pytest.mark.parametrize("utilisation", [0.0, 0.7])
@pytest.mark.parametrize("security", [["air-gapped"], []])
def test_many_sizes_of_a_purchase_cost_what_each_of_them_does(utilisation: float, security: list[str]) -> None:
    wanted = spec_from({**RUN, "utilisation": utilisation, "operations": {"security": security}})
    context, pick = context_of(wanted), random.Random(f"{utilisation} {security}")
    system = next(one.system for one in context.supplies.supplies if one.kind == "on_prem")
    assert system is not None
    decision = Decision(as_of=context.as_of, start=context.start, rate=context.assume["onprem.wacc"])
    counts = np.array([1.0, 4.0, 8.0, 16.0, 64.0, 100.0, 512.0])
    hours = np.array([pick.uniform(100, 20_000) for _ in counts])
    sums = bought_sums(context, system, counts, hours)
    for index, (count, programme) in enumerate(zip(counts.tolist(), hours.tolist(), strict=True)):
        model = bought_model(context, system, int(count), count * programme, cash=False)
        model = budgeted(model, wanted.constraints.budget_basis)
        assert sums.usd[index] == pytest.approx(total_of(model), rel=1e-9)
        assert sums.cash[index] == pytest.approx(cash_needed(model), rel=1e-9)
        assert sums.worth[index] == pytest.approx(caused(model, decision), rel=0.005)


def test_what_nobody_else_is_said_to_use_counts_whole() -> None:
    alone, shared = chosen(planned()).cost, chosen(planned(utilisation=0.6)).cost
    assert amount_of(alone.model, "own_share") == 1.0
    assert next(item.source for item in alone.model.inputs if item.name == "utilisation") == ALONE
    signed = signed_of(alone.model)
    assert signed.rest == 0.0
    assert signed.share == signed.total > 5 * signed_of(shared.model).share
    # What comes back at the end of the horizon is worth less than it was paid for.
    assert signed.total > alone.npv > 0.5 * signed.total
    assert amount_of(shared.model, "own_share") < 0.5


@pytest.mark.parametrize(
    "said", [{"constraints": {"budget_basis": "allocated"}}, {"assumptions": {"onprem.utilisation": 0.5}}]
)
def test_a_share_counts_where_the_request_says_so_in_other_words(said: dict[str, object]) -> None:
    assert context_of(spec_from({**RUN, **said})).shared
    assert not context_of(spec_from(RUN)).shared
    assert context_of(spec_from(RUN)).others[1] == NOBODY


def test_of_a_commitment_nobody_carries_what_nobody_is_said_to_use() -> None:
    body = {**RUN, "operations": {}, "horizon_months": 36, "constraints": {"accelerators": ["tpu-v6e"], "spot": False}}
    for use in (0.0, 0.85):
        found = recommend(spec_from({**body, "utilisation": use}), MARKET)
        terms = [one for one in (found.recommended, *found.alternatives) if one and one.offer and one.offer.term_months]
        assert terms
        for one in terms:
            assert (amount_of(one.cost.model, "own_share") == 1.0) == (use == 0.0)


def test_the_least_present_value_leads_and_the_fewest_servers_are_bought_where_time_allows() -> None:
    tight, loose = (
        chosen(planned(constraints={"accelerators": ["h100-sxm5"], "deadline_days": days})) for days in (200, 900)
    )
    assert signed_of(loose.cost.model).total < signed_of(tight.cost.model).total
    assert loose.cost.npv_at_confidence < tight.cost.npv_at_confidence
    assert loose.count < tight.count


@pytest.mark.parametrize(
    "changes",
    [
        {"operations": {}, "constraints": {"accelerators": ["h100-sxm5", "tpu-v6e"]}},
        {"operations": {}, "utilisation": 0.9, "constraints": {"accelerators": ["tpu-v6e"], "spot": False}},
        {"operations": {}, "owned": [{"accelerator": "h100-sxm5", "count": 32, "resale_usd": 15_000}]},
    ],
)  # fmt: skip
def test_choice_and_verdict_are_one(changes: dict[str, object]) -> None:
    found = recommend(spec_from({**RUN, **changes}), MARKET, known=KNOWN)
    best = chosen(found)
    able = [one for one in found.alternatives if keeps(one) and one.keeps_limits and way_of(one) != way_of(best)]
    least = min((one.cost.npv_at_confidence for one in able), default=np.inf)
    assert best.cost.npv_at_confidence <= least * 1.02 * NEAR


def test_running_servers_ends_with_the_work() -> None:
    for use in (0.0, 0.6):
        model, start = chosen(planned(utilisation=use)).cost.model, date(2026, 11, 22)
        begun = start + timedelta(hours=amount_of(model, "lead_hours"))
        done = begun + timedelta(hours=amount_of(model, "used_hours") + 24)
        months = paid_by_month(model, start)["energy"]
        assert months
        assert f"{begun:%Y-%m}" == min(months)
        assert max(months) <= f"{done:%Y-%m}"
        assert amount_of(model, "paid_months") > 28  # they are held for longer


def test_central_draws_are_worth_what_central_inputs_are() -> None:
    for kind in ("purchase", "commit_1y", "on_demand", "owned"):
        one = case(kind, "USD", 1)
        decision = Decision(as_of=one.as_of, start=one.start, rate=0.1)
        certain = replace(
            one.model, inputs=tuple(replace(item, low=item.value, high=item.value) for item in one.model.inputs)
        )
        drawn = draw(certain, decision=decision, draws=10)
        assert drawn.ranked == pytest.approx(np.full(10, caused(one.model, decision)), rel=1e-9)
        assert draw(certain, draws=10).ranked == pytest.approx(np.full(10, total_of(one.model)))


def test_nobody_pays_the_cost_of_capital() -> None:
    one = case("purchase", "USD", 0)
    assert "cost_of_capital" not in discounts(one.model, Decision(as_of=one.as_of, start=one.start, rate=0.1))


def served(**changes: object) -> Recommendation:
    body = {
        "name": "Chat", "workload": "serving", "model": "qwen3-32b", "as_of": "2026-11-22", "horizon_months": 36,
        "serving": {"requests_per_s": 5, "input_tokens": 800, "output_tokens": 200},
    }  # fmt: skip
    return recommend(spec_from({**body, **changes}), MARKET)


def test_a_service_that_begins_later_is_no_cheaper_for_it() -> None:
    kinds = {one.device for one in MARKET.offers if one.option == "on_demand"}
    waits = sorted({one.device for one in MARKET.systems if one.device not in kinds} & {"gaudi3", "gaudi2"})
    assert waits
    alone = served(constraints={"accelerators": waits, "spot": False}).recommended
    assert alone is not None
    assert waits_for_servers(alone.cost.model)
    beside = served(constraints={"accelerators": [*waits, "h200-sxm"], "spot": False})
    every = [one for one in (beside.recommended, *beside.alternatives) if one]
    assert every
    assert not any(waits_for_servers(one.cost.model) for one in every)
    assert any(one.code == "delivery" for one in beside.rejected)
