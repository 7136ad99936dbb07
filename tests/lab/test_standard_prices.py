"""The sixty standard requests: read, priced within what others list or told why not, and the facts behind them counted."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from io import StringIO

import pytest
from django.core.management import call_command

from catalog.facts import released
from engine.answer import Option
from engine.choice.peers import cheaper_than_all, each, peers_of
from engine.context import Context
from engine.defaults import default_assumptions
from engine.inputs.finding import Finding, Typed
from engine.inputs.hardware import Market, Offer
from engine.inputs.origin import origin
from lab.gallery.requests import DAY
from lab.standard.behind import facts_behind, from_memory
from lab.standard.judge import VIOLATIONS, judge, judged, newest
from lab.standard.requests import standards
from planner.estimate import estimate
from tests.engine.small_market import market, offer, spec
from voice.speech import say


def test_there_are_sixty_of_many_cards_ways_and_kinds() -> None:
    found = standards(newest(), as_of=DAY)
    assert len({one.name for one in found}) == len(found) == 60
    kinds, ways, cards = (Counter(one.name.split("/")[part] for one in found) for part in range(3))
    assert len(kinds) == 10
    assert set(ways) == {"on_demand", "spot", "commitment"}
    assert len(cards) >= 20


def test_one_of_them_is_planned_and_held_against_the_lists_of_others() -> None:
    (asked,) = standards(newest(), as_of=DAY, only="qlora-8b/on_demand/l40s")
    found = judge(asked)
    assert found.verdict in ("within", "explained")
    assert found.lists >= 3
    assert found.least < found.most
    assert bool(found.said) == (found.verdict == "explained")
    assert found.facts > 5


def test_one_with_fewer_than_three_other_lists_says_so_in_its_plan() -> None:
    (asked,) = standards(newest(), as_of=DAY, only="serve-8b/on_demand/tpu-v5e")
    found = judge(asked)
    assert (found.verdict, found.lists) == ("few", 0)
    assert found.said.startswith("No other list has this accelerator on these terms")
    assert found.memory == ()


@pytest.mark.slow
def test_no_price_of_the_sixty_is_out_of_range_without_a_word() -> None:
    found = judged(as_of=DAY)
    assert len(found) == 60
    assert [one for one in found if one.verdict in VIOLATIONS] == []
    assert sum(one.lists >= 3 for one in found) >= 40
    assert {ident for one in found for ident in one.memory} == set()


def test_the_command_counts_the_violations_and_the_facts_from_memory() -> None:
    out = StringIO()
    call_command("standard_prices", "qlora-8b/on_demand/a100-pcie-80", "--workers", "1", stdout=out)
    assert "1 requests" in out.getvalue()
    assert "0 violations" in out.getvalue()
    assert "facts from memory behind" in out.getvalue()


LISTS = ("two", 20.0), ("three", 24.0), ("four", 32.0)


def _said(own: Offer, *others: Offer) -> list[Finding]:
    sold = market(own, *others)
    context = Context(spec=spec(), arch=sold.models["llama-3.1-8b"], market=sold, assume=default_assumptions())
    return list(cheaper_than_all(context, own))


def _others(**changes: object) -> list[Offer]:
    return [replace(offer(name, "h100-sxm5", price), **changes) for name, price in LISTS]


def test_a_price_below_all_others_says_so_and_why() -> None:
    own = offer("one", "h100-sxm5", 12.0)
    (found,) = _said(own, *_others())
    assert found.code == "warning.price.cheapest"
    assert found.values["count"] == 3
    assert "the lists do not say why" in say(found)
    (older,) = _said(replace(own, price_date="2025-06-01"), *_others())
    assert "days before the middle one of theirs" in say(older)
    (little,) = _said(replace(own, usd_per_hour=19.0), *_others())
    assert "the next asks no more than 5.3% more" in say(little)
    elsewhere = replace(own, id="one/x/dear/on_demand", region="dear", usd_per_hour=30.0)
    (region,) = _said(own, elsewhere, *_others())
    assert "that of one region only" in say(region)
    (alone,) = _said(replace(own, scaleout_bandwidth=0.0), *_others(scaleout_bandwidth=400e9))
    assert "states no network between its machines" in say(alone)


def test_spot_below_all_others_says_how_much_deeper_its_discount_is() -> None:
    others = _others(option="spot", on_demand_usd_per_hour=40.0)
    own = replace(offer("one", "h100-sxm5", 12.0), option="spot", on_demand_usd_per_hour=40.0)
    (found,) = _said(own, *others)
    assert "its spot is 70% below its own on-demand price, that of others usually 40%" in say(found)


def test_where_fewer_than_three_other_lists_are_known_it_says_how_many() -> None:
    own = offer("one", "h100-sxm5", 12.0)
    (two,) = _said(own, *_others()[:2])
    assert two.code == "warning.price.few_others"
    assert two.values["count"] == 2
    assert say(two).startswith("Only 2 other lists have this accelerator on these terms")
    (one,) = _said(replace(own, usd_per_hour=25.0), _others()[0])
    assert say(one).startswith("Only 1 other list has this accelerator on these terms")
    (alone,) = _said(own)
    assert alone.code == "warning.price.no_other"
    assert "nothing tells whether" in say(alone)
    assert _said(replace(own, source=origin("agreed.instead", listed=Typed("list")))) == []


def test_nothing_is_said_within_the_others_or_of_an_agreed_price() -> None:
    assert _said(offer("one", "h100-sxm5", 25.0), *_others()) == []
    assert (
        _said(
            replace(offer("one", "h100-sxm5", 12.0), source=origin("agreed.instead", listed=Typed("list"))), *_others()
        )
        == []
    )


def test_the_lists_of_others_are_told_by_provider_the_cheapest_first() -> None:
    own, dear = offer("one", "h100-sxm5", 12.0), replace(offer("two", "h100-sxm5", 60.0), id="two/x/far/on_demand")
    found = peers_of(market(own, dear, *_others()), own)
    assert [peer.provider for peer in found] == ["two", "three", "four"]
    assert (found[0].least, found[0].most) == (each(_others()[0]), each(dear))


def test_the_facts_behind_an_option_are_those_it_is_computed_from(plan_option: Option) -> None:
    found = facts_behind(released(), plan_option)
    slug = plan_option.accelerator
    assert f"accelerator.{slug}.memory_bytes" in found
    assert f"accelerator.{slug}.nic_bandwidth" not in found  # the instance states its own
    assert plan_option.offer is not None
    assert f"provider.{plan_option.offer.provider}.tier" not in found
    assert set(from_memory(found)) <= set(found)


@pytest.fixture(scope="module")
def plan_option() -> Option:
    sold: Market = newest()
    (asked,) = standards(sold, as_of=DAY, only="qlora-8b/on_demand/l40s")
    best = estimate(asked.spec, sold).recommendation.recommended
    assert best is not None
    return best
