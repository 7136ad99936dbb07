"""The door from catalog to engine: offers, clusters and the limits of pooling."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from catalog.facts import load
from catalog.records import PriceRow
from planner.market import market, market_from_files


def _row(**changes: object) -> PriceRow:
    row = PriceRow(
        provider="aws",
        instance="p5.48xlarge",
        region="us-east-1",
        zone="",
        accelerator="h100-sxm5",
        count=Decimal(8),
        option="on_demand",
        amount=Decimal(60),
        currency="USD",
        date=date(2030, 1, 1),
        source="vendor",
    )
    return replace(row, **changes)  # type: ignore[arg-type]


def test_the_market_holds_plannable_devices_offers_and_facts() -> None:
    found = market_from_files()
    assert sum(device.plannable for device in found.devices.values()) >= 40
    assert len(found.offers) > 1000
    assert len({offer.id for offer in found.offers}) == len(found.offers)
    assert all(offer.usd_per_hour > 0 for offer in found.offers)
    assert all(offer.country in found.carbon_g_per_kwh for offer in found.offers)
    assert {offer.option for offer in found.offers} == {"on_demand", "spot", "commit_1y", "commit_3y"}
    assert all(fact.source and fact.date for fact in found.facts)


def test_the_same_h100_spans_the_known_range_of_prices() -> None:
    prices = [
        offer.usd_per_hour / offer.devices
        for offer in market_from_files().offers
        if offer.device == "h100-sxm5" and offer.option == "on_demand" and offer.country == "USA"
    ]
    assert min(prices) < 4.5
    assert max(prices) > 12


def test_the_newest_price_counts_and_a_teams_own_comes_first() -> None:
    base = load()
    newer = market(replace(base, prices=(*base.prices, _row())))
    own = market(
        replace(base, prices=(*base.prices, _row()), overlay=(_row(amount=Decimal(40), date=date(2020, 1, 1)),))
    )
    key = "aws/p5.48xlarge/us-east-1/on_demand"
    prices = [
        next(offer.usd_per_hour for offer in found.offers if offer.id == key)
        for found in (market_from_files(), newer, own)
    ]
    assert prices == [55.04, 60.0, 40.0]
    assert len({market_from_files().release, newer.release, own.release}) == 3


def test_of_several_zones_the_middle_price_of_two_the_dearer_stands_for_the_region() -> None:
    base = load()
    rows = tuple(_row(zone=f"z{n}", option="spot", amount=Decimal(n)) for n in (10, 20, 30, 40))
    found = market(replace(base, prices=(*base.prices, *rows)))
    offer = next(offer for offer in found.offers if offer.id == "aws/p5.48xlarge/us-east-1/spot")
    assert offer.usd_per_hour == 30.0
    assert (offer.zones, offer.on_demand_usd_per_hour) == (4, 55.04)
    assert offer.dear_usd_per_hour > 60.0  # of all zones of that provider and type
    assert offer.interruption_per_month > 0


def test_a_fraction_of_an_accelerator_and_an_unknown_currency_make_no_offer() -> None:
    base = load()
    rows = (
        _row(instance="half", count=Decimal("0.5")),
        _row(instance="odd", currency="XYZ"),
        _row(instance="euro", currency="EUR"),
    )
    found = market(replace(base, prices=rows))
    assert [offer.instance for offer in found.offers] == ["euro"]
    assert found.offers[0].usd_per_hour == pytest.approx(60 * 1.1555)
    assert (found.offers[0].native_amount, found.offers[0].native_currency) == ("60", "EUR")
