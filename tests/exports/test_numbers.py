"""Numbers in words: digits, units and thresholds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.answer import Estimate, Money
from engine.money.expressions import cents
from exports.numbers import (
    Currency,
    aligned,
    band,
    chance,
    day_band,
    days,
    exact,
    input_band,
    input_value,
    measured,
    measured_band,
    month,
    part_share,
    percent,
    plural,
    scaled,
    seconds,
    significant,
)
from planner.presenters import words


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (5.596, "5.6"),
        (9.996, "10"),
        (0.01234, "0.0123"),
        (123456, "123,000"),
        (999.6, "1,000"),
        (0, "0"),
        (-41.26, "−41.3"),
    ],
)
def test_three_significant_digits(value: float, text: str) -> None:
    assert significant(value) == text


@given(st.floats(min_value=1e-6, max_value=1e15))
def test_significant_is_within_half_a_percent(value: float) -> None:
    assert float(significant(value).replace(",", "")) == pytest.approx(value, rel=0.0051)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.47, "47%"), (0.965, "96.5%"), (1.0, "100%"), (0.9999, "99.9%"), (0.0035, "0.35%"), (0.0, "0%"), (0.1, "10%")],
)
def test_percent(value: float, text: str) -> None:
    assert percent(value) == text


@pytest.mark.parametrize(("value", "text"), [(0.999, "over 99%"), (0.99, "99%"), (0.004, "under 1%"), (0.5, "50%")])
def test_a_chance_is_never_certain(value: float, text: str) -> None:
    assert chance(value) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [(1, "1 server"), (2, "2 servers"), (0, "0 servers"), (2.5, "2.5 servers"), (1200, "1,200 servers")],
)
def test_plural(count: float, text: str) -> None:
    assert plural(count, "server").replace("\u00a0", " ") == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (2580, "43 minutes"),
        (41, "41 seconds"),
        (1, "1 second"),
        (0.29, "290 ms"),
        (7200, "2 hours"),
        (172_800, "2 days"),
    ],
)
def test_seconds_choose_their_unit(value: float, text: str) -> None:
    assert seconds(value).replace("\u00a0", " ") == text


def test_days_below_two_are_hours() -> None:
    assert days(5.596) == "5.6\u00a0days"
    assert days(0.75) == "18\u00a0hours"


@pytest.mark.parametrize(
    ("low", "expected", "high", "length", "ends"),
    [
        (0.5, 0.75, 1.0, "18 hours", "12–24 hours"),
        (0.5, 1.5, 2.5, "36 hours", "12–60 hours"),
        (1.5, 2.5, 4.0, "2.5 days", "1.5–4 days"),
        (5.04, 5.9, 6.72, "5.9 days", "5.04–6.72 days"),
        (0.01, 0.02, 0.1, "28.8 minutes", "14.4–144 minutes"),
    ],
)
def test_a_length_and_its_band_have_one_unit(low: float, expected: float, high: float, length: str, ends: str) -> None:
    value = Estimate(low=low, expected=expected, high=high, unit="day")
    assert days(expected).replace("\u00a0", " ") == length
    assert day_band(value).replace("\u00a0", " ") == ends
    units = [text.rpartition("\u00a0")[2] for text in (words.days(expected), words.days_span(value))]
    assert units[0] == units[1]


def test_bands_collapse_when_both_ends_print_alike() -> None:
    assert band(5.601, 5.604) == "5.6"
    assert band(5.0, 6.0) == "5–6"


def test_scaled_and_exact() -> None:
    assert scaled(70_553_706_496) == "70.6\u00a0billion"
    assert scaled(15e9) == "15\u00a0billion"
    assert scaled(999_999_999) == "1\u00a0billion"
    assert exact(0.023) == "0.023"
    assert exact(3480) == "3,480"
    assert exact(0.000012) == "1.2e-05"


def test_month() -> None:
    assert month("2027-01") == "January 2027"
    assert month("soon") == "soon"


def test_money_is_whole_and_bands_have_three_digits() -> None:
    money = Money(low=21346.97, expected=23718.86, high=27988.25)
    assert Currency().banded(money).replace("\u00a0", " ") == "USD 23,719 (80% band USD 21,300–28,000)"
    assert Currency("EUR").amount(50) == "EUR\u00a050"
    assert Currency().amount(0.43) == "USD\u00a00.43"
    assert Currency().amount(-1543.5) == "−USD\u00a01,544"
    assert Currency().price(0.0231) == "USD\u00a00.0231"
    assert Currency().bare(1234.56) == "1,235"


@pytest.mark.parametrize(
    ("value", "rounded"), [(97.17499999999998, 97.18), (0.005, 0.01), (2.675, 2.68), (-1.005, -1.01)]
)
def test_cents_round_as_a_spreadsheet_does(value: float, rounded: float) -> None:
    assert cents(value) == rounded


def test_differences_are_said_in_whole_units_from_ten() -> None:
    assert Currency().rounded(22.7) == "USD\u00a023"
    assert Currency().rounded(99.7) == "USD\u00a0100"
    assert Currency().rounded(-1543.5) == "−USD\u00a01,540"
    assert Currency().rounded(2.5) == "USD\u00a02.50"


def test_a_sum_of_cents_rounds_as_the_total_that_it_equals() -> None:
    lines = [4607.78, 939.99, 0.15, 4.58]

    assert sum(lines) < 5552.5, "the floats add up to a hair less"
    assert Currency().bare(sum(lines)) == Currency().bare(5552.5) == "5,553"


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (10, "USD/h", "10.00"),
        (3.0975, "USD/h", "3.10"),
        (0.0147, "USD/(GB month)", "0.0147"),
        (0.15, "share", "15%"),
        (350_000, "USD", "350,000"),
        (73.16969, "h", "73.1697"),
    ],
)
def test_an_input_is_told_as_people_tell_such_a_value(value: float, unit: str, text: str) -> None:
    assert input_value(value, unit) == text


def test_both_ends_of_a_price_have_cents() -> None:
    assert input_band(2.81, 3.1, "USD/h") == "2.81–3.10"
    assert input_band(0.0147, 0.2, "USD/(GB month)") == "0.0147–0.20"
    assert input_band(0.0, 0.12, "USD/GB") == "0.00–0.12"
    assert measured(input_band(0.05, 0.5, "share"), "share") == "5–50%"


@pytest.mark.parametrize(
    ("value", "total", "text"),
    [
        (55.2455, 73.3525, "55.2"),
        (0.0159, 73.3525, "under 0.1"),
        (92.5, 130.2, "92.5"),
        (0.112, 1.52, "0.11"),
        (0, 80, "0.0"),
    ],
)
def test_parts_of_a_whole_stand_with_their_points_in_line(value: float, total: float, text: str) -> None:
    assert aligned(value, total) == text


@pytest.mark.parametrize(
    ("share", "text"), [(0.83, "83.0%"), (0.0004, "under 0.1%"), (0.0, "0.0%"), (-0.16, "−16.0%"), (1.0, "100.0%")]
)
def test_shares_of_a_whole_have_one_decimal_each(share: float, text: str) -> None:
    assert part_share(share) == text


def test_an_amount_in_a_column_keeps_its_cents_below_ten_as_a_sentence_does() -> None:
    assert [Currency().bare(value) for value in (0.0, 0.0004, 0.15, 1.52, 9.996, 4607.78, -1.5)] == [
        "0", "0", "0.15", "1.52", "10", "4,608", "−1.50",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("low", "high", "unit", "text"),
    [
        (7.0, 30.0, "day", "7–30\u00a0days"),
        (0.5, 1.0, "month", "0.5–1\u00a0months"),
        (1.25e7, 1.25e9, "byte/s", "12.5\u00a0MB/s–1.25\u00a0GB/s"),
        (0.05, 0.5, "share", "5–50%"),
    ],
)
def test_a_range_agrees_with_its_unit(low: float, high: float, unit: str, text: str) -> None:
    assert measured_band(low, high, unit) == text
