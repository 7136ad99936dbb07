"""What a price that was read one day is by another: the band widens with the time between, the expected price follows a trend."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from datetime import date, timedelta

import pytest

from engine.answer import CostInput
from engine.defaults import default_assumptions
from engine.inputs.finding import Typed
from engine.inputs.freshness import days_old, limit_days
from engine.inputs.origin import origin, told_by
from engine.money.drift import DRIFT_ASSUMPTIONS, MOTIONS, band_of, expected_by, motion_of, width_of
from engine.odds.normal import P90
from planner.telling import sourced
from tests.engine.money_samples import ASSUME, offer
from tests.engine.small_market import OFFERS, answer, market, spec

MARKET = market(*OFFERS)
READ = date(2026, 7, 20)


def _half(days: int, **changes: object) -> float:
    """Times the price that the upper end is, so many days after it was read."""
    found = band_of(offer(**changes), ASSUME, start=READ + timedelta(days=days))
    assert found.high * found.low == pytest.approx(found.expected**2)
    return found.high / found.expected


def test_the_band_is_that_of_the_list_on_its_own_day_and_widens_with_the_days_to_the_start() -> None:
    assert _half(0) == pytest.approx(1.05)
    halves = [_half(days) for days in (0, 30, 60, 180, 365)]
    assert halves == sorted(halves)
    wandered = P90 * math.sqrt((0.05**2 + 0.12**2) * 365 / 365.25 + (0.02 * 365 / 365.25) ** 2)
    assert math.log(halves[-1]) == pytest.approx(math.hypot(math.log(1.05), wandered))


def test_a_smaller_clouds_list_moves_more_than_a_large_ones_and_an_unknown_seller_counts_as_small() -> None:
    large, small, unknown = (_half(90, tier=tier) for tier in ("hyperscaler", "specialist", ""))
    assert large < small == unknown
    assert 1.2 < small < 1.35


def test_what_is_paid_by_the_hour_wanders_on_while_the_work_runs_and_what_is_signed_does_not() -> None:
    def both(option: str, tier: str) -> list[float]:
        sold = offer(option=option, tier=tier, term_months=12 if option == "commit_1y" else 0)
        return [band_of(sold, ASSUME, start=READ, days=days).high for days in (0.0, 365.0)]

    for option in ("on_demand", "spot"):
        begin, year = both(option, "specialist")
        assert year > begin
    for option in ("commit_1y", "capacity_block"):
        begin, year = both(option, "hyperscaler")
        assert year == begin


def test_an_agreed_price_stands_and_an_undated_one_is_as_wide_as_one_of_a_year() -> None:
    assert _half(300, source=origin("agreed.instead", listed=Typed("price list"))) == pytest.approx(1.05)
    assert _half(0, price_date="") == pytest.approx(_half(365))
    assert _half(0, price_date="2025-03") == pytest.approx(_half(365))


def test_no_band_is_drawn_further_than_any_history_reached() -> None:
    assert _half(365 * 150) == pytest.approx(_half(int(365.25 * 5) + 1))


def test_without_a_trend_the_market_is_the_same_and_with_one_each_price_is_that_of_the_day() -> None:
    day = date(2027, 1, 1)
    assume = default_assumptions()
    assert expected_by(MARKET, day, assume) is MARKET
    rising = assume.override({"price.drift_list": 0.12})
    moved = expected_by(MARKET, day, rising)
    for before, after in zip(MARKET.offers, moved.offers, strict=True):
        years = (days_old(before.price_date, day) or 0) / 365.25
        trend = 0.12 if motion_of(before.option, before.tier) == "list" else 0.0
        assert after.usd_per_hour == pytest.approx(before.usd_per_hour * math.exp(trend * years))
        assert told_by(after.source, "moved_to") is bool(trend)


def test_a_trend_that_a_team_expects_moves_the_whole_answer_to_the_prices_of_the_start() -> None:
    asked = spec(spot=False)
    rising = replace(asked, assumptions={"price.drift_list": 0.2}, start=date(2026, 12, 31))
    today, then = answer(replace(asked, start=date(2026, 12, 31))).recommended, answer(rising).recommended
    assert today is not None
    assert then is not None
    assert then.id == today.id
    grown = math.exp(0.2 * 364 / 365.25)
    prices = [_price(option.cost.model.inputs) for option in (today, then)]
    assert prices[1].value == pytest.approx(prices[0].value * grown)
    assert then.cost.total.expected == pytest.approx(today.cost.total.expected * grown, rel=0.02)


def test_a_plan_that_starts_later_is_less_sure_of_its_cost() -> None:
    soon, late = (answer(replace(spec(), start=day)).recommended for day in (date(2026, 1, 2), date(2026, 12, 31)))
    assert soon is not None
    assert late is not None
    assert soon.cost.total.expected == late.cost.total.expected
    assert late.cost.total.high > soon.cost.total.high
    assert late.cost.total.low < soon.cost.total.low
    codes = [{one.code for one in option.warnings} for option in (soon, late)]
    assert not {"warning.price.old_by_start", "warning.price.ask"} & codes[0]
    assert {"warning.price.old_by_start", "warning.price.ask"} <= codes[1]


def _price(inputs: Iterable[CostInput]) -> CostInput:
    return next(item for item in inputs if item.name == "price_per_instance_hour")


def test_every_motion_has_its_coefficients_with_range_and_source() -> None:
    for motion in MOTIONS:
        for part in ("market", "own", "drift"):
            item = DRIFT_ASSUMPTIONS[f"price.{part}_{motion}"]
            assert item.low <= item.value <= item.high
            assert item.low < item.high
            assert "docs/catalog.md" in sourced(item.source)
        assert DRIFT_ASSUMPTIONS[f"price.drift_{motion}"].value == 0.0
    assert motion_of("commit_3y", "hyperscaler") == "committed"
    assert motion_of("commit_3y", "specialist") == "list"


def test_spot_is_old_after_a_week_and_a_list_after_sixty_days() -> None:
    assert (limit_days("spot"), limit_days("on_demand"), limit_days("commit_1y"), limit_days()) == (7, 60, 60, 60)


def test_time_adds_nothing_on_the_first_day() -> None:
    assert width_of(0.05, years=0.0, market=1.0, own=1.0, drift_sigma=1.0) == pytest.approx(math.log(1.05))
