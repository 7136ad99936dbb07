"""How often many spot instances are not there together: what was measured of a provider's family, else the wide usual share."""

from __future__ import annotations

from dataclasses import replace

import pytest

from catalog.facts import released
from engine.answer import CostInput, Recommendation
from engine.defaults import default_assumptions
from engine.entry import recommend
from engine.inputs.hardware import Access, Market, Missing
from engine.inputs.spec import FixedLayout, Spec
from engine.money.spot import between, fallback_share, share_item, with_share
from planner.market import market as market_of
from planner.telling import sourced
from tests.engine.small_market import market, offer, spec

SHARE = "cost.spot_fallback_share"
TRACE = Missing(share=0.45, low=0.25, high=0.65, instances=16, source="a trace", date="2023-09-12")
SPOT = replace(offer("one", "h100-sxm5", 8.0, option="spot"), on_demand_usd_per_hour=24.0)


def _market(missing: Missing | None) -> Market:
    return replace(market(SPOT), access={"one/spot": Access(missing=missing)} if missing else {})


def _share(found: Recommendation) -> CostInput:
    best = found.recommended
    assert best is not None
    return next(item for item in best.cost.model.inputs if item.name == "fallback_share")


def test_the_share_grows_with_the_logarithm_of_the_number_up_to_what_was_measured() -> None:
    shares = [between(0.15, 0.45, at=16, instances=count) for count in (0.5, 1, 2, 4, 16, 64)]
    assert shares == pytest.approx([0.15, 0.15, 0.225, 0.30, 0.45, 0.45])
    item = share_item(TRACE, 4, default_assumptions())
    assert (item.value, item.low, item.high) == pytest.approx((0.30, 0.15, 0.575))
    assert sourced(item.source).startswith("16 instances, 12 September 2023: a trace; one instance: Derived")


def test_without_a_measurement_the_usual_share_stays_and_what_a_request_states_counts_more() -> None:
    usual = default_assumptions()
    assert share_item(None, 64, usual) is usual.get(SHARE)
    assert with_share(None, 64, usual) is usual
    stated = usual.override({SHARE: 0.05})
    assert share_item(TRACE, 64, stated) is stated.get(SHARE)


@pytest.mark.parametrize("nodes", [1, 2, 4])
def test_a_plan_pays_the_share_of_its_number_of_instances_and_says_where_it_is_from(nodes: int) -> None:
    asked = replace(spec(accelerators=("h100-sxm5",)), fixed=FixedLayout(count=8 * nodes))
    paid = _share(recommend(asked, _market(TRACE)))
    few = share_item(TRACE, nodes, default_assumptions()).value
    assert paid.value == pytest.approx(fallback_share(8 * nodes, default_assumptions(), few))
    assert "a trace" in sourced(paid.source)
    usual = _share(recommend(asked, _market(None)))
    assert usual.value == pytest.approx(fallback_share(8 * nodes, default_assumptions()))
    assert "a trace" not in sourced(usual.source)


def test_the_ranking_knows_it() -> None:
    """Without the measurement spot is the cheaper of two; paid on demand for two fifths of its hours it no longer is."""
    beside = replace(offer("two", "h100-sxm5", 15.0), region="there")
    asked: Spec = replace(spec(accelerators=("h100-sxm5",)), fixed=FixedLayout(count=32))

    def chosen(missing: Missing | None) -> str:
        found = recommend(asked, replace(_market(missing), offers=(SPOT, beside)))
        assert found.recommended
        return found.recommended.offer.provider if found.recommended.offer else ""

    assert chosen(None) == "one"
    dear = replace(TRACE, share=0.6, low=0.5, high=0.7, instances=4)
    assert chosen(dear) == "two"


def test_only_what_was_measured_is_in_the_release() -> None:
    access = market_of(released()).access
    found = {key: one.missing for key, one in access.items() if one.missing}
    assert set(found) == {"aws/spot/p"}
    trace = found["aws/spot/p"]
    assert trace is not None
    assert (trace.share, trace.low, trace.high, trace.instances) == (0.45, 0.25, 0.65, 16)
    assert access["aws/spot/p"].quota
    assert not [one for one in market_of(released("2026-08")).access.values() if one.missing]
