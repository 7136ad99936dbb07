"""A spot price is a price of what may not be there: some hours are reckoned on demand, and the evidence is shown."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from engine.answer import CostModel
from engine.inputs.agreed import with_agreed
from engine.inputs.spec import AgreedPrice, BatchJob, Serving
from engine.money.cost import amount_of, draw, rented_training, total_of
from engine.money.spot import fallback_share
from engine.supply import supplies_for
from tests.engine.money_samples import ASSUME, days
from tests.engine.money_samples import offer as sample
from tests.engine.small_market import OFFERS, answer, market, offer, spec
from tests.told import told

SPOT = sample(option="spot", usd_per_hour=8.0, dear_usd_per_hour=24.0, interruption_per_month=0.08)


def training(nodes: int = 2, on_demand: float = 48.0) -> CostModel:
    """Ten days on spot instances of eight."""
    return rented_training(
        offer=SPOT,
        nodes=nodes,
        days=days(10.0),
        storage_gb=0.0,
        egress_gb=0.0,
        runs=1,
        experiment_overhead=0.0,
        start=date(2027, 1, 11),
        horizon_months=0.0,
        fallback_usd_per_hour=on_demand,
        assume=ASSUME,
    )


def test_a_share_of_the_hours_is_paid_on_demand() -> None:
    model = training()
    assert amount_of(model, "compute") == 3840.00  # 2 × 240 h × 8
    assert amount_of(model, "fallback") == 2880.00  # 2 × 240 h × 0.15 × (48 − 8)
    assert total_of(model) == 6720.00


def test_what_is_beyond_the_capacity_that_is_usually_free_is_always_on_demand() -> None:
    assert fallback_share(64, ASSUME) == pytest.approx(0.15)
    assert fallback_share(128, ASSUME) == pytest.approx(1 - 0.85 * 64 / 128)
    assert fallback_share(10_000, ASSUME) > 0.99
    large = training(nodes=100)
    each = total_of(large) / (100 * 240)
    assert 0.9 * 48 < each < 48  # a hundred spot instances cost nearly what they cost on demand


def test_nothing_is_added_where_on_demand_is_no_dearer_or_unknown() -> None:
    assert amount_of(training(on_demand=7.0), "fallback") == 0.0
    assert "fallback" not in {line.name for line in training(on_demand=0.0).lines}


def test_the_price_may_rise_to_that_of_dear_zones() -> None:
    price = next(item for item in training().inputs if item.name == "price_per_instance_hour")
    assert (price.value, price.high) == (8.0, 24.0)
    assert 8 / 1.7 < price.low < 8 / 1.35  # zones differ, and the price is half a year old when the work begins
    outcome = draw(training(), assume=ASSUME, seed=1)
    assert (outcome.total > 1.5 * total_of(training())).mean() > 0.1  # it happens, and a budget must know


def test_a_cheap_spot_price_no_longer_wins_by_itself() -> None:
    wanted = spec(accelerators=("h100-sxm5",), deadline_days=60.0)
    sure = offer("one", "h100-sxm5", 24.0)
    shaky = replace(offer("two", "h100-sxm5", 20.0, option="spot"), on_demand_usd_per_hour=98.0)
    best = answer(wanted, sure, shaky).recommended
    assert best is not None
    assert best.offer is not None
    assert best.offer.option == "on_demand"  # 0.85 × 20 + 0.15 × 98 = 31.7
    plain = answer(replace(wanted, assumptions={"cost.spot_fallback_share": 0.0}), sure, shaky).recommended
    assert plain is not None
    assert plain.offer is not None
    assert plain.offer.option == "spot"


def test_the_plan_says_on_what_the_price_stands_and_what_stands_beside_it() -> None:
    shaky = replace(
        offer("two", "h100-sxm5", 8.0, option="spot"), on_demand_usd_per_hour=40.0, zones=1, dear_usd_per_hour=24.0
    )
    best = answer(spec(accelerators=("h100-sxm5",)), shaky).recommended
    assert best is not None
    said = told(best.warnings)
    assert "Spot at USD 1.00 per accelerator-hour is the price of one zone on 1 January 2026" in said
    assert "one zone in ten of the provider asks USD 3.00 or more" in said
    assert "On demand it is USD 5.00: 15% of the hours are costed at that price." in said


def test_without_a_price_of_its_own_the_cheapest_other_on_demand_offer_is_the_fallback() -> None:
    found = answer(spec(accelerators=("h100-sxm5",)), *OFFERS, offer("two", "h100-sxm5", 8.0, option="spot"))
    best = found.recommended
    assert best is not None
    assert next(item.value for item in best.cost.model.inputs if item.name == "on_demand_price") == 24.0


def test_a_batch_on_spot_instances_pays_for_the_fallback_too() -> None:
    wanted = replace(
        spec(deadline_days=0.0),
        workload="serving",
        training=None,
        serving=Serving(batch=BatchJob(requests=1e6, deadline_hours=48)),
    )
    shaky = replace(offer("two", "h100-sxm5", 8.0, option="spot"), on_demand_usd_per_hour=40.0)
    best = answer(wanted, shaky).recommended
    assert best is not None
    compute, more = (amount_of(best.cost.model, name) for name in ("compute", "fallback"))
    assert more == pytest.approx(0.15 * 4 * compute, abs=0.01)


def test_an_agreed_on_demand_price_is_also_the_fallback() -> None:
    spot = replace(offer("one", "h100-sxm5", 8.0, option="spot"), on_demand_usd_per_hour=24.0)
    agreed = (AgreedPrice(item=OFFERS[0].id, usd=16.0),)
    found = with_agreed(market(*OFFERS, spot), replace(spec(), agreed=agreed))
    assert [one.on_demand_usd_per_hour for one in found.offers] == [0.0, 0.0, 16.0]


def test_hours_that_failures_take_cost_what_the_other_hours_cost() -> None:
    """Those that are paid on demand included."""
    spot = replace(offer("two", "h100-sxm5", 20.0, option="spot"), on_demand_usd_per_hour=40.0)
    best = answer(spec(accelerators=("h100-sxm5",)), spot).recommended
    assert best is not None
    assert best.checkpoint is not None
    lines = {line.name: line.amount for line in best.cost.model.lines}
    paid = lines["compute"] + lines["fallback"]
    assert lines["fallback"] > 0.1 * lines["compute"]
    each = paid / (best.count * lines["programme_hours"])
    assert best.checkpoint.lost_cost == pytest.approx(each * best.checkpoint.lost_accelerator_hours, abs=0.006)


def test_another_seller_that_stands_in_is_as_well_joined_named_and_cited() -> None:
    """A plan for three joined servers was costed with a lone card of somebody else, as if it were the seller's own price."""
    spot = replace(offer("one", "h100-sxm5", 16.0, option="spot"), on_demand_usd_per_hour=0.0)
    lone = offer("lone", "h100-sxm5", 12.0, network=0.0)
    joined = replace(offer("joined", "h100-sxm5", 28.0), source="a list of the joined one", price_date="2025-12-30")
    found = answer(spec(max_accelerators=16), spot, lone, joined)
    (option,) = [
        one for one in (found.recommended, *found.alternatives) if one and one.offer and one.offer.option == "spot"
    ][:1]
    (price,) = [item for item in option.cost.model.inputs if item.name == "on_demand_price"]
    assert (price.value, price.source, price.date) == (28.0, "a list of the joined one", "2025-12-30")
    assert any("Its seller lists no on-demand price; joined asks USD 3.50" in told(item) for item in option.warnings)


def test_where_nobody_joins_them_so_well_any_other_one_stands_in() -> None:
    spot = replace(offer("one", "h100-sxm5", 16.0, option="spot"), on_demand_usd_per_hour=0.0)
    found = answer(spec(max_accelerators=16), spot, offer("lone", "h100-sxm5", 12.0, network=0.0))
    told_of = [
        told(item)
        for one in (found.recommended, *found.alternatives)
        if one and one.offer and one.offer.option == "spot"
        for item in one.warnings
    ]
    assert any("On demand lone asks USD 1.50, no more than that" in text for text in told_of)


def test_only_spot_capacity_needs_a_price_to_fall_back_on() -> None:
    """A reserved hour also knows what it costs on demand: nothing of it is paid at that price, nor is a first measurement."""
    reserved = replace(offer("one", "h100-sxm5", 16.0, option="commit_1y"), on_demand_usd_per_hour=30.0)
    on_demand = replace(offer("two", "h100-sxm5", 20.0), on_demand_usd_per_hour=30.0)
    wanted = spec(max_accelerators=16)
    found = supplies_for(wanted, market(reserved, on_demand)).supplies
    rented = [supply for supply in found if supply.offer]
    assert len(rented) == 2
    assert {supply.fallback_usd_per_hour for supply in rented} == {0.0}
