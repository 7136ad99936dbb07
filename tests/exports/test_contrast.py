"""Contrast as WCAG defines it."""

from __future__ import annotations

import pytest

from exports.contrast import TEXT, contrast, mixed, readable


def test_black_on_white_is_the_largest() -> None:
    assert contrast("000000", "FFFFFF") == pytest.approx(21.0)
    assert contrast("FFFFFF", "FFFFFF") == pytest.approx(1.0)


def test_a_known_pair() -> None:
    """#767676 on white is the lightest grey that passes 4.5 : 1 (WCAG 2.2, understanding 1.4.3)."""
    assert contrast("767676", "FFFFFF") == pytest.approx(4.54, abs=0.005)
    assert contrast("777777", "FFFFFF") < TEXT


def test_a_pale_colour_is_darkened_until_it_can_be_read() -> None:
    assert readable("0A5C68", "FFFFFF") == "0A5C68"
    dark = readable("FFD000", "FFFFFF")
    assert contrast(dark, "FFFFFF") >= TEXT
    assert mixed("000000", "FFFFFF", 0.5) == "808080"
