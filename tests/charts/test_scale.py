"""One scale for all charts: whole steps or factors between the ends, few ticks, written short."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from charts.calendar import days_axis
from charts.figures import log_format, short
from charts.scale import axis_for
from charts.words import ENGLISH, day_of

positive = st.floats(min_value=1e-6, max_value=1e12)


@given(st.lists(st.floats(min_value=-1e12, max_value=1e12), min_size=1, max_size=8), st.booleans())
def test_a_linear_axis_holds_its_values_between_few_equal_steps(values: list[float], zero: bool) -> None:
    axis = axis_for(values, zero=zero)
    near = 1e-8 * (axis.high - axis.low)
    assert axis.low - near <= min(values) <= max(values) <= axis.high + near
    assert 2 <= len(axis.ticks) <= 14
    assert all(second - first == pytest.approx(axis.step, rel=1e-6) for first, second in pairwise(axis.ticks))


@given(st.lists(positive, min_size=1, max_size=8))
def test_a_logarithmic_axis_holds_its_values_between_few_equal_factors(values: list[float]) -> None:
    """Office programs count the factor from the least value on, so the ends are ticks too."""
    axis = axis_for(values, log=True)
    assert axis.log
    assert axis.low * (1 - 1e-9) <= min(values) <= max(values) <= axis.high * (1 + 1e-9)
    assert (axis.low, axis.high) == (axis.ticks[0], axis.ticks[-1])
    assert all(second / first == pytest.approx(axis.base) for first, second in pairwise(axis.ticks))
    assert len(axis.ticks) <= 20
    assert len(set(axis.texts())) == len(axis.ticks), axis.texts()


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        ((6.0, 90.0), ["6", "12", "24", "48", "96"]),
        ((55e3, 1.5e6), ["50k", "100k", "200k", "400k", "800k", "1.6M"]),
        ((0.03, 150.0), ["0.02", "0.2", "2", "20", "200"]),
        ((0.05, 2.4), ["0.04", "0.08", "0.16", "0.32", "0.64", "1.28", "2.56"]),
        ((0.5, 3.9), ["0.5", "1", "2", "4"]),
    ],
)
def test_a_logarithmic_axis_doubles_where_a_few_doublings_do(values: tuple[float, ...], shown: list[str]) -> None:
    assert list(axis_for(values, log=True).texts()) == shown


def test_every_tick_is_told_in_its_own_scale() -> None:
    form = log_format((250e3, 500e3, 1e6, 2e6))
    assert [short(value, form) for value in (250e3, 500e3, 1e6, 2e6)] == ["250k", "500k", "1M", "2M"]


def test_an_office_program_is_told_how_many_decimals_a_tick_has() -> None:
    """It counts the factors itself: “General” showed 2.55999999999999 where 2.56 was meant."""
    assert axis_for((0.05, 2.4), log=True).number_format == "0.00"
    assert axis_for((0.5, 3.9), log=True).number_format == "[>=1]#,##0;0.0"


def test_zero_or_less_has_no_logarithm() -> None:
    assert not axis_for([0.0, 5.0], log=True).log


@given(st.integers(min_value=700_000, max_value=760_000), st.integers(min_value=1, max_value=6000))
def test_days_are_told_at_mondays_or_first_days(first: int, length: int) -> None:
    axis = days_axis([first, first + length], ENGLISH)
    assert axis.low < first < first + length < axis.high
    assert len(axis.ticks) == len(axis.names) <= 14
    days = [day_of(tick) for tick in axis.ticks]
    assert all(day.day == 1 for day in days) or all(day.weekday() == 0 for day in days) or length <= 20
