"""The price of a server that is bought is as wide as it is old, around the same middle; what is quoted or the team's own stands."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import date

import pytest

from engine.defaults import default_assumptions
from engine.inputs.hardware import System
from engine.money.drift import server_by
from planner.estimate import estimate
from planner.market import market_from_files
from planner.request.parse import spec_from

READ = date(2025, 3, 28)
LATER = date(2026, 11, 28)
BOX = System(
    slug="box", name="Box", device="h100-sxm5", devices=8, nic_bandwidth=4e11, max_power_w=10_200.0,
    price_low_usd=230_000.0, price_high_usd=296_600.0, price_date=READ.isoformat(),
)  # fmt: skip


def at(day: date, box: System = BOX) -> System:
    return server_by(box, day, default_assumptions())


def test_on_its_own_day_the_range_is_what_was_read_and_later_it_is_wider() -> None:
    assert (at(READ).price_low_usd, at(READ).price_high_usd) == pytest.approx((230_000, 296_600), abs=10)
    then = at(LATER)
    middle, wandered = 263_300, math.expm1(1.2816 * 0.1 * math.sqrt(610 / 365.25))
    half = middle * math.hypot(33_300 / middle, wandered)
    assert then.price_low_usd == pytest.approx(middle - half, abs=20)
    assert then.price_high_usd == pytest.approx(middle + half, abs=20)


def test_what_is_quoted_or_entered_by_the_team_stands() -> None:
    for box in (replace(BOX, quoted=True), replace(BOX, own=True)):
        assert at(LATER, box) is box


def test_a_price_without_a_day_counts_as_a_year_old_and_none_falls_to_nothing() -> None:
    year = at(date(2026, 3, 28))
    assert at(LATER, replace(BOX, price_date="")).price_high_usd == pytest.approx(year.price_high_usd, abs=10)
    assert at(LATER, replace(BOX, price_low_usd=1.0)).price_low_usd > 0


def test_a_plan_that_buys_reckons_with_it() -> None:
    spec = spec_from(
        {"name": "Own", "workload": "training", "model": "llama-3.1-8b", "as_of": LATER.isoformat(), "horizon_months": 36,
         "utilisation": 0.9, "training": {"tokens": 200e9, "sequence_length": 8192},
         "constraints": {"accelerators": ["h100-sxm5"]}}
    )  # fmt: skip
    shop = replace(market_from_files(), offers=())
    best = estimate(spec, shop).recommendation.recommended
    assert best is not None
    assert best.on_prem is not None
    bought = next(one for one in shop.systems if one.slug == best.on_prem)
    price = next(item for item in best.cost.model.inputs if item.name == "price_per_server")
    expected = server_by(bought, LATER, default_assumptions())
    assert (price.low, price.high) == (expected.price_low_usd, expected.price_high_usd)
    assert price.high - price.low > bought.price_high_usd - bought.price_low_usd
