"""Numbers and dates as teams write them, in every language of the table, and never inside names."""

from __future__ import annotations

import re
from datetime import date

import pytest

from engine.inputs.finding import Quantity, Ref, Typed, finding
from exports.brand import Brand, Rate, using
from exports.compose import compose
from exports.composing.context import shown_in
from exports.composing.words import told
from exports.locales import LOCALES, NBSP
from exports.numbers import Currency, band, long_date, percent, scaled, significant, whole
from exports.text import clean_text
from tests.exports.samples import training_plan
from voice.writing import locale_of, separators

DAY = date(2027, 1, 9)
CASES = {
    "en-GB": ("1,234,567", "12.5", "9 January 2027"),
    "en-US": ("1,234,567", "12.5", "January 9, 2027"),
    "de-DE": ("1.234.567", "12,5", "09.01.2027"),
    "fr-FR": (f"1{NBSP}234{NBSP}567", "12,5", "09/01/2027"),
    "ja-JP": ("1,234,567", "12.5", "2027/01/09"),
    "sv-SE": (f"1{NBSP}234{NBSP}567", "12,5", "2027-01-09"),
    "de-CH": ("1’234’567", "12.5", "09.01.2027"),
}


@pytest.mark.parametrize("code", CASES)
def test_numbers_and_dates_of_a_language(code: str) -> None:
    with using(Brand(locale=code)):
        assert (whole(1234567), significant(12.49), long_date(DAY)) == CASES[code]


def test_every_language_writes_a_number_that_reads_back() -> None:
    for code in LOCALES:
        group, decimal = separators(locale_of(code))
        with using(Brand(locale=code)):
            text = Currency().price(1234567.891).removeprefix(f"USD{NBSP}")
        assert float(text.replace(group, "").replace(decimal, ".")) == pytest.approx(1234567.89)
        assert group != decimal


def test_german_texts() -> None:
    with using(Brand(locale="de-DE")):
        assert band(1234.5, 9876.5) == "1.230–9.880"
        assert percent(0.0123) == "1,2%"
        assert scaled(70.6e9) == f"70,6{NBSP}billion"
        assert Currency("EUR").amount(9.45) == f"EUR{NBSP}9,45"


def test_numbers_of_findings_follow_and_names_stay() -> None:
    size, day = Quantity(1234.5e9, "byte"), date(2027, 1, 9)
    memory = finding("warning.memory", used=size, room=size, over=Quantity(2.5e9, "byte"))
    old = finding("warning.price.old", day=day, age=1200)
    named = finding("example.because", accelerator=Ref("accelerator", "x", "CUDA 12.4"), why=Typed("v1.2.3, 3.5"))
    with using(Brand(locale="de-DE")):
        assert "1,23 TB expected of 1,23 TB, at the pessimistic end 2,5 GB too many" in told(memory)
        assert "on 09.01.2027, 1.200 days before" in told(old)
        assert told(named) == "CUDA 12.4: v1.2.3, 3.5"
    assert "on 9 January 2027, 1,200 days before" in told(old), "and nothing outside stays changed"


def test_cleaning_keeps_the_space_that_groups_digits() -> None:
    assert clean_text(f"12{NBSP}345 and{NBSP}more", 80) == f"12{NBSP}345 and more"


def test_a_brand_shows_dollars_in_its_currency_at_its_rate() -> None:
    plan = training_plan()
    with using(Brand(rate=Rate("EUR", 0.5, "2026-11-01", "treasury"))):
        document = compose(plan)
    best = plan.recommendation.recommended
    assert best
    assert document.currency == "EUR"
    assert document.plan_hash == plan.sha256
    assert document.decision.figures.items[0].value == f"EUR{NBSP}{best.cost.total.expected / 2:,.0f}"
    rate = next(row for row in document.workbook.sources if row.what == "EUR for one US dollar")
    assert (rate.source, rate.date) == ("treasury", "2026-11-01")
    everything = " ".join(fact.text for fact in document.decision.facts)
    assert not re.search(r"USD\s?\d|\d USD\b(?!/)", everything)


def test_a_plan_in_its_own_currency_keeps_its_rate() -> None:
    plan = shown_in(training_plan(), Rate("EUR", 0.5, "2026-11-01", "treasury"))
    assert shown_in(plan, Rate("GBP", 0.7, "2026-11-02", "other")) is plan
