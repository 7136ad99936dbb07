"""Electricity and space where hardware of one's own stands: by the request's regions or residency, and by the country of what is owned."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from catalog.facts import released
from engine.answer import CostInput, Option
from engine.defaults import default_assumptions
from engine.entry import recommend
from engine.inputs.hardware import Holding, Market, Site, Tariff
from engine.inputs.spec import Constraints, Owned, OwnSite, Spec, SpecError
from engine.money.cost import owned
from engine.money.tariffs import placed, site_of
from planner.market import market as market_of
from planner.telling import sourced
from tests.engine.money_samples import ASSUME, H100, SERVER
from tests.engine.small_market import OFFERS, market, spec
from tests.engine.test_own_hardware import HOLDING

POWER, SPACE = "onprem.usd_per_kwh", "onprem.hosting_usd_per_kw_month"
HERE = Site(
    name="Here",
    power=Tariff(value=0.15, low=0.1, high=0.25, source="a table", date="2026-01-01"),
    hosting=Tariff(value=200.0, source="a survey", date="2025-12-31"),
)
UNION = Site(name="The union", power=Tariff(value=0.21, low=0.1, high=0.3, source="a table", date="2026-01-01"))


def _market() -> Market:
    there = (
        *OFFERS,
        replace(OFFERS[0], id="a", region="north", country="FIN"),
        replace(OFFERS[0], id="b", region="south", country="ITA"),
    )
    return replace(market(*there), sites={"USA": HERE, "eu": UNION})


def _spec(**limits: object) -> Spec:
    return replace(spec(), constraints=replace(spec().constraints, **limits), horizon_months=36.0)


@pytest.mark.parametrize(
    ("limits", "site"),
    [
        ({}, None),
        ({"regions": ("here",)}, HERE),
        ({"residency": "us"}, HERE),
        ({"residency": "eu"}, UNION),
        ({"residency": "uk"}, None),
        ({"regions": ("north", "south")}, UNION),
        ({"regions": ("here", "north")}, None),
        ({"regions": ("nowhere",)}, None),
        ({"regions": ("here", "north"), "residency": "us"}, HERE),
    ],
)
def test_the_place_is_that_of_the_regions_else_of_the_residency(limits: dict[str, object], site: Site | None) -> None:
    assert site_of(_spec(**limits), _market()) == site


def test_bought_hardware_pays_the_tariff_of_its_place_and_says_whose_it_is() -> None:
    found = recommend(_spec(residency="us"), replace(_market(), offers=()))
    (power,) = (item for item in _inputs(found.recommended, *found.alternatives) if item.name == "usd_per_kwh")
    assert (power.value, power.low, power.high) == (0.15, 0.1, 0.25)
    assert sourced(power.source) == "Here, 1 January 2026: a table"
    told = {item.id: item for item in found.assumptions}
    assert told[POWER].value == 0.15
    elsewhere = recommend(_spec(), _market())
    assert {item.id: item for item in elsewhere.assumptions}[POWER] == default_assumptions().get(POWER)


def _inputs(*options: Option | None) -> list[CostInput]:
    bought = next(one for one in options if one is not None and one.kind == "on_prem")
    return list(bought.cost.model.inputs)


def test_what_the_request_sets_stays() -> None:
    wanted = replace(_spec(residency="us"), assumptions={POWER: 0.31, SPACE: 90.0})
    found = {item.id: item for item in recommend(wanted, _market()).assumptions}
    assert (found[POWER].value, found[SPACE].value) == (0.31, 90.0)


def test_rented_space_is_told_with_the_electricity_that_is_metered_beside_it() -> None:
    assume = placed(_spec(residency="us"), _market(), default_assumptions())
    kwh = 730 * assume["onprem.pue"] * assume["onprem.busy_load"]
    space = assume.get(SPACE)
    assert space.value == pytest.approx(200 + kwh * 0.15)
    assert space.low == pytest.approx(200 * 80 / 150 + kwh * 0.1)
    assert space.high == pytest.approx(200 * 300 / 150 + kwh * 0.25)
    assert "200 USD for space and 712 kWh at 0.15 USD" in sourced(space.source)


def test_what_is_owned_pays_the_tariff_of_its_country_unless_the_team_says_its_own() -> None:
    def tariff(holding: Holding) -> tuple[float, str]:
        model = owned(
            device=H100, devices=16, hours_needed=100.0, start=date(2027, 1, 1), assume=ASSUME, system=SERVER,
            holding=holding,
        )  # fmt: skip
        item = next(item for item in model.inputs if item.name == "usd_per_kwh")
        return item.value, sourced(item.source)

    silent = replace(HOLDING, usd_per_kwh=0.0)
    assert tariff(replace(silent, place=HERE)) == (0.15, "Here, 1 January 2026: a table")
    assert tariff(replace(HOLDING, place=HERE)) == (0.2, HOLDING.source)
    assert tariff(silent)[0] == ASSUME[POWER]


def test_the_release_knows_the_union_its_members_and_the_states() -> None:
    sites = market_of(released()).sites
    assert sites["USA"].power is not None
    assert (sites["USA"].power.value, sites["USA"].power.date) == (0.146, "2026-04-26")
    assert sites["IRL"] == sites["eu"]  # a member without an entry of its own
    assert sites["DEU"] != sites["eu"]
    for place, site in sites.items():
        assert site.power is not None, place
        assert site.hosting is not None, place
        assert site.power.low < site.power.value < site.power.high, place
    assert "JPN" not in sites
    assert market_of(released("2026-08")).sites == {}


def test_places_say_nothing_where_the_request_owns_and_limits_nothing() -> None:
    wanted = replace(spec(), constraints=Constraints(), owned=(Owned(accelerator="h100-sxm5", count=16),))
    assert placed(wanted, _market(), default_assumptions()) is default_assumptions()


def test_the_requests_own_site_goes_before_regions_and_residency() -> None:
    for country, site in (("USA", HERE), ("FRA", UNION), ("JPN", None)):
        asked = replace(_spec(regions=("north",), residency="us"), site=OwnSite(country=country))
        assert site_of(asked, _market()) == site


def _own(asked: Spec, shop: Market) -> Option:
    """What is answered on bought hardware."""
    found = recommend(asked, shop)
    return next(one for one in (found.recommended, *found.alternatives) if one is not None and one.on_prem)


def test_bought_hardware_stands_on_the_requests_own_site_with_its_tariff_and_grid() -> None:
    shop = replace(_market(), offers=(), carbon_g_per_kwh={"USA": 350.0})
    best = _own(replace(_spec(), site=OwnSite(country="USA")), shop)
    (power,) = (item for item in _inputs(best) if item.name == "usd_per_kwh")
    assert (power.value, sourced(power.source)) == (0.15, "Here, 1 January 2026: a table")
    assert best.energy.g_per_kwh == 350.0
    assert best.energy.grid.code == "grid.country"
    assert _own(_spec(), shop).energy.g_per_kwh is None


def test_a_country_of_which_no_tariff_is_known_says_so_and_an_unknown_one_is_refused() -> None:
    shop = replace(_market(), offers=(), carbon_g_per_kwh={"JPN": 460.0})
    asked = replace(_spec(), site=OwnSite(country="JPN"))
    assert "warning.site.no_tariff" in [one.code for one in _own(asked, shop).warnings]
    told = _own(replace(asked, assumptions={POWER: 0.2}), shop)
    assert "warning.site.no_tariff" not in [one.code for one in told.warnings]
    with pytest.raises(SpecError) as refused:
        recommend(replace(_spec(), site=OwnSite(country="ZZZ")), shop)
    assert [fault.code for fault in refused.value.faults] == ["unknown.country"]
