"""How wide the market of the shipped catalog is: what a buyer expects to find in it."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import pytest

from catalog.facts import load
from engine.inputs.hardware import Market
from planner.market import market as market_of

PROVIDERS, ACCELERATORS = 20, 45


@pytest.fixture
def market(settings: Any) -> Market:
    """The release that ships, not the older one that other tests stand on."""
    settings.CATALOG_RELEASE = ""
    return market_of(load())


def _rented(market: Market) -> dict[str, dict[str, set[str]]]:
    """Of each accelerator the ways to rent it and who offers them."""
    found: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for offer in market.offers:
        found[offer.device][offer.option].add(offer.provider)
    return found


def test_there_are_as_many_sellers_and_priced_accelerators_as_a_buyer_expects(market: Market) -> None:
    assert len({offer.provider for offer in market.offers}) >= PROVIDERS
    servers = {system.device for system in market.systems if system.price_low_usd}
    cards = {slug for slug, device in market.devices.items() if device.purchase_usd}
    assert len({*_rented(market), *servers, *cards}) >= ACCELERATORS


@pytest.mark.parametrize("slug", ["h100-sxm5", "h200-sxm", "b200-sxm", "l40s", "tpu-v5e", "tpu-v6e"])
def test_it_can_be_committed_to_for_one_year_and_for_three(market: Market, slug: str) -> None:
    ways = _rented(market)[slug]
    assert ways["commit_1y"]
    assert ways["commit_3y"]


def test_every_offer_and_every_fact_has_a_source_and_a_day(market: Market) -> None:
    for offer in market.offers:
        assert offer.source, offer
        assert offer.price_date, offer
    for fact in market.facts:
        assert fact.source, fact
        assert fact.date, fact


def test_no_fact_is_typed_from_memory(settings: Any) -> None:
    settings.CATALOG_RELEASE = ""
    facts = [(record.slug, name, value) for record in load().records for name, value in record.values.items()]
    assert len(facts) > 4000
    assert [(slug, name) for slug, name, value in facts if value.confidence == "memory"] == []
