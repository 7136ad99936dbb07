"""Purchase prices: readings of the release, and which of them plans buy at."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import date
from itertools import combinations, pairwise

import pytest

from catalog.facts import released
from catalog.purchases import SPREAD, Use, ranged, uses
from catalog.records import Record, Value
from engine.money.drift import DAYS_PER_YEAR, DRIFT_ASSUMPTIONS
from planner.market import market


def _value(text: str, day: str = "2026-05-01", source: str = "shop", dimension: str = "text") -> Value:
    return Value(text=text, unit="", dimension=dimension, source=source, date=day, confidence="repo")


def _reading(slug: str, usd: float, day: str, *, sold: str = "server", source: str = "shop") -> Record:
    texts = {"device": "h200", "devices": "8" if sold in ("server", "kit") else "1", "sold": sold}
    texts |= {"system": "box"} if sold == "server" else {}
    values = {name: _value(text, day, source, "count" if name == "devices" else "text") for name, text in texts.items()}
    price = Value(text=f"{usd:g}", unit="USD", dimension="USD", source=source, date=day, confidence="repo")
    return Record(kind="purchase", slug=slug, values={**values, "price_usd": price})


def _records(*readings: Record, known: str = "") -> dict[tuple[str, str], Record]:
    price = Value(text="1000", unit="USD", dimension="USD", source="old", date=known, confidence="repo")
    box = {"price_low_usd": price, "price_high_usd": price} if known else {}
    things = [Record(kind="system", slug="box", values=box), *readings]
    return {(one.kind, one.slug): one for one in things}


def _box(*readings: Record, known: str = "") -> tuple[float, float] | None:
    found = ranged(_records(*readings, known=known)).get(("system", "box"))
    return (found.number("price_low_usd"), found.number("price_high_usd")) if found else None


def test_a_server_costs_what_was_read_in_the_year_of_its_newest_reading() -> None:
    readings = (
        _reading("a", 250_000, "2024-01-01"),
        _reading("b", 300_000, "2025-08-01"),
        _reading("c", 330_000, "2026-05-01", source="other"),
        _reading("kit", 100_000, "2026-06-01", sold="kit"),
    )
    assert _box(*readings) == (300_000, 330_000)
    assert _box(*readings, known="2026-04-30") == (300_000, 330_000)
    assert _box(*readings, known="2026-05-01") is None  # what the catalog holds is as new
    assert _box(readings[-1]) is None


def test_a_lone_reading_gets_what_sellers_differ_by() -> None:
    low, high = _box(_reading("a", 315_000, "2026-05-01")) or (0.0, 0.0)
    assert math.log(high / low) == pytest.approx(2 * 1.2816 * SPREAD, abs=0.01)
    assert low < 315_000 < high


def test_what_sellers_differ_by_is_measured_on_the_readings_of_the_release() -> None:
    eights = [one for one in released().of("purchase") if one.number("devices") == 8]
    pairs = [
        math.log(one.number("price_usd") / other.number("price_usd"))
        for one, other in combinations(eights, 2)
        if one.text("device") == other.text("device")
        and one.text("page") != other.text("page")
        and abs((_day(one) - _day(other)).days) <= 365
    ]
    assert len(pairs) == 35
    assert math.sqrt(sum(step * step for step in pairs) / len(pairs) / 2) == pytest.approx(SPREAD, abs=0.005)


def _day(one: Record) -> date:
    return date.fromisoformat(one.values["price_usd"].date)


def test_a_server_that_costs_less_than_its_accelerators_is_not_believed() -> None:
    card = _reading("card", 40_000, "2026-05-01", sold="card")
    assert _box(_reading("a", 300_000, "2026-05-01"), _reading("b", 350_000, "2026-05-01"), card) is None
    assert _box(_reading("a", 330_000, "2026-05-01"), _reading("b", 350_000, "2026-05-01"), card) == (330_000, 350_000)


def test_every_reading_says_what_is_made_of_it_and_none_is_lost() -> None:
    catalog = released()
    readings = list(catalog.of("purchase"))
    said = {
        one.slug: use for slug in {one.text("device") for one in readings} for one, use in uses(catalog.records, slug)
    }
    assert set(said) == {one.slug for one in readings}
    expected: dict[str, Use] = {
        "h200-sxm/2026-05-01/aitechconnect": "",
        "h200-sxm/2025-01-31/epoch-history": "kit",
        "b300-sxm/2026-05-01/aitechconnect/3": "below_parts",
        "gb200/2024-05-02/tweaktown": "older",
        "h100-sxm5/2026-04-01/runlocalai": "used",
        "a100-sxm4-40/2020-05-21/epoch-history": "no_server",
        "h100-sxm5/2025-03-03/epoch-history/2": "older",
    }
    assert {slug: said[slug] for slug in expected} == expected


def test_plans_buy_at_the_readings_of_2026_and_the_release_before_stays_as_it_was() -> None:
    systems = {one.slug: one for one in market(released()).systems}
    h200, b300 = systems["dgx-h200"], systems["dgx-b300"]
    assert (h200.price_low_usd, h200.price_high_usd, h200.price_date) == (260_000, 382_000, "2026-05-01")
    assert "no seller" in h200.source
    assert b300.price_low_usd == 0
    before = {one.slug: one for one in released("2026-08").of("system")}
    assert before["dgx-h200"].values["price_low_usd"].date == "2025-01-28"
    assert not list(released("2026-08").of("purchase"))


def test_a_reading_of_something_that_the_catalog_lacks_changes_nothing() -> None:
    other = _reading("a", 300_000, "2026-05-01")
    values = {**other.values, "system": replace(other.values["system"], text="nobody")}
    assert ranged({("purchase", "a"): replace(other, values=values)}) == {}


def test_how_far_a_price_wanders_is_measured_on_what_one_seller_asked_again() -> None:
    """Readings of one page or shop, of one thing sold in one way, each with the next one: squared moves over years."""
    asked: dict[tuple[str, ...], list[Record]] = {}
    for one in released().of("purchase"):
        page = one.text("page").split("web.archive.org/web/")[-1]
        page = page.partition("/")[2] if page[:14].isdigit() else page
        seller = page if page.startswith("archive.ph") else page.partition("/")[0]
        asked.setdefault((one.text("device"), one.text("sold"), one.text("devices"), seller), []).append(one)
    moves = [
        (math.log(then.number("price_usd") / one.number("price_usd")), (_day(then) - _day(one)).days / DAYS_PER_YEAR)
        for rows in asked.values()
        for one, then in pairwise(sorted(rows, key=lambda row: (_day(row), row.slug)))
        if _day(then) > _day(one)
    ]
    assert len(moves) == 8
    sigma = math.sqrt(sum(step * step for step, _ in moves) / sum(years for _, years in moves))
    assert sigma == pytest.approx(DRIFT_ASSUMPTIONS["price.own_server"].value, abs=0.005)
