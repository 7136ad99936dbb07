"""Numbers as people write them are read as they mean them, and anything ambiguous is refused with a sentence."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.request.quantities import (
    QuantityError,
    compact,
    parse_quantity,
    rounded,
    show_money,
    show_quantity,
    write_quantity,
)

READ = [
    ("70B", "token", 70e9),
    ("2T", "token", 2e12),
    ("15e9", "token", 15e9),
    ("15E+9 tokens", "token", 15e9),
    ("15×10⁹", "token", 15e9),
    ("1.5 M", "token", 1.5e6),
    ("1.5 billion tokens", "token", 1.5e9),
    ("4.35 M", "token", 4_350_000.0),
    ("1.5 M USD", "USD", 1.5e6),
    ("$400k", "USD", 400e3),
    ("US$ 1,250.50", "USD", 1250.5),
    ("USD 2 million", "USD", 2e6),
    ("3 weeks", "day", 21),
    ("36 h", "day", 1.5),
    ("2 days", "h", 48),
    ("1 year", "month", 12),
    ("40 rps", "request/s", 40),
    ("40 requests/s", "request/s", 40),
    ("120 rpm", "request/s", 2),
    ("8.64 M requests per day", "request/s", 100),
    ("800 ms", "ms", 800),
    ("0.8 s", "ms", 800),
    ("1,500", "", 1500),
    ("1,234,567", "token", 1234567),
    ("1 500 000", "token", 1.5e6),
    ("1'500", "", 1500),
    ("１５００", "", 1500),
    ("٧٠", "", 70),
    ("20 %", "", 0.2),
    ("99.9%", "", 0.999),
    ("80 GB", "byte", 80e9),
    ("80 GiB", "byte", 80 * 2**30),
    ("60 gb", "byte", 60e9),
    ("60e9", "byte", 60e9),
    ("2 TiB", "byte", 2 * 2**40),
    ("-5", "token", -5),
    ("−5 M", "token", -5e6),
    (".5", "", 0.5),
    ("0.60 USD/M tokens", "USD/1e6 token", 0.6),
    ("64 GPUs", "", 64),
]


@pytest.mark.parametrize(("text", "unit", "value"), READ)
def test_it_reads_what_people_write(text: str, unit: str, value: float) -> None:
    assert parse_quantity(text, unit) == pytest.approx(value, rel=1e-15)


REFUSED = [
    ("", "token", "not a number"),
    ("NaN", "token", "not a number"),
    ("inf", "USD", "not a number"),
    ("-Infinity", "USD", "not a number"),
    ("1e999", "token", "too large"),
    ("1,5", "token", "two ways"),
    ("1.500,5", "USD", "not a number"),
    ("12,34,567", "USD", "two ways"),
    ("5m", "day", "minutes, months or millions"),
    ("60B", "byte", "bytes or billions"),
    ("80 Gb", "byte", "bits are not bytes"),
    ("€400k", "USD", "not in US dollars"),
    ("400k EUR", "USD", "not in US dollars"),
    ("15 bananas", "token", "not a number of tokens"),
    ("20 %", "token", "not a number of tokens"),
    ("3 weeks", "USD", "not an amount of US dollars"),
    ("$5", "token", "not a number of tokens"),
    ("70 B B", "token", "not a number of tokens"),
    ("1/2", "token", "not a number of tokens"),
    ("--5", "token", "not a number"),
    ("1.2.3", "token", "not a number"),
    ("0x10", "token", "not a number of tokens"),
    ("9" * 10_000, "token", "too long"),
]


@pytest.mark.parametrize(("text", "unit", "sentence"), REFUSED)
def test_it_refuses_in_one_sentence(text: str, unit: str, sentence: str) -> None:
    with pytest.raises(QuantityError, match=sentence) as caught:
        parse_quantity(text, unit)
    message = str(caught.value)
    assert message.endswith(".")
    assert "write" in message
    assert len(message) < 220


@given(
    st.floats(min_value=1e-6, max_value=1e17), st.sampled_from(["token", "USD", "", "day", "ms", "request/s", "byte"])
)
def test_written_text_reads_back_exactly(value: float, unit: str) -> None:
    assert parse_quantity(write_quantity(value, unit), unit) == value


@given(
    st.floats(min_value=1e-3, max_value=9e14), st.sampled_from(["token", "USD", "byte", "request/s", "day", "h", "ms"])
)
def test_shown_text_reads_back_within_its_rounding(value: float, unit: str) -> None:
    shown = show_quantity(value, unit)
    tolerance = 0.0051 if unit == "USD" and value < 10 else 0.0051 * value
    assert math.isclose(parse_quantity(shown, unit), value, abs_tol=tolerance), shown


@given(st.text(max_size=80))
def test_any_text_gives_a_finite_number_or_a_sentence(text: str) -> None:
    for unit in ("token", "USD", "byte", "day", ""):
        try:
            value, sentence = parse_quantity(text, unit), "."
        except QuantityError as error:
            value, sentence = 0.0, str(error)
        assert math.isfinite(value)
        assert sentence.endswith(".")


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (15e9, "token", "15 B tokens"),
        (1, "token", "1 token"),
        (402_318, "USD", "$402,000"),
        (1_238_000, "USD", "$1.24 M"),
        (2.345, "USD", "$2.35"),
        (18.93, "day", "18.9 days"),
        (0.25, "day", "6 h"),
        (1870, "s", "31.2 min"),
        (800, "ms", "800 ms"),
        (1200, "ms", "1.2 s"),
        (80e9, "byte", "80 GB"),
        (0.415, "share", "41.5%"),
        (40, "request/s", "40 requests/s"),
        (0, "USD", "$0.00"),
    ],
)
def test_it_shows_numbers_without_false_precision(value: float, unit: str, shown: str) -> None:
    assert show_quantity(value, unit) == shown


def test_a_rounded_number_never_shows_a_thousand_of_the_smaller_unit() -> None:
    assert compact(999_999, first=3) == "1 M"
    assert show_money(999_960) == "$1 M"
    assert rounded(-1234.5) == "−1,230"


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (15e9, "token", "15 B"),
        (400e3, "USD", "400 k"),
        (60e9, "byte", "60 GB"),
        (21, "day", "21"),
        (4096, "token", "4096"),
        (0.999, "", "0.999"),
    ],
)
def test_an_input_field_is_filled_with_short_text(value: float, unit: str, text: str) -> None:
    assert write_quantity(value, unit) == text
