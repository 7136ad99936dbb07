"""The catalog's pages: each value with source and date, each price with its age."""

from __future__ import annotations

import math
import re
from datetime import date
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from accounts.models import Membership, Role, Team, User
from catalog import clock, tables
from catalog.facts import load
from catalog.price_tables import Wanted, age_level, offer_of, price_lines
from catalog.tables import SORTS, accelerators
from engine.defaults import default_assumptions
from engine.physics.chip import curve_named
from planner.market import market as market_of


@pytest.fixture
def reader(db: None, client: Client) -> Client:
    """A viewer of a team, logged in, with a catalog loaded."""
    call_command("load_catalog", stdout=StringIO())
    user = User.objects.create_user(email="reader@example.com", password="a long enough secret")
    team = Team.objects.create(name="Readers", slug="readers")
    Membership.objects.create(user=user, team=team, role=Role.VIEWER)
    client.force_login(user)
    return client


def test_the_table_shows_dense_rates_units_and_price_ranges(reader: Client) -> None:
    page = reader.get("/catalog/").content.decode()
    assert "989.4 TFLOP/s" in page
    assert "1978.9 TFLOP/s" not in page
    assert "none known" in page
    assert load().release[:12] in page


def test_words_and_vendor_narrow_the_table(reader: Client) -> None:
    page = reader.get("/catalog/", {"vendor": "NVIDIA", "words": "h200 nvl"}).content.decode()
    assert "NVIDIA H200 NVL" in page
    assert "MI300X" not in page
    assert "No accelerator has that name" in reader.get("/catalog/", {"words": "<script>"}).content.decode()


def test_one_accelerator_shows_source_and_date_of_every_value(reader: Client) -> None:
    page = reader.get("/catalog/accelerators/h100-sxm5/").content.decode()
    record = next(record for record in load().of("accelerator") if record.slug == "h100-sxm5")
    rows = tables.facts(record, load().sources)
    assert len(rows) == len(record.values)
    assert all(row.source and row.date and row.confidence for row in rows)
    assert "stas00/ml-engineering" in page
    assert "p5.48xlarge" in page


def test_what_is_not_planned_with_says_why_and_an_unknown_slug_is_not_found(reader: Client) -> None:
    assert "counts sparsity" in reader.get("/catalog/accelerators/cerebras-cs3/").content.decode()
    assert reader.get("/catalog/accelerators/nothing/").status_code == 404


def test_without_login_there_is_no_catalog_page(db: None, client: Client) -> None:
    assert client.get("/catalog/").status_code == 302


def test_prices_are_sorted_and_old_ones_show_their_age() -> None:
    lines = price_lines(load(), Wanted(accelerator="h100-sxm5", every=True))
    each = [float(line.each.removesuffix(" USD").replace(",", "")) for line in lines]
    assert each == sorted(each)
    old = [line for line in lines if line.observed < date(2026, 1, 1)]
    assert old
    assert all("days old" in line.age and line.level == "bad" for line in old)
    for line in lines:
        assert (
            bool(line.age)
            == bool(line.level)
            == ((clock.today() - line.observed).days > (3 if line.option == "spot" else 30))
        ), line
    assert [age_level(days, "on_demand") for days in (0, 30, 31, 60, 61)] == ["", "", "warn", "warn", "bad"]
    assert [age_level(days, "spot") for days in (0, 3, 4, 7, 8)] == ["", "", "warn", "warn", "bad"]


def test_accelerators_are_ordered_by_what_a_buyer_asks_for(reader: Client) -> None:
    catalog = load()
    for sort in SORTS[1:]:
        values = [row.keys.get(sort, math.inf) for row in accelerators(catalog, sort=sort)]
        assert values == sorted(values)
        assert math.inf > values[0] != values[10]
    for sort in ("price", "per_pflops", "per_tb_s"):
        first = [row for row in accelerators(catalog, sort=sort) if row.keys.get(sort)]
        assert all(row.plannable for row in first), "what no plan takes is no bargain"
    rows = {row.slug: row for row in accelerators(catalog)}
    h100 = rows["h100-sxm5"]
    middle = float(h100.price.split(" – ")[1])
    share = default_assumptions()["training.gemm_best.hopper"] * default_assumptions()["training.gemm_sustained"]
    assert h100.sustained == f"{share:.0%}"
    assert float(h100.per_pflops) == pytest.approx(middle / (0.9894 * share), abs=0.02)
    assert float(h100.per_tb_s) == pytest.approx(middle / 3.35, abs=0.02)
    page = reader.get("/catalog/", {"sort": "per_tb_s"}).content.decode()
    assert 'aria-sort="ascending">USD/h for a TB/s' in page
    assert '<option value="per_tb_s" selected>' in page
    names = re.findall(r'<th scope="row"><a href="[^"]+">([^<]+)</a>', page)
    assert names == [row.name for row in accelerators(catalog, sort="per_tb_s")]
    assert reader.get("/catalog/", {"sort": "<script>"}).status_code == 200


def test_a_team_may_enter_a_blackwell_card_of_which_it_knows_no_rate_in_eight_bits() -> None:
    assert curve_named("blackwell", {"nvfp4": 1e15}) == "blackwell"
    assert curve_named("blackwell", {"nvfp4": 3e15, "fp8": 1e15}) == "blackwell-ultra"


@pytest.mark.parametrize("release", ["2026-08", ""])
def test_what_the_pages_say_of_every_accelerator_agrees_with_what_plans_are_offered(
    release: str, settings: Any, reader: Client
) -> None:
    _publish(settings, release)
    market, rows = market_of(load()), {row.slug: row for row in accelerators(load())}
    table = reader.get("/catalog/").content.decode()
    ways = dict.fromkeys(("rented", "bought", "owned", "never"), 0)
    for slug, device in market.devices.items():
        offers = [one for one in market.offers if one.device == slug]
        each = [one.usd_per_hour / one.devices for one in offers if one.option == "on_demand"]
        servers = [one for one in market.systems if one.device == slug and one.price_low_usd]
        way = "never" if not device.plannable else "rented" if offers else "bought" if servers else "owned"
        ways[way] += 1
        page = reader.get(f"/catalog/accelerators/{slug}/").content.decode()
        assert ("is known to rent it out" in page) == (not offers), slug
        assert ("a plan can buy servers with it" in page) == (way == "bought"), slug
        assert ("only where you own it" in page) == (way == "owned"), slug
        assert not re.search(r"(?i)no [^.]*(offer|price)[^.]* in the catalog", page), slug
        row = rows[slug]
        assert (row.prices > 0) == bool(offers), slug
        assert (row.price == "") == (not each), slug
        if each:
            assert float(row.price.split(" – ")[0]) == pytest.approx(min(each), abs=0.006), slug
        said = re.search(
            rf'accelerators/{slug}/">.*?<td class="right num brief__chief brief__named">(.*?)</td>', table, re.DOTALL
        )
        assert said is not None
        assert ("none known" in said[1]) == (not offers), slug
        assert ("only in other ways" in said[1]) == (bool(offers) and not each), slug
        sellers = len({one.provider for one in offers if one.option == "on_demand"})
        assert ("of one seller" in said[1]) == (sellers == 1), slug
        assert row.price.count(" – ") == (2 if sellers > 1 else 0), slug
    assert min(ways.values()) > 2


def _publish(settings: Any, release: str) -> None:
    """That release in the database; empty = the newest."""
    settings.CATALOG_RELEASE = release
    call_command("load_catalog", stdout=StringIO())


def test_purchase_prices_stand_with_their_source_and_what_is_made_of_them(settings: Any, reader: Client) -> None:
    _publish(settings, "")
    page = " ".join(reader.get("/catalog/accelerators/b300-sxm/").content.decode().split())
    assert "300,000 USD" in page
    assert "no: the same page asks more for the accelerators in it" in page
    assert "40,000 USD" in page
    assert "AI Tech Connect" in page
    assert 'id="purchases"' not in reader.get("/catalog/accelerators/mi210/").content.decode()


def test_the_price_page_narrows_by_each_field_and_by_day(reader: Client) -> None:
    def rows(**asked: str) -> str:
        return reader.get("/catalog/prices/", asked).content.decode()

    assert "p5.48xlarge" in rows(accelerator="h100-sxm5", provider="aws", option="on_demand")
    assert "ND96isr" not in rows(accelerator="h100-sxm5", provider="aws")
    assert "use1-az" in rows(accelerator="h100-sxm5", provider="aws", option="spot", region="use1")
    assert "No price is known for this" in rows(region="<script>")
    assert "No price is known for this" in rows(accelerator="h100-sxm5", as_of="2020-01-01")
    assert "chip--bad" in rows(provider="azure", option="spot")
    assert rows(as_of="not a day", page="x", option="nothing")


def test_a_history_is_a_chart_only_from_two_dates_on(reader: Client) -> None:
    dates: dict[str, set[date]] = {}
    for row in load().prices:
        dates.setdefault(offer_of(row), set()).add(row.date)
    many = next(offer for offer, found in dates.items() if len(found) >= 2)
    one = next(offer for offer, found in dates.items() if len(found) == 1)
    page = reader.get("/catalog/prices/history/", {"offer": many}).content.decode()
    assert page.count("chart__svg--narrow") == 1
    for picture in re.findall(r"<svg[^>]*chart__svg.*?</svg>", page, re.S):
        assert len(re.findall(r'<path[^>]*class="trace s1"', picture)) == 1
        assert len(re.findall(r'<circle[^>]*class="point front"', picture)) == len(dates[many])
    single = reader.get("/catalog/prices/history/", {"offer": one}).content.decode()
    assert '<svg class="chart__svg' not in single
    assert "One observation" in single
    assert reader.get("/catalog/prices/history/", {"offer": "a/b/c/spot"}).status_code == 404


def test_accelerators_stand_side_by_side_with_the_source_of_each_value(reader: Client) -> None:
    page = reader.get("/catalog/compare/", {"a": ["h100-sxm5", "mi300x", "nothing", "h100-sxm5"]}).content.decode()
    assert page.count('<th scope="col"><a href') == 2
    assert "989.4 TFLOP/s" in page
    assert "1307.4 TFLOP/s" in page
    assert "/catalog/sources/#" in page
    assert "Mark up to four" in reader.get("/catalog/compare/").content.decode()


def test_every_source_link_of_the_pages_leads_to_a_source(reader: Client) -> None:
    listed = reader.get("/catalog/sources/").content.decode()
    anchors = set(re.findall(r'<tr id="([\w-]+)">', listed))
    pages = [
        "/catalog/accelerators/h100-sxm5/",
        "/catalog/prices/?provider=oci",
        "/catalog/compare/?a=tpu-v6e&a=gaudi3",
    ]
    linked = {
        name for page in pages for name in re.findall(r"/catalog/sources/#([\w-]+)", reader.get(page).content.decode())
    }
    assert linked
    assert linked <= anchors
    assert {value.source for record in load().records for value in record.values.values()} <= anchors
    assert {row.source for row in load().prices} <= anchors


def test_a_price_that_follows_from_another_region_says_so(reader: Client) -> None:
    assert "derived, not observed there" in reader.get("/catalog/prices/", {"provider": "oci"}).content.decode()


def test_the_list_begins_with_what_plans_can_use_and_the_newest_of_it() -> None:
    catalog = load()
    known = {record.slug: record for record in catalog.of("accelerator")}
    seen = list(dict.fromkeys(line.accelerator for line in price_lines(catalog, Wanted())))
    standing = [
        (not known[slug].flag("plannable", True), known[slug].text("end_of_sale", "no") != "no", -known[slug].number("release_year"))
        for slug in seen
    ]  # fmt: skip
    assert standing == sorted(standing)
    assert known[seen[0]].number("release_year") >= 2025
    prices = [
        float(line.each.removesuffix(" USD").replace(",", ""))
        for line in price_lines(catalog, Wanted(accelerator=seen[0]))
    ]
    assert prices == sorted(prices)


def test_a_price_of_one_accelerator_names_its_currency_and_the_seller_in_its_own_spelling(reader: Client) -> None:
    line = price_lines(load(), Wanted(provider="aws", accelerator="h100-sxm5"))[0]
    assert line.provider == "AWS"
    assert re.fullmatch(r"\d+\.\d\d USD|0\.\d{4} USD", line.each)
    page = reader.get("/catalog/prices/", {"provider": "aws"}).content.decode()
    assert '<option value="aws" selected>AWS</option>' in page
    assert f"{line.observed.day} {line.observed:%b %Y}" in page
    facts = reader.get("/catalog/accelerators/h100-sxm5/").content.decode()
    assert not re.search(r">\s*\d{4}-\d{2}-\d{2}\s*<", facts), "days of facts are written as all others"
