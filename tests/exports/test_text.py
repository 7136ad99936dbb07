"""The text policy: whatever comes in, what goes out can be held by every format."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exports.text import clean_text, file_name, shorten
from tests.exports.samples import HOSTILE

ANY_TEXT = st.text(alphabet=st.characters(exclude_categories=()), max_size=400)


@given(ANY_TEXT, st.integers(min_value=20, max_value=600))
def test_clean_text_can_be_written_everywhere(text: str, limit: int) -> None:
    clean = clean_text(text, limit)
    assert len(clean) <= limit
    assert clean.encode("utf-8").decode("utf-8") == clean
    assert not re.search("[\x00-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069\ufffe\uffff]", clean)
    assert unicodedata.is_normalized("NFC", clean)
    assert clean == clean.strip()


@given(ANY_TEXT)
def test_clean_text_changes_nothing_twice(text: str) -> None:
    once = clean_text(text, 200)
    assert clean_text(once, 200) == once


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\nb\tc  d", "a b c d"),
        ("Zu\u0308rich", "Zürich"),
        ("go 🚀 now", "go [rocket] now"),
        ("東京の計画", "東京の計画"),
        ("مرحبا", "مرحبا"),
        ("x\u202egnp.exe", "xgnp.exe"),
        ("=1+1", "=1+1"),
        ("<b>&amp;</b>", "<b>&amp;</b>"),
    ],
)
def test_meaning_stays(text: str, expected: str) -> None:
    assert clean_text(text) == expected


def test_ten_thousand_characters_become_a_name_of_two_hundred() -> None:
    name = clean_text("Plan " * 2000, 200)
    assert len(name) <= 200
    assert name.endswith("…")


def test_a_word_that_nothing_can_break_is_cut_but_an_address_is_not() -> None:
    address = "https://example.org/" + "a" * 100
    assert max(map(len, clean_text(HOSTILE).split(" "))) <= 60
    assert clean_text(address) == address


@given(ANY_TEXT)
def test_file_names_are_plain(text: str) -> None:
    name = file_name(text, "0123456789ab")
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)
    assert len(name) <= 80
    assert name.endswith("-0123456789ab")


def test_a_file_name_never_leaves_its_folder() -> None:
    assert file_name("../../etc/passwd") == "etc-passwd"
    assert file_name("计划") == "plan"


def test_shorten_cuts_at_a_word() -> None:
    assert shorten("one two three four", 14) == "one two three…"
    assert shorten("short", 14) == "short"
