"""On which kind of price each part of what is paid rests, by hand on a market of two offers and one system."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from engine.answer import Backing, Recommendation
from engine.choice.backing import paid_by_line, shares_of
from engine.entry import recommend
from engine.inputs.currency import Currency
from engine.inputs.hardware import Fact, ListPrice
from engine.inputs.spec import AgreedPrice
from engine.money.converted import recommendation_in
from tests.engine.small_market import OFFERS, SYSTEM, long_spec, market, offer, spec
from tests.engine.small_market import answer as answered

DAY, START = date(2026, 1, 10), date(2026, 3, 1)
ASKED = replace(spec(accelerators=("h100-sxm5",)), as_of=DAY, start=START)


def part(answer: Recommendation, line: str) -> Backing:
    return next(one for one in answer.backing if one.line == line)


def quote(until: date | None, usd: float = 20.0) -> AgreedPrice:
    return AgreedPrice(item=OFFERS[0].id, usd=usd, quoted_on=DAY, valid_until=until, reference="Q-17")


def test_a_fresh_list_price_is_public_and_its_stock_that_nobody_read_is_not() -> None:
    answer = answered(ASKED)
    assert (part(answer, "compute").standing, part(answer, "compute").told.code) == ("public", "backing.public")
    assert part(answer, "storage").told.code == "backing.memory"


def test_parts_are_all_that_is_paid_and_their_shares_add_up_to_one() -> None:
    answer = answered(ASKED)
    best = answer.recommended
    assert best
    paid = paid_by_line(best.cost.model)
    assert {one.line: one.amount for one in answer.backing} == pytest.approx({k: v for k, v in paid.items() if v > 0})
    assert sum(one.amount for one in answer.backing) == pytest.approx(best.cost.total.expected)
    shares = shares_of(answer.backing)
    assert sum(shares.values()) == pytest.approx(1.0)
    assert shares["public"] == pytest.approx(part(answer, "compute").amount / best.cost.total.expected)
    assert shares_of(()) == {"quoted": 0.0, "public": 0.0, "indicative": 0.0}


@pytest.mark.parametrize(
    ("until", "standing", "code", "price"),
    [
        (date(2026, 3, 1), "quoted", "backing.quoted", 20.0),
        (date(2026, 2, 28), "indicative", "backing.short_quote", 20.0),
        (date(2026, 1, 9), "public", "backing.public", 24.0),
        (None, "indicative", "backing.open_quote", 20.0),
    ],
    ids=["holds on the first day", "ends before it", "ended before the request", "no end was said"],
)
def test_a_quote_counts_where_it_holds_when_it_is_needed(
    until: date | None, standing: str, code: str, price: float
) -> None:
    answer = answered(replace(ASKED, agreed=(quote(until),)))
    found = part(answer, "compute")
    assert (found.standing, found.told.code) == (standing, code)
    assert answer.recommended
    used = next(item for item in answer.recommended.cost.model.inputs if item.name == "price_per_instance_hour")
    assert used.value == price
    assert used.date == ("2026-01-10" if price == 20.0 else "2026-01-01")


@pytest.mark.parametrize(
    ("until", "codes"),
    [
        (date(2026, 1, 9), ["warning.quote.ended"]),
        (date(2026, 2, 28), ["warning.quote.short"]),
        (date(2026, 3, 1), []),
        (None, []),
    ],
)
def test_a_plan_says_that_a_quote_ended_or_ends_before_its_start(until: date | None, codes: list[str]) -> None:
    answer = answered(replace(ASKED, agreed=(quote(until),)))
    assert [one.code for one in answer.warnings if one.code.startswith("warning.quote")] == codes


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"basis": "second_hand"}, "backing.second_hand"),
        ({"basis": "marketplace"}, "backing.marketplace"),
        ({"price_date": "2025-10-01"}, "backing.old"),
        ({"price_date": ""}, "backing.undated"),
    ],
)
def test_less_than_a_fresh_list_price_is_an_indication(changed: dict[str, Any], code: str) -> None:
    answer = answered(ASKED, replace(OFFERS[0], **changed))
    assert (part(answer, "compute").standing, part(answer, "compute").told.code) == ("indicative", code)


def test_spot_is_an_indication_and_what_it_falls_back_on_is_public() -> None:
    spot = replace(offer("one", "h100-sxm5", 8.0, option="spot"), on_demand_usd_per_hour=24.0)
    answer = answered(ASKED, spot)
    assert part(answer, "compute").told.code == "backing.spot"
    assert part(answer, "fallback").standing == "public"


def test_storage_is_public_where_its_price_was_read() -> None:
    read = Fact(id="provider.one.storage_usd_per_gb_month", value="0.02", unit="", source="x", date="2026-01-05",
                confidence="repo")  # fmt: skip
    answer = recommend(ASKED, replace(market(*OFFERS), facts=(read,)))
    assert part(answer, "storage").standing == "public"
    agreed = AgreedPrice(item=OFFERS[0].id, what="storage_gb_month", usd=0.01, valid_until=date(2026, 12, 31))
    answer = recommend(replace(ASKED, agreed=(agreed,)), replace(market(*OFFERS), facts=(read,)))
    assert (part(answer, "storage").standing, part(answer, "storage").valid_until) == ("quoted", date(2026, 12, 31))


def test_of_a_purchase_only_the_servers_rest_on_their_quote() -> None:
    wanted, dear = replace(long_spec(), as_of=DAY), replace(OFFERS[0], usd_per_hour=80.0)
    answer = answered(wanted, dear)
    best = answer.recommended
    assert best
    assert best.kind == "on_prem"
    assert part(answer, "purchase").told.code == "backing.range"
    quoted = AgreedPrice(item=SYSTEM.slug, what="server", usd=250_000.0, valid_until=DAY)
    answer = answered(replace(wanted, agreed=(quoted,)), dear)
    best = answer.recommended
    assert best
    amounts = {line.name: line.amount for line in best.cost.model.lines}
    assert part(answer, "purchase").standing == "quoted"
    assert part(answer, "purchase").amount == pytest.approx(amounts["server_cost"], rel=1e-6)
    assert part(answer, "purchase_rest").amount == pytest.approx(amounts["capex"] - amounts["server_cost"], rel=1e-6)
    assert part(answer, "purchase_rest").standing == "indicative"


def test_a_quote_that_the_team_keeps_gives_way_to_the_list_when_it_has_run_out() -> None:
    kept = replace(OFFERS[0], usd_per_hour=20.0, basis="quoted", valid_until="2026-02-01", listed_usd_per_hour=24.0,
                   public=ListPrice(usd_per_hour=24.0, date="2026-01-02", source="the list"))  # fmt: skip
    before = answered(replace(ASKED, start=None), kept)
    after = answered(replace(ASKED, as_of=date(2026, 2, 2), start=None), kept)
    assert before.recommended
    assert after.recommended
    assert after.recommended.offer
    assert part(before, "compute").standing == "quoted"
    assert part(after, "compute").standing == "public"
    assert (after.recommended.offer.usd_per_hour, after.recommended.offer.source) == (24.0, "the list")
    assert "warning.quote.ended" in {one.code for one in after.warnings}
    alone = replace(kept, public=None)
    held = answered(replace(ASKED, as_of=date(2026, 2, 2), start=None), alone)
    assert part(held, "compute").standing == "indicative"
    assert "warning.quote.lapsed" in {one.code for one in held.warnings}


def test_amounts_are_in_the_currency_of_the_plan() -> None:
    wanted = replace(ASKED, currency="EUR")
    answer = recommend(wanted, replace(market(*OFFERS), fx_usd={"EUR": (1.25, "2026-01-02")}))
    best = answer.recommended
    assert best
    assert best.cost.total.currency == "EUR"
    assert sum(one.amount for one in answer.backing) == pytest.approx(best.cost.total.expected)


def test_a_plan_in_dollars_that_is_shown_in_another_currency_shows_its_parts_in_that() -> None:
    answer = answered(ASKED)
    shown = recommendation_in(answer, Currency(code="EUR", rate=0.8, date="2026-01-02", source="x"), START)
    best = shown.recommended
    assert best
    assert best.cost.total.currency == "EUR"
    assert sum(one.amount for one in shown.backing) == pytest.approx(best.cost.total.expected, abs=0.05)
    assert shares_of(shown.backing) == pytest.approx(shares_of(answer.backing), abs=1e-4)
