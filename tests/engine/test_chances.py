"""How likely a limit holds: log-normal between the median and P90 of a band."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.answer import Estimate, Percentiles, ServingResult
from engine.inputs.spec import Serving
from engine.odds.chances import chance_within, promise_chance
from tests.exports.samples import serving_plan


def test_the_median_is_even_odds_and_the_high_end_nine_in_ten() -> None:
    assert chance_within(534, 534, 1150) == pytest.approx(0.5)
    assert chance_within(1150, 534, 1150) == pytest.approx(0.9)
    assert chance_within(534**2 / 1150, 534, 1150) == pytest.approx(0.1), "and as far below, one in ten"
    assert 0.5 < chance_within(800, 534, 1150) < 0.9


def test_without_a_band_a_limit_holds_or_it_does_not() -> None:
    assert chance_within(801, 800, 800) == pytest.approx(1.0)
    assert chance_within(799, 800, 800) == pytest.approx(0.0)


def served(ttft: tuple[float, float], tpot: tuple[float, float]) -> ServingResult:
    """A service with those medians and high ends at p95 [ms]."""
    best = serving_plan().recommendation.recommended
    assert best is not None
    assert best.serving is not None

    def latency(row: Percentiles, expected: float, high: float) -> Percentiles:
        return replace(row, p95=Estimate(low=expected / 2, expected=expected, high=high, unit="ms"))

    result = best.serving
    return replace(result, ttft_ms=latency(result.ttft_ms, *ttft), tpot_ms=latency(result.tpot_ms, *tpot))


def test_of_two_promises_the_less_likely_one_counts() -> None:
    result = served((500, 900), (50, 55))
    asked = Serving(requests_per_s=1, ttft_p95_ms=900, tpot_p95_ms=50)
    assert promise_chance(result, asked) == pytest.approx(0.5), "the first token would hold in nine of ten cases"
    assert promise_chance(result, replace(asked, tpot_p95_ms=0.0)) == pytest.approx(0.9)


def test_without_a_promise_there_is_no_chance() -> None:
    result = served((500, 900), (50, 55))
    assert promise_chance(result, Serving(requests_per_s=1, ttft_p95_ms=0.0, tpot_p95_ms=0.0)) is None
    assert promise_chance(result, None) is None
