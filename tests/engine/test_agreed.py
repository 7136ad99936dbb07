"""Agreed prices take the place of listed ones in the whole answer, and are refused where they price nothing."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from engine.entry import recommend
from engine.inputs.agreed import with_agreed
from engine.inputs.origin import AGREED, CATALOG, told_by
from engine.inputs.spec import AgreedPrice
from planner.estimate import estimate
from planner.market import market_from_files
from planner.request.parse import spec_from
from tests.refused import refused

DAY = date(2026, 11, 22)
REQUEST = {
    "name": "Agreed",
    "workload": "training",
    "model": "llama-3.1-8b",
    "training": {"tokens": 2e9},
    "constraints": {"deadline_days": 30, "accelerators": ["h100-sxm5"]},
}


def test_an_agreed_price_moves_the_recommendation_to_its_offer() -> None:
    market = market_from_files()
    listed = estimate(spec_from(REQUEST), market).recommendation
    other = next(option.offer for option in listed.alternatives if option.offer and option.meets_deadline)
    agreed = [{"item": other.id, "usd": other.usd_per_hour / 20}]
    answer = estimate(spec_from(REQUEST | {"agreed": agreed}), market).recommendation
    assert answer.recommended
    assert answer.recommended.offer
    assert answer.recommended.offer.id == other.id
    price = next(item for item in answer.recommended.cost.model.inputs if item.name == "price_per_instance_hour")
    assert price.value == pytest.approx(other.usd_per_hour / 20)
    assert told_by(price.source, "agreed.instead")


def test_without_agreed_prices_the_market_is_the_same() -> None:
    market = market_from_files()
    bare = spec_from(REQUEST)
    assert with_agreed(market, bare) is market
    server = market.systems[0]
    moved = with_agreed(market, replace(bare, agreed=(AgreedPrice(item=server.slug, what="server", usd=1000.0),)))
    assert (moved.systems[0].price_low_usd, moved.systems[0].price_high_usd) == (1000.0, 1000.0)
    assert moved.systems[1:] == market.systems[1:]


@pytest.mark.parametrize(
    ("agreed", "words"),
    [
        ([{"item": "nobody/nothing/nowhere/on_demand", "usd": 1.0}], "nobody/nothing/nowhere"),
        ([{"item": "x", "usd": 0.0}], "above 0"),
        ([{"item": "x", "usd": 1.0}, {"item": "x", "usd": 2.0}], "priced twice"),
    ],
)
def test_a_price_of_nothing_is_refused(agreed: list[dict[str, object]], words: str) -> None:
    with refused(words):
        estimate(spec_from(REQUEST | {"agreed": agreed}), market_from_files())


def test_the_engine_s_own_door_takes_agreed_prices() -> None:
    market = market_from_files()
    spec = spec_from(REQUEST)
    answer = recommend(spec, market)
    assert answer.recommended
    assert answer.recommended.cost.total.expected > 0


def test_an_agreed_rate_of_exchange_shows_the_same_dollars_at_that_rate() -> None:
    market = market_from_files()
    dated = estimate(spec_from(REQUEST | {"currency": "EUR"}), market).recommendation.recommended
    rate = [{"item": "EUR", "what": "currency", "usd": 1.25}]
    agreed = estimate(spec_from(REQUEST | {"currency": "EUR", "agreed": rate}), market).recommendation.recommended
    assert dated
    assert agreed
    again = dated.cost.total.expected / dated.cost.model.per_usd * 0.8
    assert agreed.cost.total.expected == pytest.approx(again, abs=0.1), "the engine computes in dollars"
    used = {item.name: item for item in agreed.cost.model.inputs}["fx_rate"]
    assert (used.value, used.source, used.date) == (pytest.approx(0.8), AGREED, "")
    known = {item.name: item for item in dated.cost.model.inputs}["fx_rate"]
    assert (known.source, bool(known.date)) == (CATALOG, True)


@pytest.mark.parametrize(
    ("currency", "row", "said"),
    [
        ("USD", {"item": "EUR", "what": "currency", "usd": 1.25}, "shown in, USD"),
        ("EUR", {"item": "GBP", "what": "currency", "usd": 1.25}, "shown in, EUR"),
        ("EUR", {"item": "EUR", "what": "currency", "usd": 0.0}, "must be above 0"),
        ("EUR", {"item": "EUR", "usd": 1.0}, "the catalog has no “EUR”"),
    ],
)
def test_a_rate_that_would_change_nothing_is_refused(currency: str, row: dict[str, object], said: str) -> None:
    with refused(said):
        estimate(spec_from(REQUEST | {"currency": currency, "agreed": [row]}), market_from_files())
