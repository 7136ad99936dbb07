"""Services on two sites: where the second one stands, what it costs and signs, and what the plan says where one is not enough."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from engine.answer import Option, Recommendation, Standing
from engine.entry import recommend
from engine.inputs.hardware import Market, Offer
from engine.inputs.spec import Constraints, Operations, Owned, Serving, Spec
from engine.money.lines import amount_of
from engine.supply import seconds
from tests.engine.answers import answered
from tests.engine.small_market import market, offer
from tests.told import told

CURVE = (0.1,) * 8 + (1.0,) * 8 + (0.3,) * 8


def at(region: str, usd: float, *, provider: str = "one", country: str = "USA", **changes: Any) -> Offer:
    """Eight H100 in that region."""
    one = offer(provider, "h100-sxm5", usd)
    return replace(
        one,
        id=f"{provider}/h100-sxm5-8x/{region}/{changes.get('option', 'on_demand')}",
        region=region,
        country=country,
        **changes,
    )


EAST, WEST, PARIS = at("us-east-1", 24.0), at("us-west-2", 30.0), at("eu-west-3", 25.0, country="FRA")
TWO = market(EAST, WEST, PARIS)


def asked(pattern: str = "spares", availability: float = 0.99, **changes: Any) -> Spec:
    """A chat on an 8B model that needs several servers."""
    curve, kept = changes.pop("load_curve", ()), changes.pop("keep_capacity", False)
    wanted = Spec(
        name="Chat",
        workload="serving",
        model="llama-3.1-8b",
        serving=Serving(requests_per_s=400.0, input_tokens=1000, output_tokens=300, ttft_p95_ms=900, load_curve=curve),
        constraints=Constraints(max_accelerators=256),
        operations=Operations(availability=availability, pattern=pattern, keep_capacity=kept),  # type: ignore[arg-type]
    )
    return replace(wanted, **changes)


def best_of(answer: Recommendation) -> tuple[Option, Standing]:
    best = answer.recommended
    assert best is not None
    assert best.serving is not None
    assert best.serving.standing is not None
    return best, best.serving.standing


def planned(wanted: Spec, on: Market = TWO) -> tuple[Option, Standing]:
    return best_of(answered(wanted, on))


def test_one_site_cannot_hold_four_nines_and_the_plan_says_what_would() -> None:
    best, standing = planned(asked(availability=0.9999))
    assert standing.availability <= standing.ceiling < 0.9999
    short, way = (one for one in best.warnings if one.code.startswith("warning.unavailable"))
    assert "the site is down" in told(short)
    assert "two sites that both serve" in told(way)
    [both] = [one for one in standing.patterns if one.pattern == "active-active"]
    assert both.holds
    assert both.pattern_cost is not None
    more, _ = planned(asked("active-active", 0.9999))
    assert more.cost.total.expected == pytest.approx(both.pattern_cost), (
        "what is offered is what comes of asking for it"
    )


def test_a_second_site_is_paid_at_its_own_price_and_stands_twice() -> None:
    best, standing = planned(asked("active-active", 0.9999))
    one, _ = planned(asked("n", 0.5))
    assert standing.second == WEST, "the same country before a cheaper one overseas"
    model = best.cost.model
    hours = amount_of(model, "instance_hours")
    assert amount_of(model, "second_hours") == pytest.approx(hours / 2)
    assert amount_of(model, "compute") == pytest.approx(hours / 2 * 24.0)
    assert amount_of(model, "second_compute") == pytest.approx(hours / 2 * 30.0)
    for line in ("balancer", "gateway", "registry", "storage"):
        assert amount_of(model, line) == pytest.approx(2 * amount_of(one.cost.model, line), abs=0.02), line
    assert amount_of(model, "cross_site") > 0
    assert best.count == 2 * one.count
    assert standing.availability >= 0.9999


def test_both_prices_of_one_seller_move_together_and_those_of_two_apart() -> None:
    """A price that rises at both sites at once leaves no luck to even it out: the band is that of one price."""
    together, _ = planned(asked("active-active", 0.9999))
    other = market(EAST, at("us-east-9", 30.0, provider="two"))
    apart, _ = planned(asked("active-active", 0.9999), other)
    for best, one_draw in ((together, True), (apart, False)):
        model = best.cost.model
        moving = [item.name for item in model.inputs if "price" in item.name and item.low < item.high]
        assert ("second_price_per_instance_hour" not in moving) == one_draw
        price = next(item for item in model.inputs if item.name == "price_per_instance_hour")
        first, second = amount_of(model, "compute"), amount_of(model, "second_compute")
        up = math.log(price.high / price.value)
        wide = first + second if one_draw else math.hypot(first, second)
        assert best.cost.total.high - best.cost.total.expected == pytest.approx(wide * math.expm1(up), rel=0.1)


@pytest.mark.parametrize("months", [12, 36])
def test_a_committed_second_site_is_signed_too(months: int) -> None:
    term = {"option": "commit_1y" if months == 12 else "commit_3y", "term_months": months}
    found = planned(asked("active-active"), market(at("us-east-1", 12.0, **term), at("us-west-2", 14.0, **term)))
    signed, model = found[0].cost.signed, found[0].cost.model
    assert signed.what == "commitment"
    assert signed.total == pytest.approx(amount_of(model, "compute") + amount_of(model, "second_compute"))
    assert signed.rest == 0.0


def test_half_a_site_serves_half_until_the_rest_is_started() -> None:
    best, standing = planned(asked("recovery-half", 0.999))
    assert best.serving is not None
    assert standing.second_replicas == -(-best.serving.replicas // 2)
    [site] = [one for one in standing.cases if one.case == "site"]
    assert 0.5 <= site.served < 0.7
    assert site.full_s is not None
    assert site.gap_s < site.full_s < 3600.0
    assert site.full_chance == pytest.approx(0.8)
    [one_site] = [one for one in planned(asked())[1].cases if one.case == "site"]
    assert (one_site.served, one_site.full_s) == (0.0, None), "nothing, until it is over"


def test_the_second_site_keeps_to_the_constraints() -> None:
    europe = Constraints(max_accelerators=256, residency="eu")
    nowhere = recommend(asked("active-active", constraints=europe), TWO)
    assert not nowhere.feasible
    assert "second_site" in {one.code for one in nowhere.rejected}
    assert any(change.field == "operations.pattern" for way in nowhere.nearest for change in way.changes)
    both = market(EAST, WEST, PARIS, at("eu-central-1", 28.0, country="DEU"))
    assert planned(asked("active-active", constraints=europe), both)[1].second.region == "eu-central-1"  # type: ignore[union-attr]


def test_a_place_that_nobody_names_is_no_second_site() -> None:
    vague = at("global", 20.0, country="")
    assert seconds([vague, EAST], [vague, EAST]) == {}
    assert seconds([EAST], [EAST, at("us", 20.0)]) == {}, "“us” may be the same region"
    other = at("us-east-1", 22.0, provider="two")
    assert seconds([EAST], [EAST, other]) == {EAST.id: other}, "another house, if its own provider has no second one"
    assert seconds([EAST], [EAST, other, WEST]) == {EAST.id: WEST}
    assert seconds([EAST], [EAST, replace(other, scaleout_bandwidth=0.0)]) == {}, "worse joined"


def test_sites_of_two_providers_have_no_outage_in_common() -> None:
    other = market(EAST, at("us-east-9", 30.0, provider="two"))
    one = {lost.cause: lost.hours_per_year for lost in planned(asked("active-active"))[1].lost}
    two = {lost.cause: lost.hours_per_year for lost in planned(asked("active-active"), other)[1].lost}
    assert one["provider"] > 0.1
    assert two["provider"] == 0.0
    assert two["site"] < 0.05


def test_own_hardware_has_no_provider_and_no_second_site() -> None:
    own = asked(owned=(Owned(accelerator="h100-sxm5", count=256),), constraints=Constraints(max_accelerators=256))
    best, standing = planned(own, market())
    assert best.kind == "owned"
    assert {one.cause: one.hours_per_year for one in standing.lost}["provider"] == 0.0
    assert all(one.pattern_cost is None for one in standing.patterns if one.pattern == "active-active")
    [host] = [one for one in standing.cases if one.case == "host"]
    assert host.full_s in (0.0, None), "nobody rents another host of one's own"


def test_what_is_given_back_at_night_is_told_and_kept_for_a_price() -> None:
    follows, standing = planned(asked(availability=0.999, load_curve=CURVE))
    assert {one.cause: one.hours_per_year for one in standing.lost}["mornings"] == pytest.approx(365 * 0.02 * 2)
    [morning] = [one for one in standing.cases if one.case == "morning"]
    assert 0.0 < morning.served < 1.0, "what was held at night"
    way = next(one for one in follows.warnings if one.code == "warning.unavailable.way")
    assert "kept at all hours" in told(way)
    kept, sure = planned(asked(availability=0.999, load_curve=CURVE, keep_capacity=True))
    assert sure.availability >= 0.999
    assert not [one for one in sure.cases if one.case == "morning"]
    assert standing.keep_cost == pytest.approx(kept.cost.total.expected - follows.cost.total.expected, rel=0.01)


def test_automatic_takes_a_second_site_only_where_one_is_not_enough() -> None:
    assert planned(asked("auto", 0.999))[1].pattern == "spares"
    assert planned(asked("auto", 0.9999))[1].pattern == "active-active"
    alone, standing = planned(asked("auto", 0.9999), market(EAST))
    assert standing.pattern == "spares"
    assert any(one.code == "warning.unavailable.nothing" for one in alone.warnings)


def test_a_missed_availability_is_in_the_headline_with_what_holds_it_on_other_hardware() -> None:
    """The cheapest is had at one place only: “nothing on this hardware holds it”, and a green plan beside that."""
    cheap = at("global", 20.0, provider="vague", country="")
    answer = recommend(asked(availability=0.9999), market(cheap, EAST, WEST))
    best, standing = best_of(answer)
    assert best.offer == cheap
    assert not standing.holds
    assert not best.up_enough
    assert answer.headline.code.endswith(".unavailable")
    assert "99.99% that is asked is missed" in told(answer.headline)
    [way] = [one for one in best.warnings if one.code.startswith("warning.unavailable.")]
    both = recommend(asked("auto", 0.9999), market(cheap, EAST, WEST)).recommended
    assert both is not None
    assert way.code == "warning.unavailable.elsewhere"
    assert way.values["cost"].amount == pytest.approx(both.cost.total.expected), "what is offered is what comes of it"  # type: ignore[union-attr]
    held, _ = planned(asked(availability=0.99))
    assert held.up_enough


def test_more_replicas_share_the_load_on_a_normal_day() -> None:
    best, standing = planned(asked("active-active", 0.9999))
    assert best.serving is not None
    [normal] = [one for one in standing.cases if one.case == "normal"]
    assert normal.ttft_p95_ms is not None
    assert normal.ttft_p95_ms < best.serving.ttft_ms.p95.expected
    stand = best.serving.replicas + best.serving.spare_replicas
    assert stand == pytest.approx(2 * best.serving.replicas, rel=0.2)
    # Each up to the load at which it keeps the promise, the same that the plan's use is told against.
    assert normal.carries == pytest.approx(stand / best.serving.replicas / best.serving.utilisation)


def test_in_another_currency_every_amount_is_converted() -> None:
    euro = replace(TWO, fx_usd={"EUR": (1.25, "2026-01-01")})
    usd, dollars = planned(asked("active-active", load_curve=CURVE), euro)
    eur, standing = planned(replace(asked("active-active", load_curve=CURVE), currency="EUR"), euro)
    [mine] = [one for one in standing.patterns if one.chosen]
    assert mine.pattern_cost == eur.cost.total.expected == pytest.approx(usd.cost.total.expected / 1.25, rel=1e-6)
    assert standing.keep_cost == pytest.approx((dollars.keep_cost or 0.0) / 1.25, rel=1e-6)


def test_each_site_emits_by_its_own_grid() -> None:
    """Twelve times as much a kWh in Virginia as in Paris: what stands at each site counts by how much of it there is."""
    grids = {"USA": 400.0, "FRA": 33.0}
    apart = replace(market(EAST, PARIS), carbon_g_per_kwh=grids)
    best, _ = best_of(recommend(asked("active-active", 0.9999), apart))
    first, second = best.sites
    assert {first.offer.country, second.offer.country} == set(grids)
    whole = first.count + second.count
    wanted = (first.count * grids[first.offer.country] + second.count * grids[second.offer.country]) / whole
    assert best.energy.grid.code == "grid.two_sites"
    assert best.energy.g_per_kwh == pytest.approx(wanted)
    assert best.energy.kg_co2e is not None
    assert best.energy.kg_co2e.expected == pytest.approx(best.energy.kwh.expected * wanted / 1000.0)
    said = told([best.energy.grid])
    assert "us-east-1" in said
    assert "eu-west-3" in said


def test_what_the_second_site_emits_is_the_first_ones_where_its_grid_is_not_known() -> None:
    apart = replace(market(EAST, PARIS), carbon_g_per_kwh={"USA": 400.0})
    best, _ = best_of(recommend(asked("active-active", 0.9999), apart))
    if best.sites[0].offer.country == "USA":
        assert best.energy.g_per_kwh == 400.0
    else:
        assert best.energy.kg_co2e is None
    assert best.energy.grid.code != "grid.two_sites"
